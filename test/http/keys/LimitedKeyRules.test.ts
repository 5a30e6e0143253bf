// What a key that is limited to products may hand on, what it sees of customers that others have too, and how its feed,
// its reports and its repeated requests hold together.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeCustomer, makeProduct } from "../../fixtures/Commerce.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Answer, CallOptions } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { makeTeam } from "../../fixtures/Teams.ts"
import type { Team } from "../../fixtures/Teams.ts"

const service = await startService()
const north = await makeTeam(service, "north")
const south = await makeTeam(service, "south")

const keys = "/api/v1/api-keys"
const makeKey = (members: object, by?: Team): Promise<Answer> =>
  service.call("POST", keys, {
    body: { name: "k", scopes: ["admin"], expires_at: "2030-01-01T00:00:00Z", ...members },
    ...(by === undefined ? {} : { token: by.token })
  })

const call = (team: Team, method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> =>
  service.call(method, `/api/v1${path}`, { token: team.token, ...(body === undefined ? {} : { body }), ...options })

const issueTo = async (team: Team, customer_id: string): Promise<Body> => {
  const body = { product_id: team.ids.product, policy_id: team.ids.policy, customer_id }
  return (await service.data("POST", "/api/v1/licenses", body)).license
}

describe("product_ids of a key", () => {
  it("are answered, listed, told by whoami and in its event", async () => {
    const product_ids = [north.ids.product]
    const [key] = (await service.data("GET", `${keys}/${north.ids.key}`, undefined)).product_ids
    assert.strictEqual(key, north.ids.product)
    const { data } = (await call(north, "GET", "/whoami")).body
    assert.deepStrictEqual(data.product_ids, product_ids)
    const [event] = await service.feed(`&resource_id=${north.ids.key}`)
    assert.deepStrictEqual(event.data.product_ids, product_ids)
    const free = (await makeKey({ product_ids: null })).body.data.api_key
    assert.notProperty(free, "product_ids")
    assert.notProperty((await makeKey({})).body.data.api_key, "product_ids")
  })

  it.each([
    ["no product", [], "product_ids"],
    ["one twice", [north.ids.product, north.ids.product], "product_ids"],
    ["what is no product", ["prod_0000000000000000000000000z"], "product_ids.0"],
    ["what is no id", ["studio"], "product_ids.0"],
    [
      "too many",
      Array.from({ length: 51 }, () => `prod_0${randomUUID().replaceAll(/[-e-f]/g, "0").slice(0, 25)}`),
      "product_ids"
    ]
  ])("are refused with %s", async (_title, product_ids, field) => {
    const error = refused(await makeKey({ product_ids }), 422, "VALIDATION_ERROR")
    assert.include(error.fields.map(({ path }: Body) => path), field)
  })

  it("are not outgrown by a key that a limited key makes", async () => {
    for (const product_ids of [undefined, null, [south.ids.product], [north.ids.product, south.ids.product]]) {
      const given = product_ids === undefined ? {} : { product_ids }
      const error = refused(await makeKey(given, north), 403, "TOKEN_SCOPE_DENIED")
      assert.strictEqual(error.detail, `product_ids must lie within ${north.ids.product}`)
    }
    const made = await makeKey({ product_ids: [north.ids.product] }, north)
    assert.strictEqual(made.status, 201, made.text)
    refused(
      await call({ ...north, token: made.body.data.token }, "GET", `/products/${south.ids.product}`),
      404,
      "NOT_FOUND"
    )
    // Nor by one that was there before, which a limited key could not revoke either.
    const wider = (await makeKey({ product_ids: [north.ids.product, south.ids.product] })).body.data.api_key
    refused(await call(north, "DELETE", `/api-keys/${wider.id}`), 404, "NOT_FOUND")
  })

  it("may be several", async () => {
    const { token } = (await makeKey({ product_ids: [north.ids.product, south.ids.product] })).body.data
    const both = { ...north, token }
    const { data } = (await call(both, "GET", "/licenses?limit=200")).body
    assert.includeMembers(data.map(({ id }: Body) => id), [north.ids.license, south.ids.license])
    const third = await makeProduct(service)
    refused(await call(both, "GET", `/products/${third.id}`), 404, "NOT_FOUND")
    const exports = (await call(both, "GET", "/reports/exports")).body.data
    assert.sameMembers(exports.map(({ id }: Body) => id), [north.ids.export, south.ids.export])
  })
})

describe("a customer of a limited key", () => {
  it("is the key's own from its creation on, before it has a license", async () => {
    const answer = await call(north, "POST", "/customers", { name: "New", code: randomUUID() })
    const { id } = answer.body.data
    assert.strictEqual((await call(north, "GET", `/customers/${id}`)).status, 200)
    refused(await call(south, "GET", `/customers/${id}`), 404, "NOT_FOUND")
    const body = { product_id: north.ids.product, policy_id: north.ids.policy, customer_id: id }
    assert.strictEqual((await call(north, "POST", "/licenses", body)).status, 201)
    assert.strictEqual((await call(north, "PATCH", `/customers/${id}`, { name: "Newer" })).status, 200)
  })

  it("that another key made is there once it has something of the product", async () => {
    const { id } = await makeCustomer(service)
    refused(await call(north, "GET", `/customers/${id}`), 404, "NOT_FOUND")
    await issueTo(north, id)
    assert.strictEqual((await call(north, "GET", `/customers/${id}`)).status, 200)
  })

  it("that other products have too is shown, with what is of the product, and not changed", async () => {
    const { id } = await makeCustomer(service)
    const own = await issueTo(north, id)
    const theirs = await issueTo(south, id)
    for (const [team, license] of [[north, own], [south, theirs]] as const) {
      const value = { string_value: `${team.mark} value` }
      const field = team.ids.customerField
      assert.strictEqual((await call(team, "PUT", `/customers/${id}/custom-fields/${field}`, value)).status, 200)
      const { data } = (await call(team, "GET", `/customers/${id}/custom-fields`)).body
      assert.deepStrictEqual(data.map(({ definition_id }: Body) => definition_id), [field])
      const report = (await call(team, "GET", `/reports/customer-summary?customer_id=${id}`)).body.data
      assert.deepStrictEqual(report.rows.map((row: Body) => row.license_id), [license.id])
      assert.deepInclude(report.summary, { licenses: 1, license_statuses: [{ status: "active", count: 1 }] })
      assert.deepStrictEqual(report.filters.product_ids, [team.ids.product])
    }
    const error = refused(await call(north, "PATCH", `/customers/${id}`, { name: "x" }), 403, "TOKEN_PRODUCT_DENIED")
    assert.notInclude(JSON.stringify(error), south.ids.product)
    refused(await call(north, "DELETE", `/customers/${id}`), 403, "TOKEN_PRODUCT_DENIED")
    refused(await call(north, "POST", `/customers/${id}/erase`), 403, "TOKEN_PRODUCT_DENIED")
    refused(
      await call(north, "PATCH", `/customers/${id}`, { name: "x" }, { headers: { "if-match": "*" } }),
      403,
      "TOKEN_PRODUCT_DENIED"
    )
  })
})

describe("a bulk of a limited key", () => {
  it("judges each row that reaches beyond as one that names nothing", async () => {
    const own = { product_id: north.ids.product, policy_id: north.ids.policy }
    const rows = [
      own,
      { product_id: south.ids.product, policy_id: south.ids.policy },
      { ...own, customer_id: south.ids.customer },
      { ...own, order_id: south.ids.order },
      { ...own, subscription_id: south.ids.subscription },
      { ...own, product_ids: [south.ids.product] }
    ]
    const { data } = (await call(north, "POST", "/licenses/bulk", { mode: "per_row", licenses: rows })).body
    assert.deepInclude(data, { created: 1, refused: 5 })
    const codes = data.results.slice(1).flatMap(({ error }: Body) => error.fields.map(({ code }: Body) => code))
    assert.deepStrictEqual([...new Set(codes)], ["not_found"])
    refused(await call(north, "POST", "/licenses/bulk", { licenses: rows }), 422, "VALIDATION_ERROR")
  })
})

describe("the feed of a limited key", () => {
  it("has the events of its products in their places, and goes on to the head", async () => {
    const all = await service.feed()
    const own: Array<Body> = []
    for (let cursor = "";;) {
      const { body } = await call(north, "GET", `/events?limit=3${cursor}`)
      own.push(...body.data)
      cursor = `&cursor=${body.page_info.next_cursor}`
      if (!body.page_info.has_more) {
        assert.strictEqual(Number(body.page_info.next_cursor), all.at(-1).sequence)
        break
      }
    }
    const expected = all.filter(({ data, event_type, resource_id }) => {
      if (/^(customer|api_key|job|report_export|signing_key|webhook|log)\./.test(event_type)) return false
      // A customer is of no product, and so is a note about one.
      if (event_type.startsWith("note.") && data.license_id === undefined) return false
      return JSON.stringify({ data, resource_id }).match(new RegExp(Object.values(north.ids).join("|"))) !== null
    })
    assert.deepStrictEqual(own.map(({ id }) => id), expected.map(({ id }) => id))
    assert.deepStrictEqual(own, expected)
    const back = (await call(north, "GET", "/events?order=desc&limit=200")).body.data
    assert.deepStrictEqual(back.map(({ id }: Body) => id), own.map(({ id }) => id).toReversed())
  })
})

describe("the feed of a limited key behind many events of others", () => {
  it("goes on through short pages, and misses nothing", async () => {
    const start = (await call(north, "GET", "/events?limit=200")).body.page_info.next_cursor
    const defaults = { product_id: south.ids.product, policy_id: south.ids.policy }
    for (let bulk = 0; bulk < 2; bulk++) {
      const licenses = Array.from({ length: 1000 }, () => ({}))
      assert.strictEqual((await call(south, "POST", "/licenses/bulk", { defaults, licenses })).status, 200)
    }
    const own = await issueTo(north, north.ids.customer)
    const head = (await service.feed()).at(-1).sequence
    const first = (await call(north, "GET", `/events?cursor=${start}`)).body
    assert.isEmpty(first.data)
    assert.isTrue(first.page_info.has_more)
    assert.isBelow(Number(first.page_info.next_cursor), head)
    const next = (await call(north, "GET", `/events?cursor=${first.page_info.next_cursor}`)).body
    assert.deepStrictEqual(next.data.map(({ resource_id }: Body) => resource_id), [own.id])
    assert.deepStrictEqual(next.page_info, { has_more: false, next_cursor: String(head) })
    // Backwards the newest is met first, and what lies behind the others on a later page.
    const back = (await call(north, "GET", "/events?order=desc")).body
    assert.deepStrictEqual(back.data.map(({ resource_id }: Body) => resource_id), [own.id])
    assert.isTrue(back.page_info.has_more)
    const older = (await call(north, "GET", `/events?order=desc&cursor=${back.page_info.next_cursor}`)).body
    assert.isNotEmpty(older.data)
  })
})

describe("a report of a limited key", () => {
  it("is frozen within its limit, whoever takes it, and says so", async () => {
    const body = { report_kind: "usage-summary", filters: { group_by: "license_id" } }
    for (const format of ["json", "csv", "pdf"]) {
      const { data } = (await call(north, "POST", "/reports/exports", { ...body, format })).body
      const path = `/reports/exports/${data.id}`
      await eventually("it is ready", async () => (await call(north, "GET", path)).body.data.status === "ready")
      refused(await call(south, "GET", path), 404, "NOT_FOUND")
      const snapshot = await service.call("GET", `/api/v1${path}/snapshot`)
      const frozen = JSON.parse(snapshot.text)
      assert.deepStrictEqual(frozen.filters.product_ids, [north.ids.product])
      assert.strictEqual(frozen.summary.uses, 1)
      for (const { text } of [snapshot, await service.call("GET", `/api/v1${path}/download`)]) {
        assert.notInclude(text, "south")
        assert.notInclude(text, south.ids.license)
      }
    }
    const whole = await service.data("GET", "/api/v1/reports/usage-summary")
    assert.strictEqual(whole.summary.uses, 2)
    assert.notProperty(whole.filters, "product_ids")
    assert.strictEqual((await call(north, "GET", "/reports/usage-summary")).body.data.summary.uses, 1)
  })

  it("about what another team has fails when it is frozen", async () => {
    const body = { report_kind: "license-audit", filters: { license_id: south.ids.license } }
    const { data } = (await call(north, "POST", "/reports/exports", body)).body
    const failed = await eventually("it failed", async () => {
      const found = (await call(north, "GET", `/reports/exports/${data.id}`)).body.data
      return found.status === "failed" && found
    })
    assert.strictEqual(failed.failure.code, "NOT_FOUND")
  })
})

describe("a repeated request of a limited key", () => {
  it("is answered as before, also once what it deleted is gone", async () => {
    const path = `/products/${north.ids.product}/features`
    const { id } = (await call(north, "POST", path, { name: "Gone", code: randomUUID() })).body.data
    const headers = { "idempotency-key": randomUUID() }
    for (let repeat = 0; repeat < 2; repeat++) {
      const answer = await call(north, "DELETE", `/features/${id}`, undefined, { headers })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.headers["idempotency-replayed"], repeat === 0 ? undefined : "true")
    }
  })

  it("is not answered any more once its license is beyond its reach", async () => {
    const { id } = await makeCustomer(service)
    const license = await issueTo(north, id)
    const headers = { "idempotency-key": randomUUID() }
    const suspend = () => call(north, "POST", `/licenses/${license.id}/suspend`, undefined, { headers })
    assert.strictEqual((await suspend()).status, 200)
    const sql = await session(service.databaseUrl)
    await sql.query("UPDATE management_keys SET product_ids = $2 WHERE id = $1", [north.ids.key, [south.ids.product]])
    refused(await suspend(), 404, "NOT_FOUND")
    await sql.query("UPDATE management_keys SET product_ids = $2 WHERE id = $1", [north.ids.key, [north.ids.product]])
    assert.strictEqual((await suspend()).headers["idempotency-replayed"], "true")
  })
})

describe("unique codes", () => {
  it("are still unique, and do not say whose they are", async () => {
    const product = await service.data("GET", `/api/v1/products/${south.ids.product}`)
    await service.data("PATCH", `/api/v1/products/${south.ids.product}`, { code: "south-new" })
    for (const code of ["south-new", product.code]) {
      const error = refused(await call(north, "PATCH", `/products/${north.ids.product}`, { code }), 409, "CONFLICT")
      assert.notInclude(JSON.stringify(error), south.ids.product)
    }
    invalid(await makeKey({ product_ids: ["prod_0000000000000000000000000z"] }), "product_ids.0", "not_found")
  })
})
