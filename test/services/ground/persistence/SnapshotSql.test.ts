import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  limitIdleTime,
  readOneSnapshot,
  readOneSnapshotLong
} from "../../../../src/services/ground/persistence/TransactionSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const countProducts = (sql: Database) =>
  Effect.map(sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM products`, ([row]) => row!.count)

const setting = (sql: Database, name: string) =>
  Effect.map(
    sql<{ readonly value: string }>`SELECT current_setting(${name}) AS value`,
    ([row]) => row!.value
  )

describe("the statements that begin a read", () => {
  layer(Workers.layer)((it) => {
    it.effect("a snapshot stays as it was, whatever others commit", () =>
      Effect.gen(function*() {
        const { first, second } = yield* Workers
        const [before, after] = yield* first.withTransaction(Effect.gen(function*() {
          yield* readOneSnapshot(first)
          const seen = yield* countProducts(first)
          yield* makeRows(second).product()
          return [seen, yield* countProducts(first)]
        }))
        assert.strictEqual(after, before)
        assert.strictEqual(yield* countProducts(first), before! + 1)
      }))

    it.effect("nothing can be written in it", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const exit = yield* Effect.exit(
          first.withTransaction(Effect.andThen(readOneSnapshot(first), makeRows(first).product()))
        )
        assert.isTrue(Exit.isFailure(exit))
      }))

    it.effect("a long read has no limit of time for a statement, and its limits end with it", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`SELECT set_config('statement_timeout', '9s', false)`
        const limits = Effect.all([
          setting(first, "statement_timeout"),
          setting(first, "idle_in_transaction_session_timeout")
        ])
        const before = yield* limits
        const within = yield* first.withTransaction(
          Effect.andThen(Effect.andThen(readOneSnapshotLong(first), limitIdleTime(first, "30s")), limits)
        )
        assert.deepStrictEqual(within, ["0", "30s"])
        assert.deepStrictEqual(yield* limits, before)
      }))
  })
})
