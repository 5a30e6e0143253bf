// What a caller's body holds may be short: a license key of another system, a secret, the key of an API gateway. The hash of
// such a request, by which its repeats are known, must not be one that a thief of the database can compute.
import { assert, describe, it } from "@effect/vitest"
import { createHash, randomUUID } from "node:crypto"
import { openApiDocument } from "../../../src/api/composition/docs/OpenApi.ts"
import { mayBeGuessed } from "../../../src/http/ground/middleware/Idempotency.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)
const { url } = await startReceiver()

const send = (method: string, path: string, body: string, key: string) =>
  fetch(service.url + path, {
    method,
    body,
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json", "idempotency-key": key }
  })

const stored = async (key: string): Promise<string> =>
  (await database.query("SELECT encode(request_hash, 'hex') AS hash FROM idempotency_keys WHERE key = $1", [key]))[0]![
    "hash"
  ] as string

const product = await makeProduct(service)
const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
  name: "Forever",
  code: "forever",
  license_type: "perpetual"
})
const { webhook } = await service.data("POST", "/api/v1/webhooks", { name: "Gate", url })

const requests = [
  ["a webhook's secret", "POST", "/api/v1/webhooks", { name: "a", url, secret: "swordfish-swordfish" }],
  ["a webhook's headers", "PATCH", `/api/v1/webhooks/${webhook.id}`, { headers: { "X-Api-Key": "1234" } }],
  ["a payment provider's API key", "POST", "/api/v1/billing/connections", {
    provider: "stripe",
    name: "a",
    api_key: "1234"
  }],
  ["a license key", "POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id,
    license_key: "LEGACY-0001"
  }]
] as const

describe("a request whose body has what can be guessed", () => {
  it.each(requests)("is stored under a key, and repeated as one that a version before stored: %s", async (
    _name,
    method,
    path,
    content
  ) => {
    const key = randomUUID()
    const body = JSON.stringify(content)
    const first = await send(method, path, body, key)
    assert.include([200, 201], first.status)
    const text = await first.text()
    const plain = createHash("sha256").update(`${method} ${path}\n${body}`).digest("hex")
    assert.notStrictEqual(await stored(key), plain)
    for (const hash of [undefined, plain]) {
      if (hash !== undefined) {
        await database.query("UPDATE idempotency_keys SET request_hash = decode($1, 'hex') WHERE key = $2", [hash, key])
      }
      const again = await send(method, path, body, key)
      assert.deepStrictEqual([await again.text(), again.headers.get("idempotency-replayed")], [text, "true"])
      assert.strictEqual((await send(method, path, `${body} `, key)).status, 409)
    }
  })

  it("is known by each member whose name says that it holds one", () => {
    const { components } = openApiDocument("https://licenses.example", "0") as unknown as {
      readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> }
    }
    /** What is no secret, whatever its name. */
    const harmless = new Set(["rotate_secret", "secret_overlap_seconds", "header_names", "secret_prefix"])
    const asked = Object.entries(components.schemas)
      .filter(([name]) => /Request$|Bulk|Row/.test(name))
      .flatMap(([, { properties = {} }]) => Object.keys(properties))
    const secret = [...new Set(asked)].filter((name) => /secret|header|password|(license|api)_key/.test(name))
    assert.includeMembers(secret, ["api_key", "secret", "headers", "license_key"])
    const plain = secret.filter((name) => !harmless.has(name) && !mayBeGuessed(`{"${name}":"x"}`))
    assert.deepStrictEqual(plain, [])
  })
})
