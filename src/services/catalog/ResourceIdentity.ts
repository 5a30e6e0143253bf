import { Effect } from "effect"
import { Conflict, failing } from "../../domain/wire/Errors.ts"
import type { Database } from "../persistence/Database.ts"
import { CurrentProducts } from "../persistence/ProductLimit.ts"
import { findIdentical, findResource } from "./CrudSql.ts"
import type { ResourceTable, Row, Values } from "./CrudSql.ts"

/** How a resource is called, and the columns that are unique together; without them, a conflict names nobody. */
interface IdentityOptions {
  readonly noun: string
  readonly identity?: ReadonlyArray<string>
  /** The column that must be unique, as people are told of it; `code` by default. */
  readonly unique?: string
}

/** Finds the resource that has what is unique already, and refuses a second one with its id. */
export const makeResourceIdentity = (
  sql: Database,
  of: ResourceTable,
  { identity: columns = [], noun, unique: taken = "code" }: IdentityOptions
) => {
  /** The row that has these values of the columns; none where one of them is missing. */
  const find = (values: Values): Effect.Effect<Row | undefined> =>
    columns.length === 0 || columns.some((column) => values[column] === undefined) ? Effect.undefined : Effect.map(
      findIdentical(sql, of, Object.fromEntries(columns.map((column) => [column, values[column]]))),
      ([row]) => row
    )

  const unnamed = () => failing(Conflict, `Another ${noun} has this ${taken}.`)

  /** The conflict with whatever has these values. A key that is limited to products is told of no other's. */
  const conflict = Effect.fnUntraced(function*(values: Values) {
    const isBeyond = (yield* CurrentProducts) !== undefined && values["product_id"] === undefined
    const same = isBeyond ? undefined : yield* find(values)
    if (same === undefined) return yield* unnamed()
    const id = String(same["id"])
    return yield* failing(Conflict, `Another ${noun} has this ${taken}: ${id}.`, { detail: id })
  })

  /** Refuses a change that would give a resource what another one has. */
  const differing = Effect.fnUntraced(function*(id: string, changes: Values) {
    if (!columns.some((column) => changes[column] !== undefined)) return
    const [before] = yield* findResource(sql, of, id)
    const left = { ...before, ...changes }
    const same = yield* find(left)
    if (same !== undefined && same["id"] !== id) return yield* conflict(left)
  })

  return { find, unnamed, conflict, differing }
}
