import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { onTestFinished } from "vitest"
import type { Provider } from "../../../src/domain/sales/providers/Provider.ts"
import { apiKeys, providerApis } from "../../fixtures/ProviderApis.ts"
import type { ProviderApis } from "../../fixtures/ProviderApis.ts"
import { refund, stand } from "../../fixtures/ProviderObjects.ts"
import type { Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let service: Service
let apis: ProviderApis
let policy: Body

const day = 86_400
const now = Math.floor(Date.now() / 1000)

beforeAll(async () => {
  apis = await providerApis()
  service = await startService({ environment: { COUNTERSIGN_PROVIDER_API_URL: apis.url } })
  const product = await service.data("POST", "/api/v1/products", { name: "Acme", code: randomUUID() })
  policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Pro",
    code: "pro",
    license_type: "subscription",
    follows_subscription: true,
    max_activations: 1
  })
})

/** Connects an account at a provider, which has nothing yet, and whose plan is mapped to the policy. */
const connect = (provider: Provider, more: Body = {}): Promise<Body> => {
  apis.has[provider] = {}
  return service.data("POST", "/api/v1/billing/connections", {
    provider,
    name: provider,
    api_key: apiKeys[provider],
    mapping: {
      prices: [{
        by: provider === "lemon_squeezy" ? "variant" : provider === "fastspring" ? "product" : "price",
        value: "plan",
        policy_id: policy.id,
        quantity: "seats"
      }]
    },
    ...more
  })
}

const pathOf = ({ id }: Body): string => `/api/v1/billing/connections/${id}`

const ask = (connection: Body, body: Body = {}): Promise<Body> =>
  service.data("POST", `/api/v1/billing/connections/${connection.id}/reconcile`, body)

const reached = (id: string, is: (reconciliation: Body) => boolean): Promise<Body> =>
  eventually(`the reconciliation ${id} is as is asked for`, async () => {
    const found = await service.data("GET", `/api/v1/billing/reconciliations/${id}`)
    return is(found) ? found : undefined
  })

const isOver = ({ status }: Body): boolean => status === "done" || status === "failed"

/** Reconciles a connection to the end. */
const reconcile = async (connection: Body, body: Body = {}): Promise<Body> => {
  const over = await reached((await ask(connection, body)).id, isOver)
  assert.strictEqual(over.status, "done", JSON.stringify(over))
  return over
}

/** What was found, as texts. */
const found = ({ findings }: Body): ReadonlyArray<string> =>
  findings.map(({ external_id, fields, finding }: Body) => [finding, external_id, ...fields].join(" "))

/** The license of a purchase, once it is as is asked for. */
const license = (id: string, is: (license: Body) => boolean): Promise<Body> =>
  eventually(`the license of ${id}`, async () => {
    const [purchase] = await service.data("GET", `/api/v1/billing/purchases?external_id=${id}`)
    const [held] = purchase?.licenses ?? []
    if (held === undefined) return undefined
    const license = await service.data("GET", `/api/v1/licenses/${held.license_id}`)
    return is(license) ? license : undefined
  })

const seats = (count: number) => ({ overrides, status }: Body) =>
  status === "active" && overrides?.max_activations === count

/** Closes single purchases to what is read before a look, so that a reconciliation alone finds what differs. */
const readLists = (provider: "chargebee" | "fastspring") => {
  const single = provider === "chargebee"
    ? /^\/chargebee\/api\/v2\/subscriptions\//
    : /^\/fastspring\/subscriptions\/\w+$/
  apis.respond = (path, response) => {
    if (!single.test(path)) return false
    response.writeHead(503).end()
    return true
  }
  onTestFinished(() => {
    apis.respond = () => false
  })
}

/** A number is an id everywhere. */
let made = 1000
const nextId = (): string => String(++made)

describe.each(
  someOf("providers that are reconciled", ["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"] as const, 2)
)("a reconciliation with %s", (
  provider
) => {
  it("finds and mends what events were lost of, and a second one finds nothing", async () => {
    const connection = await connect(provider)
    const ids = Array.from({ length: 5 }, nextId)
    for (const id of ids) stand(apis, provider, { id, quantity: 5, changed: now - 3600 })
    const missing = ids.map((id) => `missing ${id}`)

    const dry = await reconcile(connection, { dry_run: true })
    assert.includeMembers([...found(dry)], missing)
    assert.deepInclude(dry, { dry_run: true, missing: 5, differs: 0, unknown: 0, same: 0 })
    assert.deepStrictEqual(
      await service.data("GET", `/api/v1/billing/purchases?connection_id=${connection.id}`),
      []
    )

    const first = await reconcile(connection)
    assert.deepStrictEqual(found(first).filter((text) => text.startsWith("missing")), missing)
    for (const id of ids) await license(id, seats(5))
    // What was read is not read again, one by one, before it is looked at. A page of FastSpring that has one object names it.
    const single = /\/(subscriptions|sessions|transactions|orders)\/[^,?]+(\?|$)/
    const own = apis.asked.filter((path) => single.test(path) && ids.some((id) => path.includes(id)))
    if (provider !== "fastspring") assert.deepStrictEqual(own, [])
    const [purchase] = await service.data("GET", `/api/v1/billing/purchases?external_id=${ids[0]}`)
    assert.isDefined(purchase.period_end)
    await eventually("the address is known", async () => {
      const [{ payer }] = await service.data("GET", `/api/v1/billing/purchases?external_id=${ids[0]}`)
      return payer.email === `${ids[0]}@example.com`
    })
    assert.deepInclude(await reconcile(connection), { same: 5, missing: 0, differs: 0, unknown: 0, findings: [] })

    // Providers tell their time in seconds: of two reads in one second none is the later one.
    const lastRead = Math.floor(Date.now() / 1000)
    await eventually("the provider's clock goes on", () => Math.floor(Date.now() / 1000) > lastRead)
    stand(apis, provider, { id: ids[1]!, quantity: 8, changed: now - 1800 })
    stand(apis, provider, { id: ids[3]!, quantity: 5, changed: now - 1200, isActive: false })
    const second = await reconcile(connection)
    assert.deepInclude(second, { missing: 0, differs: 2, unknown: 0 })
    const [changed, ended] = second.findings
    assert.deepInclude(changed, { external_id: ids[1], finding: "differs" })
    assert.include(changed.fields, "items")
    assert.deepInclude(ended, { external_id: ids[3], finding: "differs" })
    assert.includeMembers(ended.fields, ["state", "ended_at"])
    await license(ids[1]!, seats(8))
    await license(ids[3]!, ({ status }) => status === "expired")
    assert.deepInclude(await reconcile(connection), { same: 5, missing: 0, differs: 0, unknown: 0 })
  })
})

describe.each(someOf("refunds without an event", ["chargebee", "fastspring"] as const, 1))(
  "a refund at %s of which no event came",
  (provider) => {
    it("is found: a part of the money ends nothing, and all of it ends the license", async () => {
      readLists(provider)
      const connection = await connect(provider)
      const paid = provider === "chargebee" ? 4900 : 49
      const [part, whole] = [nextId(), nextId()]
      for (const id of [part, whole]) stand(apis, provider, { id, quantity: 5, changed: now - 3600 })
      await reconcile(connection)
      for (const id of [part, whole]) await license(id, seats(5))
      refund(apis, provider, part, paid / 7, now - 1800)
      refund(apis, provider, whole, paid / 7, now - 1800)
      refund(apis, provider, whole, 6 * paid / 7, now - 900)
      const dry = await reconcile(connection, { dry_run: true })
      const both = [`differs ${part} refund`, `differs ${whole} refund`]
      assert.sameMembers([...found(dry)], both)
      assert.sameMembers([...found(await reconcile(connection))], both)
      await license(whole, ({ status }) => status === "expired")
      await license(part, seats(5))
      assert.deepInclude(await reconcile(connection), { same: 2, missing: 0, differs: 0, unknown: 0 })
    })
  }
)

describe("a reconciliation", () => {
  it("reports what the provider does not know, and leaves it as it is", async () => {
    const connection = await connect("stripe")
    const id = nextId()
    stand(apis, "stripe", { id, quantity: 3, changed: now - 3600 })
    await reconcile(connection)
    await license(id, seats(3))
    const { stripe } = apis.has
    apis.has.stripe = {}
    try {
      const { findings } = await reconcile(connection)
      const unknown = findings.find(({ external_id }: Body) => external_id === id)
      assert.deepInclude(unknown, { finding: "unknown", kind: "subscription", fields: [] })
      assert.match(unknown.purchase_id, /^pur_/)
      await license(id, seats(3))
    } finally {
      apis.has.stripe = stripe
    }
  })

  it("takes nothing of a provider's test mode in the live environment", async () => {
    const connection = await connect("stripe")
    const id = nextId()
    stand(apis, "stripe", { id, quantity: 3, changed: now - 3600 })
    const [only] = apis.has.stripe["subscriptions"]!
    apis.has.stripe["subscriptions"] = [{ ...only, livemode: false }]
    const { findings } = await reconcile(connection)
    assert.deepStrictEqual(findings, [])
  })

  it("says which list its key is closed to, and reads the others", async () => {
    const connection = await connect("paddle")
    const id = nextId()
    stand(apis, "paddle", { id, quantity: 3, changed: now - 3600 })
    apis.respond = (path, response) => {
      if (!path.startsWith("/paddle/customers")) return false
      response.writeHead(403).end("{}")
      return true
    }
    const over = await reconcile(connection)
    apis.respond = () => false
    assert.deepInclude(over, { missing: 1, unknown: 0 })
    assert.deepInclude(over.failure, { code: "partly_read" })
    assert.include(over.failure.message, "/customers")
    await license(id, seats(3))
  })

  it("finds a refund that was pending when it was read before, and a return whose event was lost", async () => {
    const connection = await connect("stripe")
    const id = nextId()
    stand(apis, "stripe", { id, quantity: 3, changed: now - 3600 })
    const refund = (status: string) => ({
      id: `re_${id}`,
      object: "refund",
      status,
      amount: 4900,
      currency: "eur",
      created: now - 600,
      payment_intent: `pi_${id}`
    })
    apis.has.stripe["refunds"] = [refund("pending")]
    await reconcile(connection)
    await license(id, seats(3))
    apis.has.stripe["refunds"] = [refund("succeeded")]
    assert.deepStrictEqual(found(await reconcile(connection)), [`differs ${id} refund`])
    await license(id, ({ status }) => status !== "active")

    readLists("chargebee")
    const site = await connect("chargebee")
    const back = nextId()
    stand(apis, "chargebee", { id: back, quantity: 2, changed: now - 3600 })
    await reconcile(site)
    stand(apis, "chargebee", { id: back, quantity: 2, changed: now - 1800, isActive: false })
    await reconcile(site)
    await license(back, ({ status }) => status === "expired")
    stand(apis, "chargebee", { id: back, quantity: 2, changed: now - 900 })
    assert.include((await reconcile(site)).findings[0].fields, "state")
    await license(back, seats(2))
  })

  it("gives nobody a license for a purchase that is over", async () => {
    const connection = await connect("paddle")
    const id = nextId()
    stand(apis, "paddle", { id, quantity: 3, changed: now - 3600, isActive: false })
    const { findings } = await reconcile(connection)
    assert.notInclude(findings.map(({ external_id }: Body) => external_id), id)
    assert.deepStrictEqual(await service.data("GET", `/api/v1/billing/purchases?external_id=${id}`), [])
  })

  it("finds a refund by the payment of its invoice, and the price of what is paid once", async () => {
    const forever = await service.data("POST", `/api/v1/products/${policy.product_id}/policies`, {
      name: "Forever",
      code: "forever",
      license_type: "perpetual",
      max_activations: 1
    })
    const connection = await connect("stripe", {
      mapping: {
        prices: [
          { by: "price", value: "plan", policy_id: policy.id, quantity: "seats" },
          { by: "price", value: "once", policy_id: forever.id, quantity: "seats" }
        ]
      }
    })
    const id = nextId()
    stand(apis, "stripe", { id, quantity: 3, changed: now - 3600 })
    const session = `cs_${id}`
    apis.has.stripe["checkout/sessions"] = [{
      id: session,
      object: "checkout.session",
      status: "complete",
      mode: "payment",
      payment_status: "paid",
      payment_intent: `pi_once_${id}`,
      created: now - 3 * day,
      customer_details: { email: `${id}@example.com`, name: "Ada Lovelace" },
      amount_total: 4900,
      currency: "eur",
      metadata: {},
      line_items: { data: [{ id: "li_1", price: { id: "once", product: "prod_1" }, quantity: 4 }] }
    }]
    await reconcile(connection)
    await license(id, seats(3))
    await license(session, seats(4))
    apis.has.stripe["refunds"] = [{
      id: `re_${id}`,
      object: "refund",
      status: "succeeded",
      amount: 4900,
      currency: "eur",
      created: now - 600,
      payment_intent: `pi_${id}`
    }]
    try {
      const over = await reconcile(connection)
      assert.deepInclude(over.findings.find(({ external_id }: Body) => external_id === id), {
        finding: "differs",
        fields: ["refund"]
      })
      await license(id, ({ status }) => status !== "active")
      const [order] = await service.data("GET", `/api/v1/billing/purchases?external_id=${session}`)
      assert.deepInclude(order, { kind: "order", state: "paid" })
    } finally {
      apis.has.stripe["refunds"] = []
      apis.has.stripe["checkout/sessions"] = []
    }
  })

  it("brings nothing back of a customer who was erased", async () => {
    const connection = await connect("chargebee")
    const id = nextId()
    stand(apis, "chargebee", { id, quantity: 2, changed: now - 3600 })
    await reconcile(connection)
    const { customer_id } = await license(id, seats(2))
    await eventually("the address is known", async () => {
      const [{ payer }] = await service.data("GET", `/api/v1/billing/purchases?external_id=${id}`)
      return payer.email !== undefined
    })
    await service.data("POST", `/api/v1/customers/${customer_id}/erase`, {})
    const quiet = await reconcile(connection)
    assert.notInclude(quiet.findings.map(({ external_id }: Body) => external_id), id)
    stand(apis, "chargebee", { id, quantity: 6, changed: now - 1800 })
    await reconcile(connection)
    await license(id, seats(6))
    const [{ payer }] = await service.data("GET", `/api/v1/billing/purchases?external_id=${id}`)
    assert.notProperty(payer, "email")
    assert.notProperty(payer, "name")
  })

  it("is refused without an API key, twice at once, and where there is no connection", async () => {
    const none = await service.data("POST", "/api/v1/billing/connections", { provider: "stripe", name: "No key" })
    refused(await service.call("POST", `${pathOf(none)}/reconcile`, { body: {} }), 409, "STATE_CONFLICT")
    refused(
      await service.call("POST", "/api/v1/billing/connections/bcn_06eqpx1trxz3h94vqjm3a6kz7c/reconcile", { body: {} }),
      404,
      "NOT_FOUND"
    )
    const connection = await connect("fastspring")
    let isHeld = true
    apis.respond = (path, response) => {
      if (!isHeld || !path.startsWith("/fastspring/")) return false
      response.writeHead(503).end()
      return true
    }
    const { id } = await ask(connection)
    refused(await service.call("POST", `${pathOf(connection)}/reconcile`, { body: {} }), 409, "STATE_CONFLICT")
    isHeld = false
    assert.strictEqual((await reached(id, isOver)).status, "done")
    const listed = await service.data("GET", `/api/v1/billing/connections/${connection.id}/reconciliations`)
    assert.deepStrictEqual(listed.map((one: Body) => one.id), [id])
  })
})

describe("a provider that does not answer as it should", () => {
  it("ends the reconciliation where it refuses the key", async () => {
    const connection = await connect("stripe", { api_key: "rk_live_revoked_0123456789" })
    const over = await reached((await ask(connection)).id, isOver)
    assert.deepInclude(over, { status: "failed", pages: 0 })
    assert.deepInclude(over.failure, { code: "api_key_refused" })
    const wrong = await connect("chargebee", { api_key: "a_key_without_its_site" })
    assert.deepInclude((await reached((await ask(wrong)).id, isOver)).failure, { code: "api_key_refused" })
  })

  it("ends the reconciliation where the key reads what is of the provider's test mode", async () => {
    const connection = await connect("lemon_squeezy")
    stand(apis, "lemon_squeezy", { id: nextId(), quantity: 2, changed: now - 3600 })
    for (const { attributes } of apis.has.lemon_squeezy["subscriptions"]!) attributes.test_mode = true
    const { failure, findings } = await reached((await ask(connection)).id, isOver)
    assert.deepStrictEqual(findings, [])
    assert.deepInclude(failure, { code: "api_key_refused" })
    assert.include(failure.message, "live environment")
  })

  it.each(
    [
      ["asks to come again later", 429, { "retry-after": "1" }, "{}", "rate_limited"],
      ["fails", 503, {}, "", "unavailable"],
      ["answers something else", 200, { "content-type": "text/html" }, "<html>Sign in</html>", "unreadable"],
      ["answers what is no list", 200, {}, "[]", "unreadable"],
      ["breaks off", 0, {}, "", "unavailable"]
    ] as const
  )("is waited for where it %s", async (_, status, headers, body, code) => {
    const connection = await connect("paddle")
    const id = nextId()
    stand(apis, "paddle", { id, quantity: 2, changed: now - 3600 })
    let isWell = false
    apis.respond = (path, response) => {
      if (isWell || !path.startsWith("/paddle/")) return false
      if (status === 0) response.destroy()
      else response.writeHead(status, headers).end(body)
      return true
    }
    const { id: reconciliation } = await ask(connection)
    const waiting = await reached(reconciliation, ({ failure }) => failure !== undefined)
    assert.deepInclude(waiting, { pages: 0 })
    assert.deepInclude(waiting.failure, { code })
    isWell = true
    assert.strictEqual((await reached(reconciliation, isOver)).status, "done")
    apis.respond = () => false
    await license(id, seats(2))
  })
})
