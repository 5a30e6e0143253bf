import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeOrder, makeSubscription } from "../../../fixtures/Commerce.ts"
import { makeFollowing } from "../../../fixtures/Following.ts"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import type { Answer } from "../../../fixtures/Service.ts"
import { hold, session } from "../../../fixtures/Session.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)
const day = 86_400_000
const from = (millis: number) => new Date(Date.now() + millis).toISOString()
const period = { current_period_start: from(-10 * day), current_period_end: from(20 * day) }

const get = (id: string): Promise<Body> => service.data("GET", `/api/v1/licenses/${id}`)
const patch = (id: string, body: object) => service.call("PATCH", `/api/v1/licenses/${id}`, { body })
const act = (id: string, action: string) => service.data("POST", `/api/v1/licenses/${id}/${action}`)
const change = (subscription: Body, body: object): Promise<Body> =>
  service.data("PATCH", `/api/v1/subscriptions/${subscription.id}`, body)
/** The kinds of the events of a license after the first, with the status that they name. */
const told = async (id: string) =>
  (await service.feed(`&resource_id=${id}`)).slice(1)
    // What the sweeper announces of an end that is near comes when it comes.
    .filter(({ event_type }) => !["license.expiring", "license.grace_started", "license.expired"].includes(event_type))
    .map(({ event_type, metadata }) =>
      [event_type.slice("license.".length), metadata.subscription_status].filter(Boolean).join(" ")
    )

/** A product with a policy whose licenses follow, and a subscription. */
const makeParty = (status = "active", rules: object = {}) => makeFollowing(service, { status, ...period }, rules)

const activate = (key: string, fingerprint: string): Promise<Answer> =>
  service.license("activate", key, { fingerprint })

describe("a license that follows its subscription", () => {
  it.each([
    ["trialing", { status: "active", expires_at: period.current_period_end }],
    ["active", { status: "active", expires_at: period.current_period_end }],
    ["paused", { status: "suspended", suspended_by: "subscription", expires_at: period.current_period_end }],
    ["canceled", { status: "active", ends_without_grace: true, expires_at: period.current_period_end }],
    ["past_due", { status: "grace_period" }]
  ])("is issued as the subscription is: %s", async (status, expected) => {
    const { attempt, policy, product, subscription } = await makeParty(status, { grace_period_days: 3 })
    const answer = await attempt()
    const { license } = answer.body.data
    assert.deepInclude(license, { ...expected, follows_subscription: true })
    assert.strictEqual(answer.body.meta.warnings?.[0].code, status === "past_due" ? "EXPIRES_IN_THE_PAST" : undefined)
    // The same in bulk, and by the subscription that the order brings along.
    const order = await makeOrder(service, product, { subscription_id: subscription.id })
    const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
      defaults: { product_id: product.id, policy_id: policy.id },
      licenses: [{ subscription_id: subscription.id }, { order_id: order.id }, { follows_subscription: false }, {
        order_id: order.id,
        follows_subscription: false
      }]
    })
    assert.deepInclude(results[0].license, { ...expected, follows_subscription: true })
    assert.deepInclude(results[1].license, { ...expected, follows_subscription: true })
    for (const { license: free } of results.slice(2)) {
      assert.doesNotHaveAnyKeys(free, ["expires_at", "follows_subscription", "suspended_by", "ends_without_grace"])
      assert.strictEqual(free.status, "active")
    }
    assert.deepInclude((await attempt({ subscription_id: undefined, order_id: order.id })).body.data.license, {
      ...expected,
      follows_subscription: true
    })
  })

  it("goes along with it, from the trial to the end, each change with its event", async () => {
    const { issue, subscription } = await makeParty("trialing", { grace_period_days: 5 })
    const { license, license_key } = await issue()
    await activate(license_key, "a")
    const validate = () => service.license("validate", license_key, { fingerprint: "a" })
    const later = from(50 * day)
    await change(subscription, { status: "active", current_period_end: later })
    assert.deepInclude(await get(license.id), { expires_at: later, entitlement_version: 2 })
    // What is no business of the license, and what is the same, has no event.
    await change(subscription, { metadata: { plan: "pro" } })
    await change(subscription, { status: "active", current_period_end: later })
    assert.strictEqual((await get(license.id)).entitlement_version, 2)

    await change(subscription, { status: "past_due" })
    const late = await get(license.id)
    assert.strictEqual(late.status, "grace_period")
    assert.isBelow(Math.abs(Date.parse(late.expires_at) - Date.now()), 120_000)
    assert.strictEqual((await validate()).body.data.status, "grace_period")
    await change(subscription, { status: "past_due", current_period_end: from(80 * day) })
    assert.strictEqual((await get(license.id)).expires_at, late.expires_at)

    await change(subscription, { status: "paused" })
    assert.deepInclude(await get(license.id), { status: "suspended", suspended_by: "subscription" })
    refused(await validate(), 403, "LICENSE_INACTIVE")

    await change(subscription, { status: "active", current_period_end: later })
    const resumed = await get(license.id)
    assert.deepInclude(resumed, { status: "active", expires_at: later })
    assert.notProperty(resumed, "suspended_by")
    assert.strictEqual((await validate()).status, 200)

    await change(subscription, { status: "canceled", canceled_at: from(0) })
    assert.deepInclude(await get(license.id), { status: "active", ends_without_grace: true, expires_at: later })
    await change(subscription, { current_period_end: from(-day) })
    refused(await validate(), 403, "LICENSE_EXPIRED")

    await change(subscription, { status: "active", current_period_end: later })
    assert.notProperty(await get(license.id), "ends_without_grace")
    assert.strictEqual((await validate()).status, 200)
    assert.deepStrictEqual((await told(license.id)).filter((kind) => !/activated|expiring|grace|expired/.test(kind)), [
      "renewed active",
      "renewed past_due",
      "suspended paused",
      "renewed active",
      "reinstated active",
      "updated canceled",
      "renewed canceled",
      "renewed active"
    ])
  })

  it("announces its new end, and nothing of the old one again", async () => {
    const { issue, subscription } = await makeParty("active", { grace_period_days: 5 })
    const { license } = await issue()
    const announced = async (value?: string) => {
      const set = value === undefined ? [] : await database.query(
        "UPDATE licenses SET announced = $2 WHERE id = $1 RETURNING announced",
        [license.id, value]
      )
      const rows = value === undefined
        ? await database.query("SELECT announced FROM licenses WHERE id = $1", [license.id])
        : set
      return rows[0].announced
    }
    await announced("expiring")
    await change(subscription, { status: "canceled" })
    assert.strictEqual(await announced(), "expiring")
    await change(subscription, { current_period_end: from(300 * day) })
    assert.strictEqual(await announced(), "nothing")
    // Its end has come and was announced; with grace again, it is not over.
    await change(subscription, { current_period_end: from(-day) })
    await announced("expired")
    await change(subscription, { status: "past_due" })
    assert.strictEqual(await announced(), "grace_period")
    assert.strictEqual((await get(license.id)).status, "grace_period")
  })

  it("is what a person says of it: suspended, reinstated, revoked", async () => {
    const { issue, subscription } = await makeParty()
    const [taken, untouched, given, revoked] = await Promise.all(Array.from({ length: 4 }, () => issue()))
    await act(untouched!.license.id, "suspend")
    await change(subscription, { status: "paused" })
    assert.notProperty(await get(untouched!.license.id), "suspended_by")
    const mine = await act(taken!.license.id, "suspend")
    assert.strictEqual(mine.status, "suspended")
    assert.notProperty(mine, "suspended_by")
    assert.strictEqual((await act(taken!.license.id, "suspend")).entitlement_version, mine.entitlement_version)
    assert.strictEqual((await act(given!.license.id, "reinstate")).status, "active")
    assert.notProperty(await act(revoked!.license.id, "revoke"), "suspended_by")
    // Paused already: what the person reinstated stays.
    await change(subscription, { status: "paused", metadata: { again: true } })
    assert.strictEqual((await get(given!.license.id)).status, "active")
    await change(subscription, { status: "active", current_period_end: from(90 * day) })
    const statuses = async () =>
      Promise.all([taken, untouched, given, revoked].map(async (one) => (await get(one!.license.id)).status))
    assert.deepStrictEqual(await statuses(), ["suspended", "suspended", "active", "revoked"])
    assert.deepStrictEqual(await told(taken!.license.id), ["suspended paused", "suspended", "renewed active"])
    assert.deepStrictEqual(await told(untouched!.license.id), ["suspended", "renewed active"])
    assert.deepStrictEqual(await told(given!.license.id), ["suspended paused", "reinstated", "renewed active"])
    assert.deepStrictEqual(await told(revoked!.license.id), ["suspended paused", "revoked"])
    assert.strictEqual((await get(revoked!.license.id)).expires_at, period.current_period_end)
  })

  it("has no times of its own while it follows, and keeps what it has when it is let go", async () => {
    const { issue, subscription } = await makeParty()
    const { id } = (await issue()).license
    for (const body of [{ expires_at: from(day) }, { starts_at: from(-day) }, { expires_at: null }]) {
      assert.strictEqual(refused(await patch(id, body), 409, "STATE_CONFLICT").detail, "follows_subscription")
    }
    const renewal = await service.call("POST", `/api/v1/licenses/${id}/renew`, {
      body: { extend_by_days: 1 },
      headers: { "idempotency-key": randomUUID() }
    })
    assert.strictEqual(refused(renewal, 409, "STATE_CONFLICT").detail, "follows_subscription")
    invalid(await patch(id, { overrides: { duration: "P1Y" } }), "overrides.duration", "contradiction")
    assert.strictEqual((await patch(id, { customer_name: "Beispiel" })).body.data.follows_subscription, true)

    await change(subscription, { status: "paused" })
    const free = (await patch(id, { follows_subscription: false })).body.data
    assert.deepInclude(free, { status: "active", expires_at: period.current_period_end })
    assert.doesNotHaveAnyKeys(free, ["follows_subscription", "suspended_by"])
    await change(subscription, { status: "canceled" })
    assert.notProperty(await get(id), "ends_without_grace")

    const ends = (await patch(id, { expires_at: from(3 * day) })).body.data.expires_at
    await change(subscription, { status: "active" })
    assert.strictEqual((await get(id)).expires_at, ends)
    const again = (await patch(id, { follows_subscription: true })).body.data
    assert.deepInclude(again, { follows_subscription: true, expires_at: period.current_period_end })
    const both = (await patch(id, { follows_subscription: false, expires_at: ends })).body.data
    assert.strictEqual(both.expires_at, ends)
    assert.deepStrictEqual(await told(id), [
      "updated",
      "suspended paused",
      "updated",
      "reinstated paused",
      "updated",
      "updated",
      "renewed active",
      "updated"
    ])
    await act(id, "revoke")
    assert.strictEqual(
      refused(await patch(id, { follows_subscription: true }), 409, "STATE_CONFLICT").detail,
      "revoked"
    )
  })

  it.each([
    [{ follows_subscription: true, subscription_id: undefined }, "follows_subscription", /subscription_id/],
    [{ follows_subscription: true, expires_at: from(day) }, "follows_subscription", /leave expires_at out/],
    [{ follows_subscription: true, activate_before: from(day) }, "follows_subscription", /leave activate_before out/],
    [{ expires_at: from(day) }, "expires_at", /follows_subscription: false/],
    [{ overrides: { duration: "P1Y" } }, "overrides.duration", /follows_subscription: false/]
  ])("is refused where that contradicts itself, with the cure: %j", async (body, path, cure) => {
    const { attempt, policy, product, subscription } = await makeParty()
    const refusal = await attempt(body)
    invalid(refusal, path, "contradiction")
    assert.match(refusal.body.error.message, cure)
    const bulk = await service.call("POST", "/api/v1/licenses/bulk", {
      body: {
        licenses: [{ product_id: product.id, policy_id: policy.id, subscription_id: subscription.id, ...body }]
      }
    })
    invalid(bulk, `licenses.0.${path}`, "contradiction")
  })

  it("is refused under a policy of another type, and without a subscription to begin with", async () => {
    const { license, product } = await service.issue({ policy: { license_type: "time_limited" } })
    const subscription = await makeSubscription(service, product, period)
    const body = {
      product_id: product.id,
      policy_id: license.policy_id,
      subscription_id: subscription.id,
      follows_subscription: true
    }
    invalid(await service.call("POST", "/api/v1/licenses", { body }), "follows_subscription", "contradiction")
    const sold = await service.issue()
    const begin = await patch(sold.license.id, { follows_subscription: true })
    invalid(begin, "follows_subscription", "contradiction")
    const { issue } = await makeParty()
    const own = (await issue({ follows_subscription: false, expires_at: from(day) })).license
    invalid(
      await patch(own.id, { follows_subscription: true, expires_at: from(day) }),
      "follows_subscription",
      "contradiction"
    )
    assert.strictEqual((await get(own.id)).entitlement_version, 1)
  })

  it("is explained by its subscription, now and then", async () => {
    const { issue, subscription } = await makeParty()
    const { license } = await issue()
    const explain = async (body: object = {}) =>
      (await service.data("POST", `/api/v1/licenses/${license.id}/explain`, body)).findings.map(({ term }: Body) =>
        term
      )
    await change(subscription, { status: "paused" })
    const suspended = { name: "status", value: "suspended", from: "subscription" }
    assert.deepStrictEqual(await explain(), [suspended])
    const [{ at }] = await database.query(
      "SELECT date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' AS at, pg_sleep(0.003)"
    )
    const end = from(-day)
    await change(subscription, { status: "canceled", current_period_end: end })
    assert.deepStrictEqual(await explain(), [suspended])
    await act(license.id, "reinstate")
    assert.deepStrictEqual(await explain(), [{ name: "expires_at", value: end, from: "subscription" }])
    assert.deepStrictEqual(await explain({ at: at.toISOString() }), [suspended])
    const shown = await service.data("GET", `/api/v1/licenses/${license.id}?include_terms=true`)
    assert.deepStrictEqual(shown.terms.grace_period_days, { value: 0, from: "subscription" })
  })

  it("is changed with thousands of others at once", async () => {
    const { policy, product, subscription } = await makeParty()
    const bulk = () =>
      service.data("POST", "/api/v1/licenses/bulk", {
        defaults: { product_id: product.id, policy_id: policy.id, subscription_id: subscription.id },
        licenses: Array.from({ length: 1000 }, () => ({}))
      })
    await bulk()
    await bulk()
    await change(subscription, { status: "paused", current_period_end: from(40 * day) })
    await change(subscription, { status: "active" })
    const [counted] = await database.query(
      `SELECT count(*)::int AS licenses, count(*) FILTER (WHERE state = 'active' AND entitlement_version = 3
         AND expires_at > now() + interval '30 days')::int AS followed FROM licenses WHERE subscription_id = $1`,
      [subscription.id]
    )
    assert.deepStrictEqual({ ...counted }, { licenses: 2000, followed: 2000 })
    const kinds = await database.query(
      `SELECT event_type, count(*)::int AS count FROM event_records
       WHERE metadata::json ->> 'subscription_id' = $1 GROUP BY event_type ORDER BY event_type`,
      [subscription.id]
    )
    assert.deepStrictEqual(kinds.map(({ count, event_type }) => [event_type, count]), [
      ["license.reinstated", 2000],
      ["license.renewed", 2000],
      ["license.suspended", 2000]
    ])
  })
})

describe("a subscription that changes while 60 devices activate", () => {
  it.each([
    ["paused", { status: "paused" }, "LICENSE_INACTIVE"],
    ["ended", { status: "canceled", current_period_end: from(-day) }, "LICENSE_EXPIRED"],
    ["past due, without grace", { status: "past_due" }, "LICENSE_EXPIRED"]
  ])("%s: each is answered by one of the two states, and none after it gets a yes", async (_name, body, code) => {
    const { issue, subscription } = await makeParty("active", { max_activations: 100, grace_period_days: 0 })
    const { license, license_key } = await issue()
    const devices = (name: string) =>
      Array.from({ length: 20 }, (_, index) => activate(license_key, `${name}-${index}`))
    const early = devices("early")
    const changing = change(subscription, body).then(() => Promise.all(devices("late")))
    const during = devices("during")
    const answers = await Promise.all([...early, ...during])
    const late = await changing
    for (const answer of late) refused(answer, 403, code)
    const served = answers.filter(({ status }) => status === 200).length
    for (const answer of answers) if (answer.status !== 200) refused(answer, 403, code)
    assert.strictEqual((await get(license.id)).active_device_count, served)
    assert.lengthOf(await service.feed(`&event_type=license.activated&resource_id=${license.id}`), served)
  })

  it("no license is issued with a subscription as it was before", async () => {
    const { issue, subscription } = await makeParty()
    const issuing = Array.from({ length: 20 }, () => issue())
    const [issued] = await Promise.all([
      Promise.all(issuing),
      change(subscription, { status: "paused" }),
      ...Array.from({ length: 10 }, () => issue())
    ])
    const [states] = await database.query(
      `SELECT count(*)::int AS licenses, count(*) FILTER (WHERE state = 'suspended' AND suspended_by = 'subscription')::int
         AS suspended FROM licenses WHERE subscription_id = $1`,
      [subscription.id]
    )
    assert.lengthOf(issued, 20)
    assert.deepStrictEqual({ ...states }, { licenses: 30, suspended: 30 })
  })

  it("its licenses are used as before while it waits for another subscription with its new id", async () => {
    const { issue, product, subscription } = await makeParty()
    const { license, license_key } = await issue()
    const other = await makeSubscription(service, product)
    const external_id = randomUUID()
    const held = await hold(
      service.databaseUrl,
      "UPDATE subscriptions SET external_id = $1 WHERE id = $2",
      [external_id, other.id]
    )
    const changing = service.call("PATCH", `/api/v1/subscriptions/${subscription.id}`, {
      body: { external_id, status: "paused" }
    })
    await held.blocked(1)
    // Were the license locked already, this would be answered after the change, which waits for what is held here.
    const activated = await activate(license_key, "meanwhile")
    assert.strictEqual(activated.status, 200, activated.text)
    assert.strictEqual((await get(license.id)).status, "active")
    await held.rollback()
    const changed = await changing
    assert.strictEqual(changed.status, 200, changed.text)
    assert.deepInclude(changed.body.data, { external_id, status: "paused" })
    assert.strictEqual((await get(license.id)).status, "suspended")
  })
})
