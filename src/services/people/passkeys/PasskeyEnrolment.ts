import { Effect } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { maximumPasskeys, Passkey } from "../../../domain/people/Passkey.ts"
import type { PasskeyCreate, PasskeyCreation } from "../../../domain/people/Passkey.ts"
import { passkeySeconds } from "../../../domain/people/PasskeyFlow.ts"
import type { Person } from "../../../domain/people/Person.ts"
import { statusWith } from "../../../domain/people/Rights.ts"
import { failing, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import { Events } from "../../log/Events.ts"
import { People } from "../People.ts"
import { updatePerson } from "../PersonSql.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import type { Challenged } from "./PasskeyChallenges.ts"
import { insertPasskey, listCredentials } from "./PasskeySql.ts"
import { PasskeyVerifier } from "./PasskeyVerifier.ts"
import type { VerifiedPasskey } from "./PasskeyVerifier.ts"

const readPasskey = rowReader(Passkey)

/** The handle by which an authenticator knows a person. */
export const handleOf = (personId: string): string => Base64Url.encode(new TextEncoder().encode(personId))

/** Makes what offers passkeys to people, and gives them those that were made. */
export const makePasskeyEnrolment = Effect.gen(function*() {
  const sql = yield* Database
  const events = yield* Events
  const identifiers = yield* Identifiers
  const people = yield* People
  const { algorithms } = yield* PasskeyVerifier

  return {
    /** The options by which a browser makes a passkey of a person. */
    offer: Effect.fnUntraced(function*(
      { email, id, name }: Pick<Person, "id" | "name" | "email">,
      rpId: string,
      { challenge, expiresAt }: Challenged
    ) {
      const held = yield* listCredentials(sql, id)
      return {
        challenge,
        rp_id: rpId,
        user_id: handleOf(id),
        user_name: email ?? name,
        user_display_name: name,
        algorithms,
        exclude: held.map(({ credential_id, transports }) => ({ id: Base64Url.encode(credential_id), transports })),
        timeout_ms: passkeySeconds * 1000,
        expires_at: expiresAt.toISOString()
      } satisfies PasskeyCreation
    }),
    /** Gives a locked person a passkey, by which the person can sign in from now on. */
    enrol: Effect.fnUntraced(function*(person: Person, verified: VerifiedPasskey, answer: PasskeyCreate) {
      const { email = null, id: personId, name, roles, status } = person
      if ((yield* listCredentials(sql, personId)).length >= maximumPasskeys) {
        return yield* failing(
          StateConflict,
          `A person has at most ${maximumPasskeys} passkeys. Remove one that is not used.`
        )
      }
      const [row] = yield* insertPasskey(sql, {
        ...verified,
        id: identifiers.next("pky"),
        personId,
        name: answer.name ?? "Passkey",
        transports: answer.transports ?? []
      })
      if (row === undefined) return yield* failing(StateConflict, "This passkey is registered already.")
      const passkey = readPasskey(row)
      yield* events.append({ type: "passkey.created", resourceId: passkey.id, data: passkey })
      if (status === "invited") {
        yield* updatePerson(sql, personId, { name, email, roles, status: statusWith(1) })
        yield* events.append({
          type: "person.updated",
          // The person adds an own way in, and gets no right by it.
          look: "none",
          resourceId: personId,
          data: yield* Effect.orDie(people.get(personId))
        })
      }
      return passkey
    })
  }
})
