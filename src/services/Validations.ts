import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Refusals } from "../domain/Decision.ts"
import { bindingOf } from "../domain/DeviceBinding.ts"
import type { LicenseKeyInvalid } from "../domain/Errors.ts"
import type { RuntimeRequest } from "../domain/Runtime.ts"
import { RuntimeSnapshot } from "./RuntimeSnapshot.ts"
import type { RuntimeCredential, SignedAnswer } from "./RuntimeSnapshot.ts"

/** How long sightings may wait before they are written, in milliseconds. */
const flushEvery = 1000

/**
 * Answers whether a copy may run, in one round trip to the database. When a device was last seen is written behind,
 * in batches: it is a convenience for people and no decision depends on it.
 */
export class Validations extends Context.Service<Validations, {
  /** Needs an activated device; records that it was seen. */
  readonly validate: (
    credential: RuntimeCredential,
    request: RuntimeRequest
  ) => Effect.Effect<SignedAnswer, Refusals["validate"] | LicenseKeyInvalid>
  /** The same, recording nothing. */
  readonly check: (
    credential: RuntimeCredential,
    request: RuntimeRequest
  ) => Effect.Effect<SignedAnswer, Refusals["validate"] | LicenseKeyInvalid>
}>()("countersign/services/Validations") {
  static readonly layer = Layer.effect(
    Validations,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const snapshots = yield* RuntimeSnapshot
      let seen = new Map<string, Date>()

      const flush = Effect.suspend(() => {
        if (seen.size === 0) return Effect.void
        const batch = seen
        seen = new Map()
        // In order of id, so that two nodes flushing the same devices never wait for each other in a circle.
        const ids = [...batch.keys()].toSorted()
        return sql`
          UPDATE devices d SET last_seen_at = greatest(d.last_seen_at, v.at), last_validated_at = v.at
          FROM (SELECT * FROM unnest(${ids}::text[], ${ids.map((id) => batch.get(id)!)}::timestamptz[]) AS t (id, at)
            ORDER BY id) v
          WHERE d.id = v.id`.pipe(
          Effect.catchCause((cause) => Effect.logWarning("Sightings of devices were not written", cause))
        )
      })
      yield* Effect.addFinalizer(() => flush)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(flushEvery), flush)))

      const answer = Effect.fnUntraced(function*(
        operation: "validate" | "check",
        credential: RuntimeCredential,
        request: RuntimeRequest
      ) {
        const binding = bindingOf(request)
        const snapshot = yield* snapshots.read(credential, binding)
        yield* snapshots.decide(operation, snapshot, request)
        const device_id = snapshot.device_id!
        if (operation === "validate") seen.set(device_id, snapshot.now)
        return yield* snapshots.entitlement({ ...snapshot, device_id }, request, binding)
      })

      return Validations.of({
        validate: (credential, request) => answer("validate", credential, request),
        check: (credential, request) => answer("check", credential, request)
      })
    })
  )
}
