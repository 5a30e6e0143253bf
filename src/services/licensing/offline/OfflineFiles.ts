import { Context, Effect, Layer, Redacted } from "effect"
import { Base64 } from "effect/encoding"
import { failing, NotFound, OfflineNotAllowed } from "../../../domain/ground/wire/Errors.ts"
import type {
  ContainerNotAllowed,
  DeviceNotActivated,
  InvalidCursor,
  LicenseKeyInvalid,
  StateConflict,
  UserDeviceLimitExceeded,
  UserSignInRequired,
  ValidationError,
  VmNotAllowed,
  Warned,
  Warning
} from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { licenseKeyFaults, readLicenseKey } from "../../../domain/keys/security/Credential.ts"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import {
  fileEvent,
  offlineFileName,
  offlineSnapshot,
  warningsAboutFile,
  warningsAboutOutstanding
} from "../../../domain/licensing/offline/OfflineFile.ts"
import type {
  OfflineEnvelope,
  OfflineFile,
  OfflineFileCreate,
  OfflineFileIssued
} from "../../../domain/licensing/offline/OfflineFile.ts"
import { offlineAad, offlineInfo, offlineSizes } from "../../../domain/licensing/offline/OfflineFormat.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../../log/Provenance.ts"
import { Answers } from "../entitlements/Answers.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import { Devices } from "../licenses/Devices.ts"
import { licenseKeyPurpose, Licenses } from "../licenses/Licenses.ts"
import { Activations } from "../seats/Activations.ts"
import type { HeldRefusal } from "../seats/Activations.ts"
import {
  countOutstanding,
  findFile,
  findKeyOfLicense,
  findLiveFile,
  insertFile,
  listFiles,
  readCounter,
  readFile,
  updateEnvelopeCounter,
  updateEnvelopeUntil,
  updateFileCounter,
  updateRevoked,
  updateRevokedOfDevice
} from "./OfflineFileSql.ts"

const utf8 = new TextEncoder()

/** The content to seal, and for whom. */
interface Sealed {
  /** Normalised, as it was issued. */
  readonly licenseKey: string
  readonly kid: string
  readonly deviceId: string
  readonly answer: SignedAnswer
}

/** Seals a signed answer under a key that is derived from the license key (HKDF-SHA-256 of RFC 5869, AES-256-GCM). */
const sealEnvelope = (
  crypto: Cryptography["Service"],
  { answer: { data, signature }, deviceId, kid, licenseKey }: Sealed
): OfflineEnvelope => {
  const salt = crypto.randomBytes(offlineSizes.salt)
  const nonce = crypto.randomBytes(offlineSizes.nonce)
  const ciphertext = crypto.aes256GcmEncrypt({
    key: crypto.hkdfSha256({ key: utf8.encode(licenseKey), salt, info: offlineInfo, length: 32 }),
    nonce,
    plaintext: utf8.encode(`{"data":${data},"signature":${JSON.stringify(signature)}}`),
    aad: utf8.encode(offlineAad(kid, deviceId))
  })
  return {
    kid,
    salt: Base64.encode(salt),
    nonce: Base64.encode(nonce),
    ciphertext: Base64.encode(ciphertext)
  }
}

/** A license key with its text: envelopes are encrypted under a key that is derived from it. */
interface OfflineCredential extends RuntimeCredential {
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

/** The reasons to refuse a file. What such a request cannot say cannot be refused. */
export type FileRefusal = Exclude<
  HeldRefusal | Refusals["offline"],
  VmNotAllowed | ContainerNotAllowed | DeviceNotActivated | UserSignInRequired | UserDeviceLimitExceeded
>

const withoutUser = failing(OfflineNotAllowed, "The license is for people who sign in, and a file names no person.", {
  detail: "users"
})

const wrongKey = invalidField(
  "license_key",
  "other_license",
  "is no key of this license, under which its files are encrypted: send the key that the customer has"
)

/** Files that machines without a network run on, issued by management for a fingerprint that the customer sent. */
export class OfflineFiles extends Context.Service<OfflineFiles, {
  readonly list: (licenseId: string, page: PageRequest) => Effect.Effect<Page<OfflineFile>, NotFound | InvalidCursor>
  /** Takes an activation seat for the device, unless it has one, and seals its entitlement under the license key. */
  readonly issue: (
    licenseId: string,
    input: OfflineFileCreate
  ) => Effect.Effect<Warned<OfflineFileIssued>, NotFound | ValidationError | FileRefusal>
  /**
   * Puts the file on the revocation list. Resets its device, unless another file of the device is good or the license is
   * revoked. Repeating it succeeds.
   */
  readonly revoke: (licenseId: string, id: string) => Effect.Effect<OfflineFile, NotFound>
  /**
   * Resets a device, and frees its seat although it may still run on: for a machine that cannot. Its files are put on the revocation list.
   * Repeating it succeeds.
   */
  readonly freeSeat: (licenseId: string, deviceId: string) => Effect.Effect<Device, NotFound | StateConflict>
  /** Warns of the machines of a license, or of this one, that have no seat and can still run with a file. */
  readonly warnings: (licenseId: string, deviceId?: string) => Effect.Effect<ReadonlyArray<Warning>>
}>()("countersign/services/licensing/offline/OfflineFiles") {
  static readonly layer = Layer.effect(
    OfflineFiles,
    Effect.gen(function*() {
      const sql = yield* Database
      const activations = yield* Activations
      const answers = yield* Answers
      const crypto = yield* Cryptography
      const devices = yield* Devices
      const events = yield* Events
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const vault = yield* Vault

      const list = Effect.fn("OfflineFiles.list")((licenseId: string, page: PageRequest) =>
        Effect.andThen(
          licenses.get(licenseId),
          sortedPage({
            sql,
            list: "offline_files",
            products: "owned",
            filters: { licenseId },
            page,
            conditions: [sql`license_id = ${licenseId}`],
            rows: (clauses, limit) => listFiles(sql, clauses, limit),
            read: readFile
          })
        )
      )

      const warnings = Effect.fnUntraced(function*(licenseId: string, deviceId?: string) {
        const [found] = yield* countOutstanding(sql, licenseId, deviceId)
        return warningsAboutOutstanding({ machines: found!.machines, until: found!.until?.toISOString() })
      })

      /** The key as it was issued and its hash, if it is one of this license. */
      const keyOf = Effect.fnUntraced(function*(licenseId: string, entered: string) {
        const reading = readLicenseKey(entered)
        if (!("key" in reading)) {
          return yield* invalidField("license_key", "other_license", licenseKeyFaults[reading.fault])
        }
        const licenseKey = reading.key
        const keyHash = vault.keyedHash(licenseKeyPurpose, licenseKey)
        const [key] = yield* findKeyOfLicense(sql, licenseId, keyHash)
        return key === undefined ? yield* wrongKey : { licenseKey, keyHash }
      })

      const issue = Effect.fn("OfflineFiles.issue")((licenseId: string, input: OfflineFileCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { rules } = yield* licenses.hold(licenseId)
            if (rules.max_users !== undefined) return yield* withoutUser
            const { license_key, ...request } = input
            const { keyHash, licenseKey } = yield* keyOf(licenseId, license_key)
            const seat = yield* activations.activateHeld({
              credential: { keyHash },
              licenseId,
              request,
              origin: yield* RequestOrigin,
              actor: yield* CurrentActor
            })
            const { deviceId } = seat.recipient
            const snapshot = offlineSnapshot(seat.snapshot)
            yield* Effect.fromResult(decide("offline", snapshot, request))
            const [counted] = yield* updateFileCounter(sql, deviceId)
            const { offline_counter } = readCounter(counted!)
            const id = identifiers.next("ofl")
            const { valid_until, ...answer } = yield* answers.offline(snapshot, seat.recipient, offline_counter, id)
            const [issued] = yield* insertFile(sql, {
              id,
              license_id: licenseId,
              device_id: deviceId,
              fingerprint_hash: crypto.sha256Hex(seat.recipient.binding.key),
              offline_counter,
              issued_at: snapshot.now.toISOString(),
              valid_until
            })
            const file = readFile(issued!)
            yield* events.append(fileEvent("offline_file.issued", file))
            const { kid, product_code: code, row } = snapshot
            return {
              data: {
                file,
                lic: { device_id: deviceId, ...sealEnvelope(crypto, { licenseKey, kid, deviceId, answer }) },
                file_name: offlineFileName(code, id)
              },
              warnings: [
                ...warningsAboutFile(input, { code, former_codes: row.more?.former_codes }),
                ...(yield* warnings(licenseId))
              ]
            }
          })
        ).pipe(
          decided("offline"),
          Effect.catchTags({
            USER_SIGN_IN_REQUIRED: Effect.die,
            USER_DEVICE_LIMIT_EXCEEDED: Effect.die,
            VM_NOT_ALLOWED: Effect.die,
            CONTAINER_NOT_ALLOWED: Effect.die,
            DEVICE_NOT_ACTIVATED: Effect.die
          })
        )
      )

      /** Frees the seat of a device that has no other file to run on. A block of the device stays. */
      const resetUnfiled = Effect.fnUntraced(function*({ device_id, license_id }: OfflineFile) {
        const [other] = yield* findLiveFile(sql, device_id)
        if (other !== undefined) return
        const device = yield* devices.get(license_id, device_id)
        if (device.status === "active") yield* devices.reset(license_id, device_id)
      }, Effect.orDie)

      const revoke = Effect.fn("OfflineFiles.revoke")((licenseId: string, id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { license } = yield* licenses.hold(licenseId)
            const [revoked] = yield* updateRevoked(sql, licenseId, id)
            if (revoked === undefined) {
              const [known] = yield* findFile(sql, licenseId, id)
              return known === undefined
                ? yield* failing(NotFound, "The license has no offline file with this id.")
                : readFile(known)
            }
            const file = readFile(revoked)
            // The devices of a revoked license stay as they are.
            if (license.status !== "revoked") yield* resetUnfiled(file)
            yield* events.append(fileEvent("offline_file.revoked", file))
            return file
          })
        )
      )

      const freeSeat = Effect.fn("OfflineFiles.freeSeat")((licenseId: string, deviceId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const device = yield* devices.freeSeat(licenseId, deviceId)
            const files = yield* updateRevokedOfDevice(sql, deviceId)
            yield* events.appendAll(files.map((row) => fileEvent("offline_file.revoked", readFile(row))))
            return device
          })
        )
      )

      return OfflineFiles.of({ list, issue, revoke, freeSeat, warnings })
    })
  )
}
