import { Context, Effect, Layer } from "effect"
import { environmentOfKey } from "../../../domain/ground/environments/Environment.ts"
import { failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import {
  formatLicenseKey,
  licenseKeyFaults,
  licenseKeyLast4,
  licenseKeyPrefix,
  readLicenseKey
} from "../../../domain/keys/security/Credential.ts"
import { foundLimit, longestSearch } from "../../../domain/licensing/licenses/License.ts"
import type { License, LicenseSearch, LicensesFound } from "../../../domain/licensing/licenses/License.ts"
import { defaultOverlapMinutes } from "../../../domain/licensing/licenses/LicenseStatus.ts"
import type {
  LicenseKeyRotate,
  LicenseKeyRotated,
  LicenseLookup
} from "../../../domain/licensing/licenses/LicenseStatus.ts"
import { keyReplaced, licenseTransfer } from "../../../domain/licensing/lifecycle/LicenseChange.ts"
import type { LicenseTransfer } from "../../../domain/licensing/lifecycle/LicenseChange.ts"
import { fileEvent } from "../../../domain/licensing/offline/OfflineFile.ts"
import type { EndedBy } from "../../../domain/licensing/owners/Belongings.ts"
import { makeLinkChecks } from "../../customers/Subscriptions.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import { updateOwned } from "../../people/notes/NoteSql.ts"
import { Devices } from "../licenses/Devices.ts"
import { licenseKeyPurpose, Licenses } from "../licenses/Licenses.ts"
import { namedLicenseRows, ofReseller } from "../licenses/LicenseSearch.ts"
import { LicenseUsers } from "../licenses/LicenseUsers.ts"
import {
  deleteKeySessions,
  findKey,
  findOverlapEnd,
  insertKey,
  insertWorkOfWaitingFor,
  readRevokedFile,
  updateFilesRevoked,
  updateReplaced
} from "./LicenseChangeSql.ts"
import { deleteTransferRequest } from "./TransferRequestSql.ts"

/** The keys of a license: the current one, and those it replaced. */
export class LicenseKeys extends Context.Service<LicenseKeys, {
  /** Replaces the key. The new key is returned only here. An overlap of 0 ends every older key at once. */
  readonly rotate: (
    id: string,
    input: LicenseKeyRotate
  ) => Effect.Effect<LicenseKeyRotated, NotFound | StateConflict>
  /** The license that has, or ever had, this key. */
  readonly lookup: (input: LicenseLookup) => Effect.Effect<License, NotFound | ValidationError>
  /** The licenses that a text is about: the one that has, or ever had, a key, or those that the list finds by it. */
  readonly find: (input: LicenseSearch) => Effect.Effect<LicensesFound>
}>()("countersign/services/licensing/lifecycle/LicenseKeys") {
  static readonly layer = Layer.effect(
    LicenseKeys,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const mails = yield* MailQueue
      const vault = yield* Vault

      const rotate = Effect.fn("LicenseKeys.rotate")((id: string, input: LicenseKeyRotate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* licenses.hold(id)
            const { license } = held
            if (license.status === "revoked") {
              return yield* failing(StateConflict, "The key of a revoked license cannot be rotated.", {
                detail: "revoked"
              })
            }
            const overlap = input.overlap_minutes ?? defaultOverlapMinutes
            if (input.dry_run === true) {
              const [ends] = yield* findOverlapEnd(sql, overlap)
              return { license, license_key: "", previous_key_expires_at: ends!.at.toISOString() }
            }
            const license_key = formatLicenseKey(crypto.randomBytes(15), environment)
            const replaced = yield* updateReplaced(sql, id, overlap)
            const keyHash = vault.keyedHash(licenseKeyPurpose, license_key)
            const eventId = identifiers.next("evt")
            yield* insertKey(sql, id, keyHash)
            const previous_key_expires_at = replaced.find(({ in_use }) => in_use)!.expires_at.toISOString()
            const left = yield* licenses.write(
              held,
              keyReplaced(licenseKeyPrefix(license_key), licenseKeyLast4(license_key)),
              {
                type: "license.key_rotated",
                eventId,
                metadata: { previous_key_last4: license.license_key_last4, previous_key_expires_at }
              }
            )
            yield* mails.newKey({ eventId, kind: "key_changed", licenseId: id, licenseKey: license_key, keyHash })
            return { license: left, license_key, previous_key_expires_at }
          })
        )
      )

      const ownerOf = Effect.fnUntraced(function*(key: string) {
        const further = yield* ofReseller(sql, "tags")
        const [row] = yield* findKey(sql, vault.keyedHash(licenseKeyPurpose, key), yield* CurrentProducts, further)
        return row?.license_id
      })

      /** The refusal of a key that no license has: one of another environment is said to be that. */
      const noneWith = (key: string) => {
        const of = environmentOfKey(key) ?? environment
        return failing(
          NotFound,
          of === environment
            ? "No license has this key."
            : `No license has this key: it is of the ${of} environment, and the ${environment} environment was asked.`
        )
      }

      const lookup = Effect.fn("LicenseKeys.lookup")(function*(input: LicenseLookup) {
        const reading = readLicenseKey(input.license_key)
        if (!("key" in reading)) {
          return yield* invalidField("license_key", "not_a_license_key", licenseKeyFaults[reading.fault])
        }
        const id = yield* ownerOf(reading.key)
        return id === undefined ? yield* noneWith(reading.key) : yield* licenses.get(id)
      })

      const find = Effect.fn("LicenseKeys.find")(function*({ limit = foundLimit.default, text }: LicenseSearch) {
        const reading = readLicenseKey(text)
        const id = "key" in reading ? yield* ownerOf(reading.key) : undefined
        if (id !== undefined) {
          // A license that has a key is never deleted.
          return { licenses: [yield* Effect.orDie(licenses.show(id, { names: true }))], has_more: false }
        }
        const q = text.trim()
        if (q === "" || q.length > longestSearch) return { licenses: [], has_more: false }
        // A first page has no cursor that could be wrong.
        const { page_info, rows } = yield* Effect.orDie(
          licenses.list({ q }, { limit, cursor: undefined }, { names: true })
        )
        return { licenses: namedLicenseRows.read(rows), has_more: page_info.has_more }
      })

      return LicenseKeys.of({ rotate, lookup, find })
    })
  )
}

/**
 * Ends what belongs to the owner of a license that another one gets (`domain/licensing/owners/Belongings.ts`), in the surrounding transaction, which has
 * locked the license. The columns of the license itself are written with the transfer.
 */
const makeEndOfOwner = Effect.gen(function*() {
  const sql = yield* Database
  const devices = yield* Devices
  const events = yield* Events
  const users = yield* LicenseUsers

  const written = () => Effect.void

  const ends: Readonly<Record<EndedBy<"other_owner">, (licenseId: string) => Effect.Effect<unknown>>> = {
    contact: written,
    trusted_issuer: written,
    machine_names: devices.unname,
    users: users.endAll,
    offer: (licenseId) => deleteTransferRequest(sql, licenseId),
    key_session: (licenseId) => deleteKeySessions(sql, licenseId),
    offline_files: (licenseId) =>
      Effect.flatMap(
        updateFilesRevoked(sql, licenseId),
        (files) => events.appendAll(files.map((row) => fileEvent("offline_file.revoked", readRevokedFile(row))))
      )
  }

  return (licenseId: string) => Effect.forEach(Object.values(ends), (end) => end(licenseId), { discard: true })
})

/** Transfers licenses to another owner. */
export class LicenseTransfers extends Context.Service<LicenseTransfers, {
  /**
   * A transfer to another counts towards the policy's `max_transfers`, even one that only resets the devices. Naming the
   * first owner, or the same, is an edit. What belongs to a former owner ends with the transfer (`domain/licensing/owners`).
   */
  readonly transfer: (id: string, input: LicenseTransfer) => Effect.Effect<License, NotFound | StateConflict>
}>()("countersign/services/licensing/lifecycle/LicenseTransfers") {
  static readonly layer = Layer.effect(
    LicenseTransfers,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const devices = yield* Devices
      const endBelongings = yield* makeEndOfOwner
      const links = makeLinkChecks(sql)

      /** Frees the devices, and ends what belongs to a former owner; answers how many devices were freed. */
      const ends = (
        id: string,
        { leaves, reset }: { readonly reset: Effect.Effect<number>; readonly leaves: boolean }
      ) =>
        // All of it is the former owner's, and the reason may name the next one: it stands in the transfer alone.
        leaves
          ? Effect.provideService(Effect.tap(reset, () => endBelongings(id)), CurrentReason, undefined)
          : reset

      const transfer = Effect.fn("LicenseTransfers.transfer")((id: string, input: LicenseTransfer) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* licenses.hold(id)
            const { customer_id } = held.license
            const named = input.customer_id === undefined || input.customer_id === ""
              ? undefined
              : yield* links.customer(input.customer_id)
            const { change, counts, leaves } = yield* Effect.fromResult(
              licenseTransfer({ ...held, address: named?.email }, input)
            )
            const devices_reset = yield* ends(id, {
              reset: input.reset_devices === true ? devices.resetAll(id) : Effect.succeed(0),
              leaves
            })
            if (customer_id !== undefined) yield* updateOwned(sql, id, customer_id)
            yield* insertWorkOfWaitingFor(sql, id)
            if (!counts) return yield* licenses.write(held, change, { type: "license.updated" })
            return yield* licenses.write(held, change, {
              type: "license.transferred",
              metadata: {
                devices_reset,
                ...(customer_id === undefined ? {} : { previous_customer_id: customer_id })
              }
            })
          })
        )
      )

      return LicenseTransfers.of({ transfer })
    })
  )
}
