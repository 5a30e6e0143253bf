import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deletePasskey,
  findCredential,
  findHolder,
  insertPasskey,
  listCredentials,
  updateName,
  updateSignedIn
} from "../../../../src/services/people/passkeys/PasskeySql.ts"
import { countPasskeysOf, insertPerson } from "../../../../src/services/people/PersonSql.ts"
import { listNames } from "../../../../src/services/people/RoleSql.ts"
import {
  deleteSessionsBy,
  findInvitation,
  insertInvitation,
  insertSession,
  lockMethod
} from "../../../../src/services/people/SessionSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const person = { name: "Ada", email: null, roles: [], status: "active" } as const

const passkey = (id: string, personId: string, credential: number) => ({
  id,
  personId,
  name: "Laptop",
  credentialId: new Uint8Array([credential]),
  publicKey: new Uint8Array([1, 2]),
  counter: 0,
  transports: ["internal"],
  isSynced: true
})

describe("passkeys", () => {
  layer(Workers.layer)((it) => {
    it.effect("a passkey is of one person: the second who is given it waits, and does not get it", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        for (const id of ["per_a", "per_b"]) yield* insertPerson(first, id, person)
        const [got, missed] = yield* waiting(
          insertPasskey(first, passkey("pky_a", "per_a", 1)),
          insertPasskey(second, passkey("pky_b", "per_b", 1))
        )
        assert.deepStrictEqual([got.length, missed.length], [1, 0])
        assert.deepInclude((yield* findCredential(first, new Uint8Array([1])))[0], { id: "pky_a", person_id: "per_a" })
        assert.deepStrictEqual(yield* countPasskeysOf(first, "per_b"), [{ passkeys: 0 }])
      }))

    it.effect("a counter goes on: of two sign-ins with one value the second waits, and is none", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* insertPasskey(first, { ...passkey("pky_c", "per_c", 2), isSynced: false })
        const [one, other] = yield* waiting(updateSignedIn(first, "pky_c", 3), updateSignedIn(second, "pky_c", 3))
        assert.deepStrictEqual([one.length, other.length], [1, 0])
        for (const counter of [0, 2, 3]) assert.lengthOf(yield* updateSignedIn(first, "pky_c", counter), 0)
        assert.lengthOf(yield* updateSignedIn(first, "pky_c", 4), 1)
        yield* insertPasskey(first, passkey("pky_d", "per_c", 3))
        for (const counter of [0, 0, 1]) assert.lengthOf(yield* updateSignedIn(first, "pky_d", counter), 1)
        // A synced one falls to 0 where its store does not count.
        for (const counter of [0, 5, 0]) assert.lengthOf(yield* updateSignedIn(first, "pky_d", counter), 1)
        assert.lengthOf(yield* updateSignedIn(first, "pky_d", 5), 1)
        assert.lengthOf(yield* updateSignedIn(first, "pky_d", 4), 0)
      }))

    it.effect("are listed, renamed and removed by their IDs alone", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* insertPasskey(first, passkey("pky_e", "per_e", 4))
        yield* insertPasskey(first, passkey("pky_f", "per_e", 5))
        assert.deepStrictEqual(
          (yield* listCredentials(first, "per_e")).map(({ transports }) => transports),
          [["internal"], ["internal"]]
        )
        assert.deepStrictEqual(yield* findHolder(first, "pky_e"), [{ person_id: "per_e" }])
        assert.deepInclude((yield* updateName(first, "pky_e", "Phone"))[0], { id: "pky_e", name: "Phone" })
        assert.lengthOf(yield* deletePasskey(first, "pky_e"), 1)
        assert.deepStrictEqual(yield* countPasskeysOf(first, "per_e"), [{ passkeys: 1 }])
      }))

    it.effect("end the sessions that they opened, but for the one that asks", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const opened = (id: string, passkeyId: string | undefined) =>
          insertSession(first, {
            id,
            hash: new TextEncoder().encode(id),
            personId: "per_g",
            method: "passkey",
            passkeyId,
            ipAddress: undefined,
            userAgent: undefined,
            hours: 12
          })
        yield* opened("ses_a", "pky_g")
        yield* opened("ses_b", "pky_g")
        yield* opened("ses_c", "pky_h")
        yield* opened("ses_d", undefined)
        assert.lengthOf(yield* deleteSessionsBy(first, "pky_g", "ses_b"), 1)
        assert.deepStrictEqual(yield* lockMethod(first, "ses_b", 60), [{ sign_in_method: "passkey" }])
        assert.lengthOf(yield* deleteSessionsBy(first, "pky_g", undefined), 1)
        assert.lengthOf(yield* lockMethod(first, "ses_c", 60), 1)
        // Whoever adds a passkey in a session that has ended meanwhile finds none.
        assert.lengthOf(yield* lockMethod(first, "ses_b", 60), 0)
        yield* first`UPDATE person_sessions SET expires_at = now() WHERE id = 'ses_c'`
        assert.lengthOf(yield* lockMethod(first, "ses_c", 60), 0)
      }))

    it.effect("an invitation says who made it, until it is over", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const hash = new Uint8Array([9])
        yield* insertPerson(first, "per_i", person)
        yield* insertInvitation(first, { hash, personId: "per_i", minutes: 60, linksAccount: true, invitedBy: "Grace" })
        assert.deepInclude((yield* findInvitation(first, hash))[0], { person_id: "per_i", invited_by: "Grace" })
        yield* insertInvitation(first, { hash, personId: "per_i", minutes: 0, linksAccount: true })
        assert.lengthOf(yield* findInvitation(first, hash), 0)
        assert.deepStrictEqual(yield* listNames(first, ["role_none"]), [])
      }))
  })
})
