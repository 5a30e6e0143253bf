// Signing in to the portal by mail: who gets a link, how it is spent, once, and every way that must not lead in.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { headerOf, MailServer } from "../../fixtures/MailServer.ts"
import { cookieOf, PortalBrowser, secretsOf } from "../../fixtures/PortalBrowser.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { bodyOf, openShop, sold } from "../../fixtures/StripeShop.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"
import { openUnitShop } from "../../fixtures/UnitShop.ts"

takeTurns()

const server = await new MailServer().start()

// Each caller comes from an address of its own, so that none is slowed down for what another one tried.
const environment = {
  COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
  COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: "5",
  COUNTERSIGN_PORTAL: "on",
  COUNTERSIGN_SMTP_URL: server.url,
  COUNTERSIGN_MAIL_FROM: "Acme Licenses <licenses@acme.example>"
}

let service: Service
let node: Service
let sql: Session
let browser: PortalBrowser
let onNode: PortalBrowser

const linkEvents = (customer: Body): Promise<ReadonlyArray<Body>> =>
  service.feed(`&event_type=customer.*&resource_id=${customer.id}`)

beforeAll(async () => {
  service = await startService({ environment })
  node = await startService({ databaseUrl: service.databaseUrl, environment })
  sql = await session(service.databaseUrl)
  browser = new PortalBrowser(service, server)
  onNode = new PortalBrowser(node, server)
})

describe("a link into the portal", () => {
  it("signs a customer in to all licenses, once, after programs that look into mails have opened it", async () => {
    const customer = await browser.owner(2)
    const { token } = await browser.link(customer.email)
    const path = `/link?token=${token}`
    for (const method of ["GET", "HEAD", "GET"]) {
      const scanned = await browser.ask(method, path, { "sec-fetch-site": "none" })
      assert.strictEqual(scanned.status, 200)
      assert.isNull(scanned.headers.get("set-cookie"))
      assert.strictEqual(scanned.headers.get("referrer-policy"), "strict-origin")
      assert.strictEqual(scanned.headers.get("cache-control"), "no-store")
    }
    assert.include(await browser.page({}, path), `You sign in as ${customer.email}.`)
    const answer = await browser.spend(token)
    assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/portal"])
    const list = await browser.page(cookieOf(answer))
    for (const { license } of customer.issued) {
      assert.include(list, `/portal/licenses/${license.id}`)
      assert.include(await browser.page(cookieOf(answer), `/licenses/${license.id}`), license.license_key_last4)
    }
    assert.strictEqual((await browser.spend(token)).status, 404)
    assert.include(await browser.page({}, path), "This link was used already")
    const kinds = await eventually("the mail is settled", async () => {
      const events = await linkEvents(customer)
      return events.length < 3 ? undefined : events.map(({ actor_type, event_type }) => [event_type, actor_type])
    })
    assert.deepStrictEqual(kinds.slice(1), [
      ["customer.portal_link_created", "system"],
      ["customer.portal_link_mailed", "system"]
    ])
    assert.deepStrictEqual(await sql.query("SELECT * FROM mails"), [], "nothing of it is kept")
    const [mail] = await server.to(customer.email)
    assert.strictEqual(headerOf(mail!, "Subject"), "Your link to your licenses")
  })

  it("is spent once by two at once, on whichever node, and ends with a newer one", async () => {
    const customer = await browser.owner(1)
    const { token } = await browser.link(customer.email)
    const both = await Promise.all([browser.spend(token), onNode.spend(token)])
    assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [303, 404])
    const older = await browser.link(customer.email, 2)
    const newer = await browser.link(customer.email, 3)
    assert.strictEqual((await browser.spend(older.token)).status, 404)
    const spentThere = await onNode.spend(newer.token)
    assert.strictEqual(spentThere.status, 303)
    assert.include(await browser.page(cookieOf(spentThere)), "/portal/sign-out")
    const last = await browser.link(customer.email, 4)
    await eventually("its time has begun", async () => (await sql.query("SELECT 1 FROM mails"))[0] === undefined)
    await sql.query("UPDATE portal_links SET expires_at = now()")
    assert.strictEqual((await browser.spend(last.token)).status, 404)
  })

  it("is good for 15 minutes from when a mail server took it, however long one that greylists had it wait", async () => {
    const customer = await browser.owner(1)
    server.scripts.set(customer.email, [450])
    const made = await service.data("POST", `/api/v1/customers/${customer.id}/portal-links`, {})
    const minutesFrom = (instant: unknown) => (new Date(String(instant)).getTime() - Date.now()) / 60_000
    assert.approximately(minutesFrom(made.expires_at), 15, 1)
    const row = () => sql.query("SELECT k.expires_at FROM portal_links k WHERE $1 = ANY(customer_ids)", [customer.id])
    await eventually(
      "the mail waits",
      async () =>
        (await sql.query("SELECT 1 FROM mails WHERE customer_id = $1 AND last_reply IS NOT NULL", [customer.id]))[0]
    )
    assert.isAbove(minutesFrom((await row())[0]!.expires_at), 100)
    await sql.query("UPDATE portal_links SET created_at = created_at - interval '20 minutes'")
    await sql.query("UPDATE mails SET due_at = now(), created_at = created_at - interval '20 minutes'")
    const { token } = secretsOf((await server.to(customer.email))[0]!)
    await eventually("its time has begun", async () => minutesFrom((await row())[0]?.expires_at) < 16)
    assert.strictEqual((await browser.spend(token)).status, 303)
  })

  it("is asked for with the same answer and without a look at who has the address", async () => {
    const customer = await browser.owner(1)
    await sql.query("BEGIN")
    await sql.query("LOCK TABLE customers")
    const answers = await Promise.all([customer.email, "nobody@example.com"].map(async (email) => {
      const answer = await browser.ask("POST", "/links", {}, { email })
      const names = [...answer.headers.keys()].filter((name) => name !== "keep-alive")
      return { status: answer.status, names, html: await answer.text() }
    }))
    await sql.query("ROLLBACK")
    assert.deepStrictEqual(answers[0], answers[1])
    await server.to(customer.email)
    assert.isUndefined(server.named.get("nobody@example.com"))
    const wrong = await browser.ask("POST", "/links", {}, { email: "not an address" })
    assert.strictEqual(wrong.status, 422)
  })

  it("is not asked for, nor spent, by a form of another site", async () => {
    const customer = await browser.owner(1)
    const { browser: asking, code, token } = await browser.link(customer.email)
    for (const site of ["cross-site", "same-site", "none"]) {
      const from = { "sec-fetch-site": site }
      assert.strictEqual((await browser.ask("POST", "/links", from, { email: customer.email })).status, 401)
      assert.strictEqual((await browser.spend(token, from)).status, 401)
      assert.strictEqual((await browser.ask("POST", "/code", { ...asking, ...from }, { code })).status, 401)
    }
    assert.strictEqual((await browser.spend(token)).status, 303)
  })

  it("is limited by address and by network, alike for addresses that nobody has", async () => {
    const { email: known } = await browser.owner(0)
    // What follows a plus leads to the same mailbox.
    for (const emailOf of [(count: number) => `limited+${count}@example.com`, () => known]) {
      const statuses: Array<number> = []
      for (let count = 0; count < 11; count++) {
        statuses.push((await browser.ask("POST", "/links", {}, { email: emailOf(count) })).status)
      }
      assert.deepStrictEqual([statuses[9], statuses[10]], [200, 429])
    }
    const network = { "x-forwarded-for": "203.0.113.9" }
    const asked = await Promise.all(
      Array.from({ length: 70 }, (_, at) => browser.ask("POST", "/links", network, { email: `n${at}@example.com` }))
    )
    assert.isAbove(asked.filter(({ status }) => status === 429).length, 0)
  })
})

describe("the code of a link", () => {
  it("signs in the browser that asked, once, however it is typed, and no other browser", async () => {
    const customer = await browser.owner(1)
    const { browser: asking, code } = await browser.link(customer.email)
    const other = cookieOf(await browser.ask("POST", "/links", {}, { email: "other@example.com" }))
    for (const headers of [{}, other]) {
      assert.strictEqual((await browser.ask("POST", "/code", headers, { code })).status, 404)
    }
    const typed = ` ${code.toLowerCase().replace("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `
    const answer = await browser.ask("POST", "/code", asking, { code: typed })
    assert.strictEqual(answer.status, 303, await answer.text())
    assert.include(await browser.page(cookieOf(answer)), "/portal/sign-out")
    assert.strictEqual((await browser.ask("POST", "/code", asking, { code })).status, 404)
  })

  it("is found by no guessing: after ten codes the right one does not work either, and the link does", async () => {
    const customer = await browser.owner(1)
    const { browser: asking, code, token } = await browser.link(customer.email)
    const guesses = Number(process.env["PORTAL_GUESSES"] ?? "400")
    const guess = async (at: number) => {
      const tried = at.toString(32).toUpperCase().replaceAll(/[ILOU]/g, "Z").padStart(8, "0")
      return (await browser.ask("POST", "/code", asking, { code: tried })).status
    }
    const statuses = new Set<number>()
    for (let at = 0; at < guesses; at += 20) {
      for (const status of await Promise.all(Array.from({ length: 20 }, (_, more) => guess(at + more)))) {
        statuses.add(status)
      }
    }
    assert.deepStrictEqual([...statuses], [404])
    assert.deepStrictEqual(await sql.query("SELECT max(tries) AS tries FROM portal_links"), [{ tries: 10 }])
    assert.strictEqual((await browser.ask("POST", "/code", asking, { code })).status, 404)
    assert.strictEqual((await browser.spend(token)).status, 303)
    const network = { "x-forwarded-for": "203.0.113.10" }
    const links = await Promise.all(
      Array.from({ length: 30 }, (_, at) => browser.spend(`cpl_${String(at).padStart(43, "x")}`, network))
    )
    assert.include(links.map(({ status }) => status), 429)
  })
})

describe("a session by a link", () => {
  it("ends when the customer gets another address, is erased, or signs out", async () => {
    const customer = await browser.owner(1)
    const headers = await browser.enter(customer.email)
    const out = await browser.enter(customer.email, 2)
    await browser.ask("POST", "/sign-out", out)
    assert.deepStrictEqual([await browser.isOpen(headers), await browser.isOpen(out)], [true, false])
    const unspent = await browser.link(customer.email, 3)
    await service.data("PATCH", `/api/v1/customers/${customer.id}`, { email: "moved@example.com" })
    assert.isFalse(await browser.isOpen(headers))
    assert.strictEqual((await browser.spend(unspent.token)).status, 404)
    const moved = await browser.enter("moved@example.com")
    assert.isTrue(await browser.isOpen(moved))
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    assert.isFalse(await browser.isOpen(moved))
    assert.deepStrictEqual(
      await sql.query("SELECT 1 FROM portal_sessions WHERE $1 = ANY(customer_ids)", [customer.id]),
      []
    )
    await browser.ask("POST", "/links", {}, { email: "moved@example.com" })
    await browser.link((await browser.owner(0)).email)
    assert.strictEqual(server.named.get("moved@example.com"), 1)
  })

  it("is of one of several customers with one address, who is chosen", async () => {
    const one = await browser.owner(1)
    const other = await browser.owner(2, { email: one.email.toUpperCase() })
    const stranger = await browser.owner(1)
    const headers = await browser.enter(one.email)
    const choice = await browser.page(headers)
    for (const { name } of [one, other]) assert.include(choice, name)
    assert.strictEqual((await browser.ask("GET", `/licenses/${one.issued[0]!.license.id}`, headers)).status, 404)
    assert.strictEqual((await browser.ask("POST", `/customers/${stranger.id}`, headers)).status, 404)
    for (const chosen of [one, other]) {
      assert.strictEqual((await browser.ask("POST", `/customers/${chosen.id}`, headers)).status, 303)
      const list = await browser.page(headers)
      for (const customer of [one, other]) {
        for (const { license } of customer.issued) {
          assert.strictEqual(list.includes(license.id), customer === chosen)
        }
      }
    }
    assert.include(await browser.page(headers, "/customers"), one.name)
  })

  it("goes on when the key of a license is changed in it, and the event names the customer", async () => {
    const customer = await browser.owner(1)
    const [{ license }] = customer.issued as [Issued]
    const headers = await browser.enter(customer.email)
    const form = { last4: license.license_key_last4, old_key: "day" }
    const changed = await browser.ask("POST", `/licenses/${license.id}/license-key`, headers, form)
    assert.include(await changed.text(), "This is the new key.")
    assert.isNull(changed.headers.get("set-cookie"))
    assert.notInclude(await browser.page(headers), license.license_key_last4)
    const [event] = await service.feed(`&event_type=license.key_rotated&resource_id=${license.id}`)
    assert.deepInclude(event, { actor_type: "customer", actor_id: customer.id })
  })

  it("turns notices to the address off and on again; a session by a key does not", async () => {
    const customer = await browser.owner(1)
    const headers = await browser.enter(customer.email)
    const turn = async (notices: string, by = headers) =>
      (await browser.ask("POST", "/notices", by, { notices })).status
    const paused =
      async () => (await service.data("GET", `/api/v1/settings/mail/suppressions?address=${customer.email}`))
    assert.include(await browser.page(headers), "Stop notices")
    const key = await browser.enterByKey(customer.issued[0]!.key)
    assert.deepStrictEqual([await turn("off", key), await turn("maybe"), (await paused()).length], [404, 422, 0])
    assert.deepStrictEqual([await turn("off"), await turn("off")], [200, 200])
    assert.deepInclude((await paused())[0], { reason: "opted_out", created_by: { type: "customer", id: customer.id } })
    assert.include(await browser.page(headers), "Send notices again")
    assert.strictEqual(await turn("on"), 200)
    assert.lengthOf(await paused(), 0)
  })

  it("shows the purchases of the customer, with the login page of their provider; a session by a key does not", async () => {
    const shop = await openShop(service)
    const path = `/api/v1/billing/connections/${shop.connection.id}`
    const url = "https://billing.stripe.com/p/login/1?a=1&b=2"
    await service.data("PATCH", path, { customer_portal_url: url })
    const wrong = await service.call("PATCH", path, { body: { customer_portal_url: "http://insecure.example" } })
    assert.strictEqual(wrong.status, 422)
    const customer = await browser.owner(1)
    const unbought = await browser.enter(customer.email)
    assert.notInclude(await browser.page(unbought), "/portal/purchases")
    assert.include(await browser.page(unbought, "/purchases"), "You have no purchases.")
    const from = Date.UTC(2026, 1, 3) / 1000
    const [buy, other] = [sold({ from }), sold({ from })]
    await shop.sendAll([...buy.bought, ...other.bought])
    const price = { id: "price_pro", product: "prod_stripe", nickname: "Studio <Pro>" }
    await shop.send(buy.event("customer.subscription.updated", 60, {
      status: "past_due",
      item: { price },
      cancel_at: Date.UTC(2027, 1, 3) / 1000
    }))
    await shop.purchase(buy, ({ state, status }) => state === "past_due" && status === "done")
    await shop.license(other, ({ customer_id }) => customer_id !== undefined)
    const headers = await browser.enter(buy.email)
    assert.include(await browser.page(headers), "/portal/purchases")
    const html = await browser.page(headers, "/purchases")
    assert.include(html, "Studio &lt;Pro&gt; × 5")
    assert.include(
      html,
      "A payment is overdue. Bought on February 3, 2026. Paid until March 5, 2026. Ends on February 3, 2027."
    )
    assert.include(html, `${buy.id} at Stripe`)
    assert.include(html, `href="${url.replace("&", "&amp;")}"`)
    assert.notInclude(html, other.id)
    const key = await browser.enterByKey(customer.issued[0]!.key)
    assert.strictEqual((await browser.ask("GET", "/purchases", key)).status, 404)
    assert.notInclude(await browser.page(key), "/portal/purchases")
  })

  it("shows the units that a purchase gave and that can be used still", async () => {
    const shop = await openUnitShop(service, "stripe", "price_units", [{ value: "price_units", amount: 100 }])
    const buy = sold({ price: "price_units" })
    await shop.sendAll(buy.bought.map(bodyOf(true)))
    const license = await shop.license(buy)
    const [grant] = await shop.grants(license, (grants) => grants.length === 1)
    const headers = await browser.enter(buy.email)
    assert.include(await browser.page(headers, "/purchases"), "<span>Units: 500 × Rendering.</span>")
    await service.data("POST", `/api/v1/licenses/${license.id}/grants/${grant!["id"]}/revoke`, {})
    assert.notInclude(await browser.page(headers, "/purchases"), "Units:")
  })

  it("is what a customer who signed in by a key can ask for", async () => {
    const customer = await browser.owner(2)
    const key = await browser.enterByKey(customer.issued[0]!.key)
    assert.include(await browser.page(key), "All your licenses")
    const asked = await browser.ask("POST", "/all-licenses", key)
    assert.strictEqual(asked.status, 200)
    const [mail] = await server.to(customer.email)
    const { code } = secretsOf(mail!)
    const wide = cookieOf(
      await browser.ask("POST", "/code", { cookie: `${key["cookie"]}; ${cookieOf(asked)["cookie"]}` }, { code })
    )
    assert.include(await browser.page(wide), customer.issued[1]!.license.id)
    const [, event] = await linkEvents(customer)
    assert.deepInclude(event, {
      event_type: "customer.portal_link_created",
      actor_type: "license_holder",
      actor_id: customer.issued[0]!.license.id
    })
    const alone = await service.issue({})
    const none = await browser.enterByKey(alone.key)
    assert.strictEqual((await browser.ask("POST", "/all-licenses", none)).status, 409)
  })
})

describe("a link that the vendor makes", () => {
  const create = (customer: Body, body: object = {}) =>
    service.call("POST", `/api/v1/customers/${customer.id}/portal-links`, { body })

  it("is mailed, or handed over in the answer, in the name of who asked for it", async () => {
    const customer = await browser.owner(1)
    const mailed = await create(customer)
    assert.strictEqual(mailed.status, 200)
    assert.deepInclude(mailed.body.data, { delivery: "mail", recipient: customer.email, customer_id: customer.id })
    assert.notProperty(mailed.body.data, "url")
    const [mail] = await server.to(customer.email)
    assert.strictEqual(secretsOf(mail!).code, "")
    const printed = (await create(customer, { delivery: "response" })).body.data
    const token = new URL(printed.url).searchParams.get("token")!
    assert.strictEqual((await browser.spend(secretsOf(mail!).token)).status, 404)
    assert.strictEqual((await browser.spend(token)).status, 303)
    const created = (await linkEvents(customer)).filter(({ event_type }) => event_type.endsWith("created"))
    assert.deepStrictEqual(created.slice(1).map(({ actor_type, data }) => [actor_type, data.delivery]), [
      ["api_key", "mail"],
      ["api_key", "response"]
    ])
  })

  it("is sent by the command line, or printed there, which says why where there is none", async () => {
    const customer = await browser.owner(1)
    const command = (token: string, ...more: ReadonlyArray<string>) =>
      runCommand(["portal", "link", customer.id, ...more], { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: token })
    const sent = await command(adminToken)
    assert.strictEqual(sent.status, 0, sent.errors)
    assert.match(sent.output, new RegExp(`^A link is on its way to ${customer.email}; it works once, until `))
    assert.strictEqual((await browser.spend(secretsOf((await server.to(customer.email))[0]!).token)).status, 303)
    const printed = await command(adminToken, "--print")
    assert.include(printed.errors, "The link works once, until ")
    const url = new URL(printed.output.trim())
    assert.strictEqual(`${url.origin}${url.pathname}`, `${service.url}/portal/link`)
    assert.strictEqual((await browser.spend(url.searchParams.get("token")!)).status, 303)
    assert.lengthOf(await server.to(customer.email), 1, "a link that is printed is not mailed")
    testDatabaseOf(service)
    for (const more of [[], ["--print"]]) {
      const refused = await command(testToken, ...more)
      assert.deepStrictEqual([refused.status, refused.output], [1, ""])
      assert.include(refused.errors, "The portal is of the live environment.")
    }
  })

  it("is refused without an address, without the rights over keys, and for nobody", async () => {
    const nowhere = await browser.owner(0, { email: undefined })
    assert.strictEqual((await create(nowhere)).status, 409)
    assert.strictEqual((await create(nowhere, { delivery: "response" })).status, 200)
    assert.strictEqual((await create({ id: "cus_06eqpx1trxz3h94vqjm3a6kz7c" })).status, 404)
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "crm", scopes: ["customer:write"] })
    const call = (body: object) => service.call("POST", `/api/v1/customers/${nowhere.id}/portal-links`, { body, token })
    assert.deepStrictEqual([(await call({ delivery: "response" })).status, (await call({})).status], [403, 409])
  })
})
