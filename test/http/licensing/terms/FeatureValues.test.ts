// Values that features carry for the app: typed at the feature, set by the policy, overridden by the license, signed.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { expectHealthy } from "../../../fixtures/Doctor.ts"
import { refused, startService } from "../../../fixtures/Service.ts"
import type { Answer, Issued } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()

const add = (product: Body, code: string, more: object): Promise<Body> =>
  service.data("POST", `/api/v1/products/${product.id}/features`, { name: code, code, ...more })
const ofPolicy = ({ policy, product }: Pick<Issued, "policy" | "product">) =>
  `/api/v1/products/${product.id}/policies/${policy.id}/features`
const ofLicense = ({ license }: Pick<Issued, "license">) => `/api/v1/licenses/${license.id}/features`

/** What the app is told: the values by the code of their feature. */
const told = async ({ key }: Issued): Promise<Body> => {
  const { body } = await service.license("check", key, { fingerprint: "a" })
  return Object.fromEntries(body.data.features.map(({ code, value }: Body) => [code, value]))
}

/** A refusal of a member, or of a part of it. */
const invalid = (answer: Answer, member: string): void => {
  const [finding] = refused(answer, 422, "VALIDATION_ERROR").fields
  assert.strictEqual(finding.path.split(/[.[]/)[0], member, answer.text)
}

const sold = async (): Promise<Issued> => {
  const issued = await service.issue()
  assert.strictEqual((await service.license("activate", issued.key, { fingerprint: "a" })).status, 200)
  return issued
}

/** A value of each type, and one that is none of it. */
const types: ReadonlyArray<readonly [feature: object, value: unknown, wrong: unknown]> = [
  [{ value_type: "boolean" }, false, 0],
  [{ value_type: "integer" }, -10, 1.5],
  [{ value_type: "integer" }, 0, "0"],
  [{ value_type: "integer" }, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1],
  [{ value_type: "string" }, "x", ""],
  [{ value_type: "string" }, "3", 3],
  [{ value_type: "string" }, "x".repeat(255), "x".repeat(256)],
  [{ value_type: "string" }, "plain", "Größe"],
  [{ value_type: "enum", enum_options: ["basic", "pro"] }, "pro", "gold"],
  [{ value_type: "list" }, [], "eu"],
  [{ value_type: "list" }, ["eu", "us"], ["eu", "eu"]],
  [{ value_type: "list", enum_options: ["eu", "us"] }, ["us"], ["us", "moon"]],
  [{}, undefined, true]
]

describe("the value of a feature", () => {
  it.each(types)("of %j may be %j, and not %j", async (feature, value, wrong) => {
    const issued = await sold()
    const { id } = await add(issued.product, "one", feature)
    for (const path of [ofPolicy(issued), ofLicense(issued)]) {
      invalid(await service.call("POST", path, { body: { feature_id: id, value: wrong } }), "value")
      const assigned = await service.data("POST", path, { feature_id: id, ...(value === undefined ? {} : { value }) })
      assert.deepStrictEqual(assigned.value, value)
    }
    assert.deepStrictEqual(await told(issued), { one: value })
    await expectHealthy(service.databaseUrl, [])
  })

  it("is the policy's, until the license has one, and again when that is taken away", async () => {
    const issued = await sold()
    const { id } = await add(issued.product, "max_projects", { value_type: "integer" })
    await service.data("POST", ofPolicy(issued), { feature_id: id, value: 10 })
    assert.deepStrictEqual(await told(issued), { max_projects: 10 })
    // Members left out keep the value, be it of the policy or of the license.
    await service.data("POST", ofPolicy(issued), { feature_id: id, max_consumptions: 5 })
    const own = await service.data("POST", ofLicense(issued), { feature_id: id, value: 25 })
    assert.deepInclude(own, { value: 25, value_from: "license", max_consumptions: 5 })
    await service.data("POST", ofLicense(issued), { feature_id: id, enabled: true })
    assert.deepStrictEqual(await told(issued), { max_projects: 25 })
    const policys = await service.data("POST", ofLicense(issued), { feature_id: id, value: null })
    assert.deepInclude(policys, { value: 10, value_from: "policy" })
    await service.data("POST", ofPolicy(issued), { feature_id: id, value: null })
    assert.deepStrictEqual(await told(issued), { max_projects: undefined })
    await expectHealthy(service.databaseUrl, [])
  })

  it("is shown in a change of policy as a difference", async () => {
    const issued = await sold()
    const { id } = await add(issued.product, "edition", { value_type: "enum", enum_options: ["basic", "pro"] })
    await service.data("POST", ofPolicy(issued), { feature_id: id, value: "basic" })
    const policy = await service.data("POST", `/api/v1/products/${issued.product.id}/policies`, {
      name: "Pro",
      code: "pro",
      license_type: "perpetual"
    })
    await service.data("POST", ofPolicy({ ...issued, policy }), { feature_id: id, value: "pro" })
    const changed = await service.data("POST", `/api/v1/licenses/${issued.license.id}/change-policy`, {
      policy_id: policy.id
    }, {
      headers: { "idempotency-key": randomUUID() }
    })
    const difference = changed.changes.find(({ kind }: Body) => kind === "feature")
    assert.deepInclude(difference, {
      change: "changed",
      before: { enabled: true, value: "basic" },
      after: { enabled: true, value: "pro" }
    })
    assert.deepStrictEqual(await told(issued), { edition: "pro" })
  })

  it("keeps its type and its options while a policy or a license has one of them", async () => {
    const issued = await sold()
    const feature = await add(issued.product, "regions", { value_type: "list", enum_options: ["eu", "us", "asia"] })
    const change = (changes: object) => service.call("PATCH", `/api/v1/features/${feature.id}`, { body: changes })
    invalid(await change({ value_type: "integer" }), "enum_options")
    await service.data("POST", ofPolicy(issued), { feature_id: feature.id, value: ["eu"] })
    await service.data("POST", ofLicense(issued), { feature_id: feature.id, value: ["us"] })
    refused(await change({ value_type: "enum" }), 409, "IN_USE")
    refused(await change({ enum_options: ["us", "asia"] }), 409, "IN_USE")
    refused(await change({ enum_options: ["eu", "asia"] }), 409, "IN_USE")
    assert.deepStrictEqual((await change({ enum_options: ["eu", "us", "africa"] })).status, 200)
    await service.data("POST", ofLicense(issued), { feature_id: feature.id, value: ["africa"] })
    await service.data("POST", ofLicense(issued), { feature_id: feature.id, value: null })
    await service.data("POST", ofPolicy(issued), { feature_id: feature.id, value: null })
    assert.deepStrictEqual((await change({ value_type: "enum", enum_options: ["one"] })).status, 200)
  })

  it.each([
    [{ value_type: "enum" }, "enum_options"],
    [{ value_type: "integer", enum_options: ["1"] }, "enum_options"],
    [{ enum_options: ["1"] }, "enum_options"],
    [{ value_type: "enum", enum_options: [] }, "enum_options"],
    [{ value_type: "enum", enum_options: ["a", "a"] }, "enum_options"],
    [{ value_type: "number" }, "value_type"]
  ])("cannot be declared as %j", async (feature, field) => {
    const { product } = await service.issue()
    const path = `/api/v1/products/${product.id}/features`
    invalid(await service.call("POST", path, { body: { name: "One", code: "one", ...feature } }), field)
  })
})

describe("the decimal places of a feature", () => {
  it("stand beside its amounts, which are whole numbers of the smallest step, wherever it is shown", async () => {
    const issued = await sold()
    const hours = await add(issued.product, "hours", { decimals: 2 })
    assert.strictEqual(hours.decimals, 2)
    const granted = await service.data("POST", ofPolicy(issued), {
      feature_id: hours.id,
      max_consumptions: 1000,
      quota_thresholds: [50]
    })
    assert.deepInclude(granted, { decimals: 2, max_consumptions: 1000 })
    const own = await service.data("POST", ofLicense(issued), {
      feature_id: hours.id,
      expires_at: "2090-01-01T00:00:00Z"
    })
    assert.deepInclude(own, { decimals: 2, max_consumptions: 1000 })
    const used = await service.license("consume", issued.key, {
      fingerprint: "a",
      feature_code: "hours",
      amount: 525,
      event_id: "one"
    })
    const of = ({ features }: Body) => features.find(({ code }: Body) => code === "hours")
    assert.deepInclude(of(used.body.data), { decimals: 2, quota: 1000, consumed: 525, remaining: 475 })
    const [feature] = await service.data("GET", ofLicense(issued))
    assert.deepInclude(feature, { decimals: 2, total_consumptions: 525 })
    const grants = `/api/v1/licenses/${issued.license.id}/grants`
    const grant = await service.data("POST", grants, { feature_id: hours.id, amount: 250 })
    assert.deepInclude(grant, { decimals: 2, amount: 250 })
    assert.deepStrictEqual(await service.data("GET", grants), [grant])
    assert.deepStrictEqual(await service.data("GET", `${grants}/${grant.id}`), grant)
    const events = await service.feed(`&resource_id=${issued.license.id}`)
    for (
      const type of [
        "license.usage_recorded",
        "license.quota_threshold",
        "license.feature_assigned",
        "license.grant_given"
      ]
    ) {
      assert.strictEqual(events.find(({ event_type }) => event_type === type)?.data.decimals, 2, type)
    }
    await expectHealthy(service.databaseUrl, [])
  })

  it("are none where amounts are whole, and stay as they are", async () => {
    const { product } = await service.issue()
    for (const [index, more] of [{}, { decimals: 0 }].entries()) {
      assert.notProperty(await add(product, `whole-${index}`, more), "decimals")
    }
    const path = `/api/v1/products/${product.id}/features`
    for (const decimals of [-1, 7, 1.5, "2"]) {
      invalid(await service.call("POST", path, { body: { name: "One", code: "one", decimals } }), "decimals")
    }
    const { id } = await add(product, "fine", { decimals: 6 })
    refused(await service.call("PATCH", `/api/v1/features/${id}`, { body: { decimals: 2 } }), 400, "UNKNOWN_FIELD")
  })
})
