import { Effect } from "effect"
import type { SoldBefore } from "../../../domain/sales/billing/BillingConnection.ts"
import { entryFor } from "../../../domain/sales/purchases/Mapping.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import { isOtherEntry, saidBefore, slotOf, soldAs } from "../../../domain/sales/purchases/Said.ts"
import type { Said } from "../../../domain/sales/purchases/Said.ts"
import { paidSlot } from "../../../domain/sales/purchases/Standing.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { insertWork } from "./ConnectionSql.ts"
import { listSold, lockSold, updateSaidOfAll } from "./MappingReachSql.ts"
import type { SoldLicense } from "./MappingReachSql.ts"

/** How many licenses of a connection are read at once. */
const page = 1000

/** The last saying about a license whose price is mapped otherwise by now; undefined where it is not. */
const soldOtherwise = (before: Mapping, after: Mapping) => (row: SoldLicense): Said | undefined => {
  const bought = slotOf(row.state, row.item)
  // A license is what was paid for, while a change is not.
  const slot = bought && paidSlot(bought)
  const entry = slot === undefined || slot.dropped_at !== undefined
    ? undefined
    : entryFor(after, slot, row.state.origin)
  if (slot === undefined || entry === undefined) return undefined
  const said = row.said ?? saidBefore(row.state, before, { ...row, customer_id: row.customer_id ?? undefined })
  return said !== undefined && said.sold === soldAs(slot) && isOtherEntry(entry, said) ? said : undefined
}

/** The reach of another mapping among the licenses that a connection has sold. */
export const makeMappingReach = (sql: Database) => {
  /** The licenses that were sold while their prices were mapped otherwise, with what was said of them. */
  const soldBefore = Effect.fnUntraced(function*(connectionId: string, before: Mapping, after: Mapping) {
    const otherwise = soldOtherwise(before, after)
    const found: Array<{ readonly license_id: string; readonly purchase_id: string; readonly said: Said }> = []
    for (let from = "";;) {
      const rows = yield* listSold(sql, connectionId, { after: from, limit: page })
      for (const row of rows) {
        const said = otherwise(row)
        if (said !== undefined) found.push({ license_id: row.license_id, purchase_id: row.purchase_id, said })
      }
      if (rows.length < page) return found
      from = rows.at(-1)!.license_id
    }
  })

  /** Locks the purchases that another mapping bears on: a look locks its purchase before the mapping, too. */
  const lock = Effect.fnUntraced(function*(connectionId: string, before: Mapping, after: Mapping) {
    const found = yield* soldBefore(connectionId, before, after)
    if (found.length > 0) yield* lockSold(sql, [...new Set(found.map(({ purchase_id }) => purchase_id))])
  })

  /** Notes what is to become of the licenses, and has the purchases of those looked at that are to follow at once; counts them. */
  const follow = Effect.fnUntraced(function*(
    connectionId: string,
    { after, before, choice }: { readonly before: Mapping; readonly after: Mapping; readonly choice: SoldBefore }
  ) {
    const found = yield* soldBefore(connectionId, before, after)
    const follows = choice === "keep" ? undefined : choice
    if (found.length > 0) {
      yield* updateSaidOfAll(sql, found.map(({ license_id, said }) => ({ license_id, said: { ...said, follows } })))
    }
    if (choice === "now") yield* insertWork(sql, [...new Set(found.map(({ purchase_id }) => purchase_id))])
    return found.length
  })

  return { lock, follow }
}
