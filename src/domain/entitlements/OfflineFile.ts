import { Schema } from "effect"
import type { ProductCodes } from "../catalog/Product.ts"
import { licenseKeyText } from "../licenses/LicenseKey.ts"
import type { Warning } from "../wire/Errors.ts"
import { bigCount, echoed, text, Timestamp } from "../wire/Fields.ts"
import { OfflineEnvelope } from "./Offline.ts"

/** How a file stands: it is good, past its end, or revoked. */
const OfflineFileStatus = Schema.Literals(["active", "expired", "revoked"]).annotate({
  identifier: "OfflineFileStatus",
  description: "`active`: the machine may run on it. `expired`: past its `valid_until`. `revoked`: it stands in the " +
    "revocation list."
})

/** A file for a machine without a network, as management sees it. What is in it is not kept. */
export const OfflineFile = Schema.Struct({
  id: Schema.String,
  license_id: Schema.String,
  device_id: Schema.String.annotate({ description: "The device that the file was issued for." }),
  fingerprint_hash: Schema.String,
  offline_counter: bigCount(1),
  status: OfflineFileStatus,
  issued_at: Timestamp,
  valid_until: Timestamp,
  revoked_at: Schema.optionalKey(Timestamp.annotate({
    description: "When it was revoked; absent while it is not.",
    examples: ["2026-11-25T10:30:00.000Z"]
  }))
}).annotate({
  identifier: "OfflineFile",
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

const notBlank = Schema.makeFilter((value: string) => value.trim() === "" ? "must not be blank" : undefined)

export const OfflineFileCreate = Schema.Struct({
  fingerprint: text(1, 255).check(notBlank).annotate({
    description: "The fingerprint of the machine, as the app on it shows it and the customer sends it."
  }),
  hostname: Schema.optionalKey(text(0, 255)),
  os: Schema.optionalKey(text(0, 128)),
  app_version: Schema.optionalKey(echoed(1, 64)),
  product_code: Schema.optionalKey(
    text(1, 128).annotate({
      description:
        "The code of the product that the file is for, which the file then names; also a former one, for an app that was " +
        "built with it. By default the code of today, of the license's first product."
    })
  ),
  license_key: licenseKeyText.annotate({
    description: "The key of the license, which the file is encrypted under. It is not stored."
  })
}).annotate({
  identifier: "OfflineFileCreateRequest",
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
  device_id: Schema.String.annotate({ description: "The device that the envelope is sealed for." }),
  ...OfflineEnvelope.fields
}).annotate({
  identifier: "OfflineFileContent",
  examples: [{
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    salt: "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
    nonce: "AAECAwQFBgcICQoL",
    ciphertext: "c2VhbGVkIGFuZCBhdXRoZW50aWNhdGVk"
  }]
})

export const OfflineFileIssued = Schema.Struct({
  file: OfflineFile,
  lic: OfflineFileContent,
  file_name: Schema.String.annotate({
    description: "A name for the file.",
    examples: ["acme-studio-ofl_06eqpx1trxz3h94vqjm3a6kz7c.lic"]
  })
}).annotate({ identifier: "OfflineFileCreateResponse" })
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

/** The name of a file: the code of its product, of which only letters, digits and `.`, `_`, `-` stay, and its id. */
export const offlineFileName = (productCode: string, id: string): string =>
  `${productCode.replace(/[^A-Za-z0-9._-]+/g, "-")}-${id}.lic`
