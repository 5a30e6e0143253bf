import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { brotliDecompressSync } from "node:zlib"
import { verifyEvents } from "../../../src/client/verify/index.ts"
import { gate } from "../../fixtures/Gate.ts"
import { endOf, judged, keptChain } from "../../fixtures/LicenseChain.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"

let service: Service
let database: Session
let customer: Body
let other: Body
let issued: Issued
let moved: Issued
/** A value of the transferred license that its new owner has set anew. */
let ofOther: string
/** Exports that hold values of the customer, and others. */
let personal: ReadonlyArray<Body>
let impersonal: ReadonlyArray<Body>

const transfer = (license: string, body: object) =>
  service.data("POST", `/api/v1/licenses/${license}/transfer`, body, {
    headers: { "idempotency-key": randomUUID() }
  })

const exported = async (body: object): Promise<Body> => {
  const { id } = await service.data("POST", "/api/v1/reports/exports", body)
  return await eventually(`export ${id} is ready`, async () => {
    const ready = await database.query("SELECT 1 FROM report_exports WHERE id = $1 AND status = 'ready'", [id])
    return ready.length > 0 && await service.data("GET", `/api/v1/reports/exports/${id}`)
  })
}

/** What is stored of exports, as text. */
const storedPieces = async (session: Session): Promise<ReadonlyArray<string>> =>
  (await session.query("SELECT bytes FROM report_export_pieces")).map(({ bytes }) =>
    brotliDecompressSync(bytes).toString()
  )

const byCustomer = { report_kind: "usage-summary", filters: { group_by: "customer_id" } }
const summaryOf = ({ id }: Body) => ({ report_kind: "customer-summary", filters: { customer_id: id } })

/** The checkpoint that covers the feed as it is now. */
const checkpointOf = (events: ReadonlyArray<Body>): Promise<Body> =>
  eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= events.length ? body.data : undefined
  })

beforeAll(async () => {
  service = await startService({ as: "host" })
  database = await session(service.databaseUrl)
  const post = (path: string, body: unknown) => service.data("POST", `/api/v1/${path}`, body)
  customer = await post("customers", { name: "Erika Mustermann", code: "erika", email: "erika@secret.example" })
  other = await post("customers", { name: "Lyon SARL", code: "lyon", email: "it@lyon.example" })
  const owned = { customer_id: customer.id, customer_email: "buyer@secret.example", customer_name: "Erika Secret" }
  const policy = { max_activations: 5, max_transfers: 5, max_floating_users: 2 }
  issued = await service.issue({ policy, license: owned })
  moved = await service.issue({ policy, license: owned })
  for (const { key } of [issued, moved]) {
    await service.license("activate", key, { fingerprint: "a", hostname: "secret-laptop" })
    await service.license("floating/checkout", key, { fingerprint: "b", hostname: "secret-desk" })
  }
  const field = await post(`products/${issued.product.id}/custom-fields`, {
    resource_type: "customer",
    code: "nick",
    name: "Nick",
    value_type: "string"
  })
  await service.data("PUT", `/api/v1/customers/${customer.id}/custom-fields/${field.id}`, {
    string_value: "secret-nick"
  })
  await service.data("PATCH", `/api/v1/customers/${customer.id}`, { email: "new@secret.example" })
  for (const { license, product } of [issued, moved]) {
    const fields = `products/${product.id}/custom-fields`
    const of = { resource_type: "license", value_type: "string" }
    for (const code of ["contact", "place"]) {
      const { id } = await post(fields, { ...of, code, name: code })
      const path = `/api/v1/licenses/${license.id}/custom-fields/${id}`
      await service.data("PUT", path, { string_value: `secret-${code}` })
      if (code === "place" && license === moved.license) ofOther = path
    }
  }
  await transfer(moved.license.id, {
    customer_id: other.id,
    customer_email: "buyer@lyon.example",
    customer_name: "Lyon",
    reset_devices: true
  })
  await service.license("activate", moved.key, { fingerprint: "c", hostname: "lyon-laptop" })
  await service.data("PUT", ofOther, { string_value: "lyon-place" })
  for (const { key, product, license } of [issued, moved]) {
    const feature = await post(`products/${product.id}/features`, { name: "Export", code: "x" })
    await post(`licenses/${license.id}/features`, { feature_id: feature.id })
    const fingerprint = key === issued.key ? "a" : "c"
    const used = await service.license("consume", key, { fingerprint, feature_code: "x", event_id: randomUUID() })
    assert.strictEqual(used.status, 200, used.text)
  }
  // A report names whom the feed tells of: the uses have their places first.
  await service.feed()
  personal = await Promise.all([
    exported(byCustomer),
    exported({ ...byCustomer, format: "csv" }),
    exported(summaryOf(customer))
  ])
  impersonal = await Promise.all([
    exported({ ...byCustomer, filters: { ...byCustomer.filters, customer_id: other.id } }),
    exported(summaryOf(other)),
    exported({ report_kind: "usage-ledger", filters: { customer_id: customer.id } })
  ])
})

describe("an erasure", () => {
  it("takes every personal value of the customer out of the history, and leaves all that was signed valid", async () => {
    const before = await service.feed()
    const early = await checkpointOf(before)
    const chains = await Promise.all([issued, moved].map(({ license }) => keptChain(service, license.id)))
    assert.include(JSON.stringify(before).toLowerCase(), "secret")

    const path = `/api/v1/customers/${customer.id}/erase`
    const { customer: _shown, ...foreseen } = await service.data("POST", path, { dry_run: true })
    const { customer: left, events, exports, ...more } = await service.data("POST", path)
    assert.deepStrictEqual({ events, exports, ...more }, foreseen, "a dry run counts what is erased")
    // Of the customer one value, of the license of today two, and of the other the one that nobody has set anew.
    assert.deepStrictEqual(more, {
      licenses: 1,
      devices: 2,
      users: 0,
      custom_field_values: 4,
      notes: 0,
      jobs: 0,
      reasons: 0
    })
    assert.deepInclude(left, { id: customer.id, code: "erika", name: "Erased customer" })
    assert.isUndefined(left.email)
    const after = await service.feed()
    assert.notInclude(JSON.stringify(after).toLowerCase(), "secret")
    assert.notInclude(JSON.stringify(after), "Erika")
    const changed = after.filter((event, index) => JSON.stringify(event) !== JSON.stringify(before[index]))
    assert.strictEqual(changed.length - 1, events)
    assert.deepInclude(after.at(-1), { event_type: "customer.erased", resource_id: customer.id })
    assert.deepStrictEqual(after.at(-1).metadata, { events, exports })
    assert.strictEqual(exports, personal.length)
    assert.deepStrictEqual(after.slice(0, before.length).map(({ hash }) => hash), before.map(({ hash }) => hash))

    const publicKeys = await service.data("GET", "/api/v1/system/public-keys")
    const verdict = await verifyEvents({
      lines: [...after, { checkpoint: await checkpointOf(after) }],
      publicKeys,
      notes: [early.note]
    })
    assert.isTrue(verdict.ok, JSON.stringify(verdict))
    if (verdict.ok) assert.isAtLeast(verdict.erased, events)
    // The chain of a license goes on from where it was, without what was erased; and who kept the values can still prove them.
    for (const chain of chains) {
      const now = await keptChain(service, chain.licenseId)
      assert.notInclude(JSON.stringify(now).toLowerCase(), "secret")
      assert.deepInclude(await judged(now), { ok: true, last: endOf(now) })
      assert.deepInclude(await judged(now, endOf(chain)), { ok: true, after: endOf(chain) })
      assert.deepInclude(await judged(chain), { ok: true, last: endOf(chain) })
    }
  })

  it("takes away the frozen exports that hold them, and says why; what was signed about them stays", async () => {
    for (const before of personal) {
      const record = await service.data("GET", `/api/v1/reports/exports/${before.id}`)
      assert.deepInclude(record, { status: "expired", expired_reason: "customer_erased", digest: before.digest })
      for (const part of ["download", "snapshot"]) {
        refused(await service.call("GET", `/api/v1/reports/exports/${before.id}/${part}`), 409, "STATE_CONFLICT")
      }
      const { body } = await service.call("GET", `/api/v1/reports/exports/${before.id}/manifest`)
      assert.strictEqual(body.data.artifact_digest, before.artifact_digest)
    }
    for (const before of impersonal) {
      const record = await service.data("GET", `/api/v1/reports/exports/${before.id}`)
      assert.deepInclude(record, { status: "ready", artifact_digest: before.artifact_digest })
      assert.isUndefined(record.expired_reason)
    }
    const pieces = await storedPieces(database)
    assert.isAbove(pieces.length, 0)
    assert.notMatch(JSON.stringify(pieces), /erika mustermann|secret/i)
  })

  it("makes anew what is being exported meanwhile, so that no old name is frozen", async () => {
    const holder = await session(service.databaseUrl)
    const late = await service.data("POST", "/api/v1/customers", { name: "Late Secret", code: "late" })
    // The report reads the customer first, then the policies of its licenses.
    await holder.query("BEGIN")
    await holder.query("LOCK TABLE policies IN ACCESS EXCLUSIVE MODE")
    const { id } = await service.data("POST", "/api/v1/reports/exports", summaryOf(late))
    await eventually(
      "the worker has read the name, and waits",
      async () =>
        (await database.query(
          `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
           WHERE NOT l.granted AND l.relation = 'policies'::regclass AND a.query LIKE '%customer_id%'`
        )).length > 0
    )
    await service.data("POST", `/api/v1/customers/${late.id}/erase`)
    await holder.query("COMMIT")
    const record = await eventually("the export is ready", async () => {
      const found = await service.data("GET", `/api/v1/reports/exports/${id}`)
      return found.status === "ready" ? found : undefined
    })
    const { text } = await service.call("GET", `/api/v1/reports/exports/${record.id}/download`)
    assert.include(text, "Erased customer")
    assert.notInclude(text, "Late")
    // What was made after an erasure holds nothing, and another erasure leaves it.
    const again = await service.data("POST", `/api/v1/customers/${late.id}/erase`)
    assert.deepInclude(again, { events: 0, exports: 0 })
    assert.strictEqual((await service.data("GET", `/api/v1/reports/exports/${id}`)).status, "ready")
  })

  it("leaves what belongs to others", async () => {
    const text = JSON.stringify(await service.feed())
    for (const kept of ["it@lyon.example", "buyer@lyon.example", "lyon-laptop", "Lyon SARL"]) assert.include(text, kept)
    const license = await service.data("GET", `/api/v1/licenses/${moved.license.id}`)
    assert.strictEqual(license.customer_email, "buyer@lyon.example")
  })

  it("takes them out of the resources, which go on", async () => {
    const license = await service.data("GET", `/api/v1/licenses/${issued.license.id}`)
    assert.isUndefined(license.customer_email)
    assert.isUndefined(license.customer_name)
    const devices = await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices`)
    assert.notInclude(JSON.stringify(devices), "secret")
    assert.deepStrictEqual(await service.data("GET", `/api/v1/customers/${customer.id}/custom-fields`), [])
    assert.deepStrictEqual(await service.data("GET", `/api/v1/licenses/${issued.license.id}/custom-fields`), [])
    const [kept, ...others] = await service.data("GET", `/api/v1/licenses/${moved.license.id}/custom-fields`)
    assert.deepStrictEqual([kept.string_value, others], ["lyon-place", []])
    const answer = await service.license("validate", issued.key, { fingerprint: "a" })
    assert.strictEqual(answer.status, 200, answer.text)
  })

  it("repeats, with an event only when there was something new", async () => {
    const count = (await service.feed()).length
    const again = await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    assert.strictEqual(again.events, 0)
    assert.lengthOf(await service.feed(), count)
    await service.data("PATCH", `/api/v1/customers/${customer.id}`, { name: "Erika Secret" })
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    assert.notInclude(JSON.stringify(await service.feed()), "Erika")
  })

  it("takes exports that nobody knows the names of for such that name the customer", async () => {
    const unknown = await service.data("POST", "/api/v1/customers", { name: "Some Secret", code: "unknown" })
    const record = await exported({ ...byCustomer, filters: { ...byCustomer.filters, customer_id: unknown.id } })
    const kept = await exported({ ...byCustomer, filters: { ...byCustomer.filters, customer_id: other.id } })
    // As an older node has left them.
    await database.query("UPDATE report_exports SET names_recorded = false WHERE id = ANY($1)", [[record.id, kept.id]])
    await database.query("DELETE FROM report_export_customers WHERE export_id = ANY($1)", [[record.id, kept.id]])
    assert.strictEqual((await service.data("POST", `/api/v1/customers/${unknown.id}/erase`)).exports, 1)
    const status = async ({ id }: Body) => (await service.data("GET", `/api/v1/reports/exports/${id}`)).status
    assert.deepStrictEqual([await status(record), await status(kept)], ["expired", "ready"])
  })

  it("reaches what was placed in the feed before a transfer that waits for its place", async () => {
    const ada = await service.data("POST", "/api/v1/customers", { name: "Ada", code: "ada" })
    const { key, license } = await service.issue({
      policy: { max_activations: 2, max_transfers: 5 },
      license: { customer_id: ada.id }
    })
    await service.license("activate", key, { fingerprint: "a", hostname: "adas-laptop" })
    const told = async () => JSON.stringify(await service.feed(""))
    await eventually("her device is in the feed", async () => (await told()).includes("adas-laptop"))
    // Nothing gets a place from here on.
    const held = await hold(service.databaseUrl, "SELECT 1 FROM event_chain FOR UPDATE")
    await transfer(license.id, { customer_id: other.id })
    await service.data("POST", `/api/v1/customers/${ada.id}/erase`)
    await held.release()
    await eventually(
      "the erasure is in the feed",
      async () => (await service.feed(`&event_type=customer.erased&resource_id=${ada.id}`)).length > 0
    )
    assert.notInclude(await told(), "adas-laptop")
  })

  it("needs a customer", async () => {
    refused(await service.call("POST", "/api/v1/customers/cus_none/erase"), 404, "NOT_FOUND")
  })
})

describe("an erasure with an Idempotency-Key", () => {
  /** A customer with this many licenses that name it, and as many events. */
  const owner = async (licenses: number): Promise<Body> => {
    const code = randomUUID()
    const made = await service.data("POST", "/api/v1/customers", { name: "Paula Secret", code })
    const { policy, product } = await service.issue()
    for (let left = licenses; left > 0; left -= 1000) {
      await service.data("POST", "/api/v1/licenses/bulk", {
        defaults: { product_id: product.id, policy_id: policy.id, customer_id: made.id, customer_name: "Paula Secret" },
        licenses: Array.from({ length: Math.min(left, 1000) }, () => ({}))
      })
    }
    return made
  }

  const erasing = (id: string, key = randomUUID()) => () =>
    service.call("POST", `/api/v1/customers/${id}/erase`, { headers: { "idempotency-key": key } })

  const replays = async (first: Answer, send: () => Promise<Answer>) => {
    const again = await send()
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
  }

  /** The events of licenses of a customer, by the transaction that wrote them last. */
  const writers = async (id: string): Promise<ReadonlyArray<Body>> => {
    return database.query(
      `SELECT r.xmin::text AS xid, count(*)::int AS events, bool_or(r.personal - '/ip_address' <> '{}') AS is_left
       FROM licenses l JOIN event_records r ON r.resource_id = l.id WHERE l.customer_id = $1 GROUP BY 1`,
      [id]
    )
  }

  it("is many short transactions all the same, and is repeated byte for byte", async () => {
    const { id } = await owner(1100)
    await service.feed()
    const send = erasing(id)
    const first = await send()
    assert.strictEqual(first.status, 200, first.text)
    assert.strictEqual(first.body.data.events, 1101)
    const transactions = await writers(id)
    assert.isAtLeast(transactions.length, 2)
    for (const { events, is_left } of transactions) {
      assert.isAtMost(events, 1000)
      assert.isNotTrue(is_left)
    }
    await replays(first, send)
  })

  it("goes on where one that was killed stopped, and answers", async () => {
    const { id } = await owner(1100)
    await service.feed()
    const send = erasing(id)
    // The last step waits where it erases the customer; what came before it is done.
    const held = await gate(service.databaseUrl, "customers")
    const lost = send().catch((error: unknown) => error)
    await held.reached()
    for (const { is_left } of await writers(id)) assert.isNotTrue(is_left)
    const [row] = await database.query("SELECT name FROM customers WHERE id = $1", [id])
    assert.strictEqual(row.name, "Paula Secret")
    await service.kill("SIGKILL")
    assert.instanceOf(await lost, Error)
    // As if its heartbeat had expired: until then the feed is its work.
    await database.query("DELETE FROM node_runners")
    await held.open()
    await service.start()
    const first = await eventually("the lost session has ended", async () => {
      const answer = await send()
      return answer.status !== 409 && answer.status !== 503 && answer
    })
    await held.remove()
    assert.strictEqual(first.status, 200, first.text)
    assert.isUndefined(first.headers["idempotency-replayed"])
    assert.strictEqual(first.body.data.customer.name, "Erased customer")
    await replays(first, send)
    const erased = await service.feed(`&resource_id=${id}&event_type=customer.erased`)
    assert.lengthOf(erased, 1)
    assert.notInclude(JSON.stringify(await service.feed()), "Paula")
  })

  it("leaves no name in an export that is asked for and frozen between its last look and its commit", async () => {
    const late = await service.data("POST", "/api/v1/customers", { name: "Between Secret", code: "between" })
    await service.feed()
    // Everything but the last thing, which is to store the answer.
    const held = await gate(service.databaseUrl, "idempotency_keys")
    const erased = erasing(late.id)()
    await held.reached()
    const { id } = await service.data("POST", "/api/v1/reports/exports", summaryOf(late))
    await eventually("the old name is frozen, or waits to be", async () => {
      const { status } = await service.data("GET", `/api/v1/reports/exports/${id}`)
      const waits = await database.query(
        `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
         WHERE NOT l.granted AND a.datname = current_database() AND a.query LIKE '%LOCK TABLE customer_erasures%'`
      )
      return status === "ready" || waits.length > 0
    })
    await held.open()
    assert.strictEqual((await erased).status, 200)
    await held.remove()
    const record = await eventually("the export is ready", async () => {
      const found = await service.data("GET", `/api/v1/reports/exports/${id}`)
      return found.status === "ready" ? found : undefined
    })
    const { text } = await service.call("GET", `/api/v1/reports/exports/${record.id}/download`)
    assert.include(text, "Erased customer")
    assert.notInclude(text, "Between")
    const pieces = await storedPieces(database)
    assert.notInclude(JSON.stringify(pieces), "Between Secret")
  })
})
