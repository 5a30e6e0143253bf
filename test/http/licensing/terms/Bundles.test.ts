import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer } from "../../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()

const productOf = (name: string): Promise<Body> =>
  service.data("POST", "/api/v1/products", { name, code: `${name}-${randomUUID()}` })
const featureOf = (product: Body, code: string): Promise<Body> =>
  service.data("POST", `/api/v1/products/${product.id}/features`, { name: code, code })

/** A suite of three products, and a license of all of them: each product grants its feature by the policy. */
const suite = async (more: object = {}) => {
  const [editor, viewer, server] = await Promise.all([productOf("editor"), productOf("viewer"), productOf("server")])
  const policy = await service.data("POST", `/api/v1/products/${editor!.id}/policies`, {
    name: "Suite",
    code: "suite",
    license_type: "subscription",
    max_activations: 3,
    max_floating_users: 5
  })
  for (const [product, code, max_consumptions] of [[editor, "edit", 10], [viewer, "view", 20], [server, "serve", 30]]) {
    await service.data("POST", `/api/v1/products/${editor!.id}/policies/${policy.id}/features`, {
      feature_id: (await featureOf(product, code)).id,
      max_consumptions
    })
  }
  const { license, license_key: key } = await service.data("POST", "/api/v1/licenses", {
    product_id: editor!.id,
    policy_id: policy.id,
    product_ids: [viewer!.id],
    ...more
  })
  return { editor: editor!, viewer: viewer!, server: server!, policy, license, key: String(key) }
}

const call = (operation: string, key: string, product: Body, more: object = {}): Promise<Answer> =>
  service.license(operation, key, { fingerprint: "a", product_code: product.code, ...more })
const codes = ({ body }: Answer): Array<string> => body.data.features.map(({ code }: Body) => code)

/** A license of two products that both have `export`, the ids of these features, and a use of each under one `event_id`. */
const exporters = async () => {
  const { editor, key, license, policy, viewer } = await suite()
  const features: Array<string> = []
  for (const product of [editor, viewer]) {
    const { id } = await featureOf(product, "export")
    features.push(id)
    await service.data("POST", `/api/v1/products/${editor.id}/policies/${policy.id}/features`, {
      feature_id: id,
      max_consumptions: 50
    })
    await call("activate", key, product)
  }
  const use = async (product: Body, event_id: string) => {
    const answer = await call("consume", key, product, { feature_code: "export", event_id, amount: 2 })
    assert.strictEqual(answer.status, 200, answer.text)
  }
  const post = (path: string, body: object): Promise<Answer> =>
    service.call("POST", `/api/v1/licenses/${license.id}/${path}`, { body })
  return { editor, features, post, use, viewer }
}

describe("a license of several products", () => {
  it("answers for the product that was asked for, with its features alone", async () => {
    const { editor, key, license, server, viewer } = await suite()
    assert.deepStrictEqual(license.product_ids, [viewer.id])
    for (const [product, feature] of [[editor, "edit"], [viewer, "view"]] as const) {
      for (const operation of ["activate", "validate", "check"]) {
        const answer = await call(operation, key, product)
        assert.deepInclude(answer.body.data, { product_id: product.id, product_code: product.code })
        assert.deepStrictEqual(codes(answer), [feature])
      }
    }
    refused(await call("validate", key, server), 403, "PRODUCT_MISMATCH")
    // Who does not say which it is, is answered for the first.
    const plain = await service.license("validate", key, { fingerprint: "a" })
    assert.strictEqual(plain.body.data.product_id, editor.id)
    assert.deepStrictEqual(codes(plain), ["edit"])
    // One device has one seat, whatever it runs.
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).active_device_count, 1)
  })

  it("counts uses by product", async () => {
    const { editor, key, license, viewer } = await suite()
    await call("activate", key, viewer)
    const consume = (product: Body, feature_code: string, amount: number) =>
      call("consume", key, product, { feature_code, amount, event_id: randomUUID() })
    const answers = await Promise.all([
      ...Array.from({ length: 12 }, () => consume(editor, "edit", 1)),
      ...Array.from({ length: 22 }, () => consume(viewer, "view", 1))
    ])
    assert.lengthOf(answers.filter(({ status }) => status === 200), 30)
    refused(await consume(viewer, "edit", 1), 403, "FEATURE_NOT_ENTITLED")
    const used = async (product: Body) =>
      (await service.data(
        "GET",
        `/api/v1/reports/usage-summary?product_id=${product.id}&license_id=${license.id}`
      )).rows?.reduce((sum: number, row: Body) => sum + row.amount, 0)
    assert.deepStrictEqual([await used(editor), await used(viewer)], [10, 20])
  })

  it("keeps the product of a floating seat through its heartbeats", async () => {
    const { key, license, viewer } = await suite()
    const taken = await call("floating/checkout", key, viewer)
    assert.deepStrictEqual(codes(taken), ["view"])
    const kept = await service.license("floating/heartbeat", key, { lease_token: taken.body.data.lease_token })
    assert.strictEqual(kept.body.data.product_id, viewer.id)
    assert.deepStrictEqual(codes(kept), ["view"])
    const [lease] = await service.data("GET", `/api/v1/licenses/${license.id}/leases`)
    assert.strictEqual(lease.product_id, viewer.id)
  })

  it("covers the versions of each product", async () => {
    const { editor, key, viewer } = await suite()
    await service.data("POST", `/api/v1/products/${viewer.id}/versions`, { version: "2.0" })
    await call("activate", key, viewer)
    const eligible = async (product: Body) =>
      (await call("check", key, product, { app_version: "2.0" })).body.data.version_eligibility
    assert.property(await eligible(viewer), "released_at")
    assert.notProperty(await eligible(editor), "released_at")
  })

  it("can be given further products, and lose them", async () => {
    const { editor, key, license, server, viewer } = await suite()
    const patch = (product_ids: unknown) => service.data("PATCH", `/api/v1/licenses/${license.id}`, { product_ids })
    await call("activate", key, editor)
    assert.deepStrictEqual((await patch([server.id])).product_ids, [server.id])
    refused(await call("validate", key, viewer), 403, "PRODUCT_MISMATCH")
    assert.deepStrictEqual(codes(await call("validate", key, server)), ["serve"])
    const explained = await service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
      operation: "validate",
      binding: { fingerprint: "a", product_code: server.code }
    })
    assert.isTrue(explained.is_allowed)
    refused(await service.call("DELETE", `/api/v1/products/${server.id}`), 409, "IN_USE")
    assert.notProperty(await patch(null), "product_ids")
    refused(await call("validate", key, server), 403, "PRODUCT_MISMATCH")
  })

  it("assigns features of its products only", async () => {
    const { license, server, viewer } = await suite()
    const assign = async (product: Body) =>
      service.call("POST", `/api/v1/licenses/${license.id}/features`, {
        body: { feature_id: (await featureOf(product, "extra")).id }
      })
    assert.strictEqual((await assign(viewer)).status, 200)
    invalid(await assign(server), "feature_id", "other_product")
  })

  it("is refused where it names a product twice, or none", async () => {
    const { editor, license, policy, viewer } = await suite()
    const create = (product_ids: ReadonlyArray<string>) =>
      service.call("POST", "/api/v1/licenses", { body: { product_id: editor.id, policy_id: policy.id, product_ids } })
    invalid(await create([editor.id]), "product_ids", "duplicate")
    invalid(await create(["prod_06eqpx1trxz3h94vqjm3a6kz7c"]), "product_ids", "not_found")
    refused(await create([viewer.id, viewer.id]), 422, "VALIDATION_ERROR")
    invalid(
      await service.call("PATCH", `/api/v1/licenses/${license.id}`, { body: { product_ids: [editor.id] } }),
      "product_ids",
      "duplicate"
    )
    const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
      mode: "per_row",
      defaults: { product_id: editor.id, policy_id: policy.id },
      licenses: [{ product_ids: [viewer.id] }, { product_ids: [editor.id] }]
    })
    assert.deepStrictEqual(results[0].license.product_ids, [viewer.id])
    assert.strictEqual(results[1].error.fields[0].path, "product_ids")
  })
})

describe("a code that two products of a license have", () => {
  it("names the feature of the use, and is refused where it could be either", async () => {
    const { editor, features, post, use, viewer } = await exporters()
    const [, second] = features
    await use(viewer, "one")
    await use(editor, "both")
    await use(viewer, "both")
    const refund = (body: object) => post("usage/refund", { feature_code: "export", event_id: "both", ...body })
    assert.strictEqual((await refund({ event_id: "one" })).body.data.feature_id, second)
    refused(await refund({ event_id: "none" }), 404, "NOT_FOUND")
    const byCode = [
      await refund({}),
      await post("grants", { feature_code: "export", amount: 5 }),
      await post("usage/reset", { feature_code: "export", add_credits: 5 })
    ]
    for (const answer of byCode) {
      const { code, path } = refused(answer, 422, "VALIDATION_ERROR").fields[0]
      assert.deepStrictEqual([path, code], ["feature_code", "ambiguous"])
    }
    assert.strictEqual((await refund({ feature_code: undefined, feature_id: second })).body.data.feature_id, second)
    const given = await post("grants", { feature_id: second, amount: 5 })
    assert.strictEqual(given.status, 201, given.text)
    const reset = await post("usage/reset", { feature_id: second, add_credits: 5 })
    assert.deepInclude(reset.body.data, { feature_id: second, max_consumptions: 60 })
  })
})
