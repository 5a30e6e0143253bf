import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { insertSpent } from "../../../src/services/admission/RateLimitSql.ts"
import type { Database } from "../../../src/services/persistence/Database.ts"
import { Workers } from "../../fixtures/Workers.ts"

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
  })
})
