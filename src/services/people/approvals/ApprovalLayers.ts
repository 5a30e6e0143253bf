import { Layer } from "effect"
import { Approvals } from "./Approvals.ts"
import { ApprovalSweeper } from "./ApprovalSweeper.ts"

/** Requests for a second person, and the sweep that ends those that were not decided. */
export const layer = Layer.mergeAll(Approvals.layer, ApprovalSweeper.layer)
