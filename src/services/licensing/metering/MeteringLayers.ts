import { Layer } from "effect"
import { Balances } from "./Balances.ts"
import { Grants } from "./Grants.ts"
import { Refunds } from "./Refunds.ts"
import { ReportedUses } from "./ReportedUses.ts"
import { Usage } from "./Usage.ts"

/** The services of metered features: uses, the units that they may take, and refunds. */
export const layer = Layer.mergeAll(
  Balances.layer,
  Grants.layer,
  Refunds.layer,
  ReportedUses.layer,
  Usage.layer
)
