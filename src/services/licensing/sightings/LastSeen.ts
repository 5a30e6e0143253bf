import { Context, Effect, Layer } from "effect"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { writeBehind } from "../../ground/platform/Supervised.ts"
import { toldOf } from "../licenses/DeviceBindings.ts"
import type { Told } from "../licenses/DeviceBindings.ts"
import { updateLastSeen } from "./SightingSql.ts"

/** How many flushes try to write a sighting. A caller that locks a device for longer has seen it too. */
const maximumTries = 5

interface Sighting {
  readonly seen: Date
  readonly validated: Date | undefined
  readonly told: Told
  readonly tries: number
}

const later = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a === undefined ? b : b === undefined || a > b ? a : b

/**
 * When devices were last seen, and what they ran: write-behind, in batches. Only idle containers are judged by these times, over
 * periods far longer than the delay of a batch. Writing never waits for a lock: a device whose row is locked is tried again
 * with the next batch.
 */
export class LastSeen extends Context.Service<LastSeen, {
  /**
   * Notes that a device was seen, at an instant of the database's clock; `why` tells a validate from other calls. The request says
   * what it runs.
   */
  readonly record: (
    deviceId: string,
    at: Date,
    why: "validated" | "used",
    request: Pick<RuntimeRequest, "app_version" | "os">
  ) => void
}>()("countersign/services/licensing/sightings/LastSeen") {
  static readonly layer = Layer.effect(
    LastSeen,
    Effect.gen(function*() {
      const sql = yield* Database
      let sightings = new Map<string, Sighting>()

      // Their licenses are not locked here, so nothing orders these row locks against those of other transactions. Only
      // skipping locked rows rules out a deadlock.
      const write = (some: ReadonlyArray<readonly [string, Sighting]>) =>
        updateLastSeen(sql, some.map(([id, { seen, told, validated }]) => ({ id, seen, validated, told }))).pipe(
          Effect.map((rows) => {
            const written = new Set(rows.map(({ id }) => id))
            for (const [id, { seen, told, tries, validated }] of some) {
              if (written.has(id) || tries >= maximumTries) continue
              const newer = sightings.get(id)
              sightings.set(id, {
                seen: later(newer?.seen, seen)!,
                validated: later(newer?.validated, validated),
                told: { ...told, ...newer?.told },
                tries: tries + 1
              })
              someWait()
            }
          })
        )

      const someWait = yield* writeBehind({
        name: "Writing when devices were seen",
        lost: "Sightings of devices were not written",
        take: () => {
          const all = [...sightings]
          sightings = new Map()
          return all
        },
        write
      })

      return LastSeen.of({
        record: (deviceId, at, why, request) => {
          const before = sightings.get(deviceId)
          sightings.set(deviceId, {
            seen: at,
            validated: why === "validated" ? at : before?.validated,
            told: { ...before?.told, ...toldOf(request) },
            tries: 1
          })
          someWait()
        }
      })
    })
  )
}
