import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../src/services/ground/persistence/Database.ts"
import {
  claimMail,
  countMails,
  deleteMail,
  deleteMailsOf,
  insertMails,
  lockMailOwner,
  updateClaimed,
  updatePostponed
} from "../../../src/services/mail/MailSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

/** A license with an address of its own, or only that of its customer. */
const license = Effect.fnUntraced(function*(sql: Database, own: string | null = "ada@example.com") {
  const id = yield* makeRows(sql).license({}, { mails: sql`ARRAY['license_issued']` })
  const customer = id.replace("lic", "cus")
  yield* sql`
    INSERT INTO customers (id, name, code, email, metadata)
    VALUES (${customer}, 'Ada', ${customer}, 'Billing@Example.com', '{}')`
  yield* sql`UPDATE licenses SET customer_id = ${customer}, customer_email = ${own} WHERE id = ${id}`
  return id
})

const queue = (sql: Database, licenseId: string, onlyTo?: ReadonlyArray<string>) =>
  insertMails(sql, [{
    eventId: `evt_${licenseId}`,
    kind: "license_issued",
    licenseId,
    secret: new Uint8Array([1]),
    keyHash: new Uint8Array([2])
  }], onlyTo)

const none = (sql: Database) => sql`DELETE FROM mails`

describe("the statements of mails", () => {
  layer(Workers.layer)((it) => {
    it.effect("a mail goes to the address of its license, else to that of its customer, and where allowed alone", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const own = yield* license(first)
        assert.lengthOf(yield* queue(first, own), 1)
        const off = yield* license(first)
        yield* first`UPDATE policies SET mails = ARRAY['key_changed']`
        assert.lengthOf(yield* queue(first, off), 0, "of another kind")
        const shared = yield* license(first, null)
        assert.lengthOf(yield* queue(first, shared, ["ada@example.com"]), 0)
        assert.lengthOf(yield* queue(first, shared, ["billing@example.com"]), 1)
        const claimed = [
          yield* claimMail(first, "awaited"),
          yield* claimMail(first, "awaited"),
          yield* claimMail(first, "awaited")
        ].flat()
        assert.deepStrictEqual(claimed.map(({ recipient }) => recipient), ["ada@example.com", "Billing@Example.com"])
        assert.deepInclude(claimed[0], { attempts: 1, is_recipient_same: true, is_key_same: false })
        yield* none(first)
      }))

    it.effect("a mail without a key says whether its expiry still holds, and of an event one mail of a kind goes to an address", () =>
      Effect.gen(function*() {
        const { first, second } = yield* Workers
        const id = yield* license(first)
        yield* first`UPDATE policies SET mails = ARRAY['license_expired']`
        const end = "2026-01-31T10:00:00.000Z"
        yield* first`UPDATE licenses SET expires_at = ${end}::text::timestamptz + interval '5 microseconds',
          announced = 'expired' WHERE id = ${id}`
        const notice = {
          eventId: "evt_1",
          kind: "license_expired",
          licenseId: id,
          details: { announced: "expired", expires_at: end }
        } as const
        assert.lengthOf(yield* insertMails(first, [notice, notice, { ...notice, eventId: "evt_2" }], undefined), 2)
        assert.lengthOf(yield* insertMails(second, [notice], undefined), 0)
        const [claimed] = yield* claimMail(first, "notices")
        assert.deepInclude(claimed, { secret: null, is_key_same: true, holds: true, details: notice.details })
        yield* first`UPDATE licenses SET announced = 'nothing', expires_at = expires_at + interval '1 year' WHERE id = ${id}`
        assert.deepInclude((yield* claimMail(first, "notices"))[0], { holds: false })
        yield* none(first)
      }))

    it.effect("a notice of an end holds until that end, of the end and the days that it was announced for", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`UPDATE policies SET mails = ARRAY['license_issued']`
        /** Whether a notice of an end in so many hours holds, of a license that has become as the members say. */
        const holds = Effect.fnUntraced(function*(hours: number, now: object = {}) {
          const id = yield* license(first)
          yield* first`UPDATE policies SET mails = ARRAY['license_expiring']
            WHERE id = (SELECT policy_id FROM licenses WHERE id = ${id})`
          const expires_at = new Date(Date.now() + hours * 3_600_000).toISOString()
          const details = { days: 7, expires_at }
          assert.lengthOf(
            yield* insertMails(first, [{ eventId: id, kind: "license_expiring", licenseId: id, details }], undefined),
            1
          )
          const stands = { announced: "expiring", announced_days: 7, expires_at, ...now }
          yield* first`UPDATE licenses SET announced = ${stands.announced}, announced_days = ${stands.announced_days},
            expires_at = ${stands.expires_at}::text::timestamptz + interval '5 microseconds' WHERE id = ${id}`
          const [claimed] = yield* claimMail(first, "notices")
          yield* none(first)
          return claimed!.holds
        })
        assert.isTrue(yield* holds(1))
        assert.isFalse(yield* holds(-1), "of an end that has come")
        assert.isFalse(yield* holds(1, { announced_days: 3 }), "of other days")
        assert.isFalse(yield* holds(1, { announced: "nothing" }), "of what is not announced any more")
        const later = new Date(Date.now() + 9 * 3_600_000).toISOString()
        assert.isFalse(yield* holds(1, { expires_at: later }), "of another end")
      }))

    it.effect("two nodes never claim one mail: the second passes it by", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        yield* queue(first, yield* license(first))
        const [one, two] = yield* passing(claimMail(first, "awaited"), claimMail(second, "awaited"))
        assert.deepStrictEqual([one.length, two.length], [1, 0])
        yield* none(first)
      }))

    it.effect("the event of a mail stands before that of a transfer, or knows of it", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const id = yield* license(first)
        const owner = id.replace("lic", "cus")
        const given = (sql: Database) => sql`UPDATE licenses SET customer_id = NULL WHERE id = ${id} RETURNING id`
        const kept = (sql: Database) => sql`UPDATE licenses SET customer_id = ${owner} WHERE id = ${id} RETURNING id`
        const [before] = yield* waiting(lockMailOwner(first, id), given(second))
        assert.deepStrictEqual(before, [{ customer_id: owner }])
        const [, after] = yield* waiting(kept(first), lockMailOwner(second, id))
        assert.deepStrictEqual(after, [{ customer_id: owner }], "and not the one at its beginning")
      }))

    it.effect("a lost claim ends no mail and a lost claim postpones no mail: a later attempt has it", () =>
      Effect.gen(function*() {
        const { first, second } = yield* Workers
        yield* queue(first, yield* license(first))
        const [stale] = yield* claimMail(first, "awaited")
        // Its node may have died, and whether it was sent is in doubt for two minutes.
        yield* first`UPDATE mails SET due_at = due_at - interval '100 seconds'`
        assert.lengthOf(yield* claimMail(second, "awaited"), 0)
        yield* first`UPDATE mails SET due_at = due_at - interval '20 seconds'`
        const [later] = yield* claimMail(second, "awaited")
        assert.strictEqual(later!.attempts, 2)
        assert.lengthOf(yield* deleteMail(first, stale!), 0)
        assert.lengthOf(yield* updatePostponed(first, stale!, { fault: "moment", reply: "x", seconds: 1 }), 0)
        assert.lengthOf(
          yield* updatePostponed(second, later!, { fault: "moment", reply: "450 later", seconds: 600 }),
          1
        )
        assert.lengthOf(yield* claimMail(second, "awaited"), 0)
        const [counted] = yield* countMails(second)
        assert.deepInclude(counted, { queued: 1n, last_reply: "450 later", refused: 0n, refused_reply: null })
        assert.lengthOf(yield* deleteMail(second, later!), 1)
      }))

    it.effect("a lost claim is not taken back, and one that is held is not lost while it is renewed", () =>
      Effect.gen(function*() {
        const { first, second } = yield* Workers
        yield* queue(first, yield* license(first))
        const [held] = yield* claimMail(first, "awaited")
        yield* first`UPDATE mails SET due_at = due_at - interval '100 seconds'`
        assert.lengthOf(yield* updateClaimed(first, held!), 1)
        yield* first`UPDATE mails SET due_at = due_at - interval '100 seconds'`
        assert.lengthOf(yield* claimMail(second, "awaited"), 0)
        yield* first`UPDATE mails SET due_at = due_at - interval '20 seconds'`
        assert.lengthOf(yield* claimMail(second, "awaited"), 1)
        assert.lengthOf(yield* updateClaimed(first, held!), 0)
        yield* none(first)
      }))

    it.effect("each lane has its own mails, and one that may have arrived comes last", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        for (let at = 0; at < 3; at++) yield* queue(first, yield* license(first))
        yield* first`UPDATE mails SET kind = 'license_expired'`
        const [doubted] = yield* claimMail(first, "notices")
        yield* updatePostponed(first, doubted!, { fault: "doubt", reply: "silent", seconds: -600 })
        assert.lengthOf(yield* claimMail(first, "awaited"), 0)
        yield* queue(first, yield* license(first))
        const [refused] = yield* claimMail(first, "awaited")
        yield* updatePostponed(first, refused!, { fault: "us", reply: "554 5.7.1 Relay access denied", seconds: 60 })
        const claimed = [
          yield* claimMail(first, "notices"),
          yield* claimMail(first, "notices"),
          yield* claimMail(first, "notices")
        ].flat()
        assert.strictEqual(claimed.at(-1)!.event_id, doubted!.event_id)
        assert.lengthOf(claimed, 3)
        const [counted] = yield* countMails(first)
        assert.deepInclude(counted, { queued: 4n, refused: 1n, refused_reply: "554 5.7.1 Relay access denied" })
        yield* none(first)
      }))

    it.effect("nothing of a customer who is erased is left", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const mine = yield* license(first)
        const other = yield* license(first)
        yield* queue(first, mine)
        yield* queue(first, other)
        assert.lengthOf(yield* deleteMailsOf(first, mine.replace("lic", "cus")), 1)
        assert.deepStrictEqual((yield* claimMail(first, "awaited")).map(({ license_id }) => license_id), [other])
        yield* none(first)
      }))
  })
})
