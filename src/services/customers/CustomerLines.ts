import { Effect } from "effect"
import type { Customer } from "../../domain/customers/Customer.ts"
import { parentRefused } from "../../domain/customers/CustomerTree.ts"
import { invalidField } from "../../domain/ground/wire/FieldFindings.ts"
import { findPlace, lockTree } from "../ground/persistence/CustomerLineSql.ts"
import type { TreeLock } from "../ground/persistence/CustomerLineSql.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { CurrentProducts } from "../ground/persistence/ProductLimit.ts"
import { lockNamed } from "./LinkSql.ts"

/** Which customers belong to which: whoever gets a parent stands below it until the surrounding transaction ends. */
export const makeCustomerLines = (sql: Database) => {
  const judge = Effect.fnUntraced(function*(id: string | undefined, parentId: string, as: TreeLock) {
    yield* lockTree(sql, as)
    // Beyond the products of a limited key there is no parent. One that is there is not deleted meanwhile.
    const named = yield* lockNamed(sql, "customers", [parentId], { limit: yield* CurrentProducts })
    const [place] = yield* findPlace(sql, id, named[0]?.id ?? "")
    const refused = parentRefused(place!, id)
    if (refused !== undefined) return yield* refused
  })

  /** Judges the parent of a customer that is about to be created. */
  const placeNew = (parentId: string) => judge(undefined, parentId, "held")

  /**
   * Judges another parent of a customer, which is locked, or none. A limited key moves nobody: customers of other products may
   * stand below.
   */
  const place = Effect.fnUntraced(function*({ id, parent_id }: Customer, parentId: string | undefined) {
    if (parent_id === parentId) return
    if ((yield* CurrentProducts) !== undefined) {
      return yield* invalidField("parent_id", "limited_key", "needs an API key that is not limited to products")
    }
    if (parentId === undefined) yield* lockTree(sql, "changed")
    else yield* judge(id, parentId, "changed")
  })

  return { placeNew, place }
}
