import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parentRefused } from "../../../../src/domain/customers/CustomerTree.ts"
import { findPlace, lineOf, lockTree } from "../../../../src/services/ground/persistence/CustomerLineSql.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

/** Customers of these names, each below the one before. */
const makeLine = (sql: Database, ...names: ReadonlyArray<string>) =>
  Effect.forEach(names, (name, index) =>
    makeRows(sql).insert("customers", {
      id: `cus_${name}`,
      code: name,
      name,
      parent_id: index === 0 ? null : `cus_${names[index - 1]}`,
      metadata: sql`'{}'`
    }))

const line = (sql: Database, id: string | null) =>
  Effect.map(
    sql<{ readonly line: ReadonlyArray<string | null> | null }>`SELECT ${sql.literal(lineOf("v.id"))} AS line
      FROM (SELECT ${id}::text AS id) v`,
    ([row]) => row!.line
  )

describe("the statements about customers that belong to others", () => {
  layer(Workers.layer)((it) => {
    it.effect("a line is a customer and those above it, nearest first, and none where there is no customer", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* makeLine(first, "a1", "a2", "a3", "a4", "a5")
        assert.deepStrictEqual(yield* line(first, "cus_a5"), ["cus_a5", "cus_a4", "cus_a3", "cus_a2", "cus_a1"])
        assert.deepStrictEqual(yield* line(first, "cus_a1"), ["cus_a1"])
        assert.deepStrictEqual([yield* line(first, "cus_none"), yield* line(first, null)], [null, null])
      }))

    it.effect("the place of a customer is the line of its parent and the levels that it has itself", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* makeLine(first, "b1", "b2", "b3")
        yield* makeLine(first, "c1", "c2", "c3")
        const place = (id: string | undefined, parent: string) =>
          Effect.map(findPlace(first, id, parent), ([found]) => found!)
        assert.deepStrictEqual(yield* place("cus_c2", "cus_b2"), { line: ["cus_b2", "cus_b1"], levels: 2 })
        assert.deepStrictEqual(yield* place(undefined, "cus_c3"), { line: ["cus_c3", "cus_c2", "cus_c1"], levels: 1 })
        const refused = (id: string | undefined, parent: string) =>
          Effect.map(place(id, parent), (found) => {
            const error = parentRefused(found, id)?.error
            return error?.fields?.[0]?.code ?? error?.code
          })
        assert.deepStrictEqual(
          yield* Effect.all([
            refused("cus_c2", "cus_b3"),
            refused("cus_c1", "cus_b3"),
            refused("cus_b1", "cus_b3"),
            refused("cus_b1", "cus_b1"),
            refused(undefined, "cus_none")
          ]),
          [undefined, "too_deep", "cycle", "cycle", "NOT_FOUND"]
        )
      }))

    it.effect("customers get parents one after the other", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* waiting(lockTree(first, "changed"), lockTree(second, "changed"))
      }))

    it.effect("parents stay while units of pools are taken, by many at once", () =>
      Effect.gen(function*() {
        const { first, passing, second, waiting } = yield* Workers
        yield* waiting(lockTree(first, "held"), lockTree(second, "changed"))
        yield* waiting(lockTree(first, "changed"), lockTree(second, "held"))
        yield* passing(lockTree(first, "held"), lockTree(second, "held"))
      }))
  })
})
