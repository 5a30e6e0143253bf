import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { CountersignOptions, Resources } from "../../../src/client/api/index.ts"
import { Countersign, isCountersignError } from "../../../src/client/api/index.ts"
import { operations } from "../../../src/client/api/operations.gen.ts"
import { verifyEnvelope } from "../../../src/client/verify/index.ts"
import { effectFlavour } from "../../fixtures/EffectFlavour.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { openShop, sold } from "../../fixtures/StripeShop.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const service = await startService()
testDatabaseOf(service)

/** What was called and succeeded, as the lines of the table have it: `GET /api/v1/products`. */
const succeeded = new Set<string>()

const templates = Object.values(operations).flatMap((group) => Object.values(group)).map((line) => {
  const [method = "", path = ""] = line.split(" ")
  const pattern = path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")
  return { line, method, weight: path.split("{").length, pattern: new RegExp(`^${pattern}$`) }
}).toSorted((a, b) => a.weight - b.weight)

/** The platform's, and remembers which operations it was used for. */
const watched: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init)
  const { pathname } = new URL(String(input))
  const found = templates.find(({ method, pattern }) => method === init?.method && pattern.test(pathname))
  if (answer.ok && found !== undefined) succeeded.add(found.line)
  return answer
}

const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString()

/** The client, and how it is made: of promises, and of effects. */
const flavours: ReadonlyArray<readonly [name: string, open: (options: CountersignOptions) => Resources]> = [
  ["promises", (options) => new Countersign(options)],
  ["effects", effectFlavour]
]
const clientOf = (open: (typeof flavours)[number][1]) =>
  open({ baseUrl: service.url, token: adminToken, fetch: watched })

/** A product with a policy of this kind. */
const offerOf = (client: Resources) => async (rules: { readonly [name: string]: unknown } = {}) => {
  const product = await client.products.create({ name: "Studio", code: randomUUID() })
  const policy = await client.policies.create(product.id, {
    name: "Team",
    code: randomUUID(),
    license_type: "subscription",
    ...rules
  })
  return { product, policy }
}

describe.each(flavours)("every operation is a method, in %s", (flavour, open) => {
  const client = clientOf(open)
  const offer = offerOf(client)
  beforeAll(() => succeeded.clear())

  it("of the catalogue", async () => {
    const { policy, product } = await offer()
    assert.deepStrictEqual(await client.products.get(product.id), product)
    assert.strictEqual((await client.products.update(product.id, { name: "Part" })).name, "Part")
    assert.isNotEmpty(await client.products.list())
    const version = await client.versions.create(product.id, { version: "1.0" })
    assert.deepStrictEqual(await client.versions.get(product.id, version.id), version)
    await client.versions.update(product.id, version.id, { metadata: { note: "kept" } })
    assert.deepStrictEqual((await client.versions.list(product.id)).map(({ id }) => id), [version.id])
    assert.isUndefined(await client.versions.delete(product.id, version.id))
    const feature = await client.features.create(product.id, { name: "Export", code: "export" })
    assert.strictEqual((await client.features.get(feature.id)).code, "export")
    await client.features.update(feature.id, { name: "Exports" })
    assert.lengthOf(await client.features.list(product.id), 1)
    await client.policies.assignFeature(product.id, policy.id, { feature_id: feature.id, max_consumptions: 5 })
    assert.lengthOf(await client.policies.listFeatures(product.id, policy.id), 1)
    await client.policies.removeFeature(product.id, policy.id, feature.id)
    await client.features.delete(feature.id)
    assert.strictEqual((await client.policies.get(policy.id)).id, policy.id)
    assert.lengthOf(await client.policies.list(product.id), 1)
    await client.policies.update(policy.id, { name: "Teams" })
    await client.policies.delete(policy.id)
    await client.products.delete(product.id)
  })

  it("of the test environment", async () => {
    const test = open({ baseUrl: service.url, token: testToken, fetch: watched })
    const { name, now } = await test.environment.get()
    assert.strictEqual(name, "test")
    const moved = await test.environment.moveClock({ advance: "P1D" })
    assert.isAtLeast(Date.parse(moved.now) - Date.parse(now), 86_400_000)
    assert.isFalse((await test.environment.reset()).clock_moved)
  })

  it("of customers and their fields", async () => {
    const { product } = await offer()
    const customer = await client.customers.create({ name: "Ångström & Søn", code: randomUUID() })
    assert.strictEqual((await client.customers.get(customer.id)).name, "Ångström & Søn")
    await client.customers.update(customer.id, { email: "a@example.com" })
    assert.lengthOf(await client.customers.list({ email: "a@example.com" }), 1)
    const field = await client.customFields.create(product.id, {
      resource_type: "customer",
      code: "region",
      name: "Region",
      value_type: "string"
    })
    assert.strictEqual((await client.customFields.get(product.id, field.id)).code, "region")
    await client.customFields.update(product.id, field.id, { name: "Regions" })
    assert.lengthOf(await client.customFields.list(product.id), 1)
    const value = await client.customers.upsertCustomFieldValue(customer.id, field.id, { string_value: "eu" })
    assert.strictEqual(value?.string_value, "eu")
    assert.lengthOf(await client.customers.listCustomFieldValues(customer.id), 1)
    assert.isUndefined(await client.customers.upsertCustomFieldValue(customer.id, field.id, { clear: true }))
    await client.customFields.delete(product.id, field.id)
    await client.customers.erase(customer.id)
    const other = await client.customers.create({ name: "Gone", code: randomUUID() })
    await client.customers.delete(other.id)
  })

  it("of orders and subscriptions", async () => {
    const { product } = await offer()
    const subscription = await client.subscriptions.create(product.id, {
      external_system: "shop",
      external_id: randomUUID(),
      status: "active",
      current_period_start: "2026-01-01T00:00:00Z",
      current_period_end: inAYear
    })
    assert.strictEqual((await client.subscriptions.get(subscription.id)).status, "active")
    await client.subscriptions.update(subscription.id, { cancel_at_period_end: true })
    assert.lengthOf(await client.subscriptions.list(product.id), 1)
    const order = await client.orders.create(product.id, {
      external_system: "shop",
      external_id: randomUUID(),
      status: "paid"
    })
    assert.strictEqual((await client.orders.get(order.id)).status, "paid")
    await client.orders.update(order.id, { metadata: { note: "kept" } })
    assert.lengthOf(await client.orders.list(product.id), 1)
    const report = await client.reports.subscriptionSettlement({ subscription_id: subscription.id })
    assert.isObject(report)
    await client.orders.delete(order.id)
    await client.subscriptions.delete(subscription.id)
  })

  it("of licenses", async () => {
    const { policy, product } = await offer({
      max_activations: 2,
      max_floating_users: 2,
      allow_offline_activation: true
    })
    const other = await client.policies.create(product.id, { name: "B", code: "b", license_type: "subscription" })
    const customer = await client.customers.create({ name: "A", code: randomUUID() })
    const { license, license_key } = await client.licenses.create({
      product_id: product.id,
      policy_id: policy.id,
      customer_id: customer.id,
      expires_at: inAYear
    })
    const { id } = license
    const many = await client.licenses.createMany({ licenses: [{ product_id: product.id, policy_id: policy.id }] })
    assert.isDefined(many)
    assert.isDefined((await client.licenses.get(id, { include_terms: true })).terms)
    assert.lengthOf(await client.licenses.list({ product_id: product.id }), 2)
    assert.strictEqual((await client.licenses.lookup({ license_key })).id, id)
    assert.strictEqual((await client.licenses.search({ text: license_key })).licenses[0]?.id, id)
    assert.isArray((await client.licenses.explain(id, {})).findings)
    await client.licenses.update(id, { customer_name: "A" })
    await client.licenses.renew(id, { extend_by_days: 31 })
    const feature = await client.features.create(product.id, { name: "Export", code: "export" })
    await client.licenses.assignFeature(id, { feature_id: feature.id, max_consumptions: 10 })
    assert.lengthOf(await client.licenses.listFeatures(id), 1)
    await client.licenses.resetUsage(id, { feature_code: "export", add_credits: 5 })
    await client.licenses.removeFeature(id, feature.id)
    const field = await client.customFields.create(product.id, {
      resource_type: "license",
      code: "seat",
      name: "Seat",
      value_type: "integer"
    })
    await client.licenses.upsertCustomFieldValue(id, field.id, { integer_value: 7 })
    assert.lengthOf(await client.licenses.listCustomFieldValues(id), 1)
    await client.runtime.activate({ fingerprint: "a" }, { licenseKey: license_key })
    await client.runtime.checkout({ fingerprint: "b" }, { licenseKey: license_key })
    const [device] = await client.licenses.listDevices(id, { order: "asc" })
    assert.strictEqual((await client.licenses.getDevice(id, device!.id)).id, device!.id)
    const [lease] = await client.licenses.listLeases(id)
    await client.licenses.releaseLease(id, lease!.id)
    await client.licenses.blacklistDevice(id, device!.id)
    await client.licenses.resetDevice(id, device!.id)
    const { file } = await client.offlineFiles.issue(id, { fingerprint: "air-gapped", license_key })
    assert.lengthOf(await client.offlineFiles.list(id), 1)
    await client.offlineFiles.revoke(id, file.id)
    await client.licenses.rotateKey(id, { overlap_minutes: 0 })
    await client.licenses.changePolicy(id, { policy_id: other.id })
    await client.licenses.suspend(id)
    assert.strictEqual((await client.licenses.reinstate(id)).status, "active")
    await client.licenses.transfer(id, { customer_id: customer.id })
    assert.strictEqual((await client.licenses.revoke(id)).status, "revoked")
    assert.isObject(await client.reports.licenseAudit({ license_id: id }))
    assert.isObject(await client.reports.customerSummary({ customer_id: customer.id }))
  })

  it("of apps, whose answers are signed", async () => {
    const { policy, product } = await offer({
      max_activations: 3,
      max_floating_users: 1,
      allow_offline_activation: true,
      offline_grace_days: 3,
      self_service: true
    })
    const feature = await client.features.create(product.id, { name: "Export", code: "export" })
    await client.policies.assignFeature(product.id, policy.id, { feature_id: feature.id, max_consumptions: 5 })
    const { license_key } = await client.licenses.create({ product_id: product.id, policy_id: policy.id })
    const app = open({ baseUrl: service.url, licenseKey: license_key, fetch: watched }).runtime
    const publicKeys = await client.system.listPublicKeys()
    const body = { fingerprint: "desktop" }
    const nonce = randomUUID()
    const { data, response } = await app.activate(body, { nonce }).withResponse()
    const verified = await verifyEnvelope({ body: response.text, publicKeys, expected: { nonce } })
    assert.strictEqual(verified.data["license_id"], data.license_id)
    assert.strictEqual((await app.validate(body)).license_id, data.license_id)
    assert.strictEqual((await app.check(body)).license_id, data.license_id)
    await app.consume({ ...body, feature_code: "export", amount: 1, event_id: randomUUID() })
    const lease = await app.checkout({ fingerprint: "guest" })
    const beat = await app.heartbeat({ lease_token: lease.lease_token })
    await app.checkin({ lease_token: beat.lease_token ?? lease.lease_token })
    assert.isString((await app.issueOffline(body)).ciphertext)
    const devices = await app.listDevices({ device_id: data.device_id })
    assert.isNotEmpty(devices)
    await app.deactivate(body)
    const next = await app.activate({ fingerprint: "other" })
    await app.releaseDevice(next.device_id)
    assert.isNumber((await client.runtime.getRevocations()).number)
    const trial = await client.policies.create(product.id, {
      name: "Trial",
      code: "trial",
      license_type: "trial",
      duration: "P14D"
    })
    const key = await client.publishableKeys.create(product.id, { name: "app", policy_id: trial.id })
    const opened = await client.runtime.openTrial({ fingerprint: "new" }, { publishableKey: key.key })
    assert.isString(opened.license_key)
    assert.lengthOf(await client.publishableKeys.list(product.id), 1)
    await client.publishableKeys.revoke(key.id)
  })

  it("of payment providers, and of records that are put by the IDs of their systems", async () => {
    const shop = await openShop(service)
    const { billingConnections, purchases } = client
    const made = await billingConnections.create({ provider: "paddle", name: "Paddle" })
    assert.strictEqual((await billingConnections.get(made.id)).name, "Paddle")
    assert.strictEqual((await billingConnections.update(made.id, { name: "Shop" })).name, "Shop")
    assert.isNotEmpty(await billingConnections.list())
    await billingConnections.delete(made.id)
    const buy = sold({ price: "price_nobody_mapped" })
    await shop.sendAll(buy.bought)
    const waiting = await shop.purchase(buy, ({ status }) => status === "waiting")
    // The provider sends them, signed: the client has nothing to send.
    succeeded.add(`POST /api/v1/billing/connections/{id}/events none data - -`)
    assert.isNotEmpty(await purchases.list())
    assert.strictEqual((await purchases.get(waiting.id)).id, waiting.id)
    assert.strictEqual((await purchases.retry(waiting.id)).id, waiting.id)
    await purchases.listUnmappedPrices()
    const keyed = await billingConnections.create({
      provider: "chargebee",
      name: "Site",
      api_key: "a-key-without-a-site"
    })
    const asked = await billingConnections.reconcile(keyed.id, { dry_run: true })
    assert.strictEqual((await billingConnections.getReconciliation(asked.id)).connection_id, keyed.id)
    assert.lengthOf(await billingConnections.listReconciliations(keyed.id), 1)
    const { product } = await offer()
    const customer = await client.customers.put("shop", randomUUID(), { name: "Ada" })
    const id = randomUUID()
    const period = { current_period_start: "2026-01-01T00:00:00Z", current_period_end: inAYear }
    const of = { customer_id: customer.id }
    assert.strictEqual(
      (await client.subscriptions.put(product.id, "shop", id, { ...of, ...period, status: "active" })).external_id,
      id
    )
    assert.strictEqual((await client.orders.put(product.id, "shop", id, { ...of, status: "paid" })).external_id, id)
  })

  it("of webhooks, events and activities", async () => {
    const { webhook } = await client.webhooks.create({ name: "All", url: "http://127.0.0.1:9/hook" })
    assert.strictEqual((await client.webhooks.get(webhook.id)).id, webhook.id)
    await client.webhooks.update(webhook.id, { is_active: false })
    assert.strictEqual((await client.webhooks.test(webhook.id)).class, "connect")
    assert.isAtLeast((await client.webhooks.resumeFromNow(webhook.id)).skipped_events, 0)
    assert.isNotEmpty(await client.webhooks.list())
    assert.isObject(await client.webhooks.getHealth())
    await client.webhooks.delete(webhook.id)
    const feed = await service.feed()
    const events = await client.events.list({ limit: 200 })
    assert.deepStrictEqual(events.map(({ sequence }) => sequence), feed.slice(0, 200).map(({ sequence }) => sequence))
    assert.lengthOf(await client.events.listEpochs(), 1)
    const checkpoint = await eventually(
      "a checkpoint",
      () => client.events.getCheckpoint().catch(() => undefined)
    )
    assert.isAbove(checkpoint.tree_size, 0)
    assert.isObject(await client.events.getConsistency({ from: 1, to: 2 }))
    assert.strictEqual((await client.events.getProof(events[0]!.id)).sequence, 1)
    assert.isNotEmpty(await client.activities.list())
    assert.isObject(await client.reports.usageSummary())
    assert.isArray(await client.reports.usageLedger())
    assert.isObject(await client.reports.purchases())
  })

  it("of exports, whose files are left to the caller", async () => {
    const made = await client.reportExports.create({ report_kind: "usage-summary", format: "csv" })
    await eventually("it is ready", async () => (await client.reportExports.get(made.id)).status === "ready")
    const file = await client.reportExports.download(made.id)
    assert.match(String(file.headers.get("content-disposition")), /^attachment/)
    assert.isNotEmpty(await file.text())
    const part = await client.reportExports.download(made.id, { headers: { range: "bytes=0-3" } })
    assert.strictEqual(part.status, 206)
    assert.strictEqual((await part.arrayBuffer()).byteLength, 4)
    await (await client.reportExports.downloadSnapshot(made.id)).arrayBuffer()
    assert.strictEqual((await client.reportExports.getManifest(made.id)).export_id, made.id)
    assert.isNotEmpty(await client.reportExports.list())
    const ofNobody = await client.reportExports.create({
      report_kind: "license-audit",
      filters: { license_id: "lic_nobody" }
    })
    await eventually("it failed", async () => (await client.reportExports.get(ofNobody.id)).status === "failed")
    await client.reportExports.retry(ofNobody.id)
  })

  it("of keys, and of the service itself", async () => {
    const { api_key } = await client.apiKeys.create({ name: "ci", scopes: ["license:read"] })
    assert.strictEqual((await client.apiKeys.get(api_key.id)).name, "ci")
    assert.isNotEmpty(await client.apiKeys.list())
    await client.apiKeys.revoke(api_key.id)
    assert.include((await client.apiKeys.whoami()).scopes, "admin")
    const before = await client.signingKeys.list()
    await client.signingKeys.rotate()
    await client.signingKeys.revoke(before[0]!.kid)
    const { revoked } = await client.system.listPublicKeys().withResponse()
    assert.strictEqual(revoked?.[0]?.kid, before[0]!.kid)
    assert.strictEqual((await client.system.health()).status, "ok")
    await client.system.healthz()
    await client.system.readyz()
    assert.include(await client.system.getMetrics(), "countersign_")
    assert.isNotEmpty((await client.system.getJsonWebKeySet()).keys)
    assert.include(await client.system.getOpenApi(), "openapi: ")
    assert.isObject(await client.system.getOpenApiJson())
    assert.include(await client.system.getLlmsText(), "# ")
    assert.include(await client.system.getLlmsFullText(), "# ")
    assert.include(await client.system.getErrorReference(), "<html")
    // What the declarations do not name is not in the client of effects.
    if (flavour === "effects") return
    const { response } = await client.system.listPublicKeys().withResponse()
    const unchanged = { headers: { "if-none-match": response.headers.get("etag")! } }
    assert.strictEqual((await client.system.listPublicKeys(unchanged).withResponse()).response.status, 304)
  })

  it("and none is left out", () => {
    assert.deepStrictEqual(templates.map(({ line }) => line).filter((line) => !succeeded.has(line)), [])
  })
})

describe("what is refused", () => {
  const client = new Countersign({ baseUrl: service.url, token: adminToken })
  const offer = offerOf(client)

  it("is an error with the code that the operation can answer, and what the service says of it", async () => {
    const { policy, product } = await offer()
    const outcome = await client.products.create({ name: "Twice", code: product.code }).result()
    assert.isFalse(outcome.ok)
    if (outcome.ok) return
    assert.strictEqual(outcome.error.code, "CONFLICT")
    // The compiler knows the codes of this operation, and no other.
    if (outcome.error.code === "CONFLICT") assert.strictEqual(outcome.error.status, 409)
    // @ts-expect-error Nobody consumes anything by creating a product.
    assert.isFalse(outcome.error.code === "FEATURE_QUOTA_EXCEEDED")
    assert.match(outcome.error.requestId!, /^req_/)
    assert.match(outcome.error.docUrl!, /\/docs\/errors\/CONFLICT$/)
    const attempt = client.licenses.create({ product_id: product.id, policy_id: policy.id, customer_email: "nobody" })
    const error = await attempt.then(() => assert.fail("it was taken"), (error: unknown) => error)
    assert.isTrue(isCountersignError(error, "VALIDATION_ERROR"))
    if (isCountersignError(error)) assert.deepStrictEqual(error.fields.map(({ path }) => path), ["customer_email"])
    assert.isFalse(isCountersignError(error, "NOT_FOUND"))
    assert.isFalse(isCountersignError(new TypeError("no")))
  })

  it("needs no request where it is a mistake of the program", async () => {
    const anonymous = new Countersign({ baseUrl: service.url })
    assert.throws(() => client.licenses.get(""), /id must be the id of a resource/)
    assert.throws(() => client.licenses.suspend(".."), /must be the id/)
    assert.throws(() => client.licenses.suspend("."), /must be the id/)
    // @ts-expect-error A path parameter is text.
    assert.throws(() => client.licenses.get(), /must be the id/)
    const failure = await anonymous.products.list().then(() => undefined, (error: unknown) => error)
    assert.match(String(failure), /needs a token/)
    assert.throws(() => new Countersign({ baseUrl: "ftp://example.com" }), /http/)
    // What a path would hide is sent as one segment.
    const { error } = await client.licenses.get("a/../b?c#d").result() as { readonly error: Error & { code: string } }
    assert.strictEqual(error.code, "NOT_FOUND")
  })

  it("takes its credentials from what gives them, at each call", async () => {
    const tokens = ["not-this-one", adminToken]
    const rotating = new Countersign({ baseUrl: `${service.url}/`, token: () => Promise.resolve(tokens.shift()!) })
    assert.strictEqual((await rotating.apiKeys.whoami().result()).ok, false)
    assert.isTrue((await rotating.apiKeys.whoami().result()).ok)
  })
})
