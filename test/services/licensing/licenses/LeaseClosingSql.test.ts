import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { updateExtended } from "../../../../src/services/licensing/floating/LeaseSql.ts"
import { updateEnded, updateUnbound } from "../../../../src/services/licensing/licenses/DeviceComponentSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const past = first`now() - interval '1 millisecond'`
  const licenseId = yield* rows.license()
  const lease = (members = {}) => rows.lease({ license_id: licenseId, ...members })
  const extension = (id: string) => ({ lease: { id, generation: 1n }, minutes: 60, next: undefined })
  const ids = (ended: ReadonlyArray<object>) => ended.map((row) => (row as { readonly id: string }).id).toSorted()
  return { ...workers, extension, ids, lease, licenseId, past, rows }
})

describe("the statements that end leases", () => {
  layer(Workers.layer)((it) => {
    it.effect("a lease that lives does not expire, and is released with all of its license", () =>
      Effect.gen(function*() {
        const { first, ids, lease, licenseId, past, rows } = yield* world
        const live = yield* lease()
        const due = yield* lease({ expires_at: past })
        const other = yield* rows.lease({ expires_at: past })
        assert.deepStrictEqual(ids(yield* updateEnded(first, { licenseId }, "expired")), [due])
        assert.deepStrictEqual(ids(yield* updateEnded(first, { licenseId }, "released")), [live])
        const [left] = yield* first`SELECT ended_at FROM leases WHERE id = ${other}`
        assert.isNull(left!["ended_at"])
      }))

    it.effect("only those of the devices and leases that are named end", () =>
      Effect.gen(function*() {
        const { first, ids, lease, licenseId } = yield* world
        const [a, b, c] = [yield* lease(), yield* lease(), yield* lease()]
        const [device] = yield* first<{ readonly id: string }>`SELECT device_id AS id FROM leases WHERE id = ${b}`
        assert.deepStrictEqual(ids(yield* updateEnded(first, { licenseId, leaseId: a }, "released")), [a])
        assert.deepStrictEqual(ids(yield* updateEnded(first, { licenseId, deviceId: [device!.id] }, "released")), [b])
        assert.deepStrictEqual(ids(yield* updateEnded(first, { licenseId, leaseId: [c] }, "released")), [c])
      }))

    it.effect("a lease ends once, whoever else ends it at the same time", () =>
      Effect.gen(function*() {
        const { first, ids, lease, licenseId, second, waiting } = yield* world
        const id = yield* lease()
        const [won, lost] = yield* waiting(
          updateEnded(first, { licenseId }, "revoked"),
          updateEnded(second, { licenseId }, "checked_in")
        )
        assert.deepStrictEqual([ids(won), ids(lost)], [[id], []])
        assert.deepStrictEqual(yield* updateEnded(second, { licenseId }, "expired"), [])
        const [row] = yield* first`SELECT end_reason FROM leases WHERE id = ${id}`
        assert.strictEqual(row!["end_reason"], "revoked")
      }))

    it.effect("an end waits for a heartbeat, and judges the lease as that has left it", () =>
      Effect.gen(function*() {
        const { extension, first, ids, lease, licenseId, past, second, waiting } = yield* world
        // The end finds it run out, and waits for the heartbeat, under which it has not.
        const id = yield* lease({ expires_at: past })
        const inTime = first`UPDATE leases SET expires_at = now() + interval '1 minute' WHERE id = ${id}`
        const beat = Effect.andThen(inTime, updateExtended(first, extension(id)))
        const [extended, expired] = yield* waiting(beat, updateEnded(second, { licenseId }, "expired"))
        assert.lengthOf(extended, 1)
        assert.deepStrictEqual(ids(expired), [])
      }))

    it.effect("a sweep waits for no heartbeat, ends at most so many, and the first first", () =>
      Effect.gen(function*() {
        const { first, ids, lease, licenseId, past, passing, second } = yield* world
        const busy = yield* lease({ expires_at: first`now() - interval '9 seconds'` })
        const early = yield* lease({ expires_at: first`now() - interval '5 seconds'` })
        const late = yield* lease({ expires_at: past })
        const live = yield* lease()
        const [, ended] = yield* passing(
          first`SELECT 1 FROM leases WHERE id = ${busy} FOR UPDATE`,
          updateEnded(second, { licenseId }, "expired", 1)
        )
        assert.deepStrictEqual(ids(ended), [early])
        assert.deepStrictEqual(
          ids(yield* updateEnded(second, { licenseId: [licenseId] }, "expired", 9)),
          [busy, late].toSorted()
        )
        assert.deepStrictEqual(ids(yield* updateEnded(second, { licenseId }, "released")), [live])
      }))

    it.effect("a device is bound until its last lease ends, whatever leases other devices have", () =>
      Effect.gen(function*() {
        const { first, lease, licenseId, rows } = yield* world
        const device = yield* rows.device({ license_id: licenseId })
        const of = (process_id: string) => lease({ device_id: device.id, process_id })
        const leases = [yield* of("p1"), yield* of("p2")]
        yield* lease()
        const end = (leaseId: string) => updateEnded(first, { licenseId, leaseId }, "released")
        yield* end(leases[0]!)
        assert.deepStrictEqual(yield* updateUnbound(first, [device.id], "expired"), [])
        yield* end(leases[1]!)
        assert.deepStrictEqual(yield* updateUnbound(first, [device.id], "expired"), [{ id: device.id }])
      }))

    it.effect("an activated device outlives its lease, and so does a blocked one", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const bound = yield* rows.device()
        const activated = yield* rows.device({ floating: false })
        const blocked = yield* rows.device({ status: "blacklisted" })
        const closed = yield* updateUnbound(first, [bound.id, activated.id, blocked.id], "expired")
        assert.deepStrictEqual(closed.map(({ id }) => id), [bound.id])
        const [row] = yield* first`SELECT status FROM devices WHERE id = ${bound.id}`
        assert.strictEqual(row!["status"], "expired")
      }))
  })
})
