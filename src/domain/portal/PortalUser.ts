import { Schema } from "effect"
import type { Page } from "../ground/wire/Page.ts"
import type { License } from "../licensing/licenses/License.ts"
import { LicenseUser, LicenseUserStatus } from "../licensing/users/LicenseUser.ts"

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
