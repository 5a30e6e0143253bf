// Whether what a mail says still holds when it is sent, by its kind.
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { MailDetails, MailKind } from "../../../src/domain/mail/Mail.ts"
import { laneOf } from "../../../src/domain/mail/templates/MailTemplates.ts"
import { findRenewing } from "../../../src/services/ground/persistence/RenewalSql.ts"
import { claimMail, insertMails } from "../../../src/services/mail/MailSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { makeUserRows } from "../../fixtures/UserRows.ts"
import { Workers } from "../../fixtures/Workers.ts"

let made = 0

const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const rows = makeRows(first)
  const licenseId = yield* rows.license()
  /** What is told of a mail of a license that is sent now. */
  const claimed = Effect.fnUntraced(function*(kind: MailKind, details: MailDetails | null, members: object = {}) {
    yield* first`DELETE FROM mails`
    yield* rows.insert("mails", {
      event_id: `evt_${++made}`,
      kind,
      recipient: "ada@example.com",
      license_id: licenseId,
      details: first`${details === null ? null : JSON.stringify(details)}::jsonb`,
      ...members
    })
    const [mail] = yield* claimMail(first, laneOf(kind))
    yield* first`DELETE FROM mails`
    return mail!
  })
  const holds = (kind: MailKind, details: MailDetails | null, members: object = {}) =>
    Effect.map(claimed(kind, details, members), (mail) => mail.holds)
  return { claimed, first, holds, licenseId, rows }
})

describe("what a mail says", () => {
  layer(Workers.layer)((it) => {
    it.effect("of an end that comes holds while it is announced so, at the same time, and has not come", () =>
      Effect.gen(function*() {
        const { first, holds, licenseId } = yield* world
        const change = (set: Statement.Fragment) => first`UPDATE licenses SET ${set} WHERE id = ${licenseId}`
        const end = "2126-01-31T10:00:00.000Z"
        const details = { days: 14, expires_at: end }
        yield* change(first`announced = 'expiring', announced_days = 14,
          expires_at = ${end}::text::timestamptz + interval '5 microseconds'`)
        assert.isTrue(yield* holds("license_expiring", details))
        assert.isFalse(yield* holds("license_expiring", { ...details, days: 7 }), "another announcement")
        assert.isFalse(yield* holds("license_expiring", { ...details, expires_at: "2126-02-28T10:00:00.000Z" }))
        yield* change(first`announced = 'nothing'`)
        assert.isFalse(yield* holds("license_expiring", details), "renewed")
        const past = "2026-01-31T10:00:00.000Z"
        yield* change(first`announced = 'expiring', expires_at = ${past}::text::timestamptz`)
        assert.isFalse(yield* holds("license_expiring", { ...details, expires_at: past }), "after the end")
      }))

    it.effect("of an end that came holds while that is announced, at the same time", () =>
      Effect.gen(function*() {
        const { first, holds, licenseId } = yield* world
        const end = "2026-01-31T10:00:00.000Z"
        yield* first`UPDATE licenses SET announced = 'grace_period', expires_at = ${end}::text::timestamptz WHERE id = ${licenseId}`
        assert.isTrue(yield* holds("license_expired", { announced: "grace_period", expires_at: end }))
        assert.isFalse(yield* holds("license_expired", { announced: "expired", expires_at: end }))
        assert.isFalse(
          yield* holds("license_expired", { announced: "grace_period", expires_at: "2026-01-30T10:00:00.000Z" })
        )
      }))

    it.effect("of a quota holds until it is reset, at the threshold that was announced, of the feature of the license", () =>
      Effect.gen(function*() {
        const { claimed, first, holds, licenseId, rows } = yield* world
        const [{ product_id }] = (yield* first`SELECT product_id FROM licenses WHERE id = ${licenseId}`) as [
          { product_id: string }
        ]
        const feature_id = `feat_${licenseId}`
        yield* rows.insert("features", {
          id: feature_id,
          product_id,
          name: "PDF export",
          code: "pdf",
          metadata: first`'{}'`
        })
        yield* rows.insert("license_features", {
          license_id: licenseId,
          feature_id,
          enabled: true,
          metadata: first`'{}'`,
          announced_threshold: 80,
          announced_remaining: 100
        })
        assert.isTrue(yield* holds("quota_threshold", { feature_id, percentage: 80 }))
        assert.isFalse(yield* holds("quota_threshold", { feature_id, percentage: 90 }))
        assert.isTrue(yield* holds("quota_threshold", { feature_id, remaining_threshold: 100 }))
        assert.isFalse(yield* holds("quota_threshold", { feature_id, remaining_threshold: 50 }))
        assert.isFalse(yield* holds("quota_threshold", { feature_id, percentage: 80, remaining_threshold: 50 }))
        assert.isFalse(yield* holds("quota_threshold", { feature_id: "feat_other", percentage: 80 }))
        const until = (resets_at: string) => holds("quota_threshold", { feature_id, percentage: 80, resets_at })
        assert.isTrue(yield* until("2126-01-31T10:00:00.000Z"))
        assert.isFalse(yield* until("2026-01-31T10:00:00.000Z"))
        const other = yield* rows.license()
        assert.isFalse(yield* holds("quota_threshold", { feature_id, percentage: 80 }, { license_id: other }))
        assert.strictEqual((yield* claimed("quota_threshold", { feature_id })).feature, "PDF export")
        assert.isNull((yield* claimed("license_issued", null)).feature)
      }))

    it.effect("of a device holds while the license has it in use", () =>
      Effect.gen(function*() {
        const { first, holds, licenseId, rows } = yield* world
        const { id: device_id } = yield* rows.device({ license_id: licenseId })
        assert.isTrue(yield* holds("device_added", { device_id }))
        assert.isFalse(yield* holds("device_added", { device_id: "dev_other" }))
        assert.isFalse(yield* holds("device_added", { device_id: (yield* rows.device()).id }), "of another license")
        yield* first`UPDATE devices SET status = 'reset' WHERE id = ${device_id}`
        assert.isFalse(yield* holds("device_added", { device_id }))
      }))

    it.effect("of an end that comes holds unless the subscription that the license follows renews by itself", () =>
      Effect.gen(function*() {
        const { first, holds, licenseId, rows } = yield* world
        const [{ product_id }] = (yield* first`SELECT product_id FROM licenses WHERE id = ${licenseId}`) as [
          { product_id: string }
        ]
        const end = "2126-01-31T10:00:00.000Z"
        yield* first`UPDATE licenses SET announced = 'expiring', announced_days = 7, expires_at = ${end}::text::timestamptz,
          customer_email = 'ada@example.com' WHERE id = ${licenseId}`
        const id = `sub_${licenseId}`
        yield* rows.insert("subscriptions", {
          id,
          product_id,
          external_system: "shop",
          external_id: id,
          status: "active",
          current_period_start: first`now()`,
          current_period_end: first`now()`,
          cancel_at_period_end: false,
          metadata: first`'{}'`
        })
        yield* first`UPDATE policies SET mails = ARRAY['license_expiring']`
        const notice = {
          eventId: "evt_renews",
          kind: "license_expiring",
          licenseId,
          details: { days: 7, expires_at: end }
        } as const
        const holdsOf = Effect.fnUntraced(function*(status: string, ends: boolean, follows: boolean) {
          yield* first`UPDATE subscriptions SET status = ${status}, cancel_at_period_end = ${ends} WHERE id = ${id}`
          yield* first`UPDATE licenses SET subscription_id = ${id}, follows_subscription = ${
            follows ? true : null
          } WHERE id = ${licenseId}`
          const held = yield* holds("license_expiring", notice.details)
          assert.lengthOf(yield* insertMails(first, [notice], undefined), held ? 1 : 0)
          // The portal offers a way to renew by the same rule.
          assert.deepStrictEqual(yield* findRenewing(first, licenseId), [{ renews: !held }])
          yield* first`DELETE FROM mails`
          return held
        })
        assert.isFalse(yield* holdsOf("active", false, true))
        assert.isFalse(yield* holdsOf("trialing", false, true))
        assert.isTrue(yield* holdsOf("active", true, true), "it was canceled")
        assert.isTrue(yield* holdsOf("past_due", false, true), "it waits for a payment")
        assert.isTrue(yield* holdsOf("active", false, false), "the license has an end of its own")
      }))

    it.effect("of a payment that failed holds while the subscription waits for it", () =>
      Effect.gen(function*() {
        const { first, holds, licenseId, rows } = yield* world
        assert.isFalse(yield* holds("payment_failed", null), "without a subscription")
        const [{ product_id }] = (yield* first`SELECT product_id FROM licenses WHERE id = ${licenseId}`) as [
          { product_id: string }
        ]
        const id = `sub_${licenseId}`
        yield* rows.insert("subscriptions", {
          id,
          product_id,
          external_system: "shop",
          external_id: id,
          status: "past_due",
          current_period_start: first`now()`,
          current_period_end: first`now()`,
          cancel_at_period_end: false,
          metadata: first`'{}'`
        })
        yield* first`UPDATE licenses SET subscription_id = ${id} WHERE id = ${licenseId}`
        assert.isTrue(yield* holds("payment_failed", null))
        yield* first`UPDATE subscriptions SET status = 'active' WHERE id = ${id}`
        assert.isFalse(yield* holds("payment_failed", null))
      }))

    it.effect("to a user holds while the invitation is open, and goes to the address of that user of the license", () =>
      Effect.gen(function*() {
        const { claimed, first, licenseId, rows } = yield* world
        const userOf = makeUserRows(first)
        const email = "ada@example.com"
        const invited = yield* userOf(licenseId, { status: "invited", email })
        const invitation = (user_id: string) =>
          Effect.map(claimed("user_invited", { user_id }), (mail) => [mail.holds, mail.is_recipient_same])
        assert.deepStrictEqual(yield* invitation(invited), [true, true])
        yield* first`UPDATE license_users SET email = 'new@example.com' WHERE id = ${invited}`
        assert.deepStrictEqual(yield* invitation(invited), [true, false])
        const seated = yield* userOf(licenseId, { email })
        assert.deepStrictEqual(yield* invitation(seated), [false, true])
        const elsewhere = yield* userOf(yield* rows.license(), { status: "invited", email })
        assert.deepStrictEqual(yield* invitation(elsewhere), [true, false])
      }))

    it.effect("of a sign-in, of an offer and of a link holds until that is used or over", () =>
      Effect.gen(function*() {
        const { claimed, first, licenseId, rows } = yield* world
        const hash = new Uint8Array([1, 2, 3])
        const holds = (kind: MailKind, members: object = {}) =>
          Effect.map(claimed(kind, null, { key_hash: hash, ...members }), (mail) => mail.holds)
        const secrets = [
          ["user_sign_in", "user_mail_sign_ins", { license_id: licenseId, reference: "7K3P" }, {}],
          ["license_transfer", "license_transfer_requests", {
            license_id: licenseId,
            customer_id: "cus_1",
            recipient: "b@example.com"
          }, {}],
          ["portal_link", "portal_links", { address_hash: hash, customer_ids: first`'{cus_1}'` }, {
            license_id: null,
            customer_id: "cus_1"
          }]
        ] as const
        for (const [kind, table, members, mail] of secrets) {
          assert.isFalse(yield* holds(kind, mail), kind)
          yield* rows.insert(table, { token_hash: hash, expires_at: first`now() + interval '1 minute'`, ...members })
          assert.isTrue(yield* holds(kind, mail), kind)
          assert.isFalse(yield* holds(kind, { ...mail, key_hash: new Uint8Array([9]) }), `another ${kind}`)
          yield* first`UPDATE ${first(table)} SET expires_at = now()`
          assert.isFalse(yield* holds(kind, mail), `${kind} that is over`)
        }
        yield* first`UPDATE user_mail_sign_ins SET expires_at = now() + interval '1 minute', confirmed_at = now()`
        assert.isFalse(yield* holds("user_sign_in"), "confirmed")
      }))

    it.effect("with a key is sent while that is the one in use of the license", () =>
      Effect.gen(function*() {
        const { claimed, first, licenseId, rows } = yield* world
        const hash = (value: number) => new Uint8Array([7, value])
        yield* first`INSERT INTO license_keys (key_hash, license_id, expires_at) VALUES
          (${hash(1)}, ${licenseId}, NULL), (${hash(2)}, ${licenseId}, now() + interval '1 hour'),
          (${hash(3)}, ${yield* rows.license()}, NULL)`
        const isSame = (value: number, kind: MailKind = "license_issued") =>
          Effect.map(claimed(kind, null, { key_hash: hash(value) }), (mail) => mail.is_key_same)
        assert.deepStrictEqual([yield* isSame(1), yield* isSame(2), yield* isSame(3), yield* isSame(4)], [
          true,
          false,
          false,
          false
        ])
        assert.isTrue(yield* isSame(4, "user_sign_in"), "what it has is no key")
        assert.isTrue(yield* isSame(4, "license_transfer"))
      }))

    it.effect("is due at its time, the one that waits for longest first, and claimed for a while", () =>
      Effect.gen(function*() {
        const { first, licenseId, rows } = yield* world
        const queue = (name: string, due_at: Statement.Fragment) =>
          rows.insert("mails", {
            event_id: name,
            kind: "license_issued",
            recipient: "a@example.com",
            license_id: licenseId,
            due_at
          })
        yield* queue("evt_late", first`now() - interval '1 minute'`)
        yield* queue("evt_later", first`now() - interval '1 second'`)
        yield* queue("evt_early", first`now() - interval '2 minutes'`)
        yield* queue("evt_future", first`now() + interval '1 minute'`)
        const claims = [
          yield* claimMail(first, "awaited"),
          yield* claimMail(first, "awaited"),
          yield* claimMail(first, "awaited"),
          yield* claimMail(first, "awaited")
        ]
        assert.deepStrictEqual(claims.map(([mail]) => mail?.event_id), [
          "evt_early",
          "evt_late",
          "evt_later",
          undefined
        ])
        yield* first`DELETE FROM mails`
      }))
  })
})
