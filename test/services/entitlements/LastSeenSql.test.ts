import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { updateLastSeen } from "../../../src/services/entitlements/LastSeenSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

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
        yield* updateLastSeen(first, [{ id, seen: day(20), validated: undefined }])
        yield* updateLastSeen(second, [{ id, seen: day(15), validated: undefined }])
        assert.deepStrictEqual(yield* found(id), { seen: day(20), validated: day(5) })
      }))

    it.effect("a device was validated at the latest time, and other calls say nothing of that", () =>
      Effect.gen(function*() {
        const { device, first, found, second } = yield* world
        const id = yield* device
        yield* updateLastSeen(first, [{ id, seen: day(20), validated: day(20) }])
        yield* updateLastSeen(second, [{ id, seen: day(21), validated: day(12) }])
        yield* updateLastSeen(second, [{ id, seen: day(22), validated: undefined }])
        assert.deepStrictEqual(yield* found(id), { seen: day(22), validated: day(20) })
      }))

    it.effect("a sighting waits for no device, and the others are written", () =>
      Effect.gen(function*() {
        const { device, first, passing, second } = yield* world
        const [busy, free] = [yield* device, yield* device]
        const sighting = (id: string) => ({ id, seen: day(20), validated: undefined })
        const [, written] = yield* passing(
          first`SELECT 1 FROM devices WHERE id = ${busy} FOR UPDATE`,
          updateLastSeen(second, [sighting(busy), sighting(free)])
        )
        assert.deepStrictEqual(written, [{ id: free }])
      }))
  })
})
