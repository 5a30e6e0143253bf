import { Effect } from "effect"
import { longestLine } from "../../../domain/customers/CustomerTree.ts"
import { parentIn } from "../../../domain/evidence/audit/LastEvents.ts"
import { readSharedPool } from "../../catalog/terms/FeatureTerms.ts"
import { listPoolsAt } from "../../catalog/terms/OpenGrantSql.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { findLastEvent } from "./LicenseHistorySql.ts"
import { lastOf } from "./LoggedEvents.ts"

/** A customer and those above it at an instant, nearest first. */
const lineAt = Effect.fnUntraced(function*(sql: Database, customerId: string | undefined, at: Date) {
  const line: Array<string> = []
  for (let id = customerId; id !== undefined && line.length < longestLine;) {
    line.push(id)
    const last = lastOf(yield* findLastEvent(sql, id, ["customer.created", "customer.updated"], at))
    id = last && parentIn(last).parent_id
  }
  return line
})

/** The pools that a license could take of at an instant, when it was of a customer. */
export const poolsAt = Effect.fnUntraced(
  function*(sql: Database, { customerId, ...asked }: {
    readonly customerId: string | undefined
    readonly licenseId: string
    readonly featureId: string
    readonly at: Date
  }) {
    const customerIds = yield* lineAt(sql, customerId, asked.at)
    return customerIds.length === 0 ? [] : (yield* listPoolsAt(sql, { ...asked, customerIds })).map(readSharedPool)
  }
)
