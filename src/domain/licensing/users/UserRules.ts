import {
  DeviceNotActivated,
  failing,
  LeaseNotFound,
  UserDeviceLimitExceeded,
  UserSignInRequired
} from "../../ground/wire/Errors.ts"
import type { UserProblem, UserStanding } from "./UserStanding.ts"

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
