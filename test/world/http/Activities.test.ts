import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { activityIdOf } from "../../../src/domain/evidence/audit/Activity.ts"
import { makeHistory } from "../../fixtures/History.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

let service: Service
let database: Session

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
})

const list = async (query: Readonly<Record<string, string>>): Promise<ReadonlyArray<Body>> =>
  (await service.call("GET", `/api/v1/activities?${new URLSearchParams(query)}`)).body.data

/** All pages. */
const listAll = async (query: Readonly<Record<string, string>>, limit = 200): Promise<ReadonlyArray<Body>> => {
  const found: Array<Body> = []
  for (let cursor: string | null = "";;) {
    const more = cursor === "" ? {} : { cursor: String(cursor) }
    const path = `/api/v1/activities?${new URLSearchParams({ ...query, limit: String(limit), ...more })}`
    const { body } = await service.call("GET", path)
    found.push(...body.data)
    cursor = body.page_info.next_cursor
    if (!body.page_info.has_more) return found
  }
}

/** The refusals of a license, once there are as many. */
const refusals = (license_id: string, count: number) =>
  eventually(`${count} refusals are written`, async () => {
    const found = await list({ license_id, result_class: "refused" })
    return found.length >= count && found
  })

const activate = (issued: Issued, fingerprint: string, headers = {}) =>
  service.license("activate", issued.key, { fingerprint }, headers)

describe("Activities", () => {
  it("are every event, once each, with what it is about", async () => {
    const { customer, feature, key, license, order, product, subscription } = await makeHistory(service)
    const feed = await service.feed()
    const found = (await listAll({}, 37)).filter(({ result_class }) => result_class !== "refused")
    assert.deepStrictEqual(
      found.map(({ audit_event_id }) => audit_event_id).toSorted(),
      feed.map(({ id }) => id).toSorted()
    )
    const byEvent = new Map(found.map((activity) => [activity.audit_event_id, activity]))
    for (const event of feed) {
      const activity = byEvent.get(event.id)
      assert.deepInclude(activity, {
        id: activityIdOf(event.id),
        action: event.event_type,
        occurred_at: event.created_at,
        actor_type: event.actor_type,
        actor_id: event.actor_id,
        resource_type: event.resource_type,
        resource_id: event.resource_id,
        source: event.actor_type === "system" ? "system" : event.actor_type === "license" ? "runtime" : "management",
        result_class: "success"
      })
      assert.strictEqual(activity.request_id, event.request_id)
      assert.strictEqual(activity.status_code === undefined, event.request_id === undefined)
    }
    const of = (id: string, action: string) =>
      found.filter((activity) => activity.resource_id === id && activity.action === action)
    const own = { product_id: product.id, customer_id: customer.id, license_id: license.id }
    const [created] = of(license.id, "license.created")
    assert.deepInclude(created, { ...own, status_code: 201 })
    for (const activity of of(license.id, "license.activated")) {
      assert.deepInclude(activity, own)
      assert.match(activity.device_id, /^dev_/)
    }
    const uses = of(license.id, "license.usage_recorded")
    assert.deepStrictEqual(uses.map(({ amount }) => amount).toSorted(), [2, 2, 2, 3, 4])
    assert.deepInclude(uses[0], { ...own, feature_code: feature.code, status_code: 200 })
    assert.deepInclude(of(order.id, "order.updated")[0], {
      product_id: product.id,
      order_id: order.id,
      subscription_id: subscription.id
    })
    assert.deepInclude(of(feature.id, "feature.created")[0], { product_id: product.id, feature_code: feature.code })
    for (const activity of found.filter(({ resource_type }) => resource_type === "lease")) {
      assert.match(activity.license_id, /^lic_/)
      assert.strictEqual(activity.product_id, product.id)
    }
    // Secrets and personal values stay out.
    assert.notInclude(JSON.stringify(found), key)
    assert.notInclude(JSON.stringify(found), "koeln.example")
  })

  it("are found by every filter, alone and together, and by time", async () => {
    // The service itself goes on; what it does from here on is out of the window.
    const [newest] = await list({ limit: "1" })
    const until = { to: new Date(Date.parse(newest.occurred_at) + 1).toISOString() }
    const all = await listAll(until)
    const members = [
      "action",
      "source",
      "product_id",
      "customer_id",
      "license_id",
      "order_id",
      "subscription_id",
      "feature_code",
      "request_id",
      "result_class",
      "status_code",
      "actor_type",
      "actor_id",
      "resource_type",
      "resource_id"
    ]
    const matching = (query: Readonly<Record<string, string>>) =>
      all.filter((activity) => Object.entries(query).every(([name, value]) => String(activity[name]) === value))
        .map(({ id }) => id)
    for (const member of members) {
      const values = [...new Set(all.map((activity) => activity[member]).filter((value) => value !== undefined))]
      assert.isNotEmpty(values, member)
      for (const value of values.slice(0, 2)) {
        const query = { [member]: String(value) }
        assert.deepStrictEqual(
          (await listAll({ ...query, ...until }, 50)).map(({ id }) => id),
          matching(query),
          `${member}=${value}`
        )
      }
    }
    const both = { source: "runtime", result_class: "success", action: "license.usage_recorded" }
    assert.deepStrictEqual((await listAll({ ...both, ...until })).map(({ id }) => id), matching(both))
    const times = [...new Set(all.map(({ occurred_at }) => occurred_at as string))].toSorted()
    const [from, to] = [times[Math.floor(times.length / 3)]!, times[Math.floor(times.length / 2)]!]
    const within = all.filter(({ occurred_at }) => occurred_at >= from && occurred_at < to).map(({ id }) => id)
    assert.isNotEmpty(within)
    assert.deepStrictEqual((await listAll({ from, to }, 3)).map(({ id }) => id), within)
    const places = all.map(({ id, occurred_at }) => `${occurred_at}~${id}`)
    assert.deepStrictEqual(places, places.toSorted().toReversed())
  })

  it("are those of the owner at that time", async () => {
    const [before, after] = [
      await service.data("POST", "/api/v1/customers", { name: "A", code: randomUUID() }),
      await service.data("POST", "/api/v1/customers", { name: "B", code: randomUUID() })
    ]
    const issued = await service.issue({
      policy: { max_activations: 2, max_transfers: 1 },
      license: { customer_id: before.id }
    })
    await activate(issued, "a")
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/transfer`, { customer_id: after.id }, {
      headers: { "idempotency-key": randomUUID() }
    })
    await activate(issued, "b")
    const actions = async (customer_id: string) => (await list({ customer_id })).map(({ action }) => action)
    assert.deepStrictEqual(await actions(before.id), ["license.activated", "license.created", "customer.created"])
    assert.deepStrictEqual(await actions(after.id), ["license.activated", "license.transferred", "customer.created"])
  })

  it("of the command line are found by its name", async () => {
    await database.query(`INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class)
      VALUES ('act_of_cli', now(), 'signing_key.created', 'system', 'system', 'cli', 'success')`)
    assert.deepStrictEqual((await list({ actor_id: "cli" })).map(({ id }) => id), ["act_of_cli"])
    await database.query("DELETE FROM activities WHERE id = 'act_of_cli'")
  })

  it("need report:read and nothing else", async () => {
    const key = async (scopes: ReadonlyArray<string>) =>
      (await service.data("POST", "/api/v1/api-keys", { name: "k", scopes })).token as string
    const reader = await key(["report:read"])
    assert.strictEqual((await service.call("GET", "/api/v1/activities", { token: reader })).status, 200)
    const other = await key(["event:read", "license:read", "report:export"])
    refused(await service.call("GET", "/api/v1/activities", { token: other }), 403, "TOKEN_SCOPE_DENIED")
  })

  it.each([
    "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z",
    "action=x",
    "status_code=9",
    "result_class=bad",
    "actor_type=robot",
    "resource_type=sessions",
    "include_names=yes",
    "x=1"
  ])(
    "refuse %s",
    async (query) => {
      refused(await service.call("GET", `/api/v1/activities?${query}`), 400, "INVALID_QUERY")
    }
  )
})

describe("Refusals", () => {
  it("are activities and no events: who, what, why and for which request", async () => {
    const issued = await service.issue({ policy: { max_activations: 1 } })
    const { license, product } = issued
    await activate(issued, "a")
    const [device] = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    const answer = await activate(issued, "b")
    refused(answer, 403, "ACTIVATION_LIMIT_EXCEEDED")
    refused(await service.license("validate", issued.key, { fingerprint: "never" }), 404, "DEVICE_NOT_ACTIVATED")
    const use = { fingerprint: "a", feature_code: "render", event_id: "e" }
    refused(await service.license("consume", issued.key, use), 403, "FEATURE_NOT_ENTITLED")
    const found = await refusals(license.id, 3)
    assert.sameDeepMembers(
      found.map(({ id: _id, occurred_at: _at, request_id: _request, ...rest }) => rest),
      [
        { action: "license.activated", status_code: 403, code: "ACTIVATION_LIMIT_EXCEEDED" },
        { action: "license.validated", status_code: 404, code: "DEVICE_NOT_ACTIVATED" },
        {
          action: "license.usage_recorded",
          status_code: 403,
          code: "FEATURE_NOT_ENTITLED",
          device_id: device.id,
          feature_code: "render"
        }
      ].map((own) =>
        Object.assign(own, {
          source: "runtime",
          actor_type: "license",
          actor_id: license.id,
          result_class: "refused",
          resource_type: "license",
          resource_id: license.id,
          license_id: license.id,
          product_id: product.id
        })
      )
    )
    const denied = found.find(({ action }) => action === "license.activated")
    assert.strictEqual(denied.request_id, answer.body.meta.request_id)
    assert.isBelow(Math.abs(Date.parse(denied.occurred_at) - Date.parse(answer.body.meta.timestamp)), 60_000)
    const events = (await service.feed(`&resource_id=${license.id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(events, ["license.created", "license.activated"])
    const audit = await service.data("GET", `/api/v1/reports/license-audit?license_id=${license.id}`)
    assert.strictEqual(audit.summary.activities, 5)
    assert.deepStrictEqual(
      audit.rows.map(({ id }: Body) => id),
      (await list({ license_id: license.id })).map(({ id }) => id)
    )
  })

  it("of management name the key that asked, also when it may not", async () => {
    const { license } = await service.issue()
    const { api_key, token } = await service.data("POST", "/api/v1/api-keys", { name: "k", scopes: ["license:read"] })
    const path = `/api/v1/licenses/${license.id}`
    refused(await service.call("POST", `${path}/suspend`, { token }), 403, "TOKEN_SCOPE_DENIED")
    await service.data("POST", `${path}/revoke`)
    refused(await service.call("POST", `${path}/reinstate`), 409, "STATE_CONFLICT")
    refused(await service.call("GET", "/api/v1/products", { token }), 403, "TOKEN_SCOPE_DENIED")
    const found = await refusals(license.id, 2)
    assert.sameDeepMembers(found.map(({ action, actor_id, code, source }) => ({ action, actor_id, code, source })), [
      { action: "license.suspended", actor_id: api_key.id, code: "TOKEN_SCOPE_DENIED", source: "management" },
      { action: "license.reinstated", actor_id: "bootstrap", code: "STATE_CONFLICT", source: "management" }
    ])
  })

  it("of a key that no license has are nobody's, and those of no key at all are not kept", async () => {
    const { key } = await service.issue()
    const { key: gone, license } = await service.issue()
    await database.query("DELETE FROM license_keys WHERE license_id = $1", [license.id])
    refused(await service.license("validate", gone, { fingerprint: "a" }), 401, "LICENSE_KEY_INVALID")
    refused(await service.license("validate", `${key}X`, { fingerprint: "a" }), 401, "LICENSE_KEY_INVALID")
    const found = await eventually("the refusal is written", async () => {
      const found = await list({ status_code: "401" })
      return found.length > 0 && found
    })
    assert.lengthOf(found, 1)
    assert.deepInclude(found[0], { actor_id: "unknown", code: "LICENSE_KEY_INVALID" })
    assert.isUndefined(found[0].license_id)
    await database.query(
      "INSERT INTO license_keys (key_hash, license_id) SELECT decode(md5(id), 'hex'), id FROM licenses WHERE id = $1",
      [license.id]
    )
  })

  it("that flood are dropped and counted, and hide nobody else's", async () => {
    const [loud, quiet] = [await service.issue(), await service.issue()]
    const asked = 200
    const metric = async (name: string) => {
      const { text } = await service.call("GET", "/metrics")
      return Number(new RegExp(`^${name}\\S* (\\d+)`, "m").exec(text)?.[1] ?? 0)
    }
    const sum = async () => await metric("countersign_refusals_recorded") + await metric("countersign_refusals_dropped")
    const before = await sum()
    const ask = () => service.license("validate", loud.key, { fingerprint: "x" })
    const begun = performance.now()
    await Promise.all(Array.from({ length: asked }, ask))
    const seconds = Math.ceil((performance.now() - begun) / 1000)
    await service.license("validate", quiet.key, { fingerprint: "x" })
    assert.lengthOf(await refusals(quiet.license.id, 1), 1)
    await eventually("every refusal is counted", async () => await sum() - before === asked + 1)
    const [{ count }] = await database.query(
      "SELECT count(*)::int AS count FROM activities WHERE license_id = $1 AND result_class = 'refused'",
      [loud.license.id]
    )
    // At most 50 a second of one caller: a machine that takes its time over them has none to drop.
    assert.isAtLeast(count, 50)
    assert.isAtMost(count, Math.min(asked, 50 * (seconds + 1)))
  })

  it("are known for every operation that writes or decides", () => {
    const asked = operations.filter(({ declaration, method }) => method !== "GET" && declaration.scope !== "none")
    assert.deepStrictEqual(
      asked.filter(({ declaration }) => (declaration.action ?? "none") === "none").map(({ operationId }) =>
        operationId
      ),
      [
        "rehearsePolicy",
        "beginPasskey",
        "lookupLicense",
        "searchLicenses",
        "explainLicense",
        "beginUserMailSignIn",
        "createLicenseView",
        "updateLicenseView",
        "deleteLicenseView",
        "previewMailTemplate",
        "sendMailSample",
        "moveEnvironmentClock",
        "resetEnvironment",
        "testSignIn"
      ]
    )
    const reads = operations.filter(({ method }) => method === "GET")
    assert.deepStrictEqual(reads.filter(({ declaration }) => declaration.action !== undefined), [])
  })
})
