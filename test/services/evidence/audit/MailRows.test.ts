// The outbox and the log: each way in which they may disagree is put into a database, and the doctor names it.
import { assert, describe, it } from "@effect/vitest"
import { differenceLine } from "../../../../src/domain/evidence/audit/EventReplay.ts"
import { MailKind } from "../../../../src/domain/mail/Mail.ts"
import { examine } from "../../../fixtures/Doctor.ts"
import { placeEvents } from "../../../fixtures/FeedRows.ts"
import { migrated, session } from "../../../fixtures/Session.ts"

const url = await migrated()
const { query } = await session(url)
await query("SET session_replication_role = replica")

let placed = 1_000_000

const event = async (id: string, type: string, resource = "lic_1", data: object = {}, metadata: object = {}) => {
  await query(
    placeEvents({
      after: placed++,
      count: 1,
      id: `'${id}'`,
      type: `'${type}'`,
      resourceId: `'${resource}'`,
      data: `'${JSON.stringify(data)}'`
    })
  )
  await query("UPDATE event_records SET metadata = $2 WHERE id = $1", [id, JSON.stringify(metadata)])
}

const ended = (id: string, kind: string, mail_event_id: string, type = "mail.sent") =>
  event(id, type, type.startsWith("customer.") ? "cus_1" : "lic_1", { kind }, { mail_event_id })

interface Waiting {
  readonly secret?: boolean
  readonly customer?: boolean
  /** How long ago it was queued, and in how long it is due. */
  readonly age?: string
  readonly due?: string
}

const waits = (
  eventId: string,
  kind: string,
  { age = "0", customer = false, due = "0", secret = false }: Waiting = {}
) =>
  query(
    `INSERT INTO mails (event_id, kind, recipient, license_id, customer_id, secret, created_at, due_at)
     VALUES ($1, $2, 'ada@example.com', $3, 'cus_1', $4, now() - $5::interval, now() + $6::interval)`,
    [eventId, kind, customer ? null : "lic_1", secret ? Buffer.from("sealed") : null, age, due]
  )

const found = async () => (await examine(url)).found.filter(({ resource }) => resource === "mail").map(differenceLine)

const anew = async () => {
  for (const table of ["mails", "event_places", "event_records"]) await query(`DELETE FROM ${table}`)
}

describe("the doctor of mails", () => {
  it("finds nothing where each waits with its event, has ended, or is of no event", async () => {
    const queuedWith = {
      license_issued: "license.created",
      key_changed: "license.key_rotated",
      license_expiring: "license.expiring",
      license_expired: "license.grace_started",
      quota_threshold: "license.usage_recorded",
      device_added: "license.activated",
      payment_failed: "subscription.updated",
      user_invited: "license.user_invited",
      portal_link: "customer.portal_link_created",
      license_transfer: "license.transfer_requested",
      license_continued: "license.revoked"
    }
    const secrets = new Set(["license_issued", "key_changed", "portal_link", "user_sign_in", "license_transfer"])
    for (const [kind, type] of Object.entries(queuedWith)) {
      const customer = kind === "portal_link"
      await event(`evt_${kind}`, type, customer ? "cus_1" : "lic_1")
      await waits(`evt_${kind}`, kind, { customer, secret: secrets.has(kind), age: "71 hours", due: "4 hours" })
      await event(`evt_ended_${kind}`, type, customer ? "cus_1" : "lic_1")
      await ended(`evt_end_${kind}`, kind, `evt_ended_${kind}`, customer ? "customer.portal_link_failed" : "mail.sent")
    }
    const kinds = await query("SELECT DISTINCT kind FROM mails UNION SELECT 'user_sign_in'")
    assert.sameMembers(
      kinds.map(({ kind }) => kind),
      [...MailKind.literals],
      "a new kind: what event is it queued with?"
    )
    for (const kind of ["license_expiring", "user_sign_in"]) {
      await waits("evt_none", kind, { secret: secrets.has(kind), age: "9 days", due: "2 minutes" })
      await ended(`evt_end_none_${kind}`, kind, "evt_other", "mail.failed")
    }
    // Of a release that did not name the mail, and of a customer who was erased while it waited.
    await event("evt_before", "mail.sent", "lic_1", { kind: "device_added" })
    await event("evt_erased", "license.created")
    assert.deepStrictEqual(await found(), [])
    await anew()
  })

  it("finds one without its event, with that of another kind, and the end of one that no event tells of", async () => {
    await event("evt_1", "license.created")
    await waits("evt_1", "device_added")
    await waits("evt_2", "license_issued", { secret: true })
    await ended("evt_3", "portal_link", "evt_1", "customer.portal_link_mailed")
    await ended("evt_4", "payment_failed", "evt_5", "mail.failed")
    assert.deepStrictEqual(await found(), [
      `mail evt_1/device_added/lic_1: is in the table, by the log it does not exist`,
      `mail evt_1/portal_link/cus_1: event is nothing in the table, customer.portal_link_mailed by the log`,
      `mail evt_2/license_issued/lic_1: is in the table, by the log it does not exist`,
      `mail evt_5/payment_failed/lic_1: event is nothing in the table, mail.failed by the log`
    ])
    await query("UPDATE event_archive SET dropped_sequence = 256, dropped_until = now() + interval '1 hour'")
    assert.deepStrictEqual(await found(), [], "their events may have been dropped")
    await query("UPDATE event_archive SET dropped_sequence = 0, dropped_until = NULL")
    await anew()
  })

  it("finds one that waits although it was sent, one that was sent twice, and secrets where none belongs", async () => {
    for (const id of ["evt_1", "evt_2", "evt_3"]) await event(id, "license.created")
    await waits("evt_1", "license_issued", { secret: true })
    await ended("evt_4", "license_issued", "evt_1")
    await ended("evt_5", "license_issued", "evt_2")
    await ended("evt_6", "license_issued", "evt_2", "mail.failed")
    await waits("evt_3", "license_issued")
    await event("evt_7", "license.activated")
    await waits("evt_7", "device_added", { secret: true })
    assert.deepStrictEqual(await found(), [
      `mail evt_1/license_issued/lic_1: state is waiting in the table, mail.sent by the log`,
      `mail evt_2/license_issued/lic_1: ends is nothing in the table, 2 by the log`,
      `mail evt_3/license_issued/lic_1: secret is nothing in the table, kept by the log`,
      `mail evt_7/device_added/lic_1: secret is kept in the table, nothing by the log`
    ])
    await anew()
  })

  it("finds one that is not to be tried again before it would have been given up", async () => {
    await event("evt_1", "license.activated")
    await waits("evt_1", "device_added", { age: "1 day", due: "80 hours" })
    assert.match(
      (await found()).join(),
      /^mail evt_1\/device_added\/lic_1: due_at is 20\S+ in the table, nothing by the log$/
    )
    await anew()
  })
})
