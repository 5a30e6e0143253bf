import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer } from "../../../fixtures/Service.ts"
import { refused, startService } from "../../../fixtures/Service.ts"
import { eventually } from "../../../fixtures/Session.ts"

const service = await startService()
const other = await startService({ databaseUrl: service.databaseUrl })
const nodes = [service, other]

const activate = (key: string, fingerprint: string, index = 0): Promise<Answer> =>
  nodes[index % 2]!.license("activate", key, { fingerprint })
const checkout = (key: string, fingerprint: string, index = 0): Promise<Answer> =>
  nodes[index % 2]!.license("floating/checkout", key, { fingerprint })
const started = (id: string) => service.feed(`&event_type=license.overage_started&resource_id=${id}`)
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe("activations beyond the limit", () => {
  it("are served up to the percentage, exactly, whoever comes last", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 25, activation_overage: "10%" } })
    const answers = await Promise.all(upTo(60).map((index) => activate(key, `device-${index}`, index)))
    const served = answers.filter(({ status }) => status === 200)
    assert.lengthOf(served, 27)
    const over = served.flatMap(({ body }) => body.data.overage ?? [])
    assert.deepStrictEqual(over.toSorted((a, b) => a.used - b.used), [
      { limit: 25, used: 26, over: 1 },
      { limit: 25, used: 27, over: 2 }
    ])
    for (const answer of answers) if (answer.status !== 200) refused(answer, 403, "ACTIVATION_LIMIT_EXCEEDED")
    const events = await started(license.id)
    assert.lengthOf(events, 1)
    assert.deepInclude(events[0]!.data, {
      license_id: license.id,
      limit_of: "activations",
      overage: "10%",
      limit: 25,
      used: 26,
      over: 1
    })
    const explained = await service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
      operation: "activate",
      binding: { fingerprint: "one more" }
    })
    assert.deepStrictEqual(explained.findings[0].term, { name: "activation_overage", value: "10%", from: "policy" })
  })

  it("have an event once a crossing", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 1, activation_overage: "allow" } })
    await activate(key, "a")
    await activate(key, "b")
    await activate(key, "c")
    // Again by a device that has its seat: no crossing, and still so far over.
    assert.deepStrictEqual((await activate(key, "c")).body.data.overage, { limit: 1, used: 3, over: 2 })
    for (const fingerprint of ["b", "c"]) {
      assert.strictEqual((await service.license("deactivate", key, { fingerprint })).status, 200)
    }
    assert.notProperty((await activate(key, "a")).body.data, "overage")
    await activate(key, "d")
    assert.deepStrictEqual((await started(license.id)).map(({ data }) => data.used), [2, 2])
  })

  it("are never served to a suspended or expired license, and by default to none", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 0, activation_overage: "allow" } })
    await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    refused(await activate(key, "a"), 403, "LICENSE_INACTIVE")
    const strict = await service.issue({ policy: { max_activations: 0 } })
    refused(await activate(strict.key, "a"), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const expired = await service.issue({
      policy: { max_activations: 0, activation_overage: "allow" },
      license: { expires_at: "2026-01-01T00:00:00Z" }
    })
    refused(await activate(expired.key, "a"), 403, "LICENSE_EXPIRED")
  })
})

describe("floating seats beyond the limit", () => {
  it("are served up to the percentage, exactly", async () => {
    const { key, license } = await service.issue({ policy: { max_floating_users: 10, floating_overage: "20%" } })
    const answers = await Promise.all(upTo(40).map((index) => checkout(key, `device-${index}`, index)))
    const served = answers.filter(({ status }) => status === 200)
    assert.lengthOf(served, 12)
    const over = served.flatMap(({ body }) => body.data.overage?.over ?? [])
    assert.deepStrictEqual(over.toSorted((a: number, b: number) => a - b), [1, 2])
    for (const answer of answers) if (answer.status !== 200) refused(answer, 403, "FLOATING_LIMIT_EXCEEDED")
    assert.deepStrictEqual((await started(license.id)).map(({ data }) => [data.limit_of, data.used]), [[
      "floating",
      11
    ]])
  })
})

describe("uses beyond the quota", () => {
  it("are served and told: each with how far over, the crossing once, the rest in the ledger", async () => {
    const { key, license, policy, product } = await service.issue()
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Rendering",
      code: "render"
    })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 50,
      period: "month",
      overage: "allow"
    })
    await activate(key, "a")
    const answers = await Promise.all(
      upTo(70).map((index) =>
        nodes[index % 2]!.license("consume", key, { fingerprint: "a", feature_code: "render", event_id: randomUUID() })
      )
    )
    assert.isTrue(answers.every(({ status }) => status === 200))
    const over = answers.flatMap(({ body }) => body.data.features[0].over ?? [])
    assert.deepStrictEqual(over.toSorted((a: number, b: number) => a - b), upTo(20))
    const events = await started(license.id)
    assert.deepStrictEqual(events.map(({ data }) => [data.limit_of, data.feature_code, data.used, data.overage]), [
      ["feature", "render", 51, "allow"]
    ])
    assert.lengthOf(await service.feed(`&event_type=license.quota_reached&resource_id=${license.id}`), 1)
    const uses = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.id}`)
    assert.lengthOf(uses.filter(({ data }) => data.overage === 1), 20)

    // What is billed later: in the sums and in the ledger, live and in a file.
    const report = (path: string) => service.data("GET", `/api/v1/reports/${path}license_id=${license.id}`)
    for (const query of ["", "group_by=feature_code&", "bucket=1mo&", "bucket=1w&", "bucket=1h&group_by=license_id&"]) {
      const { rows, summary } = await report(`usage-summary?${query}`)
      assert.deepInclude(summary, { uses: 70, amount: 70, overage: 20 }, query)
      assert.strictEqual(
        rows.reduce((sum: number, row: { overage?: number }) => sum + (row.overage ?? 0), 0),
        20,
        query
      )
    }
    const ledger = await report("usage-ledger?limit=200&")
    assert.lengthOf(ledger.filter(({ overage }: { overage?: number }) => overage === 1), 20)
    const made = await service.data("POST", "/api/v1/reports/exports", {
      report_kind: "usage-summary",
      format: "csv",
      filters: { license_id: license.id, group_by: "feature_code" }
    })
    await eventually(
      "the export is ready",
      async () =>
        (await service.data("GET", `/api/v1/reports/exports/${made.id}`)).status === "ready" ? true : undefined
    )
    const { text } = await service.call("GET", `/api/v1/reports/exports/${made.id}/download`)
    assert.include(text, "overage")
    assert.match(text, /render,70,70,20,/)
  })
})
