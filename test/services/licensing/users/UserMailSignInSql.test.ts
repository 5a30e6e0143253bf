import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  findLinkedSignIn,
  findMailSignIn,
  findRenewing,
  insertMailSignIn,
  listMailboxes,
  updateCodeTried,
  updateLinkConfirmed,
  updateMailed
} from "../../../../src/services/licensing/users/UserMailSignInSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { makeUserRows } from "../../../fixtures/UserRows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const bytes = (value: number) => new Uint8Array([value])

/** A license with a user who has an address. */
const world = Effect.gen(function*() {
  const workers = yield* Workers
  const rows = makeRows(workers.first)
  const licenseId = yield* rows.license()
  const userOf = makeUserRows(workers.first)
  const userId = yield* userOf(licenseId, { email: "ada@example.com" })
  /** Begins a sign-in, whose code and link are those of its number. */
  const begin = Effect.fnUntraced(function*(number: number, mailed = true) {
    yield* insertMailSignIn(workers.first, { tokenHash: bytes(number), licenseId, reference: "7K3P", minutes: 15 })
    if (!mailed) return
    const hashes = { tokenHash: bytes(number), linkHash: bytes(number + 80), codeHash: bytes(number + 160) }
    yield* updateMailed(workers.first, { ...hashes, userId })
  })
  return { ...workers, begin, licenseId, rows, userId, userOf }
})

const tried = (sql: Database, licenseId: string, number: number, code: number) =>
  Effect.map(
    updateCodeTried(sql, { tokenHash: bytes(number), licenseId, codeHash: bytes(code), most: 3 }),
    ([row]) => row?.is_right
  )
const over = (sql: Database, number: number) =>
  sql`UPDATE user_mail_sign_ins SET expires_at = now() WHERE token_hash = ${bytes(number)}`

describe("the statements of sign-ins by mail", () => {
  layer(Workers.layer)((it) => {
    it.effect("is confirmed by its own code and not by another one, on its own license, in its time", () =>
      Effect.gen(function*() {
        const { begin, first, licenseId } = yield* world
        yield* begin(1)
        assert.strictEqual(yield* tried(first, licenseId, 1, 9), false)
        assert.deepStrictEqual(yield* findMailSignIn(first, bytes(1), licenseId), [
          { is_confirmed: false, email: "ada@example.com" }
        ])
        assert.isUndefined(yield* tried(first, "lic_other", 1, 161))
        assert.strictEqual(yield* tried(first, licenseId, 1, 161), true)
        const found = findMailSignIn(first, bytes(1), licenseId)
        assert.deepStrictEqual(yield* found, [{ is_confirmed: true, email: "ada@example.com" }])
        assert.deepStrictEqual(yield* findMailSignIn(first, bytes(1), "lic_other"), [])
        assert.strictEqual(yield* tried(first, licenseId, 1, 9), false)
        assert.isTrue((yield* found)[0]?.is_confirmed, "a wrong code takes no confirmation back")
        assert.isUndefined(yield* tried(first, licenseId, 1, 161), "three were tried")
        yield* begin(2)
        yield* over(first, 2)
        assert.isUndefined(yield* tried(first, licenseId, 2, 162))
        assert.deepStrictEqual(yield* findMailSignIn(first, bytes(2), licenseId), [])
      }))

    it.effect("no more codes of a mail are tried at once than in a row", () =>
      Effect.gen(function*() {
        const { begin, first, licenseId, second, waiting } = yield* world
        yield* begin(3)
        yield* tried(first, licenseId, 3, 9)
        yield* tried(first, licenseId, 3, 9)
        const [one, other] = yield* waiting(tried(first, licenseId, 3, 9), tried(second, licenseId, 3, 163))
        assert.deepStrictEqual([one, other], [false, undefined])
      }))

    it.effect("of an address that nobody has is confirmed by nothing", () =>
      Effect.gen(function*() {
        const { begin, first, licenseId } = yield* world
        yield* begin(4, false)
        assert.strictEqual(yield* tried(first, licenseId, 4, 164), false)
        assert.deepStrictEqual(yield* findMailSignIn(first, bytes(4), licenseId), [{
          is_confirmed: false,
          email: null
        }])
        assert.deepStrictEqual(yield* findLinkedSignIn(first, bytes(84)), [])
      }))

    it.effect("a link confirms once, also for two who open it, and shows what it would confirm until then", () =>
      Effect.gen(function*() {
        const { begin, first, licenseId, second, waiting } = yield* world
        yield* begin(5)
        assert.deepStrictEqual(yield* findLinkedSignIn(first, bytes(85)), [
          { email: "ada@example.com", product: "P", reference: "7K3P", language: null }
        ])
        const [one, other] = yield* waiting(
          updateLinkConfirmed(first, bytes(85)),
          updateLinkConfirmed(second, bytes(85))
        )
        assert.deepStrictEqual([one.length, other.length], [1, 0])
        assert.deepStrictEqual(yield* findLinkedSignIn(first, bytes(85)), [])
        assert.isTrue((yield* findMailSignIn(first, bytes(5), licenseId))[0]?.is_confirmed)
        yield* begin(6)
        yield* over(first, 6)
        assert.deepStrictEqual(yield* findLinkedSignIn(first, bytes(86)), [])
        assert.deepStrictEqual(yield* updateLinkConfirmed(first, bytes(86)), [])
      }))

    it.effect("of a user who has no address any more is proven to nobody", () =>
      Effect.gen(function*() {
        const { begin, first, licenseId, userId } = yield* world
        yield* begin(7)
        yield* first`UPDATE license_users SET email = NULL WHERE id = ${userId}`
        assert.deepStrictEqual(yield* findLinkedSignIn(first, bytes(87)), [])
        assert.deepStrictEqual(yield* findMailSignIn(first, bytes(7), licenseId), [{
          is_confirmed: false,
          email: null
        }])
      }))

    it.effect("what is over goes with the next one that begins, and what waits stays", () =>
      Effect.gen(function*() {
        const { begin, first } = yield* world
        yield* begin(8)
        yield* begin(9)
        yield* first`UPDATE user_mail_sign_ins SET expires_at = now() - interval '1 second' WHERE token_hash = ${
          bytes(8)
        }`
        yield* begin(10)
        const kept = yield* first<{ readonly token_hash: Uint8Array }>`
          SELECT token_hash FROM user_mail_sign_ins WHERE token_hash = ANY(ARRAY[${bytes(8)}, ${bytes(9)}, ${
          bytes(10)
        }])
          ORDER BY 1`
        assert.deepStrictEqual(kept.map(({ token_hash }) => token_hash[0]), [9, 10])
      }))

    it.effect("mailboxes are the users of a license with an address and no account, the newest first", () =>
      Effect.gen(function*() {
        const { first, licenseId, rows, userId, userOf } = yield* world
        const email = "ada@example.com"
        const reduced = yield* userOf(licenseId, { email, status: "removed", removed_because: "reduced" })
        yield* userOf(licenseId, { email, issuer: "i", subject: "s" })
        yield* userOf(licenseId, { email: "bob@example.com" })
        yield* userOf(yield* rows.license(), { email })
        assert.deepStrictEqual(yield* listMailboxes(first, licenseId, email), [
          { id: reduced, status: "removed", removed_because: "reduced", is_account: true },
          { id: userId, status: "active", removed_because: null, is_account: true }
        ])
      }))

    it.effect("a renewal finds the user of its license, and whether its machine was taken out of use", () =>
      Effect.gen(function*() {
        const { first, licenseId, rows, userId } = yield* world
        const found = (bindingKey: string, of = licenseId) => findRenewing(first, { licenseId: of, userId, bindingKey })
        const standing = { status: "active", has_account: false, is_machine_out: false }
        assert.deepStrictEqual(yield* found("laptop"), [standing], "not activated yet")
        const device = yield* rows.device({ license_id: licenseId, binding_key: "laptop" })
        assert.deepStrictEqual(yield* found("laptop"), [standing])
        for (const status of ["reset", "blacklisted"]) {
          yield* first`UPDATE devices SET status = ${status} WHERE id = ${device.id}`
          assert.deepStrictEqual(yield* found("laptop"), [{ ...standing, is_machine_out: true }], status)
        }
        assert.deepStrictEqual(yield* found("desktop"), [standing], "another machine")
        yield* rows.device({ license_id: licenseId, binding_key: "pod", binding_kind: "container", status: "reset" })
        assert.deepStrictEqual(yield* found("pod"), [standing], "a container of that name")
        yield* rows.device({ binding_key: "elsewhere", status: "reset" })
        assert.deepStrictEqual(yield* found("elsewhere"), [standing], "on another license")
        assert.deepStrictEqual(yield* found("laptop", "lic_other"), [])
        yield* first`UPDATE license_users SET issuer = 'i', subject = 's' WHERE id = ${userId}`
        assert.isTrue((yield* found("desktop"))[0]?.has_account)
      }))
  })
})
