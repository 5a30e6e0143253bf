import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** How long sightings may wait before they are written, in milliseconds. */
const flushEvery = 1000

interface Sighting {
  readonly seen: Date
  readonly validated: Date | undefined
}

const never = new Date(0)

/**
 * When devices were last seen, written behind and in batches. Only idle containers are judged by it, over times next
 * to which a batch is nothing.
 */
export class Sightings extends Context.Service<Sightings, {
  /** A device was seen at this instant of the database's clock, to ask whether it may run or for something else. */
  readonly record: (deviceId: string, at: Date, why: "validated" | "used") => void
}>()("countersign/services/Sightings") {
  static readonly layer = Layer.effect(
    Sightings,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      let sightings = new Map<string, Sighting>()

      const flush = Effect.suspend(() => {
        if (sightings.size === 0) return Effect.void
        const batch = [...sightings]
        sightings = new Map()
        // In order of id, so that two nodes flushing the same devices never wait for each other in a circle.
        batch.sort(([a], [b]) => a < b ? -1 : 1)
        return sql`
          UPDATE devices d SET last_seen_at = greatest(d.last_seen_at, v.seen),
            last_validated_at = greatest(d.last_validated_at, nullif(v.validated, ${never}))
          FROM (SELECT * FROM unnest(
            ${batch.map(([id]) => id)}::text[], ${batch.map(([, { seen }]) => seen)}::timestamptz[],
            ${batch.map(([, { validated }]) => validated ?? never)}::timestamptz[]
          ) AS t (id, seen, validated) ORDER BY id) v
          WHERE d.id = v.id`.pipe(
          Effect.catchCause((cause) => Effect.logWarning("Sightings of devices were not written", cause))
        )
      })
      yield* Effect.addFinalizer(() => flush)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(flushEvery), flush)))

      return Sightings.of({
        record: (deviceId, at, why) => {
          const validated = why === "validated" ? at : sightings.get(deviceId)?.validated
          sightings.set(deviceId, { seen: at, validated })
        }
      })
    })
  )
}
