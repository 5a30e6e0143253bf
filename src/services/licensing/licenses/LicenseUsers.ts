import { Context, Effect, Layer } from "effect"
import { Conflict, failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { LicenseUser, maximumUsers } from "../../../domain/licensing/users/LicenseUser.ts"
import type { LicenseUserInvite, RemovedBecause } from "../../../domain/licensing/users/LicenseUser.ts"
import type { CarryUsers } from "../../../domain/licensing/users/UserRules.ts"
import { mailDeclarations } from "../../../domain/mail/templates/MailTemplates.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import { MailSuppressions } from "../../mail/MailSuppressions.ts"
import { Devices } from "./Devices.ts"
import { Licenses } from "./Licenses.ts"
import {
  areUsersOf,
  countUsers,
  findTaken,
  findUser,
  insertInvited,
  listDevicesOfUsers,
  listUsers,
  listUsersElsewhere,
  updateUsersCarried,
  updateUsersErased,
  updateUsersRemoved,
  updateUsersTransferred
} from "./LicenseUserSql.ts"
import type { UserFilters } from "./LicenseUserSql.ts"

/** Reads a row of a user. */
export const readUser = rowReader(LicenseUser)

/** The event of a user of a license. */
export const userEvent = (type: "license.user_invited" | "license.user_joined" | "license.user_removed") =>
(
  { last_seen_at: _seen, ...user }: LicenseUser
) => ({ type, resourceId: user.license_id, data: user, metadata: { user_id: user.id } })

const mailsOff = failing(StateConflict, "Mails are off: GET /api/v1/settings/mail says what sets them.", {
  detail: "no_mail"
})

/** The people who use licenses, as management invites and removes them. */
export class LicenseUsers extends Context.Service<LicenseUsers, {
  readonly list: (
    licenseId: string,
    filters: UserFilters,
    page: PageRequest
  ) => Effect.Effect<Page<LicenseUser>, InvalidCursor | NotFound>
  readonly get: (licenseId: string, id: string) => Effect.Effect<LicenseUser, NotFound>
  /** Invites a person. Whoever is invited or has a seat already is a conflict. */
  readonly invite: (
    licenseId: string,
    input: LicenseUserInvite
  ) => Effect.Effect<LicenseUser, Conflict | NotFound | StateConflict>
  /** Mails an invitation again that was not taken up yet; its event says so again. */
  readonly resend: (licenseId: string, id: string) => Effect.Effect<LicenseUser, NotFound | StateConflict>
  /** Takes the seat or the invitation away, and resets the user's devices; repeating it succeeds. */
  readonly remove: (licenseId: string, id: string) => Effect.Effect<LicenseUser, NotFound>
  /** Takes the seats of users of a license that the surrounding transaction has locked, and resets their devices. */
  readonly removeSome: (
    licenseId: string,
    ids: ReadonlyArray<string>,
    because: Extract<RemovedBecause, "reduced" | "removed">
  ) => Effect.Effect<void>
  /**
   * Has no user of a license, which the surrounding transaction has locked, be an account at another issuer than the one that it trusts from
   * now on: they keep their seats by their addresses, or lose them. Answers who does which, as they were before.
   */
  readonly moveIssuer: (
    licenseId: string,
    to: { readonly issuer: string | undefined; readonly carry: CarryUsers }
  ) => Effect.Effect<{ readonly carried: ReadonlyArray<LicenseUser>; readonly ended: ReadonlyArray<LicenseUser> }>
  /** Ends the users of a license that is being transferred, resets their devices, and forgets who they were. The license is locked. */
  readonly endAll: (licenseId: string) => Effect.Effect<void>
  /**
   * Ends the users of licenses of a customer who is being erased, and resets their devices: nobody could tell any more whose seats
   * they are. The licenses are locked, and who the users were is forgotten already.
   */
  readonly endErased: (customerId: string) => Effect.Effect<void>
}>()("countersign/services/licensing/licenses/LicenseUsers") {
  static readonly layer = Layer.effect(
    LicenseUsers,
    Effect.gen(function*() {
      const sql = yield* Database
      const devices = yield* Devices
      const events = yield* Events
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const mails = yield* MailQueue
      const suppressions = yield* MailSuppressions

      /** Appends the event of an invitation, and queues its mail with it. */
      const announce = Effect.fnUntraced(function*(user: LicenseUser, delivery: LicenseUserInvite["delivery"]) {
        const { email, id: userId, license_id: licenseId } = user
        const isAsked = delivery === "mail"
        if (isAsked && email !== undefined) yield* suppressions.refuse(email, mailDeclarations.user_invited.isNotice)
        const eventId = identifiers.next("evt")
        yield* events.append({ id: eventId, ...userEvent("license.user_invited")(user) })
        if (delivery !== "none") yield* mails.toUser({ eventId, kind: "user_invited", licenseId, userId, isAsked })
      })

      const list = Effect.fn("LicenseUsers.list")(
        function*(licenseId: string, filters: UserFilters, page: PageRequest) {
          yield* licenses.get(licenseId)
          return yield* sortedPage({
            sql,
            list: "license_users",
            products: "owned",
            filters: { licenseId, ...filters },
            page,
            conditions: areUsersOf(sql, licenseId, filters),
            rows: (clauses, limit) => listUsers(sql, clauses, limit),
            read: readUser
          })
        }
      )

      const get = Effect.fn("LicenseUsers.get")(function*(licenseId: string, id: string) {
        const [row] = yield* findUser(sql, licenseId, id)
        return row === undefined ? yield* failing(NotFound, "The license has no user with this id.") : readUser(row)
      })

      const invite = Effect.fn("LicenseUsers.invite")((licenseId: string, input: LicenseUserInvite) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { license, rules } = yield* licenses.hold(licenseId)
            if (input.delivery === "mail" && !mails.isConfigured) return yield* mailsOff
            if (rules.max_users === undefined) {
              return yield* failing(StateConflict, "The terms of the license have no users: set max_users.", {
                detail: "no_users"
              })
            }
            if (license.status === "revoked") {
              return yield* failing(StateConflict, "A revoked license takes no users.", { detail: "revoked" })
            }
            const [taken] = yield* findTaken(sql, licenseId, input)
            if (taken !== undefined) {
              return yield* failing(Conflict, "The license has a user with this address or account.", {
                detail: taken.id
              })
            }
            const [counted] = yield* countUsers(sql, licenseId)
            if (counted!.users >= maximumUsers) {
              return yield* failing(StateConflict, `A license has at most ${maximumUsers} users and invitations.`, {
                detail: "users"
              })
            }
            const [row] = yield* insertInvited(sql, { id: identifiers.next("usr"), licenseId }, input)
            const user = readUser(row!)
            yield* announce(user, input.delivery)
            return user
          })
        )
      )

      const resend = Effect.fn("LicenseUsers.resend")((licenseId: string, id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { license } = yield* licenses.hold(licenseId)
            const user = yield* get(licenseId, id)
            if (!mails.isConfigured) return yield* mailsOff
            if (user.status !== "invited" || user.email === undefined || license.status === "revoked") {
              return yield* failing(StateConflict, "There is no invitation by an address that is open.", {
                detail: user.status
              })
            }
            yield* announce(user, "mail")
            return user
          })
        )
      )

      const removeSome = Effect.fnUntraced(function*(
        licenseId: string,
        ids: ReadonlyArray<string>,
        because: Extract<RemovedBecause, "reduced" | "removed">
      ) {
        if (ids.length === 0) return
        const used = yield* listDevicesOfUsers(sql, licenseId, ids)
        yield* devices.resetSome(licenseId, used.map(({ id }) => id))
        const removed = yield* updateUsersRemoved(sql, licenseId, ids, because)
        yield* events.appendAll(removed.map((row) => userEvent("license.user_removed")(readUser(row))))
      })

      const remove = Effect.fn("LicenseUsers.remove")((licenseId: string, id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* licenses.hold(licenseId)
            yield* get(licenseId, id)
            yield* removeSome(licenseId, [id], "removed")
            return yield* get(licenseId, id)
          })
        )
      )

      const moveIssuer: LicenseUsers["Service"]["moveIssuer"] = Effect.fnUntraced(
        function*(licenseId, { carry, issuer }) {
          const carried = carry === "end"
            ? []
            : (yield* updateUsersCarried(sql, licenseId, issuer)).map((row) => readUser(row))
          yield* events.appendAll(
            carried.map((user) =>
              userEvent(user.status === "invited" ? "license.user_invited" : "license.user_joined")(user)
            )
          )
          const ended = (yield* listUsersElsewhere(sql, licenseId, issuer)).map((row) => readUser(row))
          yield* removeSome(licenseId, ended.map(({ id }) => id), "removed")
          return { carried, ended }
        }
      )

      /** Resets the devices of users who have ended, and tells of each. */
      const tellEnded = Effect.fnUntraced(function*(rows: ReadonlyArray<object>) {
        const ended = rows.map((row) => readUser(row))
        for (const [licenseId, users] of Map.groupBy(ended, ({ license_id }) => license_id)) {
          const used = yield* listDevicesOfUsers(sql, licenseId, users.map(({ id }) => id))
          yield* devices.resetSome(licenseId, used.map(({ id }) => id))
        }
        yield* events.appendAll(ended.map((user) => userEvent("license.user_removed")(user)))
      })

      const endAll = (licenseId: string) => Effect.flatMap(updateUsersTransferred(sql, licenseId), tellEnded)

      const endErased = (customerId: string) => Effect.flatMap(updateUsersErased(sql, customerId), tellEnded)

      return LicenseUsers.of({ list, get, invite, resend, remove, removeSome, moveIssuer, endAll, endErased })
    })
  )
}
