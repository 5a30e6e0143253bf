// Every kind of mail, to a mail server that misbehaves: each arrives, once or twice as the same mail, or it is known why not. And none of imports.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { MailKind } from "../../../src/domain/mail/Mail.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { decodedSubject, headerOf, MailServer } from "../../fixtures/MailServer.ts"
import { PortalBrowser } from "../../fixtures/PortalBrowser.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { someOf, takesAll, takeTurns } from "../../fixtures/Share.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

takeTurns()

const server = await new MailServer().start()
const addressOf = (kind: string, fate: "arrives" | "refused"): string => `${kind}.${fate}@example.com`
const buyer = "buyer@example.com"
const addresses = MailKind.literals.flatMap((kind) => [addressOf(kind, "arrives"), addressOf(kind, "refused")])

let live: Service
let browser: PortalBrowser
let test: Service
const outboxes = new Map<Service, Session>()

beforeAll(async () => {
  live = await startService({
    environment: {
      COUNTERSIGN_PORTAL: "on",
      COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
      COUNTERSIGN_SMTP_URL: server.url,
      COUNTERSIGN_MAIL_FROM: "Acme Licenses <licenses@acme.example>",
      COUNTERSIGN_MAIL_TEST_ADDRESSES: [...addresses, buyer].join(",")
    }
  })
  browser = new PortalBrowser(live, server)
  test = inTestOf(live, testDatabaseOf(live))
  // The database of the test environment is made at its first request.
  await test.data("GET", "/api/v1/settings/mail")
  for (const service of [live, test]) outboxes.set(service, await session(service.databaseUrl))
})

const post = (path: string, body: object = {}): Promise<Body> =>
  test.data("POST", path, body, { headers: { "idempotency-key": randomUUID() } })

const pass = (advance: string): Promise<Body> => test.data("PUT", "/api/v1/environment/clock", { advance })

/** A license of the test environment whose policy has one kind of mails sent. */
const licensed = (kind: MailKind, email: string, policy: object = {}, license: object = {}): Promise<Issued> =>
  test.issue({ policy: { mails: [kind], ...policy }, license: { customer_email: email, ...license } })

const endingIn = async (days: number): Promise<object> => {
  const { now } = await pass("PT1M")
  return { expires_at: new Date(Date.parse(now) + days * 86_400_000).toISOString() }
}

const invited = async (kind: MailKind, email: string, delivery: "mail" | "none"): Promise<Issued> => {
  const issued = await licensed(kind === "user_sign_in" ? "device_added" : kind, "nobody@example.com", { max_users: 1 })
  await post(`/api/v1/licenses/${issued.license.id}/users`, { email, delivery })
  return issued
}

/** What has a mail of each kind queued to an address; answers the resource that its events are about. Whoever adds a kind says it here. */
const causes: Readonly<Record<MailKind, (email: string) => Promise<Body>>> = {
  license_issued: async (email) => (await licensed("license_issued", email)).license,
  key_changed: async (email) => {
    const { license } = await licensed("key_changed", email)
    await post(`/api/v1/licenses/${license.id}/rotate-key`)
    return license
  },
  license_expiring: async (email) => {
    const { license } = await licensed("license_expiring", email, {}, await endingIn(9))
    await pass("P2DT1H")
    return license
  },
  license_expired: async (email) => {
    const { license } = await licensed("license_expired", email, {}, await endingIn(1))
    await pass("P1DT1H")
    return license
  },
  quota_threshold: async (email) => {
    const { license, policy, product } = await licensed("quota_threshold", email)
    const feature = await post(`/api/v1/products/${product.id}/features`, { name: "PDF", code: "pdf" })
    await post(`/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 10,
      quota_thresholds: [50]
    })
    await post("/api/v1/usage", {
      uses: [{ license_id: license.id, feature_code: "pdf", event_id: randomUUID(), amount: 6 }]
    })
    return license
  },
  device_added: async (email) => {
    const { key, license } = await licensed("device_added", email, { max_activations: 1 })
    assert.strictEqual((await test.license("activate", key, { fingerprint: "laptop" })).status, 200)
    return license
  },
  payment_failed: async (email) => {
    const { policy, product } = await licensed("payment_failed", email)
    const subscription = await post(`/api/v1/products/${product.id}/subscriptions`, {
      current_period_start: "2026-01-01T00:00:00Z",
      current_period_end: "2099-01-01T00:00:00Z",
      external_system: "stripe",
      external_id: randomUUID(),
      status: "active"
    })
    const { license } = await post("/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      subscription_id: subscription.id,
      customer_email: email
    })
    await test.data("PATCH", `/api/v1/subscriptions/${subscription.id}`, { status: "past_due" })
    return license
  },
  user_invited: async (email) => (await invited("user_invited", email, "mail")).license,
  user_sign_in: async (email) => {
    const { key, license } = await invited("user_sign_in", email, "none")
    assert.strictEqual((await test.license("users/mail-sign-ins", key, { email })).status, 200)
    return license
  },
  portal_link: async (email) => {
    const customer = await live.data("POST", "/api/v1/customers", { name: "Ada", code: randomUUID(), email })
    await live.data("POST", `/api/v1/customers/${customer.id}/portal-links`, {})
    return customer
  },
  license_transfer: async (email) => {
    const owner = await browser.owner(1)
    const [{ license }] = owner.issued as [Issued]
    const headers = await browser.enter(owner.email)
    assert.strictEqual((await browser.ask("POST", `/licenses/${license.id}/transfer`, headers, { email })).status, 200)
    return license
  },
  // What queues it is tried in `GoingOn`; here it is one of those that wait.
  license_continued: async (email) => {
    const { license } = await test.issue({ license: { customer_email: email } })
    const former = await test.issue({})
    await post(`/api/v1/licenses/${former.license.id}/revoke`)
    const events: ReadonlyArray<Body> = await test.feed(`&resource_id=${former.license.id}`)
    const { id } = events.find(({ event_type }) => event_type === "license.revoked")!
    await outboxes.get(test)!.query(
      `INSERT INTO mails (event_id, kind, recipient, license_id, details)
       VALUES ($1, 'license_continued', $2, $3, '{"key_last4": "0PM2", "former_key_last4": "7XK4"}')`,
      [id, email, license.id]
    )
    // Another mail has the outbox looked at.
    await licensed("license_issued", buyer)
    return license
  }
}

/** The kinds of mails that the live environment alone has, because the portal is there. */
const ofPortal: ReadonlySet<MailKind> = new Set(["portal_link", "license_transfer"])

describe("a mail", () => {
  it.each(someOf("kinds of mails", MailKind.literals, 8))(
    "of the kind %s arrives once the server has stopped misbehaving, or is known to be refused",
    async (kind) => {
      const service = ofPortal.has(kind) ? live : test
      // The event of an offer names nobody who has agreed to nothing.
      const told = (recipient: string, reply: object = {}) => kind === "license_transfer" ? {} : { recipient, ...reply }
      const { query } = outboxes.get(service)!
      const [arrives, refused] = [addressOf(kind, "arrives"), addressOf(kind, "refused")]
      /** The replies whose pauses were ended: a mail that is being tried again still has the one before. */
      const past: Array<string> = []
      /** The event of the end of a mail; pauses that it waits for are over. */
      const ended = (of: Body): Promise<Body> =>
        eventually(`the mail ${kind} of ${of.id} has ended`, async () => {
          const paused: ReadonlyArray<Body> = await query(
            "UPDATE mails SET due_at = '-infinity' WHERE last_reply IS NOT NULL AND last_reply <> ALL($1::text[]) RETURNING last_reply",
            [past]
          )
          past.push(...paused.map(({ last_reply }) => last_reply))
          const events: ReadonlyArray<Body> = await service.feed(`&resource_id=${of.id}`)
          return events.find(({ data, event_type }) =>
            data.kind === kind && /^mail\.|_link_(mailed|failed)$/.test(event_type)
          )
        })
      server.scripts.set(arrives, [421, "drops", 450])
      server.behaviours.set(refused, "550 Requested action not taken")
      const arriving = await causes[kind](arrives)
      await eventually("it is tried", () => server.named.get(arrives))
      // What ends in between also ends the rest that the mailbox takes after each answer that is none.
      const other = await ended(await causes[kind](refused))
      assert.deepInclude(other.data, { kind, reason: "refused", ...told(refused) })
      // An attempt whose connection the server closed for the other mail has named nobody.
      assert.strictEqual(server.named.get(refused), 1)
      const event = await ended(arriving)
      assert.deepInclude(event.data, { kind, attempts: 4, ...told(arrives, { reply: "250 Ok: queued" }) })
      assert.notProperty(event.data, "reason")
      const mails = await server.to(arrives)
      assert.lengthOf(mails, 2, "one before the connection was dropped")
      const messageId = `<${event.metadata.mail_event_id}.${kind}@acme.example>`
      assert.deepStrictEqual(mails.map((mail) => headerOf(mail, "Message-ID")), [messageId, messageId])
      assert.strictEqual(mails[0]!.raw.length, mails[1]!.raw.length)
      assert.isNotEmpty(decodedSubject(mails[0]!))
      assert.isFalse(server.received.some(({ recipient }) => recipient === refused))
      assert.deepStrictEqual([server.named.get(arrives), server.named.get(refused)], [4, 1])
      assert.deepStrictEqual(await query("SELECT * FROM mails"), [], "nothing of it is kept")
    }
  )

  it("is queued for none of thousands of licenses that are imported", async () => {
    const { query } = outboxes.get(live)!
    const recorded = "SELECT count(*)::int AS mails FROM event_records WHERE event_type LIKE 'mail.%'"
    const before = await query(recorded)
    const { policy, product } = await live.issue({
      policy: { mails: ["license_issued", "license_expiring", "license_expired"] }
    })
    for (let imported = 0; imported < (takesAll ? 5_000 : 1_000); imported += 500) {
      const { created } = await live.data("POST", "/api/v1/licenses/bulk", {
        defaults: {
          product_id: product.id,
          policy_id: policy.id,
          customer_email: "imported@example.com",
          expires_at: "2099-01-01T00:00:00Z"
        },
        licenses: Array.from({ length: 500 }, () => ({ license_key: `FORMER-${randomUUID()}` }))
      })
      assert.strictEqual(created, 500)
    }
    assert.deepStrictEqual(await query("SELECT 1 FROM mails"), [])
    assert.deepStrictEqual(await query(recorded), before, "nothing of it was tried")
    assert.isUndefined(server.named.get("imported@example.com"))
  })

  it("leaves nothing that the doctor finds", async () => {
    for (const { databaseUrl } of [live, test]) assert.deepStrictEqual((await examine(databaseUrl)).found, [])
  })
})
