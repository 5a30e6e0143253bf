import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Told } from "../../../../src/services/licensing/licenses/DeviceBindings.ts"
import { updateLastSeen } from "../../../../src/services/licensing/sightings/SightingSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const day = (n: number) => new Date(Date.UTC(2026, 0, n))

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const rows = makeRows(workers.first)
  const device = Effect.map(
    rows.device({ last_seen_at: day(10), last_validated_at: day(5) }),
    ({ id }) => id
  )
  const found = (id: string) =>
    Effect.map(
      workers.first<{ readonly seen: Date; readonly validated: Date }>`
        SELECT last_seen_at AS seen, last_validated_at AS validated FROM devices WHERE id = ${id}`,
      ([row]) => row!
    )
  return { ...workers, device, found }
})

describe("the statement that writes sightings", () => {
  layer(Workers.layer)((it) => {
    it.effect("a device was seen at the latest time, whichever node writes last", () =>
      Effect.gen(function*() {
        const { device, first, found, second } = yield* world
        const id = yield* device
        yield* updateLastSeen(first, [{ id, seen: day(20), validated: undefined, told: {} }])
        yield* updateLastSeen(second, [{ id, seen: day(15), validated: undefined, told: {} }])
        assert.deepStrictEqual(yield* found(id), { seen: day(20), validated: day(5) })
      }))

    it.effect("a device was validated at the latest time, and other calls say nothing of that", () =>
      Effect.gen(function*() {
        const { device, first, found, second } = yield* world
        const id = yield* device
        yield* updateLastSeen(first, [{ id, seen: day(20), validated: day(20), told: {} }])
        yield* updateLastSeen(second, [{ id, seen: day(21), validated: day(12), told: {} }])
        yield* updateLastSeen(second, [{ id, seen: day(22), validated: undefined, told: {} }])
        assert.deepStrictEqual(yield* found(id), { seen: day(22), validated: day(20) })
      }))

    it.effect("a device runs what it named last, since the call that named it first", () =>
      Effect.gen(function*() {
        const { device, first, second } = yield* world
        const id = yield* device
        const runs = Effect.map(
          first`SELECT os, app_version, app_version_since AS since FROM devices WHERE id = ${id}`,
          ([row]) => row
        )
        const seen = (n: number, told: Told) => [{ id, seen: day(n), validated: undefined, told }]
        yield* updateLastSeen(first, seen(20, { app_version: "1.2", os: "Linux 6" }))
        yield* updateLastSeen(second, seen(21, { app_version: "1.2" }))
        yield* updateLastSeen(second, seen(22, {}))
        assert.deepStrictEqual(yield* runs, { os: "Linux 6", app_version: "1.2", since: day(20) })
        yield* updateLastSeen(first, seen(25, { app_version: "2.0" }))
        yield* updateLastSeen(second, seen(24, { app_version: "1.2", os: "Linux 5" }))
        assert.deepStrictEqual(yield* runs, { os: "Linux 6", app_version: "2.0", since: day(25) })
      }))

    it.effect("a sighting waits for no device, and the others are written", () =>
      Effect.gen(function*() {
        const { device, first, passing, second } = yield* world
        const [busy, free] = [yield* device, yield* device]
        const sighting = (id: string) => ({ id, seen: day(20), validated: undefined, told: {} })
        const [, written] = yield* passing(
          first`SELECT 1 FROM devices WHERE id = ${busy} FOR UPDATE`,
          updateLastSeen(second, [sighting(busy), sighting(free)])
        )
        assert.deepStrictEqual(written, [{ id: free }])
      }))
  })
})
