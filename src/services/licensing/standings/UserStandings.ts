import { Effect } from "effect"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { unknownUser, userStanding } from "../../../domain/licensing/users/UserStanding.ts"
import type { StoredStanding, UserStanding } from "../../../domain/licensing/users/UserStanding.ts"
import { readUserToken } from "../../../domain/licensing/users/UserToken.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import type { Origin } from "../../log/Provenance.ts"
import { insertUserDevices, listStandings } from "./UserStandingSql.ts"

/** The devices that users take in one round of decisions, which the snapshots of that round cannot know of each other. */
export class UserSeats {
  readonly #taken = new Map<string, string>()
  readonly #more = new Map<string, number>()
  readonly #changes: Array<NewEvent> = []

  /** The events of devices that are another user's than before, or somebody's for the first time. */
  get events(): ReadonlyArray<NewEvent> {
    return this.#changes
  }

  /** A snapshot whose user has the devices that were taken before it in this round. */
  counted<Found extends Snapshot>(snapshot: Found): Found {
    const { user } = snapshot
    const more = user?.id === undefined ? undefined : this.#more.get(user.id)
    return user === undefined || more === undefined
      ? snapshot
      : { ...snapshot, user: { ...user, otherDevices: user.otherDevices + more } }
  }

  /** Notes the device that a call was granted, and whence the call came. */
  taken({ device_status, license_id, user }: Snapshot, deviceId: string, origin: Origin): void {
    if (user?.id === undefined) return
    this.#taken.set(deviceId, user.id)
    if (!user.hasDevice) {
      this.#changes.push({
        type: "license.user_device_changed",
        resourceId: license_id,
        data: { license_id, user_id: user.id, device_id: deviceId },
        metadata: { user_id: user.id, device_id: deviceId },
        actor: licenseActor(license_id),
        origin
      })
    }
    if (!user.hasDevice || device_status !== "active") this.#more.set(user.id, (this.#more.get(user.id) ?? 0) + 1)
  }

  /** Writes who activated the devices of the round, after the devices themselves. */
  written(sql: Database): Effect.Effect<void> {
    return this.#taken.size === 0
      ? Effect.void
      : Effect.asVoid(
        insertUserDevices(sql, [...this.#taken].map(([deviceId, userId]) => ({ deviceId, userId })))
      )
  }
}

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
