// Licenses that their owners hand to another address: both confirm, and nothing in between is the next one's.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { headerOf, MailServer } from "../../fixtures/MailServer.ts"
import { cookieOf, offerOf, PortalBrowser } from "../../fixtures/PortalBrowser.ts"
import type { Texts } from "../../fixtures/PortalBrowser.ts"
import { learnSecret } from "../../fixtures/Secrets.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const server = await new MailServer().start()
const environment = {
  COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
  COUNTERSIGN_PORTAL: "on",
  COUNTERSIGN_SMTP_URL: server.url,
  COUNTERSIGN_MAIL_FROM: "licenses@acme.example"
}

let service: Service
let node: Service
let sql: Session
let browser: PortalBrowser
let onNode: PortalBrowser

beforeAll(async () => {
  service = await startService({ environment })
  node = await startService({ databaseUrl: service.databaseUrl, environment })
  sql = await session(service.databaseUrl)
  browser = new PortalBrowser(service, server)
  onNode = new PortalBrowser(node, server)
})

/** The owner of one license, who is signed in by a link. */
const owning = async () => {
  const owner = await browser.owner(1)
  const [issued] = owner.issued as [Issued]
  return { owner, issued, id: String(issued.license.id), headers: await browser.enter(owner.email) }
}

const ask = (id: string, headers: Texts, email: string, by = browser) =>
  by.ask("POST", `/licenses/${id}/transfer`, headers, { email })

/** The secret of the link in the first mail to an address. */
const offerTo = async (email: string): Promise<string> => offerOf((await server.to(email))[0]!)

const accept = (token: string, by = browser, headers: Texts = {}) => by.ask("POST", "/transfer", headers, { token })

const ownerOf = async (id: string): Promise<Body> => {
  const { customer_id } = await service.data("GET", `/api/v1/licenses/${id}`)
  return service.data("GET", `/api/v1/customers/${customer_id}`)
}

const kinds = async (id: string): Promise<ReadonlyArray<readonly [string, string]>> =>
  (await service.feed(`&resource_id=${id}`)).map(({ actor_type, event_type }: Body) => [event_type, actor_type])

describe("a license that is transferred to another address", () => {
  it("is the next owner's when both have confirmed: without devices, with a new key, and what was promised is done at once", async () => {
    const { headers, id, issued, owner } = await owning()
    await service.license("activate", issued.key, { fingerprint: "old-laptop" })
    assert.include(await browser.page(headers, `/licenses/${id}`), "Offer the license")
    const asked = await ask(id, headers, "next@example.com")
    assert.strictEqual(asked.status, 200)
    assert.include(await asked.text(), "The license was offered to next@example.com.")
    assert.include(await browser.page(headers, `/licenses/${id}`), "The license is offered to next@example.com until")
    const token = await offerTo("next@example.com")
    const [mail] = await server.to("next@example.com")
    assert.strictEqual(headerOf(mail!, "Subject"), "A license for Acme Studio is offered to you")
    assert.include(mail!.raw, owner.email)
    for (const method of ["GET", "HEAD", "GET"]) {
      const scanned = await browser.ask(method, `/transfer?token=${token}`, { "sec-fetch-site": "none" })
      assert.deepStrictEqual([scanned.status, scanned.headers.get("set-cookie")], [200, null])
      assert.strictEqual(scanned.headers.get("referrer-policy"), "strict-origin")
    }
    const page = await browser.page({ "accept-language": "de" }, `/transfer?token=${token}`)
    assert.include(page, `${owner.email} möchte next@example.com eine Lizenz für Acme Studio übertragen.`)
    assert.strictEqual((await service.license("validate", issued.key, { fingerprint: "old-laptop" })).status, 200)

    for (const site of ["cross-site", "same-site", "none"]) {
      assert.strictEqual((await accept(token, browser, { "sec-fetch-site": site })).status, 401)
    }
    const accepted = await accept(token, browser, { "accept-language": "ja" })
    const html = await accepted.text()
    assert.strictEqual(accepted.status, 200, html)
    const [, key = ""] = /class="key">([^<]+)</.exec(html) ?? []
    learnSecret("the key of the next owner", key)
    const next = cookieOf(accepted)
    assert.include(await browser.page(next, `/licenses/${id}`), key.slice(-4))
    assert.strictEqual((await browser.ask("GET", `/licenses/${id}`, headers)).status, 404)
    assert.strictEqual((await service.license("validate", issued.key, { fingerprint: "old-laptop" })).status, 401)
    const activated = await service.license("activate", key, { fingerprint: "new-laptop" })
    assert.strictEqual(activated.status, 200, activated.text)
    const devices = await service.data("GET", `/api/v1/licenses/${id}/devices?status=active`)
    assert.deepStrictEqual(devices.map(({ fingerprint }: Body) => fingerprint), ["new-laptop"])
    const now = await ownerOf(id)
    assert.deepStrictEqual([now.email, now.name, now.language], ["next@example.com", "next@example.com", "ja"])
    assert.strictEqual((await accept(token)).status, 404)
    assert.include(await browser.page({}, `/transfer?token=${token}`), "the offer is over")

    const events = await eventually("the mail is settled", async () => {
      const found = await kinds(id)
      return found.some(([kind]) => kind === "mail.sent") ? found : undefined
    })
    const own = new Set(["license.transfer_requested", "license.transferred", "license.key_rotated"])
    assert.deepStrictEqual(events.filter(([kind]) => own.has(kind)), [
      ["license.transfer_requested", "customer"],
      ["license.transferred", "customer"],
      ["license.key_rotated", "customer"]
    ])
    const told = JSON.stringify(await service.feed(`&resource_id=${id}`))
    assert.notInclude(told, "next@example.com", "who was offered it is in none of its events")
    assert.deepStrictEqual(await sql.query("SELECT * FROM license_transfer_requests"), [])
  })

  it("goes to the first of several customers with the address, and is accepted once, on whichever node", async () => {
    const first = await browser.owner(0, { email: "twins@example.com" })
    await browser.owner(0, { email: "Twins@example.com" })
    const { headers, id } = await owning()
    assert.strictEqual((await ask(id, headers, "TWINS@example.com", onNode)).status, 200)
    const token = await offerTo("TWINS@example.com")
    const both = await Promise.all([accept(token), accept(token, onNode)])
    assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [200, 404])
    assert.strictEqual((await ownerOf(id)).id, first.id)
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${id}`)).times_transferred, 1)
  })

  it("is offered to one at a time, until the owner takes it back", async () => {
    const { headers, id, owner } = await owning()
    await ask(id, headers, "one@example.com")
    const older = await offerTo("one@example.com")
    await ask(id, headers, "other@example.com")
    const newer = await offerTo("other@example.com")
    assert.strictEqual((await accept(older)).status, 404)
    const canceled = await browser.ask("POST", `/licenses/${id}/transfer/cancellation`, headers)
    assert.include(await canceled.text(), "The offer was canceled. The license stays yours.")
    assert.strictEqual((await accept(newer)).status, 404)
    assert.strictEqual((await browser.ask("POST", `/licenses/${id}/transfer/cancellation`, headers)).status, 404)
    assert.strictEqual((await ownerOf(id)).id, owner.id)
    await ask(id, headers, "third@example.com")
    const last = await offerTo("third@example.com")
    const [taken, back] = await Promise.all([
      accept(last, onNode),
      browser.ask("POST", `/licenses/${id}/transfer/cancellation`, headers)
    ])
    assert.include([[200, 404], [404, 200]].map(String), String([taken.status, back.status]))
    assert.strictEqual((await ownerOf(id)).id === owner.id, back.status === 200)
  })

  it("is no longer on offer when it changes hands, does not work, its owner is erased, or the time is over", async () => {
    const endings: ReadonlyArray<readonly [string, (id: string, owner: Body) => Promise<unknown>]> = [
      ["transferred by the vendor", async (id, owner) => {
        const other = await browser.owner(0)
        for (const customer_id of [other.id, owner.id]) {
          const headers = { "idempotency-key": randomUUID() }
          await service.data("POST", `/api/v1/licenses/${id}/transfer`, { customer_id }, { headers })
        }
      }],
      ["suspended", (id) => service.data("POST", `/api/v1/licenses/${id}/suspend`, {})],
      [
        "the term is off",
        (id) => service.data("PATCH", `/api/v1/licenses/${id}`, { overrides: { self_service_transfer: false } })
      ],
      ["erased", (_, owner) => service.data("POST", `/api/v1/customers/${owner.id}/erase`)],
      ["over", (id) => sql.query("UPDATE license_transfer_requests SET expires_at = now() WHERE license_id = $1", [id])]
    ]
    for (const [name, end] of endings) {
      const { headers, id, owner } = await owning()
      const email = `${name.replaceAll(" ", "-")}@example.com`
      assert.strictEqual((await ask(id, headers, email)).status, 200, name)
      const token = await offerTo(email)
      await end(id, owner)
      assert.strictEqual((await accept(token)).status, 404, name)
      const { customer_id } = await service.data("GET", `/api/v1/licenses/${id}`)
      assert.strictEqual(customer_id, owner.id, name)
    }
  })

  it("goes to nobody who is erased before", async () => {
    const { headers, id } = await owning()
    const asked = await browser.owner(0, { email: "leaves@example.com" })
    await ask(id, headers, "Leaves@example.com")
    const token = await offerTo("Leaves@example.com")
    await service.data("POST", `/api/v1/customers/${asked.id}/erase`)
    assert.strictEqual((await accept(token)).status, 404)
  })
})

describe("an owner who may not transfer a license", () => {
  it("is told why, and nothing changes; the same answer for known and unknown addresses", async () => {
    const { headers, id, issued, owner } = await owning()
    const known = (await browser.owner(0)).email
    const answers: Array<string> = []
    for (const email of [known, "nobody@example.com"]) {
      const answer = await ask(id, headers, email)
      assert.strictEqual(answer.status, 200)
      answers.push((await answer.text()).replaceAll(email, "").replaceAll(/until [^<]*/g, ""))
    }
    assert.strictEqual(answers[0], answers[1])
    const byKey = await browser.enterByKey(issued.key)
    assert.notInclude(await browser.page(byKey, `/licenses/${id}`), "Transfer the license")
    assert.strictEqual((await ask(id, byKey, "next@example.com")).status, 404)
    const refusals: ReadonlyArray<readonly [number, string, string, object?]> = [
      [422, "not an address", "This is not an email address."],
      [409, owner.email.toUpperCase(), "The license belongs to this address already."],
      [403, "a@example.com", "cannot be transferred at present", { self_service_transfer: false }],
      [403, "b@example.com", "cannot be transferred at present", { self_service: false }],
      [409, "c@example.com", "cannot be transferred at present", {
        max_transfers: 0,
        self_service: null,
        self_service_transfer: null
      }]
    ]
    for (const [status, email, text, overrides] of refusals) {
      if (overrides !== undefined) await service.data("PATCH", `/api/v1/licenses/${id}`, { overrides })
      const answer = await ask(id, headers, email)
      assert.deepStrictEqual([answer.status, email], [status, email])
      assert.include(await answer.text(), text)
      assert.isUndefined(server.named.get(email))
    }
    const without = { name: "Wrong", code: "wrong", license_type: "perpetual", self_service_transfer: true }
    const wrong = await service.call("POST", `/api/v1/products/${issued.product.id}/policies`, { body: without })
    assert.strictEqual(wrong.body.error.fields[0].message, "needs self_service: true")
  })

  it("sends no more mails to strangers than an hour allows", async () => {
    const { headers, id } = await owning()
    let status = 200
    let sent = 0
    while (status === 200 && sent < 100) status = (await ask(id, headers, `stranger-${++sent}@example.com`)).status
    assert.strictEqual(status, 429)
  })

  it("sends no more mails of all customers to one mailbox, whatever it is called", async () => {
    const owners = [await owning(), await owning()] as const
    const statuses: Array<number> = []
    for (let at = 0; at < 11; at++) {
      const { headers, id } = owners[at % 2]!
      statuses.push((await ask(id, headers, `Victim+${at}@example.com`)).status)
    }
    assert.deepStrictEqual([statuses[9], statuses[10]], [statuses[0], 429])
  })
})
