import { Context, Effect, Layer } from "effect"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import type { DeviceBinding } from "../../domain/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { formatLicenseKey } from "../../domain/security/Credential.ts"
import type { PublishableKey } from "../../domain/security/PublishableKey.ts"
import { failing, TrialUsed } from "../../domain/wire/Errors.ts"
import type { LicenseExpired, RateLimited } from "../../domain/wire/Errors.ts"
import { CurrentShare } from "../admission/FairShare.ts"
import { nameOf } from "../admission/KnownCredentials.ts"
import { RateLimits } from "../admission/RateLimits.ts"
import { Answers } from "../entitlements/Answers.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../events/Provenance.ts"
import { licenseKeyPurpose, Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import type { SignedAnswer } from "../security/Signing.ts"
import { Vault } from "../security/Vault.ts"
import { Activations } from "./Activations.ts"
import type { HeldRefusal } from "./Activations.ts"

/** Why no trial may be had. */
export type TrialRefusal = Exclude<HeldRefusal, LicenseExpired> | TrialUsed | RateLimited

/** A signed answer, and whether the trial was opened by this call. */
export interface OpenedTrial {
  readonly answer: SignedAnswer
  readonly isNew: boolean
}

/** Who asks for a trial. */
interface TrialQuestion {
  readonly key: Pick<PublishableKey, "id" | "product_id" | "policy_id">
  readonly request: RuntimeRequest
  /** The address that new trials are counted by. */
  readonly address: string
}

interface TrialRow {
  readonly license_id: string
  readonly created_at: Date
}

/** Licenses that apps open for their own device: one for each device and product, for ever. */
export class Trials extends Context.Service<Trials, {
  /**
   * Opens the trial of a device, or answers for the one that it has, activating the device. However many callers ask for
   * one device at once, there is one license. A trial that is over is `TRIAL_USED`.
   */
  readonly open: (question: TrialQuestion) => Effect.Effect<OpenedTrial, TrialRefusal>
}>()("countersign/services/seats/Trials") {
  static readonly layer = Layer.effect(
    Trials,
    Effect.gen(function*() {
      const sql = yield* Database
      const activations = yield* Activations
      const answers = yield* Answers
      const crypto = yield* Cryptography
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const limits = yield* RateLimits
      const vault = yield* Vault

      const deviceName = (productId: string, { key, kind }: DeviceBinding) => `${productId}\n${kind}\n${key}`

      /**
       * The key that a trial is issued with. It follows from the device and the license, so that it can be shown again
       * although it is not stored.
       */
      const keyOf = (device: string, licenseId: string): string =>
        formatLicenseKey(vault.keyedHash("trial-license-key", `${device}\n${licenseId}`).slice(0, 15))

      /** Opens the trial; undefined when the device has one, which another transaction may have opened just now. */
      const begin = Effect.fnUntraced(function*({ address, key, request }: TrialQuestion, hash: Uint8Array) {
        const id = identifiers.next("lic")
        const [begun] = yield* sql<TrialRow>`
          INSERT INTO trials (product_id, binding_hash, license_id) VALUES (${key.product_id}, ${hash}, ${id})
          ON CONFLICT (product_id, binding_hash) DO NOTHING RETURNING license_id, created_at`
        if (begun === undefined) return undefined
        yield* limits.request("trials", address)
        yield* licenses.create(
          {
            product_id: key.product_id,
            policy_id: key.policy_id,
            license_key: keyOf(deviceName(key.product_id, bindingOf(request)), id)
          },
          { id, metadata: { trial: true, publishable_key_id: key.id } }
        ).pipe(
          // Product and policy are there as long as the key is, and nobody else can have derived its license key.
          Effect.orDie,
          Effect.provideService(CurrentActor, licenseActor(id))
        )
        return begun
      })

      const known = (productId: string, hash: Uint8Array) =>
        Effect.map(
          sql<TrialRow>`
            SELECT license_id, created_at FROM trials WHERE product_id = ${productId} AND binding_hash = ${hash}`,
          ([row]) => row
        )

      /** Activates the device, with whichever key the license has now. */
      const activate = Effect.fnUntraced(function*({ license_id }: TrialRow, request: RuntimeRequest) {
        yield* sql`SELECT 1 FROM licenses WHERE id = ${license_id} FOR NO KEY UPDATE`
        const [current] = yield* sql<{ readonly key_hash: Uint8Array }>`
          SELECT key_hash FROM license_keys WHERE license_id = ${license_id} AND expires_at IS NULL`
        const keyHash = current!.key_hash
        const seat = yield* activations.activateHeld({
          credential: { keyHash },
          licenseId: license_id,
          request,
          origin: yield* RequestOrigin
        })
        return { ...seat, keyHash }
      })

      const used = ({ created_at }: TrialRow) =>
        failing(TrialUsed, "This device had its trial of the product, and it is over.", {
          detail: `opened on ${created_at.toISOString()}`
        })

      const open = Effect.fn("Trials.open")(function*(question: TrialQuestion) {
        const { address, key, request } = question
        const device = deviceName(key.product_id, bindingOf(request))
        const hash = vault.keyedHash("trial-device", device)
        // Callers of one device wait for each other in memory, and not each with a connection.
        const share = { address, principal: key.id, license: `trial:${nameOf(hash)}` }
        const opened = yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const before = yield* known(key.product_id, hash)
            const begun = before === undefined ? yield* begin(question, hash) : undefined
            const trial = begun ?? before ?? (yield* known(key.product_id, hash))!
            const activated = activate(trial, request).pipe(
              Effect.catchTag("LICENSE_EXPIRED", () => Effect.fail(used(trial)))
            )
            const seat = yield* begun === undefined
              ? activated
              // What is refused takes nothing of the address.
              : Effect.onError(activated, () => limits.refund("trials", address))
            return { ...seat, isNew: begun !== undefined, licenseKey: keyOf(device, trial.license_id) }
          })
        ).pipe(Effect.provideService(CurrentShare, share))
        const { isNew, keyHash, licenseKey, recipient, snapshot } = opened
        const isCurrent = crypto.timingSafeEqual(keyHash, vault.keyedHash(licenseKeyPurpose, licenseKey))
        const answer = yield* answers.entitlement(
          snapshot,
          recipient,
          isCurrent ? { license_key: licenseKey } : undefined
        )
        return { answer, isNew }
      })

      return Trials.of({ open })
    })
  )
}
