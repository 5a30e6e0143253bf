import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  countSeatsTaken,
  listSeatHolders,
  updateCounters,
  updateDeactivated
} from "../../../../src/services/licensing/entitlements/SeatSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const at = new Date("2026-03-01T00:00:00Z")

describe("the statements about seats", () => {
  layer(Workers.layer)((it) => {
    it.effect("seats are counted by kind: those of active devices that do not float", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const [license, empty] = [yield* rows.license(), yield* rows.license()]
        const device = (members: object) => rows.device({ license_id: license, floating: false, ...members })
        for (const binding_kind of ["hardware", "hardware", "container"]) yield* device({ binding_kind })
        yield* device({ status: "deactivated" })
        yield* device({ floating: true })
        const taken = yield* countSeatsTaken(first, [license, empty])
        assert.sameDeepMembers([...taken], [
          { license_id: license, binding_kind: "hardware", count: 2 },
          { license_id: license, binding_kind: "container", count: 1 }
        ])
      }))

    it.effect("a device has its seat while it is active, does not float, and is of the license that is asked about", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const license = yield* rows.license()
        const device = (members: object = {}) => rows.device({ license_id: license, floating: false, ...members })
        const [seated, off, floating] = [
          yield* device(),
          yield* device({ status: "deactivated" }),
          yield* device({ floating: true })
        ]
        const wanted = [seated, off, floating].map(({ id }) => ({ licenseId: license, deviceId: id }))
        assert.deepStrictEqual(yield* listSeatHolders(first, wanted), [{
          license_id: license,
          binding_kind: "hardware",
          owner_id: null,
          offline_until: null
        }])
        const other = yield* rows.license()
        assert.deepStrictEqual(yield* listSeatHolders(first, [{ licenseId: other, deviceId: seated.id }]), [])
      }))

    it.effect("each license has its own change of counters, and its own instant", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const one = yield* rows.license({ active_device_count: 3, times_activated: 5 })
        const other = yield* rows.license()
        yield* updateCounters(first, [])
        yield* updateCounters(first, [
          { licenseId: one, devices: -1, activations: 0, at },
          { licenseId: other, devices: 1, activations: 1, at: new Date(at.getTime() + 1) }
        ])
        const counted = yield* first<{ readonly id: string; readonly counts: string; readonly updated_at: Date }>`
          SELECT id, active_device_count || ' ' || times_activated AS counts, updated_at FROM licenses
          WHERE id = ANY(${[one, other]}::text[])`
        assert.sameDeepMembers([...counted], [
          { id: one, counts: "2 5", updated_at: at },
          { id: other, counts: "1 1", updated_at: new Date(at.getTime() + 1) }
        ])
      }))

    it.effect("devices are closed at the instant of their change, and no others are", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const [one, other] = [yield* rows.device(), yield* rows.device()]
        yield* updateDeactivated(first, [])
        yield* updateDeactivated(first, [{ id: one.id, updated_at: at.toISOString() }])
        const states = yield* first<{ readonly id: string; readonly status: string }>`
          SELECT id, status FROM devices WHERE id = ANY(${[one.id, other.id]}::text[])`
        assert.sameDeepMembers([...states], [
          { id: one.id, status: "deactivated" },
          { id: other.id, status: "active" }
        ])
      }))
  })
})
