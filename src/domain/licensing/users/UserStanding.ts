import type { LicenseUserStatus } from "./LicenseUser.ts"
import type { UserClaims } from "./UserToken.ts"

/** Why nobody is signed in. */
export type UserProblem = "missing" | "invalid" | "expired" | "removed"

/** How the user of a call stands, where the terms have users. */
export interface UserStanding {
  /** The user who is signed in; undefined where nobody is. */
  readonly id: string | undefined
  readonly problem: UserProblem | undefined
  /** Whether the user was the last to activate the device. */
  readonly hasDevice: boolean
  /** How many other devices the user has in use. */
  readonly otherDevices: number
}

/** What is stored of the user that a credential names. */
export interface StoredStanding extends Pick<UserStanding, "hasDevice" | "otherDevices"> {
  readonly status: LicenseUserStatus
}

const nobody = (problem: UserProblem): UserStanding => ({ id: undefined, problem, hasDevice: false, otherDevices: 0 })

/** The standing of a call that brings no credential, or one that says nothing. */
export const unknownUser = (token: string | undefined): UserStanding =>
  nobody(token === undefined || token === "" ? "missing" : "invalid")

/** How the user of a credential stands that is the service's own; `now` is Unix milliseconds on the database's clock. */
export const userStanding = (
  { expiresAt, licenseId, userId }: UserClaims,
  stored: StoredStanding | undefined,
  { license_id, now }: { readonly license_id: string; readonly now: number }
): UserStanding => {
  if (licenseId !== license_id || stored === undefined) return nobody("invalid")
  if (stored.status !== "active") return nobody("removed")
  if (expiresAt * 1000 <= now) return nobody("expired")
  return { id: userId, problem: undefined, hasDevice: stored.hasDevice, otherDevices: stored.otherDevices }
}
