// The statement of a customer or a license: its rules, its files, and who may read it.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../../fixtures/Doctor.ts"
import { parseCsv } from "../../../fixtures/parseCsv.ts"
import { soldUnder } from "../../../fixtures/Plans.ts"
import { exportedFile } from "../../../fixtures/ReportExport.ts"
import { adminToken, refused, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { session } from "../../../fixtures/Session.ts"

const service = await startService()
const customer = await service.data("POST", "/api/v1/customers", { name: "Zoë Ltd", code: "zoe" })

/** A license of the customer with grants and uses: 3 of the quota, 4 of a pack, 2 over both. */
const sold = async () => {
  const license = await soldUnder(service, [{ max_consumptions: 3, overage: "allow" }])
  await service.data("PATCH", license.path, { customer_id: customer.id })
  const give = (body: object) => service.data("POST", `${license.path}/grants`, { feature_code: "render", ...body })
  await give({ amount: 4 })
  const answer = await license.consume(9)
  assert.strictEqual(answer.status, 200, answer.text)
  await give({ amount: 10, source: "gift" })
  return license
}
const [first, second] = [await sold(), await sold()]
const expected = {
  opening: 0,
  given: 14,
  carried: 0,
  corrected: 0,
  refunded: 0,
  used: 4,
  ended: 0,
  revoked: 0,
  closing: 10,
  uses: 1,
  amount: 9,
  within_quota: 3,
  from_pools: 0,
  overage: 2,
  adjusted: 0
}

const statement = (query: Readonly<Record<string, string>>, token = adminToken) =>
  service.call("GET", `/api/v1/reports/statement?${new URLSearchParams(query)}`, { token })

/** A frozen statement as a file. */
const exported = (format: string, filters: object, report_kind = "statement") =>
  exportedFile(service, { report_kind, format, filters })

describe("the statement", () => {
  it("has a row for each license and feature of a customer, which adds up, and their sums", async () => {
    const { rows, summary, total_rows } = (await statement({ customer_id: customer.id })).body.data
    assert.deepStrictEqual(
      rows.map(({ license_id }: Body) => license_id),
      [first.license["id"], second.license["id"]].toSorted()
    )
    for (const row of rows) assert.deepInclude(row, { ...expected, feature_code: "render" })
    assert.strictEqual(total_rows, 2)
    assert.deepInclude(summary, { licenses: 2 })
    assert.deepInclude(summary.customer, { id: customer.id, name: "Zoë Ltd" })
    // Each was sold of a product of its own.
    assert.lengthOf(summary.features, 2)
    const one = (await statement({ license_id: first.license["id"], feature_code: "render" })).body.data
    assert.deepStrictEqual(one.summary.features.length, 1)
    assert.deepInclude(one.summary.features[0], expected)
    assert.lengthOf((await statement({ license_id: first.license["id"], feature_code: "none" })).body.data.rows, 0)
  })

  it("is of one customer or one license, and of what the caller may see", async () => {
    refused(await statement({}), 400, "INVALID_QUERY")
    refused(await statement({ customer_id: customer.id, license_id: first.license["id"] }), 400, "INVALID_QUERY")
    refused(await statement({ customer_id: "none" }), 404, "NOT_FOUND")
    refused(await statement({ license_id: "none" }), 404, "NOT_FOUND")
    const [product_id] = [first.feature["product_id"]]
    const key = { name: "k", scopes: ["report:read"], product_ids: [product_id] }
    const { token } = await service.data("POST", "/api/v1/api-keys", key)
    const { rows, summary } = (await statement({ customer_id: customer.id }, token)).body.data
    assert.deepStrictEqual(rows.map(({ license_id }: Body) => license_id), [first.license["id"]])
    assert.lengthOf(summary.features, 1)
    assert.strictEqual(summary.licenses, 1)
    refused(await statement({ license_id: second.license["id"] }, token), 404, "NOT_FOUND")
  })

  it("has the usage by a dimension of uses, which the event, the activity, the ledger and the summary have too", async () => {
    const { key, license } = await soldUnder(service, [{ max_consumptions: 3, overage: "allow" }])
    const license_id = license["id"]
    const use = (event_id: string, amount: number, dimensions?: object) =>
      service.license("consume", key, { fingerprint: "a", feature_code: "render", event_id, amount, dimensions })
    const dimensions = { region: "eu", model: "=large, \"x\"" }
    assert.strictEqual((await use("a", 4, dimensions)).status, 200)
    // A repeated use is the one that was counted.
    assert.strictEqual((await use("a", 4, { model: "small" })).status, 200)
    assert.strictEqual((await use("b", 2, {})).status, 200)
    const row = (event_id: string, named: object) => ({
      license_id,
      feature_code: "render",
      event_id,
      dimensions: named
    })
    const reported = await service.data("POST", "/api/v1/usage", {
      uses: [row("c", { model: "small" }), row("d", { Model: "x" }), row("e", { model: "" })]
    })
    assert.deepInclude(reported, { counted: 1, refused: 2 })
    assert.strictEqual(reported.results[1].error.fields[0].path, "dimensions")
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`d${index}`, "x"]))
    for (const wrong of [nine, { model: "a\u0007" }, { model: "x".repeat(129) }, { model: 1 }]) {
      refused(await use("f", 1, wrong), 422, "VALIDATION_ERROR")
    }
    const feed = await service.feed(`&event_type=license.usage_recorded&resource_id=${license_id}`)
    assert.deepStrictEqual(feed.map(({ data }) => data.dimensions), [dimensions, undefined, { model: "small" }])
    const shown = [{ model: "small" }, undefined, dimensions]
    const ledger = await service.data("GET", `/api/v1/reports/usage-ledger?license_id=${license_id}`)
    assert.deepStrictEqual(ledger.map((entry: Body) => entry["dimensions"]), shown)
    const query = `license_id=${license_id}&action=license.usage_recorded&result_class=success`
    const activities = await service.data("GET", `/api/v1/activities?${query}`)
    assert.deepStrictEqual(activities.map((entry: Body) => entry["dimensions"]), shown)
    const grouped = `license_id=${license_id}&group_by=dimension.model`
    const { rows } = await service.data("GET", `/api/v1/reports/usage-summary?${grouped}&bucket=1d`)
    assert.deepStrictEqual(rows.map(({ amount, group }: Body) => [group, amount]), [
      [dimensions.model, 4],
      ["small", 1],
      [undefined, 2]
    ])
    const { summary } = await service.data("GET", `/api/v1/reports/statement?${grouped}`)
    assert.strictEqual(summary.total_groups, 3)
    assert.deepStrictEqual(summary.groups.map(({ amount, group, overage }: Body) => [group, amount, overage]), [
      [dimensions.model, 4, 1],
      [undefined, 2, 2],
      ["small", 1, 1]
    ])
    for (const group_by of ["dimension.", "dimension.Model", "model"]) {
      refused(await service.call("GET", `/api/v1/reports/usage-summary?group_by=${group_by}`), 400, "INVALID_QUERY")
    }
    const { text } = await exported("csv", { license_id }, "usage-ledger")
    const [head, ...lines] = parseCsv(text)
    assert.deepStrictEqual(lines.map((line) => line[head!.indexOf("dimensions")]), [
      "model=small",
      "",
      `model=${dimensions.model}, region=eu`
    ])
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
    const sql = await session(service.databaseUrl)
    const change = (from: string, to: string) =>
      sql.query(`UPDATE usage_records SET dimensions = '{"model": "${to}"}' WHERE dimensions = '{"model": "${from}"}'`)
    await change("small", "tiny")
    const { found } = await examine(service.databaseUrl)
    assert.deepStrictEqual(found.map(({ member, resource }) => `${resource} ${member}`), ["usage_record dimensions"])
    await change("tiny", "small")
  })

  it("has the decimal places of a feature beside its amounts", async () => {
    const { key, license, policies } = await soldUnder(service, [{}])
    const license_id = license["id"]
    const { id } = await service.data("POST", `/api/v1/products/${license["product_id"]}/features`, {
      name: "Hours",
      code: "hours",
      decimals: 2
    })
    const granting = `/api/v1/products/${license["product_id"]}/policies/${policies[0]!.id}/features`
    await service.data("POST", granting, { feature_id: id, max_consumptions: 1000 })
    const used = await service.license("consume", key, {
      fingerprint: "a",
      feature_code: "hours",
      amount: 125,
      event_id: "one"
    })
    assert.strictEqual(used.status, 200, used.text)
    const { rows, summary } = (await statement({ license_id, group_by: "dimension.model" })).body.data
    for (const sums of [rows[0], summary.features[0], summary.groups[0]]) {
      assert.deepInclude(sums, { decimals: 2, amount: 125 })
    }
    const [head, line] = parseCsv((await exported("csv", { license_id })).text)
    assert.strictEqual(line![head!.indexOf("decimals")], "2")
    assert.strictEqual(line![head!.indexOf("amount")], "125")
  })

  it("is frozen to files, which are gone once the customer in them is erased", async () => {
    const filters = { customer_id: customer.id, from: "2026-01-01T00:00:00Z", to: new Date().toISOString() }
    const { rows } = (await statement(filters)).body.data
    const json = await exported("json", filters)
    assert.deepStrictEqual(JSON.parse(json.text).table.rows, rows)
    const [head, ...lines] = parseCsv((await exported("csv", filters)).text)
    const cells = (name: string) => lines.map((line) => line[head!.indexOf(name)])
    assert.deepStrictEqual(cells("closing"), ["10", "10"])
    assert.deepStrictEqual(cells("within_quota"), ["3", "3"])
    const pdf = await exported("pdf", { license_id: first.license["id"] })
    assert.match(pdf.text, /^%PDF-/)
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`, undefined, {
      headers: { "idempotency-key": randomUUID() }
    })
    const { expired_reason, status } = await service.data("GET", `/api/v1/reports/exports/${json.id}`)
    assert.deepStrictEqual([status, expired_reason], ["expired", "customer_erased"])
  })
})
