import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Lease } from "../../../../src/domain/licensing/entitlements/Lease.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  insertLeases,
  lockHeldLeases,
  updateCheckedIn,
  updateExtended,
  updateExtendedMany,
  updateKeptLeases,
  updateUnbound
} from "../../../../src/services/licensing/floating/LeaseSql.ts"
import type { Extension } from "../../../../src/services/licensing/floating/LeaseSql.ts"
import { updateEnded } from "../../../../src/services/licensing/licenses/DeviceComponentSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

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

    it.effect("the open leases of a device are held, the newest first, and each says whether it lives", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const device = yield* rows.device()
        const lease = (members: object) =>
          rows.lease({ license_id: device.license_id, device_id: device.id, ...members })
        yield* lease({ ended_at: first`now()`, end_reason: "released" })
        const due = yield* lease({ expires_at: first`now() - interval '1 second'`, process_id: "p1" })
        const live = yield* lease({ process_id: "p2" })
        // Another device of the license has a lease of its own.
        yield* rows.lease({ license_id: device.license_id })
        const held = yield* lockHeldLeases(first, [{
          licenseId: device.license_id,
          binding: { kind: "hardware", key: device.id }
        }])
        assert.deepStrictEqual(
          held.map(({ id, live }) => [id, live]),
          [due, live].toSorted().toReversed().map((id) => [id, id === live])
        )
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

    it.effect("leases are opened each with what is its own, and with nothing where it has none", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const at = new Date("2026-03-29T00:30:00.250Z")
        const expiresAt = new Date("2026-03-29T00:45:00.250Z")
        const opened = Effect.fnUntraced(function*(more: Partial<Lease>, code: string) {
          const { id: device_id, license_id } = yield* rows.device()
          const id = `lease_opened_${device_id}`
          const lease = { id, license_id, device_id, ...more } as Lease
          return { id, tokenHash: newToken(), expiresAt, code, lease }
        })
        const product_id = yield* rows.product()
        const leases = [yield* opened({ product_id, process_id: "p1" }, "viewer"), yield* opened({}, "")]
        yield* insertLeases(first, at, leases)
        const stored = yield* first`
          SELECT id, license_id, device_id, token_hash, generation, checked_out_at, expires_at, product_id, product_code,
            process_id, ended_at
          FROM leases WHERE id LIKE 'lease_opened_%' ORDER BY product_id NULLS LAST`
        assert.deepStrictEqual(
          stored,
          leases.map(({ code, lease, tokenHash }, index) => ({
            id: lease.id,
            license_id: lease.license_id,
            device_id: lease.device_id,
            token_hash: tokenHash,
            generation: 1n,
            checked_out_at: at,
            expires_at: expiresAt,
            product_id: index === 0 ? product_id : null,
            product_code: index === 0 ? code : null,
            process_id: index === 0 ? "p1" : "",
            ended_at: null
          }))
        )
      }))

    it.effect("a lease that is kept has the next token, and the one before for whose answer got lost", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const before = newToken()
        const id = yield* rows.lease({ token_hash: before, product_code: "old" })
        const other = yield* rows.lease()
        const at = new Date("2026-03-29T00:30:00.250Z")
        const kept = { id, tokenHash: newToken(), expiresAt: new Date("2026-03-29T01:00:00Z"), code: "" }
        yield* updateKeptLeases(first, at, [kept])
        const [stored] = yield* first`
          SELECT generation, token_hash, previous_token_hash, last_heartbeat_at, expires_at, product_code
          FROM leases WHERE id = ${id}`
        assert.deepStrictEqual(stored, {
          generation: 2n,
          token_hash: kept.tokenHash,
          previous_token_hash: before,
          last_heartbeat_at: at,
          expires_at: kept.expiresAt,
          product_code: null
        })
        const [untouched] = yield* first`SELECT generation FROM leases WHERE id = ${other}`
        assert.deepStrictEqual(untouched, { generation: 1n })
      }))

    it.effect("a device that was bound for its leases alone is closed with the last of them", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const at = new Date("2026-03-29T00:30:00.250Z")
        const of = (lease: string) =>
          Effect.map(
            first<{ readonly device_id: string; readonly license_id: string }>`
              SELECT device_id, license_id FROM leases WHERE id = ${lease}`,
            ([row]) => row!
          )
        const [last, one, seated] = [yield* rows.lease(), yield* rows.lease(), yield* rows.lease()]
        const [alone, twice, active] = [yield* of(last), yield* of(one), yield* of(seated)]
        yield* rows.lease({ license_id: twice.license_id, device_id: twice.device_id, process_id: "p2" })
        yield* first`UPDATE devices SET floating = false WHERE id = ${active.device_id}`
        yield* updateCheckedIn(first, at, [last, one, seated])
        const ids = [alone, twice, active].map(({ device_id }) => device_id)
        yield* updateUnbound(first, ids)
        const ended = yield* first`
          SELECT ended_at, end_reason FROM leases WHERE id = ANY(${[last, one, seated]}::text[])`
        assert.deepStrictEqual(ended, ended.map(() => ({ ended_at: at, end_reason: "checked_in" })))
        const status = yield* first<{ readonly id: string; readonly status: string }>`
          SELECT id, status FROM devices WHERE id = ANY(${ids}::text[])`
        const statuses = new Map(status.map((row) => [row.id, row.status]))
        assert.deepStrictEqual(ids.map((id) => statuses.get(id)), ["deactivated", "active", "active"])
      }))
  })
})
