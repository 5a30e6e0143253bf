import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import type { Issued } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()

const featureOf = (product: Body, code: string): Promise<Body> =>
  service.data("POST", `/api/v1/products/${product.id}/features`, { name: `Feature ${code}`, code })
const path = ({ policy, product }: Pick<Issued, "policy" | "product">) =>
  `/api/v1/products/${product.id}/policies/${policy.id}/features`
const features = async ({ key }: Issued): Promise<Array<Body>> =>
  (await service.license("check", key, { fingerprint: "a" })).body.data.features

/** A license with a device, and two features of its product. */
const sold = async () => {
  const issued = await service.issue()
  assert.strictEqual((await service.license("activate", issued.key, { fingerprint: "a" })).status, 200)
  return { ...issued, pdf: await featureOf(issued.product, "pdf"), render: await featureOf(issued.product, "render") }
}

describe("features of a policy", () => {
  it("are what every license under it grants, from its next call on", async () => {
    const issued = await sold()
    const { pdf, render } = issued
    assert.deepStrictEqual(await features(issued), [])
    const assigned = await service.data("POST", path(issued), { feature_id: render.id, max_consumptions: 5 })
    assert.deepStrictEqual(assigned, {
      policy_id: issued.policy.id,
      feature_id: render.id,
      feature_code: "render",
      feature_name: "Feature render",
      enabled: true,
      max_consumptions: 5,
      metadata: {}
    })
    await service.data("POST", path(issued), { feature_id: pdf.id })
    assert.deepStrictEqual(await features(issued), [
      { code: "pdf", enabled: true },
      { code: "render", enabled: true, consumed: 0, quota: 5, remaining: 5 }
    ])
    // Members left out stay, null takes one away.
    await service.data("POST", path(issued), { feature_id: render.id, period: "month" })
    assert.deepInclude((await features(issued))[1]!, { quota: 5, period: "month" })
    await service.data("POST", path(issued), { feature_id: render.id, max_consumptions: null, period: null })
    assert.deepStrictEqual((await features(issued))[1], { code: "render", enabled: true })
    const { policy, product } = issued
    const listed = await service.data("GET", `/api/v1/products/${product.id}/policies/${policy.id}/features`)
    assert.sameMembers(listed.map(({ feature_code }: Body) => feature_code), ["pdf", "render"])
    const removed = await service.call(
      "DELETE",
      `/api/v1/products/${product.id}/policies/${policy.id}/features/${pdf.id}`
    )
    assert.strictEqual(removed.status, 204)
    assert.deepStrictEqual((await features(issued)).map(({ code }) => code), ["render"])
    refused(await service.call("DELETE", `${path(issued)}/${pdf.id}`), 404, "NOT_FOUND")
    const events = await service.feed(`&resource_id=${issued.policy.id}`)
    assert.deepStrictEqual(events.slice(1).map(({ event_type }) => event_type), [
      "policy.feature_assigned",
      "policy.feature_assigned",
      "policy.feature_assigned",
      "policy.feature_assigned",
      "policy.feature_removed"
    ])
  })

  it("are overlaid by what a license is assigned, which may switch one off", async () => {
    const issued = await sold()
    const { license, pdf, render } = issued
    for (const { id } of [pdf, render]) {
      await service.data("POST", path(issued), { feature_id: id, max_consumptions: 5, period: "month" })
    }
    const assign = (body: object) => service.data("POST", `/api/v1/licenses/${license.id}/features`, body)
    const off = await assign({ feature_id: pdf.id, enabled: false })
    assert.deepInclude(off, { enabled: false, max_consumptions: 5, from: "both" })
    assert.deepInclude(await assign({ feature_id: render.id, max_consumptions: 9 }), {
      max_consumptions: 9,
      period: "month"
    })
    const found = await features(issued)
    assert.deepInclude(found[0]!, { code: "pdf", enabled: false })
    assert.deepInclude(found[1]!, { code: "render", enabled: true, quota: 9, period: "month" })
    const listed = await service.data("GET", `/api/v1/licenses/${license.id}/features`)
    assert.deepStrictEqual(listed.map(({ feature_code, from }: Body) => [feature_code, from]).toSorted(), [
      ["pdf", "both"],
      ["render", "both"]
    ])
    // Without the assignment it is as the policy says again; what the policy says cannot be taken from one license.
    const remove = (id: string) => service.call("DELETE", `/api/v1/licenses/${license.id}/features/${id}`)
    assert.strictEqual((await remove(pdf.id)).status, 204)
    assert.isTrue((await features(issued))[0]!.enabled)
    assert.match(refused(await remove(pdf.id), 404, "NOT_FOUND").message, /enabled: false/)
  })

  it("have an end of their own on a license, which null takes away, so that the policy's is in force", async () => {
    const issued = await sold()
    const { license, pdf, render } = issued
    await service.data("POST", path(issued), { feature_id: pdf.id, expires_after: "P9Y" })
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { starts_at: "2026-01-31T00:00:00Z" })
    const assign = (body: object) => service.data("POST", `/api/v1/licenses/${license.id}/features`, body)
    const over = "2026-02-01T00:00:00.000Z"
    for (const { id } of [pdf, render]) {
      assert.strictEqual((await assign({ feature_id: id, expires_at: over })).expires_at, over)
      // What is left out stays.
      assert.strictEqual((await assign({ feature_id: id, metadata: { seen: true } })).expires_at, over)
    }
    assert.deepStrictEqual((await features(issued)).map(({ enabled }) => enabled), [false, false])
    const [ofPolicy, ofNothing] = [
      await assign({ feature_id: pdf.id, expires_at: null }),
      await assign({ feature_id: render.id, expires_at: null })
    ]
    assert.strictEqual(ofPolicy.expires_at, "2035-01-31T00:00:00.000Z")
    assert.notProperty(ofNothing, "expires_at")
    assert.deepStrictEqual((await features(issued)).map(({ enabled }) => enabled), [true, true])
    const [last] = (await service.feed(`&event_type=license.feature_assigned&resource_id=${license.id}`)).slice(-1)
    assert.notProperty(last!.data, "expires_at")
  })

  it("are counted from the first use on, and keep their count when the policy changes", async () => {
    const issued = await sold()
    const { key, license, render } = issued
    await service.data("POST", path(issued), { feature_id: render.id, max_consumptions: 5 })
    const consume = (amount: number) =>
      service.license("consume", key, { fingerprint: "a", feature_code: "render", event_id: randomUUID(), amount })
    assert.strictEqual((await consume(5)).status, 200)
    refused(await consume(1), 403, "FEATURE_QUOTA_EXCEEDED")
    await service.data("POST", path(issued), { feature_id: render.id, max_consumptions: 8 })
    assert.strictEqual((await consume(3)).body.data.features[0].consumed, 8)
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).total_consumptions, 8)
    assert.strictEqual((await service.call("DELETE", `${path(issued)}/${render.id}`)).status, 204)
    refused(await consume(1), 403, "FEATURE_NOT_ENTITLED")
    refused(await service.call("DELETE", `/api/v1/features/${render.id}`), 409, "IN_USE")
  })

  it("admit exactly their quota, whoever of 60 callers makes the first use", async () => {
    const issued = await sold()
    await service.data("POST", path(issued), { feature_id: issued.render.id, max_consumptions: 37 })
    const answers = await Promise.all(
      Array.from(
        { length: 60 },
        () =>
          service.license("consume", issued.key, { fingerprint: "a", feature_code: "render", event_id: randomUUID() })
      )
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 37)
  })

  it("are refused where they are of no use: archived features, contradictions", async () => {
    const issued = await sold()
    const elsewhere = await sold()
    const assign = (body: object) => service.call("POST", path(issued), { body })
    invalid(await assign({ feature_id: issued.pdf.id, overage: "allow" }), "overage", "contradiction")
    refused(await assign({ feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c" }), 404, "NOT_FOUND")
    const wrong = path({ product: elsewhere.product, policy: issued.policy })
    refused(await service.call("POST", wrong, { body: { feature_id: issued.pdf.id } }), 404, "NOT_FOUND")
    refused(await service.call("GET", wrong), 404, "NOT_FOUND")
    await service.data("PATCH", `/api/v1/features/${issued.pdf.id}`, { is_archived: true })
    refused(await assign({ feature_id: issued.pdf.id }), 409, "STATE_CONFLICT")
  })

  it("go with a policy that is deleted", async () => {
    const { product } = await service.issue()
    const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Other",
      code: "other",
      license_type: "trial"
    })
    const feature = await featureOf(product, "gone")
    await service.data("POST", path({ product, policy }), { feature_id: feature.id })
    refused(await service.call("DELETE", `/api/v1/features/${feature.id}`), 409, "IN_USE")
    assert.strictEqual((await service.call("DELETE", `/api/v1/policies/${policy.id}`)).status, 204)
    assert.strictEqual((await service.call("DELETE", `/api/v1/features/${feature.id}`)).status, 204)
  })
})
