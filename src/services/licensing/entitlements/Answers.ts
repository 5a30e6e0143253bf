import { Context, Effect, Layer, Random } from "effect"
import type { Overage } from "../../../domain/catalog/terms/Overage.ts"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { entitlementOf, subjectOf } from "../../../domain/licensing/entitlements/Entitlement.ts"
import type { Addressee } from "../../../domain/licensing/entitlements/Entitlement.ts"
import { leaseAnswerOf } from "../../../domain/licensing/entitlements/Lease.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { offlineEntitlementOf } from "../../../domain/licensing/offline/OfflineFile.ts"
import type { OfflineEntitlement } from "../../../domain/licensing/offline/OfflineFile.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Signing } from "../../keys/security/Signing.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"

/** To whom an answer goes. The call may have made the device, so the snapshot need not know it. */
export interface Recipient {
  readonly deviceId: string
  readonly binding: DeviceBinding
  readonly request: Pick<RuntimeRequest, "app_version" | "nonce">
  /** How far the license is over the limit of the seat that the device took. */
  readonly overage?: Overage | undefined
}

/** Writes and signs the answers of runtime calls that were allowed. */
export class Answers extends Context.Service<Answers, {
  /** The response of activate, validate, check and consume, with `more` beside it. */
  readonly entitlement: (snapshot: Snapshot, recipient: Recipient, more?: object) => Effect.Effect<SignedAnswer>
  /** The response of deactivate. */
  readonly deactivation: (snapshot: Snapshot, recipient: Recipient) => Effect.Effect<SignedAnswer>
  /** The signed entitlement that is sealed for a device that goes offline, with the id of the file that it stands in. */
  readonly offline: (
    snapshot: Snapshot,
    recipient: Recipient,
    counter: number,
    fileId?: string
  ) => Effect.Effect<SignedAnswer & Pick<OfflineEntitlement, "valid_until">>
  /** The response of checkout, heartbeat and checkin. With a token it includes what the license grants. */
  readonly lease: (
    snapshot: Snapshot,
    recipient: Recipient,
    lease: { readonly token: string | undefined; readonly expiresAt: Date }
  ) => Effect.Effect<SignedAnswer>
}>()("countersign/services/licensing/entitlements/Answers") {
  static readonly layer = Layer.effect(
    Answers,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const signing = yield* Signing

      const addresseeOf = ({ binding, deviceId, request }: Recipient): Addressee => ({
        deviceId,
        fingerprintHash: crypto.sha256Hex(binding.key),
        nonce: request.nonce
      })

      return Answers.of({
        entitlement: (snapshot, recipient, more) =>
          Effect.withFiber((fiber) => {
            const chance = fiber.getRef(Random.Random).nextDoubleUnsafe()
            const data = entitlementOf(snapshot, addresseeOf(recipient), recipient.request.app_version, chance)
            const { overage } = recipient
            return signing.signAnswer(
              snapshot.kid,
              overage === undefined && more === undefined
                ? data
                : { ...data, ...(overage === undefined ? {} : { overage }), ...more }
            )
          }),
        deactivation: (snapshot, recipient) =>
          signing.signAnswer(snapshot.kid, subjectOf(snapshot, addresseeOf(recipient))),
        offline: (snapshot, recipient, counter, fileId) => {
          const { app_version } = recipient.request
          const data = offlineEntitlementOf(snapshot, addresseeOf(recipient), app_version, counter, fileId)
          return Effect.map(
            signing.signAnswer(snapshot.kid, data),
            (signed) => ({ ...signed, valid_until: data.valid_until })
          )
        },
        lease: (snapshot, recipient, lease) =>
          signing.signAnswer(
            snapshot.kid,
            {
              ...leaseAnswerOf(snapshot, addresseeOf(recipient), recipient.request.app_version, lease),
              ...(recipient.overage === undefined ? {} : { overage: recipient.overage })
            }
          )
      })
    })
  )
}
