import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  countStored,
  deleteOldAnswers,
  insertAnswer,
  insertAnswers,
  keptHours,
  lockKeys
} from "../../../../src/services/people/access/IdempotencySql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const principal = `key:${++made}`
  const claim = (sql: Database, key: string) =>
    Effect.map(
      lockKeys(sql, [{ principal, key }]),
      ([row]) => ({ locked: row!.locked, status: row!.status })
    )
  const answer = (key: string) => ({
    principal,
    key,
    fingerprint: new Uint8Array([1]),
    status: 201,
    headers: {},
    sealed: new Uint8Array([2]),
    shard: 0
  })
  const store = (sql: Database, ...keys: ReadonlyArray<string>) => insertAnswers(sql, keys.map(answer), true)
  const storeOne = (sql: Database, key: string) => Effect.map(insertAnswer(sql, answer(key)), ([row]) => row!.before)
  const stored = (sql: Database) => Effect.map(countStored(sql, [principal]), ([row]) => row?.answers ?? 0)
  return { ...workers, claim, principal, store, storeOne, stored }
})

describe("the statements of idempotent requests", () => {
  layer(Workers.layer)((it) => {
    it.effect("a key is claimed by one request: the other one is told so at once, and the answer once it is there", () =>
      Effect.gen(function*() {
        const { claim, first, passing, second, store } = yield* world
        const run = Effect.tap(claim(first, "a"), store(first, "a"))
        const [won, lost] = yield* passing(run, claim(second, "a"))
        assert.deepStrictEqual([won, lost], [{ locked: true, status: null }, { locked: false, status: null }])
        assert.deepStrictEqual(yield* claim(second, "a"), { locked: true, status: 201 })
      }))

    it.effect("a key is free again where the request that claimed it has no effect", () =>
      Effect.gen(function*() {
        const { claim, first, second } = yield* world
        yield* first.unsafe("BEGIN").unprepared
        assert.deepStrictEqual(yield* claim(first, "b"), { locked: true, status: null })
        assert.deepStrictEqual(yield* claim(second, "c"), { locked: true, status: null })
        yield* first.unsafe("ROLLBACK").unprepared
        assert.deepStrictEqual(yield* claim(second, "b"), { locked: true, status: null })
      }))

    it.effect("answers are counted together, whoever stores them at the same time", () =>
      Effect.gen(function*() {
        const { first, second, store, stored, waiting } = yield* world
        yield* waiting(store(first, "a", "b"), store(second, "c"))
        assert.strictEqual(yield* stored(first), 3)
      }))

    it.effect("one answer is counted beside others that are stored at the same time, and tells how many were before", () =>
      Effect.gen(function*() {
        const { first, second, store, storeOne, stored, waiting } = yield* world
        yield* store(first, "a")
        const [, before] = yield* waiting(store(first, "b"), storeOne(second, "c"))
        assert.deepStrictEqual([before, yield* stored(first)], [1, 3])
      }))

    it.effect("an answer is kept for a day and an hour, and counts as long", () =>
      Effect.gen(function*() {
        const { first, principal, store, stored } = yield* world
        yield* first`DELETE FROM idempotency_keys`
        yield* store(first, "kept", "old")
        yield* first`UPDATE idempotency_keys SET created_at = now() - (${keptHours} * 60 - 1) * interval '1 minute'`
        assert.lengthOf(yield* deleteOldAnswers(first, 10), 0)
        yield* first`
          UPDATE idempotency_keys SET created_at = now() - ${keptHours} * interval '1 hour' - interval '1 second'
          WHERE key = 'old'`
        assert.deepStrictEqual(yield* deleteOldAnswers(first, 10), [{ key: "old" }])
        yield* first`
          UPDATE idempotency_counts SET hour = hour - ${keptHours + 1} * interval '1 hour'
          WHERE principal = ${principal}`
        assert.strictEqual(yield* stored(first), 0)
      }))

    it.effect("nodes that delete answers wait for nobody, and for each other neither", () =>
      Effect.gen(function*() {
        const { first, passing, second, store } = yield* world
        yield* first`DELETE FROM idempotency_keys`
        yield* store(first, "a", "b")
        yield* first`UPDATE idempotency_keys SET created_at = now() - interval '3 days'`
        const [mine, others] = yield* passing(deleteOldAnswers(first, 1), deleteOldAnswers(second, 9))
        assert.deepStrictEqual([...mine, ...others].map(({ key }) => key).toSorted(), ["a", "b"])
        assert.lengthOf(others, 1)
      }))
  })
})
