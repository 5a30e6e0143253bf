import { Context, Effect, Layer, Schedule } from "effect"
import { Database } from "../persistence/Database.ts"
import { supervised } from "../platform/Supervised.ts"
import { updateLastSeen } from "./LastSeenSql.ts"

/** How long sightings wait before they are written. */
const flushEvery = Schedule.spaced("1 second")

/** The most devices that one statement writes. */
const batch = 500

/** How many flushes try to write a sighting. A caller that locks a device for longer has seen it too. */
const maximumTries = 5

interface Sighting {
  readonly seen: Date
  readonly validated: Date | undefined
  readonly tries: number
}

const later = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a === undefined ? b : b === undefined || a > b ? a : b

/**
 * When devices were last seen: write-behind, in batches. Only idle containers are judged by these times, over periods
 * far longer than the delay of a batch. Writing never waits for a lock: a device whose row is locked is tried again
 * with the next batch.
 */
export class LastSeen extends Context.Service<LastSeen, {
  /** Notes that a device was seen, at an instant of the database's clock; `why` tells a validate from other calls. */
  readonly record: (deviceId: string, at: Date, why: "validated" | "used") => void
}>()("countersign/services/entitlements/LastSeen") {
  static readonly layer = Layer.effect(
    LastSeen,
    Effect.gen(function*() {
      const sql = yield* Database
      let sightings = new Map<string, Sighting>()

      // Their licenses are not locked here, so nothing orders these row locks against those of other transactions. Only
      // skipping locked rows rules out a deadlock.
      const write = (some: ReadonlyArray<readonly [string, Sighting]>) =>
        updateLastSeen(sql, some.map(([id, { seen, validated }]) => ({ id, seen, validated }))).pipe(
          Effect.map((rows) => {
            const written = new Set(rows.map(({ id }) => id))
            for (const [id, { seen, tries, validated }] of some) {
              if (written.has(id) || tries >= maximumTries) continue
              const newer = sightings.get(id)
              sightings.set(id, {
                seen: later(newer?.seen, seen)!,
                validated: later(newer?.validated, validated),
                tries: tries + 1
              })
            }
          }),
          // A batch that cannot be written is dropped, and does not keep the next one from being written.
          Effect.catchCause((cause) => Effect.logWarning("Sightings of devices were not written", cause))
        )

      const flush = Effect.suspend(() => {
        const all = [...sightings]
        sightings = new Map()
        const batches = Array.from(
          { length: Math.ceil(all.length / batch) },
          (_, index) => all.slice(index * batch, (index + 1) * batch)
        )
        return Effect.forEach(batches, write, { discard: true })
      }).pipe(Effect.withTracerEnabled(false))
      yield* Effect.addFinalizer(() => flush)
      yield* Effect.forkScoped(supervised("Writing when devices were seen", flush, flushEvery))

      return LastSeen.of({
        record: (deviceId, at, why) => {
          const before = sightings.get(deviceId)
          sightings.set(deviceId, {
            seen: at,
            validated: why === "validated" ? at : before?.validated,
            tries: 1
          })
        }
      })
    })
  )
}
