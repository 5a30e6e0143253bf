import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyChain } from "../../../src/domain/log/EventChain.ts"
import { gate } from "../../fixtures/Gate.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

let service: Service
let sql: Session

beforeAll(async () => {
  service = await startService()
  sql = await session(service.databaseUrl)
})

const make = (what: string) => (code: string, headers = {}, token?: string) =>
  service.call("POST", `/api/v1/${what}`, {
    body: { name: "a", code },
    headers,
    ...(token === undefined ? {} : { token })
  })
const product = make("products")
/** One creation of a customer does not wait for another, as that of a product does. */
const customer = make("customers")

describe("trap 12: the feed's sequence is not commit order", () => {
  it("shows no reader a gap while transactions commit in reverse order", async () => {
    // The answers that a token stores are counted in rows that its requests share.
    const tokens: Array<string> = []
    for (let index = 0; index < 4; index++) {
      tokens.push((await service.data("POST", "/api/v1/api-keys", { name: `${index}`, scopes: ["admin"] })).token)
    }
    const start = (await service.feed()).length
    const seen: Array<Body> = []
    const reading = { goesOn: true }
    const reader = (async () => {
      for (let cursor = String(start); reading.goesOn || seen.length < 10;) {
        const { body } = await service.call("GET", `/api/v1/events?limit=2&cursor=${cursor}`)
        seen.push(...body.data)
        cursor = body.page_info.next_cursor
      }
    })()
    // Each of these has appended its event and then waits where its answer is stored: the oldest is let go last. One
    // address may have five transactions at once.
    const stored = await gate(service.databaseUrl, "idempotency_keys", "key")
    const held = []
    for (let index = 0; index < 4; index++) {
      const key = `reverse-${index}-${randomUUID()}`
      await stored.close(key)
      const answer = customer(key, { "idempotency-key": key }, tokens[index]!)
      await stored.reached(index + 1)
      held.push({ answer, key })
    }
    const later = []
    for (let index = 0; index < 6; index++) later.push((await customer(`later-${index}`)).body.data.id)
    for (const { answer, key } of held.toReversed()) {
      await stored.open(key)
      assert.strictEqual((await answer).status, 201)
    }
    await stored.remove()
    reading.goesOn = false
    await reader
    const earlier = await Promise.all(held.map(async ({ answer }) => (await answer).body.data.id))
    assert.deepStrictEqual(seen.map(({ resource_id }) => resource_id), [...earlier, ...later])
    assert.deepStrictEqual(seen.map(({ sequence }) => sequence), seen.map((_, index) => start + 1 + index))
  })

  it("tells what happened to a license in the order in which it happened", async () => {
    const { license } = await service.issue()
    await Promise.all(
      Array.from(
        { length: 60 },
        (_, index) =>
          service.call("POST", `/api/v1/licenses/${license.id}/${index % 2 === 0 ? "suspend" : "reinstate"}`)
      )
    )
    const events = await service.feed(`&resource_id=${license.id}`)
    const versions = events.map(({ data }) => data.entitlement_version)
    assert.deepStrictEqual(versions, versions.map((_, index) => index + 1))
    assert.deepStrictEqual(events.at(-1).data, await service.data("GET", `/api/v1/licenses/${license.id}`))
  })

  it("does not show a committed event before one that may still come before it", async () => {
    const key = randomUUID()
    const stored = await gate(service.databaseUrl, "idempotency_keys", "key")
    await stored.close(key)
    const first = customer(key, { "idempotency-key": key })
    await stored.reached()
    const second = (await customer(randomUUID())).body.data
    const rows = () => sql.query("SELECT 1 FROM event_outbox WHERE resource_id = $1", [second.id])
    assert.lengthOf(await rows(), 1, "committed")
    assert.lengthOf((await service.call("GET", `/api/v1/events?resource_id=${second.id}`)).body.data, 0)
    await stored.remove()
    const firstId = (await first).body.data.id
    const ids = (await service.feed("&resource_type=customer")).map(({ resource_id }) => resource_id)
    assert.deepStrictEqual(ids.slice(-2), [firstId, second.id])
  })
})

describe("trap 16: the audit write fails and the operation succeeds", () => {
  /** Makes every insert of such a row fail until `end`. */
  const failing = async (table: string, condition: string) => {
    const name = `refuse_${randomUUID().replaceAll("-", "_")}`
    await sql.query(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'refused by a test'; END $$`)
    await sql.query(`CREATE TRIGGER ${name} BEFORE INSERT ON ${table} FOR EACH ROW WHEN (${condition})
      EXECUTE FUNCTION ${name}()`)
    return () => sql.query(`DROP FUNCTION ${name} CASCADE`)
  }

  const given = async () => {
    const issued = await service.issue({ policy: { max_activations: 2 } })
    const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
      name: "f",
      code: "f"
    })
    const customer = await service.data("POST", "/api/v1/customers", { name: "c", code: randomUUID() })
    const { api_key } = await service.data("POST", "/api/v1/api-keys", { name: "k" })
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, { feature_id: feature.id })
    await service.license("activate", issued.key, { fingerprint: "here" })
    return { ...issued, feature, customer, api_key }
  }
  type Given = Awaited<ReturnType<typeof given>>

  /** In an order in which each finds what it needs, after those before it. */
  const operations: ReadonlyArray<readonly [string, (given: Given) => Promise<Answer>]> = [
    ["product.created", () => product(randomUUID())],
    ["product.updated", (g) => service.call("PATCH", `/api/v1/products/${g.product.id}`, { body: { name: "new" } })],
    ["policy.updated", (g) => service.call("PATCH", `/api/v1/policies/${g.policy.id}`, { body: { name: "new" } })],
    ["feature.updated", (g) => service.call("PATCH", `/api/v1/features/${g.feature.id}`, { body: { name: "new" } })],
    ["customer.deleted", (g) => service.call("DELETE", `/api/v1/customers/${g.customer.id}`)],
    ["api_key.created", () => service.call("POST", "/api/v1/api-keys", { body: { name: "k" } })],
    ["api_key.revoked", (g) => service.call("DELETE", `/api/v1/api-keys/${g.api_key.id}`)],
    [
      "license.created",
      (g) => service.call("POST", "/api/v1/licenses", { body: { product_id: g.product.id, policy_id: g.policy.id } })
    ],
    ["license.activated", (g) => service.license("activate", g.key, { fingerprint: "there" })],
    [
      "license.usage_recorded",
      (g) => service.license("consume", g.key, { fingerprint: "here", feature_code: "f", event_id: "e" })
    ],
    ["license.deactivated", (g) => service.license("deactivate", g.key, { fingerprint: "here" })],
    [
      "license.feature_removed",
      (g) => service.call("DELETE", `/api/v1/licenses/${g.license.id}/features/${g.feature.id}`)
    ],
    ["license.suspended", (g) => service.call("POST", `/api/v1/licenses/${g.license.id}/suspend`)],
    ["license.revoked", (g) => service.call("POST", `/api/v1/licenses/${g.license.id}/revoke`)],
    ["signing_key.created", () => service.call("POST", "/api/v1/signing-keys/rotate")]
  ]

  /** Everything that these operations could have changed. */
  const state = async () => {
    const tables = [
      "products",
      "policies",
      "features",
      "customers",
      "management_keys",
      "licenses",
      "license_features",
      "devices",
      "usage_records",
      "signing_keys",
      "idempotency_keys"
    ]
    const rows: Record<string, unknown> = {}
    for (const table of tables) {
      // When a key was used or a device seen is written behind, and may still be of the test before.
      rows[table] = await sql.query(
        `SELECT to_jsonb(t) - '{last_used_at,last_seen_at,last_validated_at}'::text[] AS row FROM ${table} t ORDER BY 1`
      )
    }
    return rows
  }

  let shared: Promise<Given> | undefined

  it.each(operations)("without %s nothing has happened", async (type, operation) => {
    const before = await (shared ??= given())
    const [stood, events] = [await state(), (await service.feed()).length]
    const end = await failing("event_records", `NEW.event_type = '${type}'`)
    const answer = await operation(before).finally(end)
    refused(answer, 500, "INTERNAL")
    assert.deepStrictEqual(await state(), stood)
    assert.lengthOf(await service.feed(), events)
    const again = await operation(before)
    assert.isBelow(again.status, 300, again.text)
    assert.notDeepEqual(await state(), stood)
    assert.include((await service.feed()).slice(events).map(({ event_type }) => event_type), type)
  })

  it("and the reverse: an operation that fails after its event leaves no event", async () => {
    const before = await given()
    const [stood, events] = [await state(), (await service.feed()).length]
    const end = await failing("idempotency_keys", "true")
    const keyed = { headers: { "idempotency-key": randomUUID() } }
    const answer = await service.call("POST", `/api/v1/licenses/${before.license.id}/suspend`, keyed).finally(end)
    refused(answer, 500, "INTERNAL")
    assert.deepStrictEqual(await state(), stood)
    assert.lengthOf(await service.feed(), events)
    assert.strictEqual((await service.call("POST", `/api/v1/licenses/${before.license.id}/suspend`, keyed)).status, 200)
  })

  it("refusals leave no event", async () => {
    const before = await given()
    const events = (await service.feed()).length
    await service.license("activate", before.key, { fingerprint: "x", product_code: "another" })
    await service.license("deactivate", before.key, { fingerprint: "x" })
    await service.call("DELETE", `/api/v1/products/${before.product.id}`)
    await product(before.product.code)
    await service.call("POST", `/api/v1/licenses/${before.license.id}/reinstate`)
    assert.lengthOf(await service.feed(), events)
  })
})

describe("the feed", () => {
  const page = async (query: string) => (await service.call("GET", `/api/v1/events?${query}`)).body

  it("is chained by hash from its first event, personal values behind commitments", async () => {
    const email = "ada@example.com"
    const customer = await service.data("POST", "/api/v1/customers", { name: "Ada", code: randomUUID(), email })
    const events = await service.feed()
    const verdict = verifyChain(events, { sha256 })
    assert.isTrue(verdict.ok, JSON.stringify(verdict))
    const event = events.find(({ resource_id }) => resource_id === customer.id)
    assert.sameMembers(Object.keys(event.commitments), ["/data/name", "/data/email", "/ip_address"])
    const [row] = await sql.query("SELECT * FROM events WHERE resource_id = $1", [customer.id])
    assert.notInclude(row.data, email)
    // One altered letter anywhere is found.
    const altered = structuredClone(events)
    altered[3].data.name = `${altered[3].data.name}.`
    assert.deepInclude(verifyChain(altered, { sha256 }), { ok: false, sequence: 4 })
  })

  it("goes on from where a poller stands, also on an empty page", async () => {
    const events = await service.feed()
    const head = String(events.length)
    assert.deepInclude(await page(`cursor=${head}`), { data: [], page_info: { next_cursor: head, has_more: false } })
    const created = (await product(randomUUID())).body.data
    const next = await eventually("the event is in the feed", async () => {
      const found = await page(`cursor=${head}`)
      return found.data.length > 0 && found
    })
    assert.strictEqual(next.data[0].resource_id, created.id)
    assert.strictEqual(next.page_info.next_cursor, String(next.data[0].sequence))
  })

  it("can be read newest first, to its beginning", async () => {
    const events = await service.feed()
    const read: Array<Body> = []
    for (let cursor = "";;) {
      const { data, page_info } = await page(`order=desc&limit=40${cursor}`)
      read.push(...data)
      if (page_info.next_cursor === null) break
      cursor = `&cursor=${page_info.next_cursor}`
    }
    assert.deepStrictEqual(read.toReversed(), events)
  })

  it.each(["event_type", "resource_type", "resource_id", "actor_type"])("is filtered by %s", async (member) => {
    const events = await service.feed()
    const values = new Set(events.map((event) => event[member]))
    assert.isAbove(values.size, 1)
    for (const value of [...values].slice(0, 6)) {
      const expected = events.filter((event) => event[member] === value)
      assert.deepStrictEqual(await service.feed(`&${member}=${encodeURIComponent(value)}`), expected)
    }
  })

  it("combines filters", async () => {
    const { key, license } = await service.issue()
    await service.license("activate", key, { fingerprint: "f" })
    const query = `&resource_id=${license.id}&actor_type=license&resource_type=license&event_type=license.activated`
    const [event, ...more] = await service.feed(query)
    assert.lengthOf(more, 0)
    assert.deepInclude(event, { actor_id: license.id, actor_type: "license" })
    assert.strictEqual(event.data.device.fingerprint, "f")
    assert.deepInclude(event.data, { id: license.id, active_device_count: 1 })
  })
})
