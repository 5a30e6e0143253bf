import { Effect } from "effect"
import { Conflict, failing } from "../../domain/ground/wire/Errors.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { CurrentProducts } from "../ground/persistence/ProductLimit.ts"
import { findIdentical, findResource, lockIdentical } from "./CrudSql.ts"
import type { ResourceTable, Row, Values } from "./CrudSql.ts"

/** How a resource is called, and its columns that are unique together, each list; without them, a conflict names nobody. */
interface IdentityOptions {
  readonly noun: string
  readonly identity?: ReadonlyArray<ReadonlyArray<string>>
  /** The column that must be unique, as people are told of it; `code` by default. */
  readonly unique?: string
}

/** Finds the resource that has what is unique already, and refuses a second one with its id. */
export const makeResourceIdentity = <A>(
  sql: Database,
  of: ResourceTable,
  { identity = [], noun, unique: taken = "code" }: IdentityOptions,
  read: (row: Row) => A
) => {
  /** The row that has the values of one of the lists; none where each lacks one. */
  const find = Effect.fnUntraced(function*(
    values: Values,
    query: typeof findIdentical = findIdentical
  ): Effect.fn.Return<Row | undefined> {
    for (const columns of identity) {
      if (columns.some((column) => values[column] === undefined || values[column] === null)) continue
      const [row] = yield* query(
        sql,
        of,
        Object.fromEntries(columns.map((column) => [column, values[column]]))
      )
      if (row !== undefined) return row
    }
    return undefined
  })

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
    if (!identity.flat().some((column) => changes[column] !== undefined)) return
    const [before] = yield* findResource(sql, of, id)
    const left = { ...before, ...changes }
    const same = yield* find(left)
    if (same !== undefined && same["id"] !== id) return yield* conflict(left)
  })

  const readIn = (row: Row | undefined): A | undefined => row === undefined ? undefined : read(row)

  /** The resource that has the values of one of the lists. */
  const findBy = (values: Values): Effect.Effect<A | undefined> => Effect.map(find(values), readIn)

  /** The same, locked against changes until the surrounding transaction ends. */
  const lockBy = (values: Values): Effect.Effect<A | undefined> => Effect.map(find(values, lockIdentical), readIn)

  return { by: { findBy, lockBy }, unnamed, conflict, differing }
}
