import { Schema } from "effect"
import { field, optional, Timestamp } from "../ground/wire/Fields.ts"
import { appVersionText } from "./ProductVersion.ts"

export const VersionEligibility = Schema.Struct({
  app_version: field(Schema.String, appVersionText),
  is_entitled: field(Schema.Boolean, "Whether the license covers this version. The app decides how to react."),
  enforced: field(
    Schema.Boolean,
    "Whether the version could be judged: the product has a catalog of versions and the license has an end " +
      "of maintenance."
  ),
  released_at: optional(Timestamp, "Release time of the version; absent if the catalog does not list it."),
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
