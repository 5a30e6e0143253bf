import { Context, Effect, Layer } from "effect"
import { failing, NotFound, UserLimitExceeded } from "../../domain/ground/wire/Errors.ts"
import type { Conflict, LicenseKeyInvalid, RateLimited, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { decide } from "../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../domain/licensing/entitlements/DecisionInput.ts"
import type { Snapshot } from "../../domain/licensing/entitlements/Snapshot.ts"
import type { LicenseUser } from "../../domain/licensing/users/LicenseUser.ts"
import { PortalUser } from "../../domain/portal/PortalUser.ts"
import type { PortalUsersView } from "../../domain/portal/PortalUser.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { sortedPage } from "../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { Licenses } from "../licensing/licenses/Licenses.ts"
import { LicenseUsers } from "../licensing/licenses/LicenseUsers.ts"
import { countUsers } from "../licensing/licenses/LicenseUserSql.ts"
import { SelfService } from "../licensing/seats/SelfService.ts"
import { CurrentActor } from "../log/Provenance.ts"
import { MailQueue, makeMailPace } from "../mail/MailQueue.ts"
import { visitingActor } from "./PortalSessions.ts"
import type { PortalVisitor } from "./PortalSessions.ts"
import { arePresent, listPortalUsers } from "./PortalSql.ts"

const readListed = rowReader(PortalUser)

/** How many people are shown at once, and how many devices of each by name. */
const shownUsers = 50
const namedDevices = 5

const byKey = failing(NotFound, "A session by a license key shows no people: all of them have the key.")
const noUsers = failing(NotFound, "The terms of the license have no users.")
const allTaken = failing(UserLimitExceeded, "Every seat of the license is taken, or promised by an invitation.")

/** Reasons to refuse a change of the people of a license. */
type UserRefusal = Refusals["devices"] | LicenseKeyInvalid | NotFound

/**
 * The people who use a license, as its customer sees, invites and removes them: under its terms of self-service, and in a session of
 * the customer alone. Everybody who uses the license has its key.
 */
export class PortalUsers extends Context.Service<PortalUsers, {
  readonly see: (
    visitor: PortalVisitor,
    cursor?: string
  ) => Effect.Effect<PortalUsersView, LicenseKeyInvalid | NotFound>
  /** Invites a person by an address. No more people are invited than have a seat in the end. */
  readonly invite: (
    visitor: PortalVisitor,
    email: string
  ) => Effect.Effect<
    LicenseUser,
    UserRefusal | Refusals["sign_in"] | Conflict | RateLimited | StateConflict | UserLimitExceeded
  >
  /** Mails the invitation of a person who has not signed in yet again. */
  readonly resend: (
    visitor: PortalVisitor,
    userId: string
  ) => Effect.Effect<LicenseUser, UserRefusal | Refusals["sign_in"] | RateLimited | StateConflict>
  /**
   * Takes the seat or the invitation of a person away. The person's devices give their seats back with it, which counts as one release;
   * all is done or nothing.
   */
  readonly remove: (
    visitor: PortalVisitor,
    userId: string
  ) => Effect.Effect<LicenseUser, UserRefusal | Refusals["release"]>
}>()("countersign/services/portal/PortalUsers") {
  static readonly layer = Layer.effect(
    PortalUsers,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const limits = yield* RateLimits
      const pace = yield* makeMailPace
      const mails = yield* MailQueue
      const selfService = yield* SelfService
      const users = yield* LicenseUsers

      /** The limit of people of a license, which its customer may see. */
      const seatsOf = ({ license }: PortalVisitor, limit: number | undefined) =>
        license !== undefined ? byKey : limit === undefined ? noUsers : Effect.succeed(limit)

      const listed = (licenseId: string, cursor: string | undefined) => {
        const page = (from: string | undefined) =>
          sortedPage({
            sql,
            list: "portal-users",
            products: "owned",
            filters: { licenseId },
            page: { limit: shownUsers, cursor: from },
            alias: "u.",
            conditions: arePresent(sql, licenseId),
            rows: (clauses, limit) => listPortalUsers(sql, { licenseId, namedDevices }, clauses, limit),
            read: readListed
          })
        return page(cursor).pipe(Effect.catchTag("INVALID_CURSOR", () => Effect.orDie(page(undefined))))
      }

      const see = Effect.fn("PortalUsers.see")(function*(visitor: PortalVisitor, cursor?: string) {
        const { isAllowed, snapshot } = yield* selfService.read(visitor)
        const limit = yield* seatsOf(visitor, snapshot.max_users)
        // A license that has a key is never deleted.
        const license = yield* Effect.orDie(licenses.show(visitor.licenseId, { names: true }))
        const [counted] = yield* countUsers(sql, visitor.licenseId)
        return {
          license,
          seats: { taken: counted!.seated, limit },
          users: isAllowed ? yield* listed(visitor.licenseId, cursor) : undefined,
          invitation: mails.isConfigured ? "mail" : license.trusted_issuer === undefined ? "none" : "word"
        } as const
      })

      /** A change of people by the customer, on a license that is locked. */
      const changing = <A, E>(
        visitor: PortalVisitor,
        change: (held: { readonly snapshot: Snapshot; readonly limit: number }) => Effect.Effect<A, E>
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { snapshot } = yield* selfService.hold(visitor)
            return yield* change({ snapshot, limit: yield* seatsOf(visitor, snapshot.max_users) })
          })
        ).pipe(
          Effect.provideService(CurrentActor, visitingActor(visitor, visitor.licenseId))
        )

      /** A mail to a stranger: so many go to a mailbox, whichever licenses they are about, and so many are sent by one license. */
      const paced = (licenseId: string, email: string) =>
        mails.isConfigured
          ? Effect.andThen(
            limits.request("license_invitations", licenseId),
            pace.to("invitations", email)
          )
          : Effect.void

      /** The refusal of invitations by a license that is not in force: nobody could sign in. */
      const inForce = (snapshot: Snapshot) => Effect.fromResult(decide("sign_in", snapshot, {}))

      const invite = Effect.fn("PortalUsers.invite")((visitor: PortalVisitor, email: string) =>
        changing(
          visitor,
          Effect.fnUntraced(function*({ limit, snapshot }) {
            yield* inForce(snapshot)
            const { licenseId } = visitor
            const [counted] = yield* countUsers(sql, licenseId)
            if (counted!.users >= limit) return yield* allTaken
            const user = yield* users.invite(licenseId, { email, delivery: mails.isConfigured ? "mail" : "none" })
            yield* paced(licenseId, email)
            return user
          })
        )
      )

      const resend = Effect.fn("PortalUsers.resend")((visitor: PortalVisitor, userId: string) =>
        changing(
          visitor,
          Effect.fnUntraced(function*({ snapshot }) {
            yield* inForce(snapshot)
            const user = yield* users.resend(visitor.licenseId, userId)
            yield* paced(visitor.licenseId, user.email ?? user.id)
            return user
          })
        )
      )

      const remove = Effect.fn("PortalUsers.remove")((visitor: PortalVisitor, userId: string) =>
        changing(
          visitor,
          Effect.fnUntraced(function*() {
            yield* users.get(visitor.licenseId, userId)
            yield* selfService.releaseUser(visitor, userId)
            return yield* users.remove(visitor.licenseId, userId)
          })
        )
      )

      return PortalUsers.of({ see, invite, resend, remove })
    })
  )
}
