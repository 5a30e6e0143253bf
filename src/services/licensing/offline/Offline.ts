import { Context, Effect, Layer, Redacted } from "effect"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { OfflineEnvelope } from "../../../domain/licensing/offline/Offline.ts"
import type { LicenseKeyInvalid } from "../../../domain/ground/wire/Errors.ts"
import { Answers } from "../entitlements/Answers.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import { Events } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { inTransaction } from "../../ground/persistence/Transaction.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { readCounter, updateEnvelopeCounter, updateEnvelopeUntil } from "./OfflineFileSql.ts"
import { sealEnvelope } from "./OfflineSealing.ts"

/** A license key with its text: envelopes are encrypted under a key that is derived from it. */
export interface OfflineCredential extends RuntimeCredential {
  /** Normalised, as it was issued. */
  readonly licenseKey: Redacted.Redacted
}

/** Issues the envelopes that copies without a network run on. */
export class Offline extends Context.Service<Offline, {
  /** Seals a signed entitlement for one device under its license key. */
  readonly issue: (
    credential: OfflineCredential,
    request: RuntimeRequest
  ) => Effect.Effect<OfflineEnvelope, Refusals["offline"] | LicenseKeyInvalid>
}>()("countersign/services/licensing/offline/Offline") {
  static readonly layer = Layer.effect(
    Offline,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const crypto = yield* Cryptography
      const events = yield* Events
      const snapshots = yield* EntitlementState

      const issue = Effect.fn("Offline.issue")((credential: OfflineCredential, request: RuntimeRequest) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const binding = bindingOf(request)
            const snapshot = yield* snapshots.readLocked(questionOf(credential, request))
            yield* Effect.fromResult(decide("offline", snapshot, request))
            const device_id = snapshot.device_id!
            const [counted] = yield* updateEnvelopeCounter(sql, device_id)
            const { offline_counter } = readCounter(counted!)
            const { data, signature, valid_until } = yield* answers.offline(
              snapshot,
              { deviceId: device_id, binding, request },
              offline_counter
            )
            yield* updateEnvelopeUntil(sql, device_id, valid_until)
            yield* events.append({
              type: "offline.issued",
              resourceId: snapshot.license_id,
              data: {
                license_id: snapshot.license_id,
                device_id,
                kid: snapshot.kid,
                offline_counter,
                issued_at: snapshot.now.toISOString(),
                valid_until
              },
              metadata: { device_id },
              actor: licenseActor(snapshot.license_id)
            })
            return sealEnvelope(crypto, {
              licenseKey: Redacted.value(credential.licenseKey),
              kid: snapshot.kid,
              deviceId: device_id,
              answer: { data, signature }
            })
          })
        ).pipe(decided("offline"))
      )

      return Offline.of({ issue })
    })
  )
}
