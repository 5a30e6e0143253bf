import { Schema } from "effect"
import { bigCount, field, Timestamp } from "../../ground/wire/Fields.ts"
import { environmentMember } from "../../ground/wire/Signed.ts"
import { Entitlement, grantsOf, subjectOf, validUntil } from "../entitlements/Entitlement.ts"
import type { Addressee } from "../entitlements/Entitlement.ts"
import type { Snapshot } from "../entitlements/Snapshot.ts"

const day = 86_400_000

/** An encrypted, signed entitlement for one device without a network; the members but `kid` are standard base64. */
export const OfflineEnvelope = Schema.Struct({
  kid: field(Schema.String, "The ID of the signing key."),
  salt: field(Schema.String, "The HKDF salt, 32 bytes in base64."),
  nonce: field(Schema.String, "The AES-GCM nonce, 12 bytes in base64."),
  ciphertext: field(
    Schema.String,
    "Base64 of the AES-256-GCM encryption of `{\"data\": entitlement, \"signature\": signature}`, under a key " +
      "derived from the license key."
  )
}).annotate({
  identifier: "OfflineEnvelope",
  description: "A signed entitlement for one offline device, encrypted under the license key.",
  examples: [{
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    salt: "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
    nonce: "AAECAwQFBgcICQoL",
    ciphertext: "c2VhbGVkIGFuZCBhdXRoZW50aWNhdGVk"
  }]
})
export type OfflineEnvelope = typeof OfflineEnvelope.Type

/** What is signed inside an offline envelope. A device keeps the highest counter it saw and takes no lower one. */
export const OfflineEntitlement = Schema.Struct({
  ...Entitlement.fields,
  offline_counter: bigCount(1),
  offline_file_id: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "OfflineEntitlement" })
export type OfflineEntitlement = typeof OfflineEntitlement.Type

/** The snapshot that a file is decided by and made from: its device has its seat, and the file its own days. */
export const offlineSnapshot = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  device_status: "active",
  device_floating: false,
  offline_grace_days: snapshot.offline_file_days ?? snapshot.offline_grace_days
})

/** What is sealed for a device that goes offline: it may run until the policy's offline grace days are over. */
export const offlineEntitlementOf = (
  snapshot: Snapshot,
  addressee: Addressee,
  appVersion: string | undefined,
  offline_counter: number,
  fileId?: string
): OfflineEntitlement => {
  const until = validUntil(snapshot, snapshot.now.getTime() + snapshot.offline_grace_days * day)
  return {
    ...subjectOf(snapshot, addressee, until),
    next_check_at: until.toISOString(),
    offline_counter,
    ...(fileId === undefined ? {} : { offline_file_id: fileId }),
    ...grantsOf(snapshot, appVersion)
  }
}

/** What may no longer be trusted, for machines that cannot ask. `number` grows with every revocation. */
export const RevocationList = Schema.Struct({
  ...environmentMember,
  number: field(bigCount(0), "Increases with every revocation."),
  issued_at: field(Timestamp, "Time of the signature."),
  next_update: field(Timestamp, "Time by which there is a newer list."),
  valid_until: field(Timestamp, "Time until which the response may be relied on without another check."),
  revoked_license_ids: field(Schema.Array(Schema.String), "The IDs of the revoked licenses."),
  revoked_kids: field(Schema.Array(Schema.String), "The IDs of the signing keys that must not be trusted."),
  revoked_offline_files: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "The IDs of the revoked offline files; absent if no file is revoked. A file has its ID as " +
        "`offline_file_id`.",
      examples: [["ofl_06eqpx1trxz3h94vqjm3a6kz7c"]]
    })
  )
}).annotate({
  identifier: "RevocationList",
  description: "Keys, licenses and files that must no longer be trusted, for machines without a network.",
  examples: [{
    number: 1,
    issued_at: "2026-11-21T10:30:00.000Z",
    next_update: "2026-11-22T10:30:00.000Z",
    valid_until: "2026-11-22T10:30:00.000Z",
    revoked_license_ids: ["lic_06eqpx1trxz3h94vqjm3a6kz7c"],
    revoked_kids: []
  }]
})
export type RevocationList = typeof RevocationList.Type
