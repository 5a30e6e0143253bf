import { Context, Effect, Layer } from "effect"
import { Policy } from "../../../domain/catalog/Policy.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import { failing, TrialUsed } from "../../../domain/ground/wire/Errors.ts"
import type { LicenseExpired, RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { formatLicenseKey } from "../../../domain/keys/security/Credential.ts"
import type { PublishableKey } from "../../../domain/keys/security/SigningKey.ts"
import { isStillTrial, trialFindings } from "../../../domain/licensing/entitlements/Decision.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { makeNamesNoMachine } from "../../../domain/licensing/licenses/PlaceholderId.ts"
import { CurrentShare } from "../../ground/admission/FairShare.ts"
import { nameOf } from "../../ground/admission/KnownCredentials.ts"
import { RateLimits } from "../../ground/admission/RateLimits.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../../log/Provenance.ts"
import { Answers } from "../entitlements/Answers.ts"
import { LicenseCreation } from "../licenses/LicenseCreation.ts"
import { licenseKeyPurpose } from "../licenses/Licenses.ts"
import { lockLicense } from "../licenses/LicenseSql.ts"
import { Activations } from "./Activations.ts"
import type { HeldRefusal } from "./Activations.ts"
import { findTrial, findTrialLicense, findTrialPolicy, insertTrial, lockTrialDevice } from "./SelfServiceSql.ts"
import type { TrialDevice, TrialRow } from "./SelfServiceSql.ts"

/** The reasons to refuse a trial. */
export type TrialRefusal = Exclude<HeldRefusal, LicenseExpired> | TrialUsed | RateLimited

/** A signed answer, and whether the trial was opened by this call. */
export interface OpenedTrial {
  readonly answer: SignedAnswer
  readonly isNew: boolean
}

/** The caller that asks for a trial. */
interface TrialQuestion {
  readonly key: Pick<PublishableKey, "id" | "product_id" | "policy_id">
  readonly request: RuntimeRequest
  /** The address that new trials are counted by. */
  readonly address: string
}

const readPolicy = rowReader(Policy)

/** Licenses that apps open for their own device: one for each device and product, for ever. */
export class Trials extends Context.Service<Trials, {
  /**
   * Opens the trial of a device, or answers for the one that it has, activating the device. However many callers ask for
   * one device at once, there is one license. A trial that is over, or was bought, is `TRIAL_USED`; so is every repeat of
   * one whose fingerprint names no machine, because whoever asks is likely another. What is refused writes no row.
   */
  readonly open: (question: TrialQuestion) => Effect.Effect<OpenedTrial, TrialRefusal>
}>()("countersign/services/licensing/seats/Trials") {
  static readonly layer = Layer.effect(
    Trials,
    Effect.gen(function*() {
      const sql = yield* Database
      const activations = yield* Activations
      const answers = yield* Answers
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const identifiers = yield* Identifiers
      const creation = yield* LicenseCreation
      const limits = yield* RateLimits
      const vault = yield* Vault

      const namesNoMachine = makeNamesNoMachine(crypto.sha256Hex)

      const deviceName = (productId: string, { key, kind }: DeviceBinding) => `${productId}\n${kind}\n${key}`

      /**
       * The key that a trial is issued with. It follows from the device and the license, so that it can be shown again
       * although it is not stored.
       */
      const keyOf = (device: string, licenseId: string): string =>
        formatLicenseKey(vault.keyedHash("trial-license-key", `${device}\n${licenseId}`).slice(0, 15), environment)

      /** Judges a device that had no trial, before anything is written. */
      const judge = Effect.fnUntraced(function*({ key, request }: TrialQuestion) {
        const [row] = yield* findTrialPolicy(sql, key.policy_id)
        const { now, product, ...policy } = row!
        const [refusal] = trialFindings(request, {
          product,
          rules: rulesOf(readPolicy(policy)),
          now: now.getTime()
        })
        if (refusal === undefined) return
        return yield* Effect.fail(refusal).pipe(
          // A new license has not expired, and takes the seat of no other device.
          Effect.catchTags({
            LICENSE_EXPIRED: Effect.die,
            SELF_SERVICE_NOT_ALLOWED: Effect.die,
            SELF_SERVICE_LIMIT_EXCEEDED: Effect.die
          })
        )
      })

      /** Opens the trial of a device that is locked and had none. */
      const begin = Effect.fnUntraced(function*(question: TrialQuestion, device: TrialDevice) {
        const { address, key, request } = question
        yield* judge(question)
        yield* limits.request("trials", address)
        const id = identifiers.next("lic")
        const written = Effect.gen(function*() {
          const [begun] = yield* insertTrial(sql, device, id)
          yield* creation.create(
            {
              product_id: key.product_id,
              policy_id: key.policy_id,
              license_key: keyOf(deviceName(key.product_id, bindingOf(request)), id)
            },
            { id, metadata: { trial: true, publishable_key_id: key.id } }
          )
          return begun!
        })
        return yield* written.pipe(
          // Product and policy are there as long as the key is, the duration was judged, and nobody else can have derived
          // the license key.
          Effect.orDie,
          // A request that comes to nothing costs the address nothing.
          Effect.onError(() => limits.refund("trials", address)),
          Effect.provideService(CurrentActor, licenseActor(id))
        )
      })

      const findOrBegin = Effect.fnUntraced(function*(question: TrialQuestion, hash: Uint8Array) {
        const device = { productId: question.key.product_id, hash }
        const [before] = yield* findTrial(sql, device)
        if (before !== undefined) return { trial: before, isNew: false }
        yield* lockTrialDevice(sql, device)
        const [meanwhile] = yield* findTrial(sql, device)
        if (meanwhile !== undefined) return { trial: meanwhile, isNew: false }
        return { trial: yield* begin(question, device), isNew: true }
      })

      /** Neither the key of what was bought is handed out, nor a seat of it, nor what is in it. */
      const bought = ({ created_at }: TrialRow) =>
        failing(TrialUsed, "The trial of this device was bought since. The app needs its license key.", {
          detail: `opened on ${created_at.toISOString()}`
        })

      /** Neither the license nor its key is for another machine without an id. */
      const ofAnother = ({ created_at }: TrialRow) =>
        failing(
          TrialUsed,
          "The fingerprint names no machine: many have it, and one of them has had its trial. Name the machine by an " +
            "id that was made and kept.",
          { detail: `opened on ${created_at.toISOString()}` }
        )

      /** Activates the device as long as the license is a trial, with whichever key it has now. */
      const activate = Effect.fnUntraced(function*(trial: TrialRow, request: RuntimeRequest) {
        const { license_id } = trial
        yield* lockLicense(sql, license_id)
        const [current] = yield* findTrialLicense(sql, license_id)
        if (!isStillTrial(current!)) return yield* bought(trial)
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
        failing(TrialUsed, "This device has already used its trial of the product.", {
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
            const { isNew, trial } = yield* findOrBegin(question, hash)
            if (!isNew && namesNoMachine(request)) return yield* ofAnother(trial)
            const activated = activate(trial, request).pipe(
              Effect.catchTag("LICENSE_EXPIRED", () => Effect.fail(used(trial)))
            )
            const seat = yield* isNew
              ? Effect.onError(activated, () => limits.refund("trials", address))
              : activated
            return { ...seat, isNew, licenseKey: keyOf(device, trial.license_id) }
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
