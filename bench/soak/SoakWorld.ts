import { randomUUID } from "node:crypto"
import { Pool } from "undici"
import { adminToken } from "../harness/ServiceProcess.ts"

/** An answer as the soak looks at it. */
interface SoakAnswer {
  readonly status: number
  readonly text: string
  readonly data: any
}

/** A request of the soak, by the bootstrap token unless it has a license key. */
export type SoakCall = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: object,
  licenseKey?: string
) => Promise<SoakAnswer>

interface SoakLicense {
  readonly id: string
  key: string
  readonly fingerprint: string
}

/** What there is to work on. */
export interface World {
  readonly product: string
  readonly policy: string
  readonly features: ReadonlyArray<string>
  readonly field: string
  readonly receiver: string
  readonly licenses: Array<SoakLicense>
  readonly customers: Array<string>
  readonly exports: Array<string>
  readonly signingKeys: Array<string>
}

/** How many of each kind are worked on at once; the oldest leave for newer ones. */
const population = 300

/** Calls the service over connections that are kept. */
export const soakCalls = (port: number): { readonly call: SoakCall; readonly close: () => Promise<void> } => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64, pipelining: 1 })
  const call: SoakCall = async (method, path, body, licenseKey) => {
    const { body: answer, statusCode } = await pool.request({
      method,
      path,
      headers: {
        authorization: licenseKey === undefined ? `Bearer ${adminToken}` : `License ${licenseKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "GET" ? {} : { "idempotency-key": randomUUID() })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    return { status: statusCode, text, data: text.startsWith("{\"") ? JSON.parse(text).data : undefined }
  }
  return { call, close: () => pool.destroy() }
}

const one = <A>(list: ReadonlyArray<A>): A => list[Math.floor(Math.random() * list.length)]!
const code = () => randomUUID().slice(0, 13)

const keep = <A>(list: Array<A>, value: A): void => {
  list.push(value)
  if (list.length > population) list.shift()
}

const sell = async (call: SoakCall, world: World): Promise<void> => {
  const { data } = await call("POST", "/api/v1/licenses", {
    product_id: world.product,
    policy_id: world.policy,
    customer_id: one(world.customers),
    expires_at: new Date(Date.now() + 365 * 86_400_000).toISOString()
  })
  if (data === undefined) return
  const license = { id: data.license.id, key: data.license_key, fingerprint: code() }
  for (const feature_id of world.features) {
    await call("POST", `/api/v1/licenses/${license.id}/features`, { feature_id, max_consumptions: 1_000_000 })
  }
  await call("POST", "/api/v1/license/activate", { fingerprint: license.fingerprint }, license.key)
  keep(world.licenses, license)
}

/** Makes what the work begins with. */
export const makeWorld = async (call: SoakCall, receiver: string): Promise<World> => {
  const made = async (path: string, body: object) => {
    const { data, text } = await call("POST", path, body)
    if (data === undefined) throw new Error(`POST ${path}: ${text}`)
    return data
  }
  const product = (await made("/api/v1/products", { name: "Soak", code: code() })).id
  const below = `/api/v1/products/${product}`
  const world: World = {
    product,
    policy: (await made(`${below}/policies`, {
      name: "Soak",
      code: code(),
      license_type: "subscription",
      max_activations: 50,
      max_floating_users: 50,
      floating_timeout_minutes: 1,
      max_transfers: 1_000_000
    })).id,
    features: [
      (await made(`${below}/features`, { name: "Render", code: "render" })).id,
      (await made(`${below}/features`, { name: "Export", code: "export" })).id
    ],
    field: (await made(`${below}/custom-fields`, {
      resource_type: "license",
      code: "region",
      name: "Region",
      value_type: "string"
    })).id,
    receiver,
    licenses: [],
    customers: [],
    exports: [],
    signingKeys: []
  }
  for (let index = 0; index < 20; index++) {
    world.customers.push((await made("/api/v1/customers", { name: `Customer ${index}`, code: code() })).id)
  }
  await Promise.all(Array.from({ length: 60 }, () => sell(call, world)))
  return world
}

type Work = (call: SoakCall, world: World) => Promise<unknown>

const runtime = (operation: string, more: () => object = () => ({})): Work => (call, { licenses }) => {
  const { fingerprint, key } = one(licenses)
  return call("POST", `/api/v1/license/${operation}`, { fingerprint, ...more() }, key)
}

const onLicense = (operation: string, body?: () => object): Work => (call, { licenses }) =>
  call("POST", `/api/v1/licenses/${one(licenses).id}/${operation}`, body?.())

const reading = (path: (world: World) => string): Work => (call, world) => call("GET", `/api/v1/${path(world)}`)

/** Something that is made, changed and removed again. */
const passing = (
  collection: (world: World) => string,
  resource: string,
  body: (world: World) => object,
  change: object | undefined,
  id: (data: any) => string = (data) => data.id
): Work =>
async (call, world) => {
  const { data } = await call("POST", `/api/v1/${collection(world)}`, body(world))
  if (data === undefined) return
  const path = `/api/v1/${resource}/${id(data)}`
  if (change !== undefined) await call("PATCH", path, change)
  await call("DELETE", path)
}

const device = async (call: SoakCall, { licenses }: World, ending: "reset" | "blacklist"): Promise<void> => {
  const license = one(licenses)
  const { data } = await call("POST", "/api/v1/license/activate", { fingerprint: code() }, license.key)
  if (data !== undefined) await call("POST", `/api/v1/licenses/${license.id}/devices/${data.device_id}/${ending}`)
}

const january = "2030-01-01T00:00:00Z"
const february = "2030-02-01T00:00:00Z"

/** Everything that writes and reads, and how often of all times together. */
export const works: ReadonlyArray<readonly [name: string, weight: number, work: Work]> = [
  ["validate", 30, runtime("validate")],
  ["check", 5, runtime("check")],
  ["consume", 15, runtime("consume", () => ({ feature_code: one(["render", "export"]), event_id: randomUUID() }))],
  ["offline", 3, runtime("offline")],
  ["activate and deactivate", 6, async (call, { licenses }) => {
    const { key } = one(licenses)
    const body = { fingerprint: code() }
    const { status } = await call("POST", "/api/v1/license/activate", body, key)
    if (status === 200) await call("POST", "/api/v1/license/deactivate", body, key)
  }],
  ["lease", 5, async (call, { licenses }) => {
    const { key } = one(licenses)
    const { data } = await call("POST", "/api/v1/license/floating/checkout", { fingerprint: code() }, key)
    if (data === undefined) return
    const { lease_token } = data
    const beat = await call("POST", "/api/v1/license/floating/heartbeat", { lease_token }, key)
    const body = { lease_token: beat.data?.lease_token ?? lease_token }
    // Some are never given back, for the sweeper.
    if (Math.random() < 0.8) await call("POST", "/api/v1/license/floating/checkin", body, key)
  }],
  ["sell", 1.5, sell],
  ["suspend and reinstate", 1, async (call, { licenses }) => {
    const { id } = one(licenses)
    await call("POST", `/api/v1/licenses/${id}/suspend`)
    await call("POST", `/api/v1/licenses/${id}/reinstate`)
  }],
  ["renew", 1, onLicense("renew", () => ({ extend_by_days: 1 }))],
  [
    "transfer",
    0.7,
    (call, world) =>
      call("POST", `/api/v1/licenses/${one(world.licenses).id}/transfer`, { customer_id: one(world.customers) })
  ],
  [
    "update a license",
    1,
    (call, { licenses }) => call("PATCH", `/api/v1/licenses/${one(licenses).id}`, { metadata: { note: code() } })
  ],
  ["rotate a license key", 0.7, async (call, { licenses }) => {
    const license = one(licenses)
    const { data } = await call("POST", `/api/v1/licenses/${license.id}/rotate-key`, {})
    if (data !== undefined) license.key = data.license_key
  }],
  ["revoke", 0.4, async (call, world) => {
    const [license] = world.licenses.length > 40 ? world.licenses.splice(0, 1) : []
    if (license !== undefined) await call("POST", `/api/v1/licenses/${license.id}/revoke`)
  }],
  ["bulk", 0.2, (call, world) =>
    call("POST", "/api/v1/licenses/bulk", {
      defaults: { product_id: world.product, policy_id: world.policy },
      licenses: Array.from({ length: 10 }, () => ({}))
    })],
  ["reset usage", 1, onLicense("usage/reset", () => ({ feature_code: "render", reset_consumed: true }))],
  ["features", 0.7, (call, world) =>
    call("POST", `/api/v1/licenses/${one(world.licenses).id}/features`, {
      feature_id: one(world.features),
      max_consumptions: 2_000_000
    })],
  ["reset a device", 1, (call, world) => device(call, world, "reset")],
  ["blacklist a device", 0.4, (call, world) => device(call, world, "blacklist")],
  [
    "field of a license",
    0.7,
    (call, world) =>
      call("PUT", `/api/v1/licenses/${one(world.licenses).id}/custom-fields/${world.field}`, { string_value: code() })
  ],
  ["customer", 1, async (call, world) => {
    const { data } = await call("POST", "/api/v1/customers", {
      name: "Beispiel GmbH",
      code: code(),
      email: "a@example.com"
    })
    if (data === undefined) return
    keep(world.customers, data.id)
    await call("PATCH", `/api/v1/customers/${data.id}`, { name: "Beispiel AG" })
  }],
  ["erase a customer", 0.3, async (call, world) => {
    const [customer] = world.customers.length > 10 ? world.customers.splice(0, 1) : []
    if (customer !== undefined) await call("POST", `/api/v1/customers/${customer}/erase`)
  }],
  ["product", 0.3, passing(() => "products", "products", () => ({ name: "P", code: code() }), { name: "Q" })],
  [
    "policy",
    0.3,
    passing(
      ({ product }) => `products/${product}/policies`,
      "policies",
      () => ({ name: "P", code: code(), license_type: "trial" }),
      { name: "Q" }
    )
  ],
  [
    "feature",
    0.3,
    passing(({ product }) => `products/${product}/features`, "features", () => ({ name: "F", code: code() }), {
      name: "G"
    })
  ],
  ["version", 0.2, (call, { product }) => call("POST", `/api/v1/products/${product}/versions`, { version: code() })],
  [
    "subscription",
    0.4,
    passing(({ product }) => `products/${product}/subscriptions`, "subscriptions", ({ customers }) => ({
      customer_id: one(customers),
      external_system: "shop",
      external_id: code(),
      status: "active",
      current_period_start: january,
      current_period_end: february
    }), { status: "past_due" })
  ],
  [
    "order",
    0.4,
    passing(({ product }) => `products/${product}/orders`, "orders", ({ customers }) => ({
      customer_id: one(customers),
      external_system: "shop",
      external_id: code(),
      status: "paid"
    }), { status: "refunded" })
  ],
  [
    "API key",
    0.3,
    passing(
      () => "api-keys",
      "api-keys",
      () => ({ name: "soak", scopes: ["license:read"] }),
      undefined,
      (data) => data.api_key.id
    )
  ],
  [
    "webhook",
    0.2,
    passing(
      () => "webhooks",
      "webhooks",
      ({ receiver }) => ({ name: "passing", url: `${receiver}/passing`, event_types: ["product.created"] }),
      { rotate_secret: true },
      (data) => data.webhook.id
    )
  ],
  ["signing key", 0.03, async (call, world) => {
    const { data } = await call("POST", "/api/v1/signing-keys/rotate")
    if (data !== undefined) world.signingKeys.push(data.kid)
    // The one before the last is retired by now.
    if (world.signingKeys.length > 3) await call("POST", `/api/v1/signing-keys/${world.signingKeys.shift()}/revoke`)
  }],
  ["export", 0.1, async (call, world) => {
    const report_kind = one(["usage-ledger", "usage-summary"])
    const { data } = await call("POST", "/api/v1/reports/exports", {
      report_kind,
      format: one(["json", "csv"]),
      ...(report_kind === "usage-ledger"
        ? { filters: { from: new Date(Date.now() - 30_000).toISOString() } }
        : { filters: { bucket: "1h" } })
    })
    if (data !== undefined) keep(world.exports, data.id)
  }],
  ["download", 0.3, async (call, { exports }) => {
    if (exports.length > 0) await call("GET", `/api/v1/reports/exports/${one(exports)}/download`)
  }],
  ["list licenses", 3, reading(() => "licenses?limit=50")],
  ["read a license", 2, reading(({ licenses }) => `licenses/${one(licenses).id}`)],
  ["events", 2, reading(() => "events?order=desc&limit=100")],
  ["activities", 0.7, reading(() => "activities?limit=50")],
  ["usage summary", 0.3, reading(({ licenses }) => `reports/usage-summary?license_id=${one(licenses).id}`)],
  ["usage ledger", 0.5, reading(() => "reports/usage-ledger?limit=50")],
  ["customer summary", 0.3, reading(({ customers }) => `reports/customer-summary?customer_id=${one(customers)}`)],
  ["explain", 0.7, (call, { licenses }) => {
    const { fingerprint, id } = one(licenses)
    return call("POST", `/api/v1/licenses/${id}/explain`, { binding: { fingerprint } })
  }],
  ["revocation list", 0.5, reading(() => "license/revocations")],
  ["webhook health", 0.2, reading(() => "ops/webhook-health")]
]
