import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { deleteOwnViews } from "../../../../src/services/people/access/ManagementKeySql.ts"
import { insertView, lockView } from "../../../../src/services/people/notes/LicenseViewSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

describe("the statement about views of an author whose access ends", () => {
  layer(Workers.layer)((it) => {
    it.effect("deletes those that nobody else sees, of this author alone, and counts both kinds", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        const leaving = { type: "person", id: "per_leaving" } as const
        const views = [
          ["view_own", leaving, false],
          ["view_shared", leaving, true],
          ["view_key", { type: "api_key", id: "per_leaving" }, false],
          ["view_other", { type: "person", id: "per_other" }, false]
        ] as const
        for (const [id, author, is_shared] of views) {
          yield* insertView(sql, { id, author: { name: "Jun", ...author }, input: { name: "v", is_shared } })
        }
        assert.deepStrictEqual(yield* deleteOwnViews(sql, leaving), [{ deleted: 1, kept: 1 }])
        const left = yield* Effect.filter(
          views,
          ([id, author]) =>
            Effect.map(lockView(sql, { id, isLimited: false, reader: author }), ({ length }) => length === 1)
        )
        assert.deepStrictEqual(left.map(([id]) => id), ["view_shared", "view_key", "view_other"])
        assert.deepStrictEqual(yield* deleteOwnViews(sql, leaving), [{ deleted: 0, kept: 1 }])
      }))
  })
})
