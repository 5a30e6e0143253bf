import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  countOfAuthor,
  deleteView,
  insertView,
  lockAuthor,
  lockView,
  updateView
} from "../../../../src/services/people/notes/LicenseViewSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

const author = (id: string) => ({ type: "person", id, name: "Jun", roles: ["Support"] }) as const

const insert = (sql: Database, of: string, is_shared = false) => {
  const id = `view_${++made}`
  return Effect.as(insertView(sql, { id, author: author(of), input: { name: "v", is_shared } }), id)
}

describe("the statements of saved views", () => {
  layer(Workers.layer)((it) => {
    it.effect("views of an author are saved one after the other: the second sees how many there are then", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const of = author("per_twice")
        const save = (sql: Database) =>
          Effect.gen(function*() {
            yield* lockAuthor(sql, of)
            const [counted] = yield* countOfAuthor(sql, of)
            yield* insert(sql, of.id)
            return counted!.n
          })
        assert.deepStrictEqual(yield* waiting(save(first), save(second)), [0, 1])
      }))

    it.effect("a view is seen by its author, and by others only if it is shared and they are not limited", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        const [own, shared] = [yield* insert(sql, "per_1"), yield* insert(sql, "per_1", true)]
        const seen = (id: string, reader: string, isLimited: boolean) =>
          Effect.map(lockView(sql, { id, isLimited, reader: author(reader) }), ({ length }) => length === 1)
        for (const isLimited of [false, true]) {
          for (const id of [own, shared]) assert.isTrue(yield* seen(id, "per_1", isLimited))
          assert.isFalse(yield* seen(own, "per_2", isLimited))
          assert.strictEqual(yield* seen(shared, "per_2", isLimited), !isLimited)
        }
        // A key and a person are two, also where they had one id.
        const key = { type: "api_key", id: "per_1" } as const
        assert.lengthOf(yield* lockView(sql, { id: own, isLimited: false, reader: key }), 0)
      }))

    it.effect("what takes the place of a view leaves nothing of it", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        const reader = author("per_3")
        const id = `view_${++made}`
        const input = {
          name: "a",
          filter: { tag: "vip" },
          order: "owner_asc",
          columns: ["owner"],
          is_shared: true
        } as const
        yield* insertView(sql, { id, author: reader, input })
        const [row] = yield* updateView(sql, { id, author: reader, input: { name: "b" } })
        assert.deepInclude(row, {
          name: "b",
          filter: {},
          order: null,
          columns: null,
          expires_within_days: null,
          is_shared: false
        })
        assert.lengthOf(yield* deleteView(sql, id), 1)
        assert.lengthOf(yield* deleteView(sql, id), 0)
      }))
  })
})
