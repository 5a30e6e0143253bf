import { signInRequired } from "./UserRules.ts"
import type { UserStanding } from "./UserStanding.ts"

/**
 * Whether whoever asks may see a device, and give its seat back: of a license with users, its own and those that are nobody's. A
 * colleague has the same license key. `user` is undefined where all of them may be seen: the terms have no users, or the owner asks.
 */
export const isInReach = (user: Pick<UserStanding, "id"> | undefined, ownerId: string | undefined): boolean =>
  user === undefined || ownerId === undefined || ownerId === user.id

/** The refusal of whoever names a user that is none; who names nobody reaches the devices of nobody. */
export const reachRefusal = (user: UserStanding | undefined) =>
  user?.problem === "missing" ? undefined : signInRequired(user)
