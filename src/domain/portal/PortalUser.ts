import { Schema } from "effect"
import type { Page } from "../ground/wire/Page.ts"
import type { License } from "../licensing/licenses/License.ts"
import { LicenseUser, LicenseUserStatus } from "../licensing/users/LicenseUser.ts"
import { cookieIn, secretOf } from "../people/SessionCookie.ts"

/** The name of the cookie: with the prefix, a browser takes it from this host alone, over https, for all paths. */
const nameFor = (isSecure: boolean): string => isSecure ? "__Host-countersign-portal" : "countersign-portal"

/** The secret of a session of the portal. Throws a RangeError when there are not exactly 32 bytes. */
export const formatPortalToken = (random: Uint8Array): string => secretOf("csp", random)

/** Whether a text has the shape of the secret of a session of the portal. */
export const isPortalToken = (text: string): boolean => /^csp_[A-Za-z0-9_-]{43}$/.test(text)

/**
 * The cookie of a session that ends after some seconds at the latest; 0 takes it from the browser. No script reads it. A link of the vendor's
 * site or in a mail opens the portal with it, where `SameSite=Lax` would ask the customer to sign in again; a form of another site does not
 * send it.
 */
export const portalCookie = (token: string, isSecure: boolean, seconds: number): string =>
  `${nameFor(isSecure)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`

/** The secret of a session in a Cookie header; undefined where there is none. */
export const portalTokenIn = (header: string | undefined, isSecure: boolean): string | undefined =>
  cookieIn(header, nameFor(isSecure))

const { email, id, last_seen_at, name, subject } = LicenseUser.fields

/** A person who uses a license, or is invited to, as its customer sees him or her. */
export const PortalUser = Schema.Struct({
  id,
  email,
  name,
  subject,
  status: LicenseUserStatus,
  last_seen_at,
  /** How many devices of the person have a seat. */
  device_count: Schema.Int,
  /** Those that were seen last: their names, and the empty text for one without. */
  device_names: Schema.Array(Schema.String)
})
export type PortalUser = typeof PortalUser.Type

/** What a customer sees of the people who use a license. */
export interface PortalUsersView {
  readonly license: License
  readonly seats: { readonly taken: number; readonly limit: number }
  /** Undefined where the terms let nobody but management see and change them. */
  readonly users: Page<PortalUser> | undefined
  /**
   * How an invitation arrives: by a mail, or by the customer's own word where no mails are sent. There is no way where people also sign in
   * by mail.
   */
  readonly invitation: "mail" | "none" | "word"
}
