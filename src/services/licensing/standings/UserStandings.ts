import { Effect } from "effect"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { unknownUser, userStanding } from "../../../domain/licensing/users/UserStanding.ts"
import type { StoredStanding, UserStanding } from "../../../domain/licensing/users/UserStanding.ts"
import { readUserToken } from "../../../domain/licensing/users/UserToken.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { listStandings } from "./UserStandingSql.ts"

/** The purpose of the keyed hash in the credential of a user. */
export const userTokenPurpose = "license-user-token"

/** A call on a license whose terms have users. */
export interface UserQuestion {
  readonly license_id: string
  readonly device_id: string | null
  readonly now: Date
  readonly hold_offline_seats?: boolean | undefined
  /** The credential of the user as the call brings it. */
  readonly token: string | undefined
}

/** Makes what reads how the users of calls stand: nothing of a license without users, and one statement of many with them. */
export const makeUserStandings = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const vault = yield* Vault

  const claimsOf = (token: string | undefined) => {
    const read = token === undefined ? undefined : readUserToken(token)
    return read !== undefined && crypto.timingSafeEqual(vault.keyedHash(userTokenPurpose, read.text), read.mac)
      ? read
      : undefined
  }

  const standings = Effect.fnUntraced(function*(
    questions: ReadonlyArray<UserQuestion>,
    /** Tells how a user stood at another time than now; undefined of who was none. */
    then?: (userId: string) => Effect.Effect<StoredStanding | undefined>
  ) {
    const asked = questions.map(({ token }) => claimsOf(token))
    const named = questions.flatMap(({ device_id, license_id }, index) => {
      const claims = asked[index]
      return claims === undefined ? [] : [{ index, licenseId: license_id, userId: claims.userId, deviceId: device_id }]
    })
    const stored = new Map<number, StoredStanding>()
    const note = (index: number, standing: StoredStanding | undefined) => {
      if (standing !== undefined) stored.set(index, standing)
    }
    if (then !== undefined) {
      for (const { index, userId } of named) note(index, yield* then(userId))
    } else if (named.length > 0) {
      for (
        const { has_device: hasDevice, held_devices, other_devices, question, status } of yield* listStandings(
          sql,
          named
        )
      ) {
        const { index } = named[question - 1]!
        const held = questions[index]!.hold_offline_seats === true ? held_devices : 0
        note(index, { status, hasDevice, otherDevices: other_devices + held })
      }
    }
    return questions.map(({ license_id, now, token }, index): UserStanding => {
      const claims = asked[index]
      return claims === undefined
        ? unknownUser(token)
        : userStanding(claims, stored.get(index), { license_id, now: now.getTime() })
    })
  })

  /** Adds to snapshots of licenses with users how the user of each call stands, in the order of the tokens. */
  const withUsers = <Found extends Snapshot>(
    found: ReadonlyArray<Found | undefined>,
    tokens: ReadonlyArray<string | undefined>
  ): Effect.Effect<ReadonlyArray<Found | undefined>> => {
    const questions = found.flatMap((snapshot, index) =>
      snapshot?.max_users === undefined ? [] : [{ index, ...snapshot, token: tokens[index] }]
    )
    if (questions.length === 0) return Effect.succeed(found)
    return Effect.map(standings(questions), (users) => {
      const byIndex = new Map(questions.map(({ index }, position) => [index, users[position]]))
      return found.map((snapshot, index) => {
        const user = byIndex.get(index)
        return snapshot === undefined || user === undefined ? snapshot : { ...snapshot, user }
      })
    })
  }

  return { standings, withUsers }
})
