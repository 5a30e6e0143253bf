import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../src/services/ground/persistence/Database.ts"
import {
  findIdentified,
  findPerson,
  insertIdentities,
  insertPerson,
  insertSpent,
  lockWithOwners,
  updateClaimed,
  updatePerson
} from "../../../src/services/people/PersonSql.ts"
import { findBearer, insertRole, lockGiven, lockToDelete } from "../../../src/services/people/RoleSql.ts"
import {
  deleteExpiredInvitations,
  deleteInvitation,
  findInvitation,
  findSession,
  insertInvitation,
  insertSession,
  updateLastUsed
} from "../../../src/services/people/SessionSql.ts"
import { Workers } from "../../fixtures/Workers.ts"

const identity = { issuer: "https://login.example.com", subject: "1" }

const owner = { name: "Ada", email: null, roles: ["owner"], status: "active" } as const

describe("people and roles", () => {
  layer(Workers.layer)((it) => {
    it.effect("the last owner stays: the second of two changes sees what the first has left", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        for (const id of ["per_a", "per_b"]) yield* insertPerson(first, id, owner)
        const step = (sql: Database, id: string) =>
          Effect.tap(lockWithOwners(sql, id), () => updatePerson(sql, id, { ...owner, roles: [] }))
        const [before, after] = yield* waiting(step(first, "per_a"), lockWithOwners(second, "per_b"))
        assert.deepStrictEqual(before.map(({ id }) => id), ["per_a", "per_b"])
        assert.deepStrictEqual(after.map(({ id }) => id), ["per_b"])
      }))

    it.effect("an account is of one person: the second who is given it waits, and does not get it", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        for (const id of ["per_c", "per_d"]) yield* insertPerson(first, id, { ...owner, roles: [] })
        const [got, missed] = yield* waiting(
          insertIdentities(first, "per_c", [identity]),
          insertIdentities(second, "per_d", [identity])
        )
        assert.deepStrictEqual([got.length, missed.length], [1, 0])
      }))

    it.effect("a role that people have is not deleted: who deletes it waits for who gives it", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* insertRole(first, "role_a", { name: "A", description: null, scopes: ["ops:read"], product_ids: null })
        const give = Effect.tap(
          lockGiven(first, ["role_a"]),
          () => insertPerson(first, "per_e", { ...owner, roles: ["role_a"] })
        )
        const remove = Effect.flatMap(lockToDelete(second, "role_a"), () => findBearer(second, "role_a"))
        const [, bearers] = yield* waiting(give, remove)
        assert.strictEqual(bearers.length, 1)
      }))

    it.effect("an invitation is spent once: the second who spends it waits, and finds none", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const hash = new Uint8Array([1])
        yield* insertPerson(first, "per_f", { ...owner, roles: [] })
        yield* insertInvitation(first, { hash, personId: "per_f", minutes: 60, linksAccount: true })
        const [spent, missed] = yield* waiting(deleteInvitation(first, hash), deleteInvitation(second, hash))
        assert.deepStrictEqual([spent.length, missed.length], [1, 0])
      }))

    it.effect("expired invitations are waited for by nobody: what another replaces or takes is left", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        const ofTwo = [["per_j", 7], ["per_k", 8]] as const
        for (const [personId, byte] of ofTwo) {
          yield* insertPerson(first, personId, { ...owner, roles: [] })
          yield* insertInvitation(first, { hash: new Uint8Array([byte]), personId, minutes: -1, linksAccount: true })
        }
        const [, taken] = yield* passing(
          insertInvitation(first, { hash: new Uint8Array([9]), personId: "per_j", minutes: 60, linksAccount: true }),
          deleteExpiredInvitations(second)
        )
        assert.deepStrictEqual(taken, [{ person_id: "per_k" }])
        assert.deepStrictEqual(yield* deleteExpiredInvitations(first), [])
        assert.lengthOf(yield* findInvitation(first, new Uint8Array([9])), 1)
      }))

    it.effect("a sign-in is finished once: the second who finishes it waits, and may not", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const hash = new Uint8Array([3])
        const [one, other] = yield* waiting(insertSpent(first, hash, 60), insertSpent(second, hash, 60))
        assert.deepStrictEqual([one.length, other.length], [1, 0])
        yield* first`UPDATE spent_sign_ins SET expires_at = now() - interval '1 second'`
        yield* insertSpent(first, new Uint8Array([4]), 60)
        assert.strictEqual((yield* first`SELECT seed_hash FROM spent_sign_ins`).length, 1)
      }))

    it.effect("roles that came by claims are remembered as long as the person has them", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const person = { ...owner, roles: [] }
        yield* insertPerson(first, "per_h", person)
        yield* insertIdentities(first, "per_h", [{ issuer: "https://a.example", subject: "1" }])
        assert.deepStrictEqual(yield* findIdentified(first, { issuer: "https://a.example", subject: "1" }), [
          { person_id: "per_h" }
        ])
        assert.deepStrictEqual(yield* findIdentified(first, { issuer: "https://a.example/", subject: "1" }), [])
        yield* updateClaimed(first, "per_h", { roles: ["support", "finance"], claimed: ["finance", "support"] })
        yield* updatePerson(first, "per_h", { ...person, roles: ["support", "auditor"] })
        assert.deepInclude((yield* findPerson(first, "per_h"))[0], { claimed_roles: ["support"] })
      }))

    it.effect("a session notes its use once a minute, also when two requests find that it is time", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const hash = new Uint8Array([2])
        yield* insertPerson(first, "per_g", owner)
        yield* insertSession(first, {
          id: "ses_g",
          hash,
          personId: "per_g",
          method: "invitation",
          ipAddress: undefined,
          userAgent: undefined,
          hours: 12
        })
        yield* first`UPDATE person_sessions SET last_used_at = now() - interval '2 minutes' WHERE id = 'ses_g'`
        assert.deepInclude((yield* findSession(first, hash, 60))[0], { stale: true, ended: false, roles: ["owner"] })
        const [noted, left] = yield* waiting(updateLastUsed(first, "ses_g"), updateLastUsed(second, "ses_g"))
        assert.deepStrictEqual([noted.length, left.length], [1, 0])
      }))
  })
})
