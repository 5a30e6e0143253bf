import { Schema } from "effect"
import type { ProductCodes } from "../../catalog/Product.ts"
import { appVersion, appVersionText } from "../../catalog/ProductVersion.ts"
import type { Warning } from "../../ground/wire/Errors.ts"
import { bigCount, field, optional, text, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { environmentMember } from "../../ground/wire/Signed.ts"
import { Entitlement, grantsOf, subjectOf, validUntil } from "../entitlements/Entitlement.ts"
import type { Addressee } from "../entitlements/Entitlement.ts"
import type { Snapshot } from "../entitlements/Snapshot.ts"
import { licenseKeyText } from "../licenses/LicenseStatus.ts"

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

/** How a file stands: it is good, past its end, or revoked. */
const OfflineFileStatus = Schema.Literals(["active", "expired", "revoked"]).annotate({
  identifier: "OfflineFileStatus",
  description: "`active`: the app may run with it. `expired`: past its `valid_until`. `revoked`: listed in the " +
    "revocation list."
})

/** A file for a machine without a network, as management sees it. What is in it is not kept. */
export const OfflineFile = Schema.Struct({
  id: Id.text("ofl"),
  license_id: Id.text("lic"),
  device_id: field(Schema.String, "The device that the file was issued for."),
  fingerprint_hash: field(Schema.String, "The SHA-256 of the device's binding key, in hex. Compare it with your own."),
  offline_counter: field(
    bigCount(1),
    "Increases with each envelope of the device. A device accepts no lower number than it has seen."
  ),
  status: OfflineFileStatus,
  issued_at: field(Timestamp, "Time of the signature."),
  valid_until: field(Timestamp, "Time until which the response may be relied on without another check."),
  revoked_at: Schema.optionalKey(Timestamp.annotate({
    description: "When it was revoked; absent while it is not.",
    examples: ["2026-11-25T10:30:00.000Z"]
  }))
}).annotate({
  identifier: "OfflineFile",
  description: "A file for a machine without a network, without its content.",
  examples: [{
    id: "ofl_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    fingerprint_hash: "5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b",
    offline_counter: 1,
    status: "active",
    issued_at: "2026-11-21T10:30:00.000Z",
    valid_until: "2026-12-21T10:30:00.000Z"
  }]
})
export type OfflineFile = typeof OfflineFile.Type

/** The event of a file. */
export const fileEvent = (type: "offline_file.issued" | "offline_file.revoked", file: OfflineFile) => ({
  type,
  resourceId: file.id,
  data: file,
  metadata: { license_id: file.license_id, device_id: file.device_id }
})

const notBlank = Schema.makeFilter((value: string) => value.trim() === "" ? "must not be blank" : undefined)

export const OfflineFileCreate = Schema.Struct({
  fingerprint: field(
    text(1, 255).check(notBlank),
    "The fingerprint of the machine, as the app on it shows it and the customer sends it."
  ),
  hostname: optional(text(0, 255), "The name of the machine."),
  os: optional(text(0, 128), "The operating system."),
  app_version: optional(appVersion, appVersionText),
  product_code: optional(
    text(1, 128),
    "The code of the product that the file is for, which the file then names; also a former one, for an app " +
      "that was built with it. By default the code of today, of the license's first product."
  ),
  license_key: field(licenseKeyText, "The license key that the file is encrypted under. It is not stored.")
}).annotate({
  identifier: "OfflineFileCreateRequest",
  description: "The machine that the file is for, and the key to encrypt it under.",
  examples: [{
    fingerprint: "b8e1c6f2d4",
    hostname: "studio-07",
    os: "linux",
    license_key: "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"
  }]
})
export type OfflineFileCreate = typeof OfflineFileCreate.Type

/** What stands in a `.lic` file: an offline envelope that names its device, which never asked for itself. */
const OfflineFileContent = Schema.Struct({
  device_id: field(Schema.String, "The device that the envelope is sealed for."),
  ...OfflineEnvelope.fields
}).annotate({
  identifier: "OfflineFileContent",
  description: "The content of the file: an offline envelope and the device that it is encrypted for.",
  examples: [{
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    salt: "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
    nonce: "AAECAwQFBgcICQoL",
    ciphertext: "c2VhbGVkIGFuZCBhdXRoZW50aWNhdGVk"
  }]
})

export const OfflineFileIssued = Schema.Struct({
  file: field(OfflineFile, "The file as the list shows it."),
  lic: field(
    OfflineFileContent,
    "The content to write into the file, as JSON. It is shown only this once and not stored."
  ),
  file_name: Schema.String.annotate({
    description: "A name for the file.",
    examples: ["acme-studio-ofl_06eqpx1trxz3h94vqjm3a6kz7c.lic"]
  })
}).annotate({
  identifier: "OfflineFileCreateResponse",
  description: "A new offline file with its content, which is shown only this once."
})
export type OfflineFileIssued = typeof OfflineFileIssued.Type

/** Warns who asks for a file without saying for which code, when apps were built with several. */
export const warningsAboutFile = (
  { product_code }: OfflineFileCreate,
  { code, former_codes }: ProductCodes
): ReadonlyArray<Warning> =>
  product_code !== undefined || former_codes == null ? [] : [{
    code: "FORMER_CODES_UNNAMED",
    message:
      `The file names the product ${code}. An app that was built with ${former_codes.join(" or ")} needs a file ` +
      "for that: name it in product_code.",
    field: "product_code"
  }]

/** The files that machines without a seat still run on: how many machines, and until when, in ISO 8601. */
export interface OutstandingFiles {
  readonly machines: number
  readonly until: string | undefined
}

/** Warns that machines without a seat run on: what they have in a file nobody can take back before its end. */
export const warningsAboutOutstanding = ({ machines, until }: OutstandingFiles): ReadonlyArray<Warning> =>
  machines === 0 ? [] : [{
    code: "OFFLINE_FILES_OUTSTANDING",
    message:
      `${
        machines === 1 ? "A machine" : `${machines} machines`
      } without a seat can run with an offline file until ${until}. ` +
      "Revoke the file of a machine that was replaced."
  }]

/** The name of a file: the code of its product, of which only letters, digits and `.`, `_`, `-` stay, and its id. */
export const offlineFileName = (productCode: string, id: string): string =>
  `${productCode.replace(/[^A-Za-z0-9._-]+/g, "-")}-${id}.lic`
