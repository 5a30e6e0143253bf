import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { insertUserMail } from "../../../src/services/mail/CustomerMailSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { makeUserRows } from "../../fixtures/UserRows.ts"
import { Workers } from "../../fixtures/Workers.ts"

describe("mails to users of licenses", () => {
  layer(Workers.layer)((it) => {
    it.effect("go where they are asked for or the policy names them, to an address that is allowed, of a license in force", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const userOf = makeUserRows(first)
        const licenseId = yield* rows.license({}, { mails: first`ARRAY['user_invited']` })
        const silent = yield* rows.license()
        const email = "ada@example.com"
        const userId = yield* userOf(licenseId, { status: "invited", email })
        const other = yield* userOf(silent, { status: "invited", email })
        const bare = yield* userOf(licenseId, { status: "invited", issuer: "i", subject: "s" })
        let made = 0
        const queue = (
          more: {
            readonly licenseId?: string
            readonly userId?: string
            readonly isAsked?: boolean
            readonly kind?: "user_sign_in"
          },
          onlyTo?: ReadonlyArray<string>
        ) =>
          Effect.map(
            insertUserMail(first, {
              eventId: `evt_${++made}`,
              kind: "user_invited",
              licenseId,
              userId,
              isAsked: false,
              ...more
            }, onlyTo),
            (queued) => queued.length
          )
        assert.strictEqual(yield* queue({}), 1, "the policy names it")
        assert.strictEqual(yield* queue({ kind: "user_sign_in" }), 0, "it does not name this one")
        assert.strictEqual(yield* queue({ kind: "user_sign_in", isAsked: true }), 1)
        assert.strictEqual(yield* queue({ licenseId: silent, userId: other }), 0)
        assert.strictEqual(yield* queue({ licenseId: silent, userId: other, isAsked: true }), 1)
        assert.strictEqual(yield* queue({ licenseId: silent, isAsked: true }), 0, "a user of another license")
        assert.strictEqual(yield* queue({ userId: bare, isAsked: true }), 0, "without an address")
        assert.strictEqual(yield* queue({}, [email]), 1)
        assert.strictEqual(yield* queue({ isAsked: true }, ["qa@example.com"]), 0)
        yield* first`UPDATE licenses SET state = 'suspended' WHERE id = ${licenseId}`
        assert.strictEqual(yield* queue({ isAsked: true }), 0)
        const [row] = yield* first<object>`SELECT recipient, license_id, details FROM mails WHERE event_id = 'evt_1'`
        assert.deepStrictEqual(row, { recipient: email, license_id: licenseId, details: { user_id: userId } })
        yield* first`DELETE FROM mails`
      }))
  })
})
