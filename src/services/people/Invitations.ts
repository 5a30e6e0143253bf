import { Context, Effect, Layer } from "effect"
import { failing, StateConflict } from "../../domain/ground/wire/Errors.ts"
import type { NotFound, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import type { Invitation } from "../../domain/people/Session.ts"
import { formatInvitation } from "../../domain/people/SessionCookie.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Events } from "../log/Events.ts"
import { CurrentActor } from "../log/Provenance.ts"
import { makeGranters } from "./Granters.ts"
import { People } from "./People.ts"
import { openerBy } from "./PersonActor.ts"
import { deleteExpiredInvitations, insertInvitation } from "./SessionSql.ts"

/** The purpose under which an invitation is hashed. */
export const invitationPurpose = "person-invitation"

/** How long an invitation is good, in minutes. */
const goodForMinutes = 60

/** Invitations, by which people sign in once. */
export class Invitations extends Context.Service<Invitations, {
  /**
   * Takes the place of any invitation before. The caller needs all rights of the person. A colleague who can sign in is invited by nobody
   * else: what is done in a session of such an invitation would be told as the colleague's.
   */
  readonly create: (personId: string) => Effect.Effect<Invitation, NotFound | StateConflict | TokenScopeDenied>
}>()("countersign/services/people/Invitations") {
  static readonly layer = Layer.effect(
    Invitations,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const events = yield* Events
      const vault = yield* Vault
      const people = yield* People
      const granters = yield* makeGranters

      const create = Effect.fn("Invitations.create")((personId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const person = yield* people.lock(personId)
            if (environment !== "live") {
              return yield* failing(StateConflict, "People sign in to the live environment. Invite them there.")
            }
            const actor = yield* CurrentActor
            const isOwn = actor.id === personId
            if (person.status === "active" && !isOwn) {
              return yield* failing(
                StateConflict,
                "This person has a way to sign in, and colleagues do not sign in for each other. If it was lost, remove the passkeys and " +
                  "accounts of the person first.",
                { detail: "active" }
              )
            }
            if (person.status === "removed") {
              return yield* failing(StateConflict, "This person was removed. Reinstate them first.")
            }
            yield* granters.check({ scopes: yield* people.scopesOf(person), isGiven: true })
            const invitation = formatInvitation(crypto.randomBytes(32))
            const hash = vault.keyedHash(invitationPurpose, invitation)
            // As whoever links an account by hand: it signs in with all that the person is given later.
            const linksAccount = (yield* granters.lacking({ scopes: ["admin"], isGiven: true })).length === 0
            yield* deleteExpiredInvitations(sql)
            const [row] = yield* insertInvitation(sql, {
              hash,
              personId,
              minutes: goodForMinutes,
              linksAccount,
              invitedBy: actor.person?.name,
              opener: isOwn ? actor.openedBy : openerBy(actor)
            })
            yield* events.append({ type: "person.invited", resourceId: personId, data: person })
            return {
              person_id: personId,
              invitation,
              links_account: linksAccount,
              expires_at: row!.expires_at.toISOString()
            }
          })
        )
      )

      return Invitations.of({ create })
    })
  )
}
