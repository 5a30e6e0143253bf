import { Schema } from "effect"
import { CreatedAt, echoed, field, Metadata, optional, Timestamp, TimestampInput, UpdatedAt } from "../wire/Fields.ts"
import * as Id from "../wire/Id.ts"

/** The version of an app. An app is looked up in the catalog by it, so both allow the same characters. */
export const appVersion = echoed(1, 64)

/** What the version of an app is, where it is sent or repeated. */
export const appVersionText =
  "The version of the app, in the vendor's format. The response then includes whether the license covers it."

const versionText = "The version, as apps send it in `app_version`."

/** A release of a product. The versions of a product are its catalogue. */
export const ProductVersion = Schema.Struct({
  id: Id.text("ver"),
  product_id: Id.text("prod"),
  version: field(Schema.String, versionText),
  released_at: field(Timestamp, "Release time of the version. Default: now."),
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
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "ProductVersionUpdateRequest",
  description: "Changes of a version. Omitted fields stay as they are.",
  examples: [{ released_at: "2026-11-28T10:30:00Z" }]
})
export type ProductVersionUpdate = typeof ProductVersionUpdate.Type
