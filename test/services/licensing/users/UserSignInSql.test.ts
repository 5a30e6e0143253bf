import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Account } from "../../../../src/domain/licensing/users/UserSignIn.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { insertUserDevices } from "../../../../src/services/licensing/standings/UserStandingSql.ts"
import {
  countSeated,
  findTrustedIssuer,
  insertJoined,
  listCandidates,
  updateJoined,
  updateSeen
} from "../../../../src/services/licensing/users/UserMailSignInSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import type { Members } from "../../../fixtures/Rows.ts"
import { makeUserRows } from "../../../fixtures/UserRows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const issuer = "https://login.example.com"

const account = (more: Partial<Account> = {}): Account => ({
  issuer,
  subject: "ada",
  email: "Ada@Example.com",
  isVerified: true,
  name: "Ada",
  ...more
})

const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const rows = makeRows(first)
  const license_id = yield* rows.license()
  const userOf = makeUserRows(first)
  const user = (members: Members) => userOf(license_id, { status: "invited", ...members })
  const candidates = (given: Account) =>
    Effect.map(listCandidates(first, license_id, given), (found) => found.map(({ id }) => id))
  return { candidates, first, license_id, rows, user, userOf }
})

const read = (sql: Database, id: string) =>
  Effect.map(
    sql<Readonly<Record<string, unknown>>>`
      SELECT status, email, name, issuer, subject, joined_at IS NOT NULL AS joined, last_seen_at IS NOT NULL AS seen
      FROM license_users WHERE id = ${id}`,
    ([row]) => row
  )

describe("the statements of sign-ins of users", () => {
  layer(Workers.layer)((it) => {
    it.effect("may be a user: one with the account, however that ended, and one who is known by the address alone", () =>
      Effect.gen(function*() {
        const { candidates, license_id, rows, user, userOf } = yield* world
        const email = "ada@example.com"
        const gone = yield* user({ status: "removed", issuer, subject: "ada" })
        const own = yield* user({ status: "active", issuer, subject: "ada" })
        const invited = yield* user({ email })
        const mailbox = yield* user({ status: "active", email })
        yield* user({ status: "removed", email })
        yield* user({ status: "active", email, issuer, subject: "bob" })
        yield* user({ status: "invited", issuer: "https://other.example.com", subject: "ada" })
        yield* user({ email: "bob@example.com" })
        const other = yield* rows.license()
        yield* userOf(other, { issuer, subject: "ada" })
        assert.deepStrictEqual(yield* candidates(account()), [mailbox, invited, own, gone])
        assert.deepStrictEqual(yield* candidates(account({ isVerified: false })), [own, gone])
        assert.deepStrictEqual(yield* candidates(account({ email: undefined })), [own, gone])
        assert.deepStrictEqual(yield* candidates(account({ subject: "eve", email: "eve@example.com" })), [])
        const rowsOf = yield* listCandidates((yield* Workers).first, license_id, account())
        assert.deepStrictEqual(rowsOf.map(({ is_account, status }) => [is_account, status]), [
          [false, "active"],
          [false, "invited"],
          [true, "active"],
          [true, "removed"]
        ])
      }))

    it.effect("a seat is a user who is active, of this license", () =>
      Effect.gen(function*() {
        const { first, license_id, rows, user, userOf } = yield* world
        yield* user({ status: "active", email: "a@example.com" })
        yield* user({ email: "b@example.com" })
        yield* user({ status: "removed", email: "c@example.com" })
        const other = yield* rows.license()
        yield* userOf(other)
        assert.deepStrictEqual(yield* countSeated(first, license_id, false), [{ taken: 1 }])
        assert.deepStrictEqual(yield* countSeated(first, license_id, true), [{ taken: 1 }])
      }))

    it.effect("the seat of a removed user stays taken while a device of the user can run offline, if the terms say so", () =>
      Effect.gen(function*() {
        const { first, license_id, rows, user } = yield* world
        const gone = yield* user({ status: "removed", email: "a@example.com" })
        const device = yield* rows.device({ license_id, status: "reset" })
        yield* insertUserDevices(first, [{ deviceId: device.id, userId: gone }])
        assert.deepStrictEqual(yield* countSeated(first, license_id, true), [{ taken: 0 }])
        yield* first`UPDATE devices SET envelope_until = now() + interval '1 day' WHERE id = ${device.id}`
        assert.deepStrictEqual(yield* countSeated(first, license_id, true), [{ taken: 1 }])
        assert.deepStrictEqual(yield* countSeated(first, license_id, false), [{ taken: 0 }])
        const other = yield* user({ status: "active", email: "b@example.com" })
        yield* insertUserDevices(first, [{ deviceId: device.id, userId: other }])
        assert.deepStrictEqual(yield* countSeated(first, license_id, true), [{ taken: 1 }], "it is the other user's")
      }))

    it.effect("an invitation that is taken up keeps its address and name, and gets the account and the time", () =>
      Effect.gen(function*() {
        const { first, user } = yield* world
        const named = yield* user({ email: "invited@example.com", name: "Countess" })
        yield* updateJoined(first, named, account())
        const joined = { status: "active", issuer, subject: "ada", joined: true, seen: true }
        assert.deepStrictEqual(yield* read(first, named), { ...joined, email: "invited@example.com", name: "Countess" })
        const bare = yield* user({ issuer, subject: "bob" })
        yield* updateJoined(first, bare, account({ subject: "bob" }))
        assert.deepStrictEqual(yield* read(first, bare), {
          ...joined,
          subject: "bob",
          email: "ada@example.com",
          name: "Ada"
        })
        const unverified = yield* user({ issuer, subject: "cleo" })
        yield* updateJoined(first, unverified, account({ subject: "cleo", isVerified: false }))
        assert.deepInclude(yield* read(first, unverified), { email: null, name: "Ada" })
      }))

    it.effect("who becomes an account in the seat of a mailbox joined when the mailbox did", () =>
      Effect.gen(function*() {
        const { first, user } = yield* world
        const id = yield* user({
          status: "active",
          email: "ada@example.com",
          joined_at: first`now() - interval '1 day'`,
          last_seen_at: first`now() - interval '1 day'`
        })
        yield* updateJoined(first, id, account())
        const [row] = yield* first<object>`
          SELECT joined_at < now() - interval '1 hour' AS joined_before, last_seen_at > now() - interval '1 hour' AS seen
          FROM license_users WHERE id = ${id}`
        assert.deepStrictEqual(row, { joined_before: true, seen: true })
      }))

    it.effect("who was not invited has what the identity provider vouches for, and a further sign-in notes the time alone", () =>
      Effect.gen(function*() {
        const { first, license_id } = yield* world
        yield* insertJoined(first, { id: "usr_new", licenseId: license_id }, account({ isVerified: false }))
        const joined = { status: "active", name: "Ada", issuer, subject: "ada", joined: true, seen: true }
        assert.deepStrictEqual(yield* read(first, "usr_new"), { ...joined, email: null })
        yield* first`UPDATE license_users SET last_seen_at = NULL WHERE id = 'usr_new'`
        assert.lengthOf(yield* updateSeen(first, "usr_new"), 1)
        assert.deepStrictEqual(yield* read(first, "usr_new"), { ...joined, email: null })
        const mailbox = account({ issuer: undefined, subject: undefined })
        yield* insertJoined(first, { id: "usr_mail", licenseId: license_id }, mailbox)
        assert.deepStrictEqual(yield* read(first, "usr_mail"), {
          ...joined,
          email: "ada@example.com",
          issuer: null,
          subject: null
        })
      }))

    it.effect("a license trusts its own issuer", () =>
      Effect.gen(function*() {
        const { first, license_id, rows } = yield* world
        const trusted = { issuer, audience: "studio", admits: "anyone" }
        const other = yield* rows.license({ trusted_issuer: first`${JSON.stringify(trusted)}::jsonb` })
        assert.deepStrictEqual<unknown>(yield* findTrustedIssuer(first, other), [{ trusted_issuer: trusted }])
        assert.deepStrictEqual(yield* findTrustedIssuer(first, license_id), [{ trusted_issuer: null }])
      }))
  })
})
