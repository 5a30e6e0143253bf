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

export const VersionEligibility = Schema.Struct({
  app_version: field(Schema.String, appVersionText),
  is_entitled: field(Schema.Boolean, "Whether the license covers this version. The app decides how to react."),
  enforced: field(
    Schema.Boolean,
    "Whether the version could be judged: the product has a catalog of versions and the license has an end " +
      "of maintenance."
  ),
  released_at: optional(Timestamp, "Release time of the version. Default: now."),
  eligible_through: optional(Timestamp, "Versions released until this time are covered.")
}).annotate({
  identifier: "VersionEligibility",
  description: "Whether the license covers the version of the app. It only informs and refuses nothing."
})
/** Whether the version that runs is one the license covers. */
export type VersionEligibility = typeof VersionEligibility.Type

/** What eligibility depends on; instants are Unix milliseconds on the database's clock. */
export interface EligibilityInput {
  /** What the app says it is. */
  readonly appVersion: string
  /** Whether the product has a catalogue: at least one version. */
  readonly hasVersions: boolean
  /** When this version was released; undefined for a version that is not in the catalogue. */
  readonly releasedAt: number | undefined
  readonly maintenanceExpiresAt: number | undefined
  readonly now: number
}

/**
 * Whether a license covers the version that asks. It informs and refuses nothing: the app decides what to do about it.
 * `enforced` says that there was something to hold the version against: a catalogue, and an end of maintenance.
 *
 * A version that the catalogue does not list was released by now at the latest. While maintenance runs it is therefore
 * covered. After the end of maintenance nothing shows that it was released in time, so it is not covered until the
 * vendor lists it.
 */
export const versionEligibility = (input: EligibilityInput): VersionEligibility => {
  const known = input.releasedAt === undefined ? {} : { released_at: new Date(input.releasedAt).toISOString() }
  if (!input.hasVersions || input.maintenanceExpiresAt === undefined) {
    return { app_version: input.appVersion, is_entitled: true, enforced: false, ...known }
  }
  return {
    app_version: input.appVersion,
    is_entitled: (input.releasedAt ?? input.now) <= input.maintenanceExpiresAt,
    enforced: true,
    ...known,
    eligible_through: new Date(input.maintenanceExpiresAt).toISOString()
  }
}
