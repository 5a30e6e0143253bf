import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../fixtures/Doctor.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service
let issued: Issued
let feature: Body

beforeAll(async () => {
  service = await startService()
  issued = await service.issue()
  feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, { name: "Jobs", code: "jobs" })
  await service.license("activate", issued.key, { fingerprint: "a" })
})

/** Assigns the feature anew: 10 allowed, 4 used. */
const assign = async (quota: number | null = 10): Promise<void> => {
  const path = `/api/v1/licenses/${issued.license.id}/features`
  await service.call("DELETE", `${path}/${feature.id}`)
  await service.data("POST", path, {
    feature_id: feature.id,
    ...(quota === null ? {} : { max_consumptions: quota })
  })
  const used = await service.license("consume", issued.key, {
    fingerprint: "a",
    feature_code: "jobs",
    amount: 4,
    event_id: randomUUID()
  })
  assert.strictEqual(used.status, 200, used.text)
}

const reset = (body: object, headers: Record<string, string> = {}, license: Body = issued.license) =>
  service.call("POST", `/api/v1/licenses/${license.id}/usage/reset`, { body, headers })

describe("usage reset", () => {
  it("changes quota and use together, and answers the feature as it was left", async () => {
    const cases: ReadonlyArray<readonly [object, object]> = [
      [{ add_credits: 5 }, {
        max_consumptions: 15,
        credits: 5,
        quota_from: "license",
        total_consumptions: 4,
        remaining: 11
      }],
      [{ max_consumptions: 3 }, { max_consumptions: 3, total_consumptions: 4, remaining: 0 }],
      [{ total_consumptions: 9 }, { max_consumptions: 10, total_consumptions: 9, remaining: 1 }],
      [{ reset_consumed: true }, { max_consumptions: 10, total_consumptions: 0, remaining: 10 }],
      [{ max_consumptions: 20, add_credits: 1, reset_consumed: true }, {
        max_consumptions: 21,
        credits: 1,
        quota_from: "license",
        total_consumptions: 0,
        remaining: 21
      }],
      [{ total_consumptions: 0, reset_consumed: true }, { max_consumptions: 10, total_consumptions: 0, remaining: 10 }]
    ]
    for (const [index, [change, expected]] of cases.entries()) {
      await assign()
      // The feature is named in either way, in turn.
      const answer = await reset({
        ...(index % 2 === 0 ? { feature_id: feature.id } : { feature_code: "jobs" }),
        ...change
      })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(answer.body.data, {
        license_id: issued.license.id,
        feature_id: feature.id,
        feature_code: "jobs",
        feature_name: "Jobs",
        enabled: true,
        metadata: {},
        ...expected
      })
    }
    await assign(null)
    const unlimited = await reset({ feature_code: "jobs", total_consumptions: 7 })
    assert.notProperty(unlimited.body.data, "max_consumptions")
    const events = await service.feed("&event_type=license.usage_reset")
    assert.deepStrictEqual(events.at(-1).data, unlimited.body.data)
    assert.deepStrictEqual(events.at(-1).metadata, {
      feature_id: feature.id,
      feature_code: "jobs",
      total_consumptions: 7
    })
  })

  it("adds credits once for an Idempotency-Key, however often it is retried", async () => {
    await assign()
    const headers = { "idempotency-key": randomUUID() }
    const first = await reset({ feature_code: "jobs", add_credits: 5 }, headers)
    const retries = await Promise.all(
      Array.from({ length: 8 }, () => reset({ feature_code: "jobs", add_credits: 5 }, headers))
    )
    assert.isTrue(retries.every(({ text }) => text === first.text))
    refused(await reset({ feature_code: "jobs", add_credits: 6 }, headers), 409, "IDEMPOTENCY_CONFLICT")
    const [left] = await service.data("GET", `/api/v1/licenses/${issued.license.id}/features`)
    assert.strictEqual(left.max_consumptions, 15)
  })

  it("is seen by the license's copies", async () => {
    await assign()
    const before = await service.license("check", issued.key, { fingerprint: "a" })
    await reset({ feature_code: "jobs", reset_consumed: true })
    const after = await service.license("check", issued.key, { fingerprint: "a" })
    assert.strictEqual(after.body.data.entitlement_version, before.body.data.entitlement_version + 1)
    assert.strictEqual(after.body.data.features[0].remaining, 10)
  })

  it("of a feature that is served beyond its quota leaves a log that the doctor reads", async () => {
    await assign()
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, {
      feature_id: feature.id,
      overage: "10%"
    })
    const over = await service.license("consume", issued.key, {
      fingerprint: "a",
      feature_code: "jobs",
      amount: 7,
      event_id: randomUUID()
    })
    assert.strictEqual(over.status, 200, over.text)
    const [use] = (await service.feed("&event_type=license.usage_recorded")).slice(-1)
    assert.deepInclude(use.data, { over_quota: 1, overage: 1 })
    const left = await reset({ feature_code: "jobs", reset_consumed: true })
    assert.deepInclude(left.body.data, { overage: "10%", total_consumptions: 0 })
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })

  it("refuses what names no feature or says no change", async () => {
    await assign()
    const invalid: ReadonlyArray<object> = [
      {},
      { add_credits: 1 },
      { feature_code: "jobs" },
      { feature_code: "jobs", reset_consumed: false },
      { feature_code: "jobs", feature_id: feature.id, add_credits: 1 },
      { feature_code: "jobs", add_credits: 0 },
      { feature_code: "jobs", max_consumptions: -1 },
      { feature_code: "jobs", total_consumptions: 3, reset_consumed: true },
      { feature_code: "jobs", add_credits: Number.MAX_SAFE_INTEGER }
    ]
    for (const body of invalid) refused(await reset(body), 422, "VALIDATION_ERROR")
    refused(await reset({ feature_code: "jobs", add_credits: 1, more: 1 }), 400, "UNKNOWN_FIELD")
    refused(await reset({ feature_code: "nothing", add_credits: 1 }), 404, "NOT_FOUND")
    refused(await reset({ feature_code: "jobs", add_credits: 1 }, {}, { id: "lic_x" }), 404, "NOT_FOUND")
    await assign(null)
    const error = refused(await reset({ feature_code: "jobs", add_credits: 1 }), 422, "VALIDATION_ERROR")
    assert.strictEqual(error.fields[0].code, "no_quota")
  })
})
