import { Schema } from "effect"
import {
  DeviceNotActivated,
  failing,
  LeaseNotFound,
  UserDeviceLimitExceeded,
  UserSignInRequired
} from "../../ground/wire/Errors.ts"
import type { Warning } from "../../ground/wire/Errors.ts"
import type { LicenseUser } from "./LicenseUser.ts"
import type { UserProblem, UserStanding } from "./UserStanding.ts"

/** The choice about users whose accounts are at an issuer that a license trusts no more. */
export const CarryUsers = Schema.Literals(["by_verified_address", "end"])
export type CarryUsers = typeof CarryUsers.Type

export const carryUsersText =
  "Users whose accounts are at an issuer that `trusted_issuer` replaces. `by_verified_address`, the default: " +
  "each keeps the seat, and the first account with the user's address, verified, is the user's; who has no address loses the seat. " +
  "`end`: all of them lose their seats. `dry_run` says whom it concerns, as warnings."

/** How many people a warning names. */
const named = 20

const whoOf = ({ email, id, name }: LicenseUser): string => email ?? name ?? id

const namesOf = (users: ReadonlyArray<LicenseUser>): string =>
  users.slice(0, named).map(whoOf).join(", ") + (users.length > named ? ` and ${users.length - named} more` : "")

const people = ({ length }: ReadonlyArray<LicenseUser>): string => length === 1 ? "1 user" : `${length} users`

/** The warnings about another issuer: who keeps the seat by an address, and who loses it. */
export const warningsAboutIssuer = (
  { carried, ended }: { readonly carried: ReadonlyArray<LicenseUser>; readonly ended: ReadonlyArray<LicenseUser> }
): ReadonlyArray<Warning> => [
  ...(carried.length === 0
    ? []
    : [{
      code: "USERS_CARRIED",
      message: `${
        people(carried)
      } of the previous identity provider keep their seats by their addresses, and sign in again: ${namesOf(carried)}.`,
      field: "trusted_issuer"
    }]),
  ...(ended.length === 0
    ? []
    : [{
      code: "USERS_ENDED",
      message: `${people(ended)} of the previous identity provider lose their seats: ${namesOf(ended)}.`,
      field: "trusted_issuer"
    }])
]

const otherUser = { detail: "other_user" }

/** Each reason to sign in, for people. */
const problems: Readonly<Record<UserProblem, string>> = {
  missing: "The license is for people who sign in, and the call names none.",
  invalid: "The sign-in is not valid for this license. Sign in again.",
  expired: "The sign-in has ended. Sign in again.",
  removed: "The person is no longer a user of the license."
}

/** The refusal of a call by which no user is signed in; undefined where one is, or the terms have none. */
export const signInRequired = (user: UserStanding | undefined): UserSignInRequired | undefined =>
  user?.problem === undefined
    ? undefined
    : failing(UserSignInRequired, problems[user.problem], { detail: user.problem })

/** The refusal of a call on a device, or of a lease on it, that another user activated last; undefined where that is not so. */
export const ofOtherUser = (
  operation: string,
  user: UserStanding | undefined
): DeviceNotActivated | LeaseNotFound | undefined => {
  if (user === undefined || user.problem !== undefined || user.hasDevice) return undefined
  return operation === "heartbeat"
    ? failing(LeaseNotFound, "The lease is of another user of the license. Check out a new one.", otherUser)
    : failing(DeviceNotActivated, "Another user activated this device last. Activate it again.", otherUser)
}

/** The refusal of one device more for a user; undefined where the terms allow it. */
export const deviceLimit = (
  user: UserStanding | undefined,
  limit: number | undefined,
  isActive: boolean
): UserDeviceLimitExceeded | undefined => {
  if (limit === undefined || user === undefined || (user.hasDevice && isActive)) return undefined
  return user.otherDevices < limit
    ? undefined
    : failing(UserDeviceLimitExceeded, "The user has as many devices in use as the terms allow.", {
      detail: `${user.otherDevices} of ${limit} in use`
    })
}

/**
 * Whether whoever asks may see a device, and give its seat back: of a license with users, its own and those that are nobody's. A
 * colleague has the same license key. `user` is undefined where all of them may be seen: the terms have no users, or the owner asks.
 */
export const isInReach = (user: Pick<UserStanding, "id"> | undefined, ownerId: string | undefined): boolean =>
  user === undefined || ownerId === undefined || ownerId === user.id

/** The refusal of whoever names a user that is none; who names nobody reaches the devices of nobody. */
export const reachRefusal = (user: UserStanding | undefined) =>
  user?.problem === "missing" ? undefined : signInRequired(user)
