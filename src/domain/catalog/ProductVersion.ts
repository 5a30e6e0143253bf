import { Schema } from "effect"
import {
  CreatedAt,
  echoed,
  field,
  label,
  Metadata,
  optional,
  text,
  Timestamp,
  TimestampInput,
  UpdatedAt
} from "../ground/wire/Fields.ts"
import { HttpsAddress } from "../ground/wire/HttpsAddress.ts"
import * as Id from "../ground/wire/Id.ts"

/** The version of an app. An app is looked up in the catalog by it, so both allow the same characters. */
export const appVersion = echoed(1, 64)

/** What the version of an app is, where it is sent or repeated. */
export const appVersionText =
  "The version of the app, in the vendor's format. The response then includes whether the license covers it."

/** Filters of devices by what they run. */
export const runningFilters = {
  app_version: optional(
    appVersion,
    "Only devices with this version of the app; `1.x` is any that begins with `1.`.",
    "1.x"
  ),
  os: optional(
    text(1, 128),
    "Only devices whose system begins with this text; not case-sensitive.",
    "windows"
  )
}

/** Filters of those who have licenses by what a device of theirs runs that has a seat; with both, it is the same device. */
const ownersFilters = (owners: string) => ({
  app_version: optional(
    appVersion,
    `Only ${owners} with a device that has a seat and runs this version of the app; \`1.x\` is any that begins with \`1.\`.`,
    "1.x"
  ),
  os: optional(
    text(1, 128),
    `Only ${owners} with a device that has a seat and whose system begins with this text; not case-sensitive.`,
    "windows"
  )
})

/** Filters of licenses by what a device of theirs runs that has a seat. */
export const runningLicenseFilters = ownersFilters("licenses")

/** Filters of customers by their licenses, and by what a device of these runs that has a seat; with several, it is the same license and device. */
export const runningCustomerFilters = {
  product_id: Schema.optionalKey(
    Id.filter("prod").annotate({ description: "Only customers with a license of this product." })
  ),
  ...ownersFilters("customers")
}

const versionText = "The version, as apps send it in `app_version`."

/** How many links a version may have. */
const mostLinks = 20

const labelText = "The name of the link as customers see it, such as a platform."
const urlText = "The address, over https. It is no secret: customers may pass it on."
const sha256Text = "The SHA-256 of the file, in lower-case hex, for customers who compare it."

const example = {
  label: "Windows",
  url: "https://downloads.example.com/acme-studio-4.2.0.msi",
  sha256: "5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b"
}

/** A place from which customers get a version. */
const VersionLink = Schema.Struct({
  label: field(Schema.String, labelText),
  url: field(Schema.String, urlText),
  sha256: optional(Schema.String, sha256Text)
}).annotate({
  identifier: "ProductVersionLink",
  description: "A place from which customers get the version.",
  examples: [example]
})
export type VersionLink = typeof VersionLink.Type

const VersionLinkInput = Schema.Struct({
  label: field(label(64), labelText),
  url: field(HttpsAddress, urlText),
  sha256: optional(
    Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 lower-case hexadecimal digits" })),
    sha256Text
  )
}).annotate({
  identifier: "ProductVersionLinkRequest",
  description: "A place from which customers get the version.",
  examples: [example]
})

const linksText =
  "Links to the version, in the order in which customers see them: in the portal, where their license covers the version."

const LinksInput = Schema.Array(VersionLinkInput).check(Schema.isMaxLength(mostLinks))

/** A release of a product. The versions of a product are its catalogue. */
export const ProductVersion = Schema.Struct({
  id: Id.text("ver"),
  product_id: Id.text("prod"),
  version: field(Schema.String, versionText),
  released_at: field(Timestamp, "Release time of the version. Default: now."),
  links: optional(Schema.Array(VersionLink), `${linksText} Absent without any.`),
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "ProductVersion",
  description: "A version in the catalog of a product.",
  examples: [{
    id: "ver_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    version: "4.2.0",
    released_at: "2026-11-21T10:30:00.000Z",
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type ProductVersion = typeof ProductVersion.Type

export const ProductVersionCreate = Schema.Struct({
  version: field(appVersion, versionText),
  released_at: optional(TimestampInput, "Release time of the version. Default: now."),
  links: optional(LinksInput, linksText),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "ProductVersionCreateRequest",
  description: "A version to add to the catalog of a product.",
  examples: [{ version: "4.2.0", released_at: "2026-11-21T10:30:00Z" }]
})
export type ProductVersionCreate = typeof ProductVersionCreate.Type

export const ProductVersionUpdate = Schema.Struct({
  version: optional(appVersion, versionText),
  released_at: optional(TimestampInput, "Release time of the version. Default: now."),
  links: optional(LinksInput, `${linksText} They replace those that were there; an empty list takes them away.`),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "ProductVersionUpdateRequest",
  description: "Changes of a version. Omitted fields stay as they are.",
  examples: [{ released_at: "2026-11-28T10:30:00Z" }]
})
export type ProductVersionUpdate = typeof ProductVersionUpdate.Type
