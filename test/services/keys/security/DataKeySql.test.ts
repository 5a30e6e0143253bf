import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  findDataKey,
  findKeyCheck,
  findOtherWrap,
  insertDataKeys,
  insertKeyCheck,
  insertWraps,
  listDataKeys,
  listMonths,
  lockDataKeys
} from "../../../../src/services/keys/security/DataKeySql.ts"
import type { DataKey } from "../../../../src/services/keys/security/DataKeySql.ts"
import type { KeyWrapping } from "../../../../src/services/keys/security/KeyWrapping.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const eight = (n: number) => new Uint8Array(8).fill(n)

/** A wrapping that puts the number of its master key before the key. */
const wrapping = (n: number): KeyWrapping => ({
  masterKeyId: eight(n),
  wrap: (_, key) => Uint8Array.of(n, ...key),
  unwrap: (_, wrapped) => wrapped.slice(1)
})

const key = (n: number, purpose: string, period: string): DataKey => ({
  id: eight(n),
  purpose,
  period,
  key: Uint8Array.of(n)
})

const world = Effect.gen(function*() {
  const workers = yield* Workers
  yield* workers.first`DELETE FROM data_key_wraps`
  yield* workers.first`DELETE FROM data_keys`
  return workers
})

const listed = (sql: Database, master: number) =>
  Effect.map(
    listDataKeys(sql, wrapping(master)),
    (rows) => rows.map(({ id, wrapped }) => [id[0], wrapped === null ? null : [...wrapped]])
  )

describe("the statements about data keys", () => {
  layer(Workers.layer)((it) => {
    it.effect("who changes data keys waits for another who does", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* world
        const month = key(1, "signing-key", "2026-01")
        const [, found] = yield* waiting(
          Effect.andThen(lockDataKeys(first), insertDataKeys(first, [month])),
          second.withTransaction(Effect.andThen(lockDataKeys(second), listed(second, 7)))
        )
        assert.deepStrictEqual(found, [[1, null]])
      }))

    it.effect("a data key is found by the master key that wrapped it, and by no other", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        const keys = [
          key(2, "signing-key", "2026-02"),
          key(1, "signing-key", "2026-01"),
          key(3, "idempotency", "2026-01")
        ]
        yield* insertDataKeys(first, keys)
        yield* insertWraps(first, keys.slice(0, 2), wrapping(7))
        yield* insertWraps(first, [], wrapping(8))
        assert.deepStrictEqual(yield* listed(first, 7), [[3, null], [1, [7, 1]], [2, [7, 2]]])
        assert.deepStrictEqual(yield* listed(first, 8), [[3, null], [1, null], [2, null]])
        const found = (id: number, master: number) =>
          Effect.map(
            findDataKey(first, eight(id), wrapping(master)),
            (rows) => rows.map(({ wrapped }) => [...wrapped!])
          )
        assert.deepStrictEqual(yield* found(2, 7), [[7, 2]])
        assert.deepStrictEqual(yield* found(2, 8), [])
        assert.deepStrictEqual(yield* found(3, 7), [])
      }))

    it.effect("a second master key shows by what it wrapped", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        const keys = [key(1, "root", "")]
        yield* insertDataKeys(first, keys)
        yield* insertWraps(first, keys, wrapping(7))
        assert.lengthOf(yield* findOtherWrap(first, wrapping(7)), 0)
        yield* insertWraps(first, keys, wrapping(8))
        assert.lengthOf(yield* findOtherWrap(first, wrapping(7)), 1)
      }))

    it.effect("months follow each other from the database's current one", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const [months, now] = yield* first.withTransaction(Effect.all([
          Effect.map(listMonths(first, 12), (rows) => rows.map(({ month }) => month)),
          Effect.map(
            first<{ readonly month: string }>`SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month`,
            ([row]) => row!.month
          )
        ]))
        const [year = 0, month = 0] = now.split("-").map(Number)
        const expected = Array.from({ length: 13 }, (_, ahead) => {
          const place = year * 12 + month - 1 + ahead
          return `${Math.floor(place / 12)}-${String(place % 12 + 1).padStart(2, "0")}`
        })
        assert.deepStrictEqual(months, expected)
      }))

    it.effect("the value by which an old database knows its master key is kept", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`DELETE FROM service_state WHERE key = 'master_key_check'`
        assert.lengthOf(yield* findKeyCheck(first), 0)
        yield* insertKeyCheck(first, eight(5))
        assert.deepStrictEqual((yield* findKeyCheck(first)).map(({ value }) => value[7]), [5])
      }))
  })
})
