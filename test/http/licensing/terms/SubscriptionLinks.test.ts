import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeOrder, makeProduct, makeSubscription } from "../../../fixtures/Commerce.ts"
import { examine } from "../../../fixtures/Doctor.ts"
import { makeFollowing } from "../../../fixtures/Following.ts"
import type { Answer } from "../../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()
const day = 86_400_000
const from = (millis: number) => new Date(Date.now() + millis).toISOString()
const period = { current_period_start: from(-10 * day), current_period_end: from(20 * day) }

const get = (id: string): Promise<Body> => service.data("GET", `/api/v1/licenses/${id}`)
const patch = (id: string, body: object) => service.call("PATCH", `/api/v1/licenses/${id}`, { body })
const change = (subscription: Body, body: object): Promise<Body> =>
  service.data("PATCH", `/api/v1/subscriptions/${subscription.id}`, body)
const activate = (key: string, fingerprint: string) => service.license("activate", key, { fingerprint })

/** A product with a policy whose licenses follow, and a subscription. */
const makeParty = (status = "active", rules: object = {}) => makeFollowing(service, { status, ...period }, rules)

/** Another policy of a product. */
const makePolicyOf = (product: Body, rules: object) =>
  service.data("POST", `/api/v1/products/${product.id}/policies`, { name: "Other", code: randomUUID(), ...rules })

describe("a license that is to follow a subscription", () => {
  it("is not issued without an end where no subscription is known, and follows it once it is", async () => {
    const { attempt, policy, product, subscription } = await makeParty()
    const early = { subscription_id: undefined }
    invalid(await attempt(early), "subscription_id", "no_subscription")
    const bulk = await service.call("POST", "/api/v1/licenses/bulk", {
      body: { licenses: [{ product_id: product.id, policy_id: policy.id }] }
    })
    invalid(bulk, "licenses.0.subscription_id", "no_subscription")
    const made = await attempt({ ...early, expires_at: from(day) })
    assert.strictEqual(made.status, 201, made.text)
    const { id } = made.body.data.license
    const linked = (await patch(id, { subscription_id: subscription.id })).body.data
    assert.deepInclude(linked, {
      subscription_id: subscription.id,
      follows_subscription: true,
      expires_at: period.current_period_end
    })
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })

  it("follows another subscription with the same key, as a resubscriber has one", async () => {
    const { issue, product } = await makeParty("canceled")
    const { license, license_key } = await issue()
    const next = await makeSubscription(service, product, {
      status: "active",
      ...period,
      current_period_end: from(90 * day)
    })
    const order = await makeOrder(service, product, { subscription_id: next.id })
    // The order brings its subscription.
    const left = (await patch(license.id, { order_id: order.id })).body.data
    assert.deepInclude(left, {
      order_id: order.id,
      subscription_id: next.id,
      follows_subscription: true,
      expires_at: next.current_period_end
    })
    assert.notProperty(left, "ends_without_grace")
    assert.strictEqual((await activate(license_key, "resubscribed")).status, 200)
    await change(next, { status: "paused" })
    assert.strictEqual((await get(license.id)).status, "suspended")
    refused(await patch(license.id, { subscription_id: "sub_none" }), 404, "NOT_FOUND")
    const other = await makeParty()
    invalid(await patch(license.id, { subscription_id: other.subscription.id }), "subscription_id", "other_product")
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })

  it("is bought from a trial by a change of policy that names its subscription", async () => {
    const { policy, product, subscription } = await makeParty()
    const trial = await makePolicyOf(product, { license_type: "trial", duration: "P14D" })
    const { license } = await service.data("POST", "/api/v1/licenses", { product_id: product.id, policy_id: trial.id })
    const buy = (more: object) =>
      service.call("POST", `/api/v1/licenses/${license.id}/change-policy`, {
        body: { policy_id: policy.id, expiry: "policy", ...more },
        headers: { "idempotency-key": randomUUID() }
      })
    invalid(await buy({}), "subscription_id", "no_subscription")
    const bought = await buy({ subscription_id: subscription.id })
    assert.strictEqual(bought.status, 200, bought.text)
    assert.deepInclude(bought.body.data.license, {
      subscription_id: subscription.id,
      follows_subscription: true,
      expires_at: period.current_period_end
    })
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })
})

describe("a quota that counts by the periods of a subscription", () => {
  const code = "QUOTA_WITHOUT_SUBSCRIPTION"

  /** The warnings of that code in an answer, with the members that they are about. */
  const warned = (answer: Answer, status = 200): ReadonlyArray<string> => {
    assert.strictEqual(answer.status, status, answer.text)
    const warnings: ReadonlyArray<Body> = answer.body.meta.warnings ?? []
    return warnings.filter((warning) => warning.code === code).map(({ field, message }) => {
      assert.include(message, "render")
      return field
    })
  }

  /** A product with a feature, with a policy that grants a quota of it by periods of subscriptions, and with another. */
  const makeMetered = async () => {
    const product = await makeProduct(service)
    const path = `/api/v1/products/${product.id}`
    const feature = await service.data("POST", `${path}/features`, { name: "Renders", code: "render" })
    const policies = {
      plain: await makePolicyOf(product, { license_type: "subscription" }),
      metered: await makePolicyOf(product, { license_type: "subscription" })
    }
    const grant = (policy: Body, more: object = {}) =>
      service.call("POST", `${path}/policies/${policy.id}/features`, {
        body: { feature_id: feature.id, max_consumptions: 10, period: "subscription", ...more }
      })
    assert.deepStrictEqual(warned(await grant(policies.metered)), [])
    const issue = (policy: Body, more: object = {}) =>
      service.call("POST", "/api/v1/licenses", { body: { product_id: product.id, policy_id: policy.id, ...more } })
    return {
      product,
      feature,
      grant,
      issue,
      ...policies,
      subscription: await makeSubscription(service, product, period)
    }
  }

  it("is warned about where a license without one is issued, and not with one", async () => {
    const { issue, metered, plain, product, subscription } = await makeMetered()
    assert.deepStrictEqual(warned(await issue(metered), 201), ["subscription_id"])
    assert.deepStrictEqual(warned(await issue(metered, { subscription_id: subscription.id }), 201), [])
    assert.deepStrictEqual(warned(await issue(plain), 201), [])
    const bulk = (rows: ReadonlyArray<object>) =>
      service.call("POST", "/api/v1/licenses/bulk", {
        body: { defaults: { product_id: product.id }, licenses: rows }
      })
    const linked = { policy_id: metered.id, subscription_id: subscription.id }
    assert.deepStrictEqual(warned(await bulk([linked, { policy_id: metered.id }])), ["subscription_id"])
    assert.deepStrictEqual(warned(await bulk([linked, { policy_id: plain.id }])), [])
  })

  it("is warned about by an edit that bears on it, until the license has one", async () => {
    const { issue, metered, subscription } = await makeMetered()
    const { license } = (await issue(metered)).body.data
    assert.deepStrictEqual(warned(await patch(license.id, { product_ids: [] })), ["subscription_id"])
    assert.deepStrictEqual(warned(await patch(license.id, { customer_name: "Ada" })), [])
    assert.deepStrictEqual(warned(await patch(license.id, { subscription_id: subscription.id })), [])
    assert.deepStrictEqual(warned(await patch(license.id, { product_ids: [] })), [])
  })

  it("is warned about where a license comes to it by another policy, also in a rehearsal", async () => {
    const { issue, metered, plain, subscription } = await makeMetered()
    const { license } = (await issue(plain)).body.data
    const move = (body: object) =>
      service.call("POST", `/api/v1/licenses/${license.id}/change-policy`, {
        body,
        headers: { "idempotency-key": randomUUID() }
      })
    const to = { policy_id: metered.id }
    assert.deepStrictEqual(warned(await move({ ...to, dry_run: true })), ["subscription_id"])
    assert.deepStrictEqual(warned(await move({ ...to, dry_run: true, subscription_id: subscription.id })), [])
    assert.deepStrictEqual(warned(await move(to)), ["subscription_id"])
    assert.deepStrictEqual(warned(await move({ policy_id: plain.id })), [])
  })

  it("is warned about where a license is assigned the feature, or its quota", async () => {
    const { feature, issue, plain } = await makeMetered()
    const { license } = (await issue(plain)).body.data
    const assign = (body: object) =>
      service.call("POST", `/api/v1/licenses/${license.id}/features`, { body: { feature_id: feature.id, ...body } })
    assert.deepStrictEqual(warned(await assign({ period: "subscription" })), [])
    const reset = await service.call("POST", `/api/v1/licenses/${license.id}/usage/reset`, {
      body: { feature_id: feature.id, max_consumptions: 5 }
    })
    assert.deepStrictEqual(warned(reset), ["period"])
    assert.deepStrictEqual(warned(await assign({ max_consumptions: 10 })), ["period"])
    assert.deepStrictEqual(warned(await assign({ enabled: false })), [])
    assert.deepStrictEqual(warned(await assign({ enabled: true, period: "month" })), [])
  })

  it("is warned about where a policy grants it to licenses that have none", async () => {
    const { grant, issue, plain, subscription } = await makeMetered()
    assert.deepStrictEqual(warned(await grant(plain)), [])
    await issue(plain, { subscription_id: subscription.id })
    assert.deepStrictEqual(warned(await grant(plain)), [])
    await issue(plain)
    assert.deepStrictEqual(warned(await grant(plain)), ["period"])
    assert.deepStrictEqual(warned(await grant(plain, { period: "month" })), [])
  })
})
