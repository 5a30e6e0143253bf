import { encodeHex } from "../ground/parsing/ByteTexts.ts"
import { canonicalString } from "../ground/wire/CanonicalJson.ts"

/** An event of a license as the next one names it. */
export interface LicenseLink {
  readonly sequence: number
  /** Its `hash`, 64 hex digits: it covers the event and all events before it. */
  readonly hash: string
}

/** The link of the first event of a license. */
export const licenseStart: LicenseLink = { hash: "0".repeat(64), sequence: 0 }

/** The columns of a place of the log about the license of its event. */
export interface LicenseColumns {
  readonly license_id?: string | null
  /** The sequence of the previous event of the license: 0 before its first, NULL where the leaf does not say it. */
  readonly license_previous?: bigint | number | null
  /** The `hash` of that event, 32 bytes. */
  readonly license_previous_hash?: Uint8Array | null
}

/** The members of a leaf about its license, each with the comma before it: none where the leaf does not say it. */
export const licenseTexts = (
  { license_id, license_previous, license_previous_hash }: LicenseColumns
): { readonly license: string; readonly previous: string } => {
  if (license_previous === null || license_previous === undefined) return { license: "", previous: "" }
  return {
    license: `,"license_id":${canonicalString(license_id ?? "")}`,
    previous: `,"previous_of_license":{"hash":"${
      license_previous_hash === null || license_previous_hash === undefined
        ? licenseStart.hash
        : encodeHex(license_previous_hash)
    }","sequence":${license_previous}}`
  }
}
