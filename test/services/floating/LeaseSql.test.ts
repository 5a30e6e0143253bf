import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { updateExtended, updateExtendedMany } from "../../../src/services/floating/LeaseSql.ts"
import type { Extension } from "../../../src/services/floating/LeaseSql.ts"
import { updateEnded } from "../../../src/services/licenses/LeaseClosingSql.ts"
import type { Database } from "../../../src/services/persistence/Database.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

let tokens = 0

/** The hash of a token that no lease has yet. */
const newToken = () => new Uint8Array([1, tokens >> 8, tokens++ & 0xff])

/** The two ways to extend a lease: with the token that it has, and with the next one. */
const kinds: ReadonlyArray<readonly [string, boolean]> = [
  ["keeps its token", false],
  ["gets the next token", true]
]

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const rows = makeRows(workers.first)
  const extension = (id: string, hasNext = false): Extension => ({
    lease: { id, generation: 1n },
    minutes: 60,
    next: hasNext ? newToken() : undefined
  })
  /** Whether a lease is extended, by both statements: alone, and in a group. */
  const alone = (sql: Database, one: Extension) => Effect.map(updateExtended(sql, one), ({ length }) => length === 1)
  const grouped = (sql: Database, one: Extension) =>
    Effect.map(updateExtendedMany(sql, [one]), ({ length }) => length === 1)
  const found = (id: string) =>
    Effect.map(
      workers.first<{ readonly generation: bigint; readonly minutes: number; readonly ended: boolean }>`
        SELECT generation, round(extract(epoch FROM expires_at - now()) / 60)::int AS minutes,
          ended_at IS NOT NULL AS ended
        FROM leases WHERE id = ${id}`,
      ([row]) => row!
    )
  return { ...workers, alone, extension, found, grouped, rows }
})

describe("the statements of leases", () => {
  layer(Workers.layer)((it) => {
    it.effect.each(kinds)("a lease that is extended %s", ([, hasNext]) =>
      Effect.gen(function*() {
        const { alone, extension, first, found, grouped, rows } = yield* world
        for (const extend of [alone, grouped]) {
          const id = yield* rows.lease()
          assert.isTrue(yield* extend(first, extension(id, hasNext)))
          const { generation, minutes } = yield* found(id)
          assert.deepStrictEqual({ generation, minutes }, { generation: hasNext ? 2n : 1n, minutes: 60 })
        }
      }))

    it.effect.each(kinds)("a heartbeat revives no expired lease, when it %s", ([, hasNext]) =>
      Effect.gen(function*() {
        const { alone, extension, first, found, grouped, rows } = yield* world
        for (const extend of [alone, grouped]) {
          const id = yield* rows.lease({ expires_at: first`now() - interval '1 millisecond'` })
          assert.isFalse(yield* extend(first, extension(id, hasNext)))
          assert.isAtMost((yield* found(id)).minutes, 0)
          const ended = yield* rows.lease({ ended_at: first`now()`, end_reason: "checked_in" })
          assert.isFalse(yield* extend(first, extension(ended, hasNext)))
        }
      }))

    it.effect.each(kinds)(
      "a heartbeat that waits for the end of its lease extends nothing, when it %s",
      ([, hasNext]) =>
        Effect.gen(function*() {
          const { alone, extension, first, found, rows, second, waiting } = yield* world
          const id = yield* rows.lease()
          const [row] = yield* first<{ readonly license_id: string }>`SELECT license_id FROM leases WHERE id = ${id}`
          const [ended, extended] = yield* waiting(
            updateEnded(first, { licenseId: row!.license_id }, "released"),
            alone(second, extension(id, hasNext))
          )
          assert.lengthOf(ended, 1)
          assert.isFalse(extended)
          assert.isTrue((yield* found(id)).ended)
        })
    )

    it.effect("a token is replaced once, though two requests read the same one", () =>
      Effect.gen(function*() {
        const { alone, extension, first, found, grouped, rows, second, waiting } = yield* world
        for (const hasNext of [true, false]) {
          const id = yield* rows.lease()
          const [won, lost] = yield* waiting(alone(first, extension(id, true)), alone(second, extension(id, hasNext)))
          assert.deepStrictEqual([won, lost], [true, false])
          assert.isFalse(yield* grouped(second, extension(id, hasNext)))
          assert.strictEqual((yield* found(id)).generation, 2n)
        }
      }))

    it.effect("a group of heartbeats waits for no lease, and extends the others", () =>
      Effect.gen(function*() {
        const { extension, first, found, passing, rows, second } = yield* world
        const [busy, free] = [yield* rows.lease(), yield* rows.lease()]
        const [, extended] = yield* passing(
          first`SELECT 1 FROM leases WHERE id = ${busy} FOR UPDATE`,
          updateExtendedMany(second, [extension(busy), extension(free, true)])
        )
        assert.deepStrictEqual(extended.map(({ generation, id }) => [id, generation]), [[free, 2n]])
        assert.strictEqual((yield* found(busy)).minutes, 10)
      }))

    it.effect("a group replaces the tokens of those alone that have a next one", () =>
      Effect.gen(function*() {
        const { extension, first, rows } = yield* world
        const [same, next] = [yield* rows.lease(), yield* rows.lease()]
        yield* updateExtendedMany(first, [extension(same), extension(next, true)])
        const hashes = yield* first<{ readonly id: string; readonly old: boolean; readonly previous: boolean }>`
          SELECT id, token_hash = sha256(id::bytea) AS old, coalesce(previous_token_hash = sha256(id::bytea), false)
            AS previous FROM leases WHERE id = ANY(${[same, next]}::text[]) ORDER BY length(id), id`
        assert.deepStrictEqual(hashes, [
          { id: same, old: true, previous: false },
          { id: next, old: false, previous: true }
        ])
      }))
  })
})
