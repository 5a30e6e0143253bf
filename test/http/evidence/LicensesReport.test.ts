// The list of licenses as a report, and exported to a file of all of them.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { parseCsv } from "../../fixtures/parseCsv.ts"
import { exportedFile } from "../../fixtures/ReportExport.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
const issued = await service.issue()
let owner: Body

beforeAll(async () => {
  owner = await service.data("POST", "/api/v1/customers", { name: "Zoë Ltd", code: "zoe" })
  const issue = (values: object) =>
    service.data("POST", "/api/v1/licenses", { product_id: issued.product.id, policy_id: issued.policy.id, ...values })
  await issue({ customer_id: owner.id, tags: ["vip", "a"], expires_at: "2031-01-01T00:00:00Z" })
  await issue({ customer_name: "=ada", customer_email: "ada@report.example", tags: ["vip"] })
  const { license } = await issue({ customer_name: "Mei", tags: ["vip"], expires_at: "2030-01-01T00:00:00Z" })
  await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
})

const report = (query: Readonly<Record<string, string>> = {}): Promise<Body> =>
  service.data("GET", `/api/v1/reports/licenses?${new URLSearchParams(query)}`)

/** The report as a file. */
const exported = (format: string, filters: object) =>
  exportedFile(service, { report_kind: "licenses", format, filters })

describe("the report of licenses", () => {
  it("has those that match the filters, in the order of the list, and how many there are with each status", async () => {
    for (const order of ["desc", "asc", "updated_desc", "owner_asc", "expires_desc", "product_asc"]) {
      const listed = await service.data("GET", `/api/v1/licenses?order=${order}&tag=vip`)
      const found = await report({ order, tag: "vip" })
      assert.deepStrictEqual(found.rows.map(({ id }: Body) => id), listed.map(({ id }: Body) => id), order)
    }
    const found = await report({ tag: "vip", order: "owner_asc", limit: "2" })
    assert.deepInclude(found, { total_rows: 3, truncated: true })
    assert.deepStrictEqual(found.summary, {
      licenses: 3,
      statuses: [{ status: "active", count: 2 }, { status: "suspended", count: 1 }]
    })
    assert.strictEqual((await report({ tag: "vip", status: "suspended" })).summary.licenses, 1)
    assert.strictEqual((await report({ product_id: "none" })).summary.licenses, 0)
    for (const query of [{ q: "ada" }, { customer_email: "a@b.c" }, { from: "2026-01-01T00:00:00Z" }]) {
      refused(await service.call("GET", `/api/v1/reports/licenses?${new URLSearchParams(query)}`), 400, "INVALID_QUERY")
    }
  })

  it("is exported with every row, a spreadsheet calculating none, and takes the scope of licenses", async () => {
    const filters = { tag: "vip", order: "expires_asc" }
    const { rows } = await report(filters)
    const [csv, json] = [await exported("csv", filters), await exported("json", filters)]
    const [head, ...lines] = parseCsv(csv.text)
    const cells = (name: string) => lines.map((line) => line[head!.indexOf(name)])
    assert.deepStrictEqual(cells("id"), rows.map(({ id }: Body) => id))
    assert.deepStrictEqual(cells("owner"), ["Mei", "Zoë Ltd", "'=ada"])
    assert.deepStrictEqual(cells("tags"), ["vip", "vip, a", "vip"])
    assert.deepStrictEqual(JSON.parse(json.text).table.rows, rows)
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "exports",
      scopes: ["report:read", "report:export"]
    })
    const body = { report_kind: "licenses" }
    refused(await service.call("POST", "/api/v1/reports/exports", { body, token }), 403, "TOKEN_SCOPE_DENIED")
    refused(await service.call("GET", "/api/v1/reports/licenses", { token }), 403, "TOKEN_SCOPE_DENIED")
  })

  it("is gone once a customer in it is erased", async () => {
    const { id } = await exported("csv", { customer_id: owner.id })
    await service.data("POST", `/api/v1/customers/${owner.id}/erase`)
    const { expired_reason, status } = await service.data("GET", `/api/v1/reports/exports/${id}`)
    assert.deepStrictEqual([status, expired_reason], ["expired", "customer_erased"])
  })
})
