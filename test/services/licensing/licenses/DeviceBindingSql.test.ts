import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Device } from "../../../../src/domain/licensing/licenses/Device.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import type { LicenseBinding } from "../../../../src/services/licensing/licenses/DeviceComponentSql.ts"
import {
  insertBound,
  listBound,
  listLeaseHolders
} from "../../../../src/services/licensing/licenses/DeviceComponentSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const instant = "2026-03-01T00:00:00.000Z"

const bound = (license_id: string, key: string, members: Partial<Device> = {}): Device => ({
  id: `dev_${license_id}_${key}`,
  license_id,
  binding_kind: "hardware",
  binding_key: key,
  is_vm: false,
  is_container: false,
  status: "active",
  first_seen_at: instant,
  last_seen_at: instant,
  metadata: {},
  created_at: instant,
  updated_at: instant,
  ...members
})

const hardware = (licenseId: string, key: string): LicenseBinding => ({ licenseId, binding: { kind: "hardware", key } })

const stateOf = (sql: Database, licenseId: string) =>
  sql<{ readonly hostname: string | null; readonly status: string; readonly floating: boolean }>`
    SELECT hostname, status, floating FROM devices WHERE license_id = ${licenseId}`

describe("the statements about the devices of bindings", () => {
  layer(Workers.layer)((it) => {
    it.effect("a binding has one device, which the later call describes", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const license = yield* makeRows(first).license()
        yield* insertBound(first, [{ device: bound(license, "a", { hostname: "before" }), floating: false }])
        yield* insertBound(first, [{
          device: bound(license, "a", { id: "dev_another", hostname: "after" }),
          floating: false
        }])
        assert.deepStrictEqual(yield* stateOf(first, license), [{
          hostname: "after",
          status: "active",
          floating: false
        }])
      }))

    it.effect.each(
      [
        ["an active device keeps its seat when it takes a lease", "active", false, true, false],
        ["a floating device takes a seat when it is activated", "active", true, false, false],
        ["a device that was deactivated has no seat by a lease", "deactivated", false, true, true]
      ] as const
    )("%s", ([, status, before, floating, after]) =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const license = yield* makeRows(first).license()
        yield* makeRows(first).device({ license_id: license, binding_key: "a", status, floating: before })
        yield* insertBound(first, [{ device: bound(license, "a"), floating }])
        assert.deepStrictEqual(
          (yield* stateOf(first, license)).map((device) => [device.status, device.floating]),
          [["active", after]]
        )
      }))

    it.effect("devices are found by license, kind and key together", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const [license, other] = [yield* rows.license(), yield* rows.license()]
        yield* insertBound(first, [
          { device: bound(license, "a"), floating: false },
          { device: bound(other, "b"), floating: false }
        ])
        const found = (...bindings: ReadonlyArray<LicenseBinding>) =>
          Effect.map(listBound(first, bindings), (devices) =>
            devices.map((device) => "id" in device ? device.id : undefined).toSorted())
        assert.deepStrictEqual(
          yield* found(hardware(license, "a"), hardware(other, "b")),
          [bound(license, "a").id, bound(other, "b").id].toSorted()
        )
        assert.deepStrictEqual(yield* found(hardware(license, "b"), hardware(other, "a")), [])
        assert.deepStrictEqual(yield* found({ licenseId: license, binding: { kind: "container", key: "a" } }), [])
      }))

    it.effect("a device holds a lease until that has ended", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const device = yield* rows.device()
        const holding = Effect.map(
          listLeaseHolders(first, [hardware(device.license_id, device.id)]),
          (holders) => holders.map(({ device_id }) => device_id)
        )
        assert.deepStrictEqual(yield* holding, [])
        yield* rows.lease({ license_id: device.license_id, device_id: device.id })
        assert.deepStrictEqual(yield* holding, [device.id])
        yield* first`UPDATE leases SET ended_at = now(), end_reason = 'checked_in' WHERE device_id = ${device.id}`
        assert.deepStrictEqual(yield* holding, [])
      }))
  })
})
