import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { deleteForgotten, insertSpent } from "../../../../src/services/ground/admission/AdmissionSql.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const spend = (sql: Database, amount: number) =>
  insertSpent(sql.client, [{ name: "token", burst: 10, perSecond: 0, subject: "key_1", amount }]).pipe(
    Effect.orDie,
    Effect.map(([row]) => row!.spent)
  )

describe("the statements of rate limits", () => {
  layer(Workers.layer)((it) => {
    it.effect("what nodes spend is added up, to the burst at most", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        assert.strictEqual(yield* spend(first, 1), 1)
        assert.deepStrictEqual(yield* waiting(spend(first, 2), spend(second, 3)), [3, 6])
        assert.strictEqual(yield* spend(second, 9), 10)
      }))

    it.effect("a bucket is kept for an hour after it was last spent from", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* spend(first, 1)
        const left = (minutes: number) =>
          first`UPDATE rate_limits SET at = clock_timestamp() - ${minutes} * interval '1 minute'`.pipe(
            Effect.andThen(Effect.orDie(deleteForgotten(first.client))),
            Effect.andThen(first`SELECT 1 FROM rate_limits`),
            Effect.map(({ length }) => length)
          )
        assert.strictEqual(yield* left(58), 1)
        assert.strictEqual(yield* left(61), 0)
      }))
  })
})
