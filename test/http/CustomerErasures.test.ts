import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyEvents } from "../../src/client/index.ts"
import type { Issued, Service } from "../fixtures/Service.ts"
import { refused, startService } from "../fixtures/Service.ts"
import type { Body } from "../fixtures/Session.ts"
import { eventually, session } from "../fixtures/Session.ts"

let service: Service
let customer: Body
let other: Body
let issued: Issued
let moved: Issued
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
    const record = await service.data("GET", `/api/v1/reports/exports/${id}`)
    return record.status === "ready" ? record : undefined
  }, 60)
}
const byCustomer = { report_kind: "usage-summary", filters: { group_by: "customer_id" } }
const summaryOf = ({ id }: Body) => ({ report_kind: "customer-summary", filters: { customer_id: id } })

/** The checkpoint that covers the feed as it is now. */
const checkpointOf = (events: ReadonlyArray<Body>): Promise<Body> =>
  eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= events.length ? body.data : undefined
  })

beforeAll(async () => {
  service = await startService()
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
  await transfer(moved.license.id, {
    customer_id: other.id,
    customer_email: "buyer@lyon.example",
    customer_name: "Lyon",
    reset_devices: true
  })
  await service.license("activate", moved.key, { fingerprint: "c", hostname: "lyon-laptop" })
  for (const { key, product, license } of [issued, moved]) {
    const feature = await post(`products/${product.id}/features`, { name: "Export", code: "x" })
    await post(`licenses/${license.id}/features`, { feature_id: feature.id })
    const fingerprint = key === issued.key ? "a" : "c"
    const used = await service.license("consume", key, { fingerprint, feature_code: "x", event_id: randomUUID() })
    assert.strictEqual(used.status, 200, used.text)
  }
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
}, 120_000)

describe("an erasure", () => {
  it("takes every personal value of the customer out of the history, and leaves all that was signed valid", async () => {
    const before = await service.feed()
    const early = await checkpointOf(before)
    assert.include(JSON.stringify(before).toLowerCase(), "secret")

    const { customer: left, events, exports } = await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
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
    const database = await session(service.databaseUrl)
    const pieces = await database.query("SELECT convert_from(bytes, 'UTF8') AS text FROM report_export_pieces")
    assert.isAbove(pieces.length, 0)
    assert.notMatch(JSON.stringify(pieces), /erika mustermann|secret/i)
  })

  it("makes anew what is being exported meanwhile, so that no old name is frozen", async () => {
    const database = await session(service.databaseUrl)
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
        )).length > 0,
      30
    )
    await service.data("POST", `/api/v1/customers/${late.id}/erase`)
    await holder.query("COMMIT")
    const record = await eventually("the export is ready", async () => {
      const found = await service.data("GET", `/api/v1/reports/exports/${id}`)
      return found.status === "ready" ? found : undefined
    }, 60)
    const { text } = await service.call("GET", `/api/v1/reports/exports/${record.id}/download`)
    assert.include(text, "Erased customer")
    assert.notInclude(text, "Late")
    // What was made after an erasure holds nothing, and another erasure leaves it.
    const again = await service.data("POST", `/api/v1/customers/${late.id}/erase`)
    assert.deepInclude(again, { events: 0, exports: 0 })
    assert.strictEqual((await service.data("GET", `/api/v1/reports/exports/${id}`)).status, "ready")
  }, 120_000)

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

  it("needs a customer", async () => {
    refused(await service.call("POST", "/api/v1/customers/cus_none/erase"), 404, "NOT_FOUND")
  })
})
