import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { operations } from "../../src/http/docs/Operations.ts"
import type { Answer, Issued, Service } from "../fixtures/Service.ts"
import { startService } from "../fixtures/Service.ts"
import type { Body, Session } from "../fixtures/Session.ts"
import { eventually, session } from "../fixtures/Session.ts"

let service: Service
let sql: Session

beforeAll(async () => {
  service = await startService()
  sql = await session(service.databaseUrl)
})

/**
 * How many events were committed, whether they have their place in the feed or wait for it; without those of the worker
 * that makes exports, which come when they come.
 */
const events = async (): Promise<number> =>
  (await sql.query(`
    SELECT count(*)::int AS n FROM (SELECT event_type FROM events UNION ALL SELECT event_type FROM event_outbox) e
    WHERE event_type NOT IN ('report_export.ready', 'report_export.failed')`))[0].n

/** What a write is sent to: the values of its path's parameters in their order, its body, and the key of a license. */
interface Write {
  readonly at?: ReadonlyArray<string>
  readonly body?: unknown
  readonly licenseKey?: string
}

interface Given extends Issued {
  readonly feature: Body
  readonly customer: Body
  readonly field: Body
  readonly customerField: Body
  readonly version: Body
  readonly subscription: Body
  readonly order: Body
  readonly webhook: Body
  readonly apiKey: Body
  readonly device: Body
  readonly lease: Body
  /** What nothing refers to, so that it can be deleted. */
  readonly spare: Readonly<Record<"product" | "policy" | "feature" | "customer" | "field", Body>>
}

const period = { current_period_start: "2030-01-01T00:00:00Z", current_period_end: "2031-01-01T00:00:00Z" }
const subscription = () => ({ external_system: "s", external_id: randomUUID(), status: "active", ...period })
const order = () => ({ external_system: "s", external_id: randomUUID(), status: "paid" })
const named = () => ({ name: "n", code: randomUUID() })
const field = (resource_type: string) => ({ ...named(), resource_type, value_type: "string" })
const webhook = () => ({ name: "w", url: "http://127.0.0.1:9/hook", is_active: false })
const here = { fingerprint: "here" }

/** An export of a report about nothing, which therefore fails. */
const failedExport = async (): Promise<Body> => {
  const body = { report_kind: "license-audit", filters: { license_id: "lic_none" } }
  const { id } = await service.data("POST", "/api/v1/reports/exports", body)
  return eventually("the export fails", async () => {
    const found = await service.data("GET", `/api/v1/reports/exports/${id}`)
    return found.status === "failed" ? found : undefined
  })
}

const given = async (): Promise<Given> => {
  const issued = await service.issue({ policy: { max_activations: 5, max_floating_users: 5 } })
  const product = `/api/v1/products/${issued.product.id}`
  const license = `/api/v1/licenses/${issued.license.id}`
  const post = (path: string, body: unknown) => service.data("POST", path, body)
  const feature = await post(`${product}/features`, named())
  await post(`${license}/features`, { feature_id: feature.id, max_consumptions: 100 })
  await service.license("activate", issued.key, here)
  const lease = (await service.license("floating/checkout", issued.key, { fingerprint: "floats" })).body.data
  return {
    ...issued,
    feature,
    customer: await post("/api/v1/customers", named()),
    field: await post(`${product}/custom-fields`, field("license")),
    customerField: await post(`${product}/custom-fields`, field("customer")),
    version: await post(`${product}/versions`, { version: "1.0" }),
    subscription: await post(`${product}/subscriptions`, subscription()),
    order: await post(`${product}/orders`, order()),
    webhook: (await post("/api/v1/webhooks", webhook())).webhook,
    apiKey: (await post("/api/v1/api-keys", { name: "k" })).api_key,
    device: (await service.data("GET", `${license}/devices`)).find(({ fingerprint }: Body) => fingerprint === "here"),
    lease: { ...lease, id: (await service.data("GET", `${license}/leases`))[0].id },
    spare: {
      product: await post("/api/v1/products", named()),
      policy: await post(`${product}/policies`, { ...named(), license_type: "trial" }),
      feature: await post(`${product}/features`, named()),
      customer: await post("/api/v1/customers", named()),
      field: await post(`${product}/custom-fields`, field("license"))
    }
  }
}

const runtime = (body: object) => ({ key }: Given): Write => ({ licenseKey: key, body })
const ofLicense = (body?: unknown) => ({ license }: Given): Write => ({ at: [license.id], body })
const ofProduct = (body: () => unknown) => ({ product }: Given): Write => ({ at: [product.id], body: body() })

/** One request of each write that succeeds, once. */
const writes: Readonly<Record<string, (given: Given) => Write | Promise<Write>>> = {
  createProduct: () => ({ body: named() }),
  updateProduct: ofProduct(() => ({ name: "new" })),
  deleteProduct: ({ spare }) => ({ at: [spare.product.id] }),
  createProductVersion: ofProduct(() => ({ version: randomUUID() })),
  updateProductVersion: ({ product, version }) => ({ at: [product.id, version.id], body: { version: "1.1" } }),
  deleteProductVersion: ({ product, version }) => ({ at: [product.id, version.id] }),
  createSubscription: ofProduct(subscription),
  updateSubscription: ({ subscription }) => ({ at: [subscription.id], body: { status: "paused" } }),
  deleteSubscription: ({ subscription }) => ({ at: [subscription.id] }),
  createOrder: ofProduct(order),
  updateOrder: ({ order }) => ({ at: [order.id], body: { status: "refunded" } }),
  deleteOrder: ({ order }) => ({ at: [order.id] }),
  createProductCustomFieldDefinition: ofProduct(() => field("license")),
  updateProductCustomFieldDefinition: ({ field, product }) => ({ at: [product.id, field.id], body: { name: "new" } }),
  deleteProductCustomFieldDefinition: ({ product, spare }) => ({ at: [product.id, spare.field.id] }),
  upsertCustomerCustomFieldValue: ({ customer, customerField }) => ({
    at: [customer.id, customerField.id],
    body: { string_value: "v" }
  }),
  upsertLicenseCustomFieldValue: ({ field, license }) => ({ at: [license.id, field.id], body: { string_value: "v" } }),
  createPolicy: ofProduct(() => ({ ...named(), license_type: "trial" })),
  updatePolicy: ({ policy }) => ({ at: [policy.id], body: { name: "new" } }),
  deletePolicy: ({ spare }) => ({ at: [spare.policy.id] }),
  createFeature: ofProduct(named),
  updateFeature: ({ feature }) => ({ at: [feature.id], body: { name: "new" } }),
  deleteFeature: ({ spare }) => ({ at: [spare.feature.id] }),
  assignLicenseFeature: ({ license, spare }) => ({ at: [license.id], body: { feature_id: spare.feature.id } }),
  removeLicenseFeature: ({ feature, license }) => ({ at: [license.id, feature.id] }),
  resetLicenseUsage: ({ feature, license }) => ({ at: [license.id], body: { feature_id: feature.id, add_credits: 7 } }),
  createCustomer: () => ({ body: named() }),
  updateCustomer: ({ customer }) => ({ at: [customer.id], body: { name: "new" } }),
  eraseCustomer: ({ customer }) => ({ at: [customer.id] }),
  deleteCustomer: ({ spare }) => ({ at: [spare.customer.id] }),
  createAPIKey: () => ({ body: { name: "k" } }),
  revokeAPIKey: ({ apiKey }) => ({ at: [apiKey.id] }),
  createLicense: ({ policy, product }) => ({ body: { product_id: product.id, policy_id: policy.id } }),
  createLicenses: ({ policy, product }) => ({
    body: { defaults: { product_id: product.id, policy_id: policy.id }, licenses: [{}, {}] }
  }),
  suspendLicense: ofLicense(),
  reinstateLicense: async ({ license }) => {
    await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    return { at: [license.id] }
  },
  revokeLicense: ofLicense(),
  updateLicense: ofLicense({ customer_name: "new" }),
  renewLicense: ofLicense({ extend_by_days: 10 }),
  transferLicense: ofLicense({ customer_name: "new" }),
  rotateLicenseKey: ofLicense({}),
  lookupLicense: ({ key }) => ({ body: { license_key: key } }),
  explainLicense: ofLicense({}),
  resetLicenseDevice: ({ device, license }) => ({ at: [license.id, device.id] }),
  blacklistLicenseDevice: ({ device, license }) => ({ at: [license.id, device.id] }),
  releaseLicenseLease: ({ lease, license }) => ({ at: [license.id, lease.id] }),
  activateLicense: runtime({ fingerprint: "there" }),
  validateLicense: runtime(here),
  checkLicense: runtime(here),
  consumeLicense: ({ feature, key }) => ({
    licenseKey: key,
    body: { ...here, feature_code: feature.code, event_id: "e", amount: 3 }
  }),
  deactivateLicense: runtime(here),
  checkoutFloatingLicense: runtime({ fingerprint: "there" }),
  heartbeatFloatingLicense: ({ key, lease }) => ({ licenseKey: key, body: { lease_token: lease.lease_token } }),
  checkinFloatingLicense: ({ key, lease }) => ({ licenseKey: key, body: { lease_token: lease.lease_token } }),
  issueOfflineLicense: runtime(here),
  rotateSigningKey: () => ({}),
  revokeSigningKey: async () => {
    const [{ kid }] = await service.data("GET", "/api/v1/signing-keys")
    await service.data("POST", "/api/v1/signing-keys/rotate")
    return { at: [kid] }
  },
  createReportExport: () => ({ body: { report_kind: "usage-summary" } }),
  retryReportExport: async () => ({ at: [(await failedExport()).id] }),
  createWebhookEndpoint: () => ({ body: webhook() }),
  updateWebhookEndpoint: ({ webhook }) => ({ at: [webhook.id], body: { rotate_secret: true } }),
  deleteWebhookEndpoint: ({ webhook }) => ({ at: [webhook.id] })
}

/** These ask and change nothing, so they are answered anew. */
const questions = new Set(["lookupLicense", "explainLicense", "validateLicense", "checkLicense"])

/** A heartbeat would fill the log with what says nothing, and what a retried export came to is an event of its own. */
const eventless = new Set(["heartbeatFloatingLicense", "retryReportExport"])

describe("trap 17: a write that is retried happens twice", () => {
  const all = operations.filter(({ method }) => method !== "GET")

  it("every write of the contract is tried", () => {
    assert.sameMembers(Object.keys(writes), all.map(({ operationId }) => operationId))
  })

  it.each(all)("$operationId happens once for its Idempotency-Key", async ({ method, operationId, path }) => {
    const { at = [], body, licenseKey } = await writes[operationId]!(await given())
    const values = [...at]
    const target = path.replace(/:[^/]+/g, () => values.shift()!)
    const headers = { "idempotency-key": randomUUID() }
    const send = (): Promise<Answer> =>
      service.call(method, target, { body, headers, ...(licenseKey === undefined ? {} : { licenseKey }) })
    const before = await events()
    const first = await send()
    assert.isBelow(first.status, 300, first.text)
    const after = await events()
    const again = await send()
    assert.strictEqual(again.status, first.status)
    assert.strictEqual(await events(), after, "a retry adds no event")
    if (questions.has(operationId)) {
      assert.strictEqual(after, before)
      assert.isUndefined(again.headers["idempotency-replayed"])
      return
    }
    if (!eventless.has(operationId)) assert.isAbove(after, before)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
  })
})
