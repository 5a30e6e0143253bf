// Mails to the owners of licenses: through a real mail server, each sent once or known why not.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { decodedSubject, headerOf, MailServer, plainOf } from "../../fixtures/MailServer.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session, tablesWith } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

takeTurns()

const server = await new MailServer().start()
const settings = {
  COUNTERSIGN_SMTP_URL: server.url,
  COUNTERSIGN_MAIL_FROM: "Acme Licenses <licenses@acme.example>",
  COUNTERSIGN_MAIL_TEST_ADDRESSES: "QA@example.com"
}

let service: Service
let database: Session
let mailed: Issued

/** A license under the policy that mails. */
const issue = (license: object) =>
  service.data("POST", "/api/v1/licenses", {
    product_id: mailed.product.id,
    policy_id: mailed.policy.id,
    ...license
  })

const mailEvents = (license: Body): Promise<ReadonlyArray<Body>> =>
  service.feed(`&event_type=mail.*&resource_id=${license.id}`)

/** The event of a mail, once there is one. */
const settled = (license: Body): Promise<Body> =>
  eventually(`the mail of ${license.id} is settled`, async () => (await mailEvents(license))[0])

const waiting = (license: Body): Promise<Body> =>
  eventually(
    `the mail of ${license.id} waits after an attempt`,
    async () =>
      (await database.query("SELECT * FROM mails WHERE license_id = $1 AND last_reply IS NOT NULL", [license.id]))[0]
  )

/** Ends the pauses of mails. */
const pausesAreOver = () => database.query("UPDATE mails SET due_at = now()")

beforeAll(async () => {
  service = await startService({ environment: settings })
  testDatabaseOf(service)
  database = await session(service.databaseUrl)
  mailed = await service.issue({
    policy: { mails: ["license_issued"], max_transfers: 5 },
    license: { customer_email: "ada@example.com", customer_name: "Ada", expires_at: "2099-03-01T00:00:00Z" }
  })
})

describe("the mail about a new license", () => {
  it("arrives with the key, and its event names the recipient and not the key", async () => {
    const [mail] = await server.to("ada@example.com")
    assert.include(mail!.raw, mailed.key)
    assert.strictEqual(headerOf(mail!, "Subject"), "Your license key for Acme Studio")
    assert.strictEqual(headerOf(mail!, "From"), "Acme Licenses <licenses@acme.example>")
    const event = await settled(mailed.license)
    assert.deepInclude(event, { event_type: "mail.sent", actor_type: "system", resource_type: "license" })
    assert.deepStrictEqual(event.data, {
      license_id: mailed.license.id,
      kind: "license_issued",
      recipient: "ada@example.com",
      attempts: 1,
      reply: "250 Ok: queued"
    })
    const [created] = await service.feed(`&event_type=license.created&resource_id=${mailed.license.id}`)
    assert.strictEqual(headerOf(mail!, "Message-ID"), `<${created!.id}.license_issued@acme.example>`)
    assert.deepStrictEqual(await database.query("SELECT * FROM mails"), [], "nothing of it is kept")
    const activities = await service.data("GET", `/api/v1/activities?license_id=${mailed.license.id}`)
    assert.include(activities.map(({ action }: Body) => action), "mail.sent")
  })

  it("names in its event no address of who owned the license before, so that an erasure finds all of theirs", async () => {
    const customerOf = (email: string): Promise<Body> =>
      service.data("POST", "/api/v1/customers", { name: email, code: randomUUID(), email })
    const [former, next] = [await customerOf("former@example.com"), await customerOf("next@example.com")]
    server.behaviours.set("former@example.com", "waits")
    const { license } = await issue({ customer_id: former.id })
    await server.to("former@example.com")
    await service.data("POST", `/api/v1/licenses/${license.id}/transfer`, { customer_id: next.id }, {
      headers: { "idempotency-key": randomUUID() }
    })
    server.takeThem()
    const { data, event_type } = await settled(license)
    assert.deepStrictEqual([event_type, data], ["mail.sent", {
      license_id: license.id,
      kind: "license_issued",
      attempts: 1
    }])
    await service.data("POST", `/api/v1/customers/${former.id}/erase`)
    assert.deepStrictEqual(await tablesWith(database, "former@example.com"), [])
  })

  it("goes to the customer where the license has no address of its own", async () => {
    const customer = await service.data("POST", "/api/v1/customers", {
      name: "Grace",
      code: randomUUID(),
      email: "grace@example.com"
    })
    const { license_key } = await issue({ customer_id: customer.id })
    assert.include((await server.to("grace@example.com"))[0]!.raw, license_key)
  })

  it("is in the language of the customer, or else in that of the settings, and clearing either falls back", async () => {
    const email = "sophie@example.com"
    const customer = await service.data("POST", "/api/v1/customers", {
      name: "Sophie",
      code: randomUUID(),
      email,
      language: "fr"
    })
    assert.strictEqual(customer.language, "fr")
    await issue({ customer_id: customer.id })
    await server.to(email)
    assert.notProperty(await service.data("PATCH", `/api/v1/customers/${customer.id}`, { language: null }), "language")
    await service.data("PATCH", "/api/v1/settings", { mail_language: "ja" })
    await issue({ customer_id: customer.id })
    await server.to(email, 2)
    assert.notProperty(await service.data("PATCH", "/api/v1/settings", { mail_language: null }), "mail_language")
    await issue({ customer_id: customer.id })
    const mails = await server.to(email, 3)
    assert.deepStrictEqual(mails.map((mail) => decodedSubject(mail)), [
      "Votre clé de licence pour Acme Studio",
      "Acme Studio のライセンスキーのお知らせ",
      "Your license key for Acme Studio"
    ])
    await issue({ customer: { name: "Jürgen", email: "juergen@example.com", language: "de" } })
    assert.strictEqual(
      decodedSubject((await server.to("juergen@example.com"))[0]!),
      "Ihr Lizenzschlüssel für Acme Studio"
    )
    invalid(
      await service.call("PATCH", `/api/v1/customers/${customer.id}`, { body: { language: "tlh" } }),
      "language",
      "invalid_value"
    )
  })

  it("is sent for no license of another policy, of a bulk, without an address, or that is not in force", async () => {
    const { license } = await service.issue({ license: { customer_email: "never@example.com" } })
    const suspended = await issue({ customer_email: "never@example.com", status: "suspended" })
    const unaddressed = await issue({})
    const bulk = await service.data("POST", "/api/v1/licenses/bulk", {
      defaults: { product_id: mailed.product.id, policy_id: mailed.policy.id, customer_email: "never@example.com" },
      licenses: Array.from({ length: 500 }, () => ({}))
    })
    assert.strictEqual(bulk.created, 500)
    // Mails are sent in the order in which they were queued.
    await issue({ customer_email: "later@example.com" })
    await server.to("later@example.com")
    assert.isUndefined(server.named.get("never@example.com"))
    for (const none of [license, suspended.license, unaddressed.license, bulk.results[0].license]) {
      assert.deepStrictEqual(await mailEvents(none), [])
    }
  })

  it("waits after a 450, says so, and arrives later under the same Message-ID; a 550 ends it at once", async () => {
    server.behaviours.set("busy@example.com", 450)
    server.behaviours.set("gone@example.com", 550)
    const busy = await issue({ customer_email: "busy@example.com" })
    assert.strictEqual((await waiting(busy.license)).last_reply, "450 busy@example.com is not taken")
    assert.deepInclude(await service.data("GET", "/api/v1/settings/mail"), {
      is_configured: true,
      from: "Acme Licenses <licenses@acme.example>",
      queued: 1,
      last_reply: "450 busy@example.com is not taken"
    })
    const gone = await issue({ customer_email: "gone@example.com" })
    const { data, event_type } = await settled(gone.license)
    assert.strictEqual(event_type, "mail.failed")
    assert.deepInclude(data, { reason: "refused", attempts: 1, reply: "550 gone@example.com is not taken" })
    server.behaviours.delete("busy@example.com")
    await pausesAreOver()
    await server.to("busy@example.com")
    assert.deepInclude((await settled(busy.license)).data, { attempts: 2 })
    assert.strictEqual(server.named.get("gone@example.com"), 1)
  })

  it("about a new key has that key, where the policy names it, and none is sent of a dry run", async () => {
    const { license } = await service.issue({
      policy: { mails: ["key_changed"] },
      license: { customer_email: "rotated@example.com" }
    })
    const rotate = (body: object) =>
      service.data("POST", `/api/v1/licenses/${license.id}/rotate-key`, body, {
        headers: { "idempotency-key": randomUUID() }
      })
    await rotate({ dry_run: true })
    const { license_key } = await rotate({})
    const mails = await server.to("rotated@example.com")
    assert.lengthOf(mails, 1, "none about its issue")
    assert.include(mails[0]!.raw, license_key)
    assert.strictEqual(headerOf(mails[0]!, "Subject"), "Your new license key for Acme Studio")
    assert.deepInclude((await settled(license)).data, { kind: "key_changed", attempts: 1 })
  })

  it("is not sent once the license is revoked or has another key or another address", async () => {
    server.behaviours.set("slow@example.com", 450)
    const made = [
      await issue({ customer_email: "slow@example.com" }),
      await issue({ customer_email: "slow@example.com" }),
      await issue({ customer_email: "slow@example.com" })
    ]
    const [revoked, rotated, moved] = made.map(({ license }) => license)
    for (const { license } of made) await waiting(license)
    const post = (license: Body, action: string, body: object = {}) =>
      service.data("POST", `/api/v1/licenses/${license.id}/${action}`, body, {
        headers: { "idempotency-key": randomUUID() }
      })
    await post(revoked, "revoke")
    await post(rotated, "rotate-key")
    await post(moved, "transfer", { customer_email: "new@example.com", customer_name: "New" })
    server.behaviours.delete("slow@example.com")
    await pausesAreOver()
    const reasons = [await settled(revoked), await settled(rotated), await settled(moved)]
    assert.deepStrictEqual(reasons.map(({ data }) => data.reason), [
      "license_ended",
      "key_changed",
      "recipient_changed"
    ])
    assert.isFalse(server.received.some(({ recipient }) => /slow|new@/.test(recipient)))
  })

  it("leaves nothing of a customer who is erased: neither while it waits, nor in its event", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { name: "Erika", code: randomUUID() })
    server.behaviours.set("erika@secret.example", 450)
    const waits = await issue({ customer_id: customer.id, customer_email: "erika@secret.example" })
    const sent = await issue({ customer_id: customer.id, customer_email: "mail@secret.example" })
    await waiting(waits.license)
    await settled(sent.license)
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`, {}, {
      headers: { "idempotency-key": randomUUID() }
    })
    assert.deepStrictEqual(await database.query("SELECT * FROM mails WHERE license_id = $1", [waits.license.id]), [])
    const event = await settled(sent.license)
    assert.deepStrictEqual(event.data, { license_id: sent.license.id, kind: "license_issued", attempts: 1 })
    assert.notInclude(JSON.stringify(await service.feed()), "secret.example")
  })

  it("goes from the test environment to addresses alone that are allowed", async () => {
    const test = inTestOf(service, testDatabaseOf(service))
    const { policy, product } = await test.issue({ policy: { mails: ["license_issued"] } })
    for (const customer_email of ["stranger@example.com", "qa@example.com"]) {
      await test.data("POST", "/api/v1/licenses", { product_id: product.id, policy_id: policy.id, customer_email })
    }
    await server.to("qa@example.com")
    assert.isUndefined(server.named.get("stranger@example.com"))
    assert.deepInclude(await test.data("GET", "/api/v1/settings/mail"), { only_to: ["qa@example.com"] })
  })
})

describe("a mail server that refuses the vendor", () => {
  const state = () => service.data("GET", "/api/v1/settings/mail")

  it("loses no key, whatever it says and at whichever stage: each waits, the state says so at once, and all are sent once it is mended", async () => {
    const replies = [
      "554 5.7.1 Relay access denied",
      "554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked",
      "530 5.7.0 Must issue a STARTTLS command first",
      "550 5.7.1 Sender address rejected: not owned by user",
      "550 5.4.5 Daily user sending limit exceeded",
      "554 5.7.5 Permanent error evaluating DMARC policy"
    ] as const
    const addressOf = (at: number) => `refused-${at}@example.com`
    replies.forEach((reply, at) => server.behaviours.set(addressOf(at), reply))
    const keys = await Promise.all(replies.map((_, at) => issue({ customer_email: addressOf(at) })))
    for (const { license } of keys) assert.strictEqual((await waiting(license)).last_fault, "us")
    const { refused: shown } = await state()
    assert.isAtLeast(shown.queued, replies.length)
    assert.match(shown.last_reply, /^5/)
    const { late_mails } = await service.data("GET", "/api/v1/overview")
    assert.isAtLeast(late_mails.count, replies.length, "Start names them at once")
    const { text } = await service.call("GET", "/metrics")
    const [, postponed = "0"] = /countersign_mail_attempts_total\{[^}]*outcome="postponed"[^}]*\} (\d+)/.exec(text) ??
      []
    assert.isAtLeast(Number(postponed), replies.length)
    replies.forEach((_, at) => server.behaviours.delete(addressOf(at)))
    await pausesAreOver()
    for (const [at, { license_key }] of keys.entries()) {
      assert.include(plainOf((await server.to(addressOf(at)))[0]!), license_key)
    }
    await eventually("no mail is refused", async () => (await state()).refused === undefined)
  })

  it("is not taken for one where a message was written and nobody answered: such a mail is tried rarely", async () => {
    server.behaviours.set("silent@example.com", "drops")
    const { license } = await issue({ customer_email: "silent@example.com" })
    const row = await waiting(license)
    assert.strictEqual(row.last_fault, "doubt")
    server.behaviours.delete("silent@example.com")
    await pausesAreOver()
    assert.deepInclude((await settled(license)).data, { attempts: 2 })
  })
})

describe("a lane", () => {
  it("of mails that somebody waits for is not held up by a notice, nor by one of them that a slow server takes", async () => {
    const slow = await service.issue({
      policy: { mails: ["device_added"], max_activations: 2 },
      license: { customer_email: "notice@example.com" }
    })
    server.behaviours.set("notice@example.com", "waits")
    server.behaviours.set("slow-key@example.com", "waits")
    await service.license("activate", slow.key, { fingerprint: "a" })
    await server.to("notice@example.com")
    await issue({ customer_email: "slow-key@example.com" })
    await server.to("slow-key@example.com")
    const { license } = await issue({ customer_email: "quick@example.com" })
    await server.to("quick@example.com")
    assert.deepInclude(await settled(license), { event_type: "mail.sent" })
    server.takeThem()
    assert.deepInclude((await settled(slow.license)).data, { kind: "device_added", attempts: 1 })
  })
})

describe("a suppressed address", () => {
  const suppressions = "/api/v1/settings/mail/suppressions"
  const listed = (query: string): Promise<ReadonlyArray<Body>> => service.data("GET", `${suppressions}?${query}`)

  it("is one whose mailbox is refused for good, and none that a policy, spam or a moment keeps out", async () => {
    const replies = {
      "unknown@example.com": "550 5.1.1 No such user",
      "policy@example.com": "550 5.7.1 Not by our policy",
      "spam@example.com": 554,
      "later@example.org": 450
    } as const
    for (const [address, does] of Object.entries(replies)) server.behaviours.set(address, does)
    const made = await Promise.all(Object.keys(replies).map((customer_email) => issue({ customer_email })))
    const [unknown, policy, spam, later] = made.map(({ license }) => license)
    const refused = [await settled(unknown), await settled(spam)]
    assert.deepStrictEqual(refused.map(({ data }) => data.reason), ["refused", "refused"])
    assert.strictEqual((await waiting(policy)).last_fault, "us")
    await waiting(later)
    const [bounced] = await listed("address=UNKNOWN@example.com")
    assert.deepInclude(bounced, {
      address: "unknown@example.com",
      reason: "bounced",
      covers: "everything",
      reply: "550 5.1.1 No such user",
      created_by: { type: "system", id: "countersign" }
    })
    assert.deepStrictEqual(await service.data("GET", `${suppressions}/${bounced!.id}`), bounced)
    for (const address of ["policy@example.com", "spam@example.com", "later@example.org"]) {
      assert.deepStrictEqual(await listed(`address=${address}`), [], address)
    }
    const [event] = await service.feed(`&event_type=mail_suppression.created&resource_id=${bounced!.id}`)
    assert.notInclude(JSON.stringify(event), "example.com")
    server.behaviours.delete("unknown@example.com")
    const { data } = await settled((await issue({ customer_email: "Unknown@example.com" })).license)
    assert.deepInclude(data, { reason: "bounced", attempts: 1 })
    assert.isUndefined(server.named.get("Unknown@example.com"), "nothing was sent")
    assert.strictEqual((await service.call("DELETE", `${suppressions}/${bounced!.id}`)).status, 204)
    await issue({ customer_email: "unknown@example.com" })
    await server.to("unknown@example.com")
  })

  it("gets nothing by hand, also what waits, and keys where it opted out of notices", async () => {
    server.behaviours.set("hand@example.com", 450)
    const { license } = await issue({ customer_email: "hand@example.com" })
    await waiting(license)
    const made = await service.data("POST", suppressions, { address: "Hand@Example.com" })
    assert.deepInclude(made, {
      reason: "by_hand",
      covers: "everything",
      created_by: { type: "api_key", id: "bootstrap" }
    })
    const again = await service.call("POST", suppressions, { body: { address: "hand@example.com" } })
    assert.strictEqual(refused(again, 409, "CONFLICT").detail, made.id)
    server.behaviours.delete("hand@example.com")
    await pausesAreOver()
    assert.strictEqual((await settled(license)).data.reason, "suppressed")
    await service.data("POST", suppressions, { address: "out@example.com", reason: "opted_out" })
    await issue({ customer_email: "out@example.com" })
    await server.to("out@example.com")
    assert.deepStrictEqual((await listed("reason=opted_out")).map(({ address }) => address), ["out@example.com"])
    assert.deepStrictEqual(await listed("address=nobody"), [])
    invalid(await service.call("POST", suppressions, { body: { address: "no address" } }), "address", "invalid_value")
    refused(await service.call("DELETE", `${suppressions}/sup_06eqpx1trxz3h94vqjm3a6kz7c`), 404, "NOT_FOUND")
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "sales", scopes: ["license:write"] })
    refused(await service.call("GET", suppressions, { token }), 403, "TOKEN_SCOPE_DENIED")
    const test = inTestOf(service, testDatabaseOf(service))
    assert.deepStrictEqual(await test.data("GET", suppressions), [], "it is of its environment")
  })

  it("stays suppressed when its customer is erased, by a digest alone", async () => {
    const customer = await service.data("POST", "/api/v1/customers", {
      name: "Otto",
      code: randomUUID(),
      email: "otto@erased.example",
      language: "fr"
    })
    server.behaviours.set("otto@old.erased.example", "550 5.1.1 otto@old.erased.example is no mailbox")
    await settled((await issue({ customer_id: customer.id, customer_email: "otto@old.erased.example" })).license)
    await service.data("POST", suppressions, { address: "otto@erased.example", reason: "opted_out" })
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`, {}, {
      headers: { "idempotency-key": randomUUID() }
    })
    const kept = await service.data("GET", `/api/v1/customers/${customer.id}`)
    assert.strictEqual(kept.language, "fr", "a language names nobody")
    for (const address of ["otto@erased.example", "otto@old.erased.example"]) {
      const [left] = await listed(`address=${address}`)
      assert.notProperty(left, "address")
      assert.notProperty(left, "reply")
    }
    const rows = await database.query("SELECT * FROM mail_suppressions")
    assert.notInclude(JSON.stringify(rows), "erased.example")
    const { license } = await issue({ customer_email: "OTTO@old.erased.example" })
    assert.strictEqual((await settled(license)).data.reason, "bounced")
  })
})

describe("a node that dies", () => {
  it("after a mail was handed over, with a key or without, and before that was written leaves it to another one, which sends it once more as the same mail", async () => {
    const environment = { ...settings, COUNTERSIGN_TEST_ENVIRONMENT: "off", COUNTERSIGN_MAIL_TEST_ADDRESSES: "" }
    let node = await startService({ as: "program", environment })
    const { databaseUrl } = node
    const { license, policy, key } = await node.issue({
      policy: { mails: ["device_added"], max_activations: 2 },
      license: { customer_email: "held@example.com" }
    })
    const rotate = () =>
      node.data("POST", `/api/v1/licenses/${license.id}/rotate-key`, {}, {
        headers: { "idempotency-key": randomUUID() }
      })
    /** Kills the node while a mail is handed over, beside another one; answers the Message-IDs of what arrived so far. */
    const dies = async (count: number) => {
      await server.to("held@example.com", count)
      const other = await startService({ as: "program", environment, databaseUrl })
      await node.kill("SIGKILL")
      node = other
      server.behaviours.delete("held@example.com")
      const { close, query } = await session(databaseUrl)
      await query("UPDATE mails SET due_at = now()")
      await close()
      const mails = await server.to("held@example.com", count + 1)
      const events = await eventually("its event", async () => {
        const events = await node.feed("&event_type=mail.sent")
        return events.length === (count + 1) / 2 ? events : undefined
      })
      assert.deepInclude(events.at(-1)!.data, { attempts: 2 })
      assert.lengthOf(mails, count + 1)
      return mails.map((mail) => headerOf(mail, "Message-ID"))
    }
    server.behaviours.set("held@example.com", "holds")
    await node.license("activate", key, { fingerprint: "a" })
    const [first, second] = await dies(1)
    assert.strictEqual(first, second)
    await node.data("PATCH", `/api/v1/policies/${policy.id}`, { mails: ["key_changed"] })
    server.behaviours.set("held@example.com", "holds")
    await rotate()
    const [, , third, fourth] = await dies(3)
    assert.strictEqual(third, fourth)
    assert.notStrictEqual(first, third)

    // One that is stopped ends the mail that it has begun.
    server.behaviours.set("held@example.com", "waits")
    await rotate()
    await server.to("held@example.com", 5)
    node.signal("SIGTERM")
    await eventually("it takes no requests", () => fetch(node.url).then(() => false, () => true))
    server.takeThem()
    await node.ended()
    await node.start()
    const last = await eventually("the event of its last mail", async () => {
      const events = await node.feed("&event_type=mail.sent")
      return events.length === 3 ? events.at(-1) : undefined
    })
    assert.deepInclude(last.data, { attempts: 1 })
    assert.lengthOf(await server.to("held@example.com"), 5)
  })
})
