import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeSubscription } from "../../../fixtures/Commerce.ts"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import type { Answer, Issued } from "../../../fixtures/Service.ts"
import { session } from "../../../fixtures/Session.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)
const day = 86_400_000
const from = (millis: number) => new Date(Date.now() + millis).toISOString()
const isNear = (instant: string, expected: number) =>
  assert.isBelow(Math.abs(Date.parse(instant) - expected), 120_000, instant)

const get = (id: string): Promise<Body> => service.data("GET", `/api/v1/licenses/${id}`)
const attempt = (id: string, body: object): Promise<Answer> =>
  service.call("POST", `/api/v1/licenses/${id}/change-policy`, {
    body,
    headers: { "idempotency-key": randomUUID() }
  })
const change = async (id: string, body: object): Promise<{ readonly license: Body; readonly changes: Array<Body> }> => {
  const answer = await attempt(id, body)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}
const policyOf = (product: Body, rules: object): Promise<Body> =>
  service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Team",
    code: randomUUID(),
    license_type: "subscription",
    ...rules
  })
const featureOf = (product: Body, code: string): Promise<Body> =>
  service.data("POST", `/api/v1/products/${product.id}/features`, { name: code, code })
const grant = (product: Body, policy: Body, feature: Body, more: object = {}) =>
  service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
    feature_id: feature.id,
    ...more
  })
const activate = ({ key }: Issued, fingerprint: string, more: object = {}) =>
  service.license("activate", key, { fingerprint, ...more })
const checkout = ({ key }: Issued, fingerprint: string) => service.license("floating/checkout", key, { fingerprint })
const consume = ({ key }: Issued, feature_code: string, amount: number) =>
  service.license("consume", key, { fingerprint: "a", feature_code, amount, event_id: randomUUID() })
const statuses = async (id: string): Promise<Record<string, string>> => {
  const devices = await service.data("GET", `/api/v1/licenses/${id}/devices`)
  return Object.fromEntries(devices.map(({ binding_key, status }: Body) => [binding_key, status]))
}
/** What a change may change of a license, as the database has it. */
const stored = (id: string) =>
  database.query(
    `SELECT to_jsonb(l) - 'announced' AS license,
      (SELECT jsonb_object_agg(d.id, d.status) FROM devices d WHERE d.license_id = l.id) AS devices,
      (SELECT jsonb_agg(to_jsonb(f) ORDER BY f.feature_id) FROM license_features f WHERE f.license_id = l.id) AS features,
      (SELECT jsonb_object_agg(e.id, e.end_reason) FROM leases e WHERE e.license_id = l.id) AS leases
     FROM licenses l WHERE l.id = $1`,
    [id]
  )

/** A license with devices of both kinds, floating seats, and use of features, under rules that a smaller policy has not. */
const makeFull = async (): Promise<Issued & { readonly smaller: Body; readonly features: Record<string, Body> }> => {
  const issued = await service.issue({
    policy: { max_activations: 5, max_container_instances: 3, max_floating_users: 3, grace_period_days: 7 },
    license: { expires_at: from(90 * day) }
  })
  const { policy, product } = issued
  const [render, scan, print] = await Promise.all(["render", "scan", "print"].map((code) => featureOf(product, code)))
  const features: Record<string, Body> = { render: render!, scan: scan!, print: print! }
  await grant(product, policy, features["render"]!, { max_consumptions: 1000, period: "month" })
  await grant(product, policy, features["scan"]!, { max_consumptions: 50 })
  const smaller = await policyOf(product, {
    max_activations: 2,
    max_container_instances: 1,
    max_floating_users: 1,
    grace_period_days: 3
  })
  await grant(product, smaller, features["render"]!, { max_consumptions: 100, period: "month" })
  await grant(product, smaller, features["print"]!)
  for (const name of ["a", "b", "c", "d"]) assert.strictEqual((await activate(issued, name)).status, 200)
  for (const name of ["x", "y"]) {
    const container = await service.license("activate", issued.key, { container_id: name, is_container: true })
    assert.strictEqual(container.status, 200, container.text)
  }
  for (const name of ["d", "e", "f"]) assert.strictEqual((await checkout(issued, name)).status, 200)
  await consume(issued, "render", 40)
  await consume(issued, "scan", 9)
  return { ...issued, smaller, features }
}

describe("a license that is put under another policy", () => {
  it("shows all that is different, in a dry run as it is carried out then", async () => {
    const { features, license, policy, smaller } = await makeFull()
    const before = await stored(license.id)
    const request = { policy_id: smaller.id, devices: "reset_newest", counters: "restart" }
    const dry = await change(license.id, { ...request, dry_run: true })
    assert.deepStrictEqual(await stored(license.id), before)
    assert.lengthOf(await service.feed(`&event_type=license.policy_changed&resource_id=${license.id}`), 0)
    const real = await change(license.id, request)
    const { updated_at: _dry, ...dryLicense } = dry.license
    const { updated_at: _real, ...realLicense } = real.license
    assert.deepStrictEqual(dryLicense, realLicense)
    assert.deepStrictEqual(dry.changes, real.changes)

    const seats = real.changes.filter(({ kind }) => kind === "device" || kind === "lease")
    assert.deepStrictEqual(real.changes.slice(0, -seats.length), [
      { kind: "term", name: "max_activations", before: 5, after: 2 },
      { kind: "term", name: "grace_period_days", before: 7, after: 3 },
      { kind: "term", name: "max_floating_users", before: 3, after: 1 },
      { kind: "term", name: "max_container_instances", before: 3, after: 1 },
      {
        kind: "feature",
        feature_id: features["print"]!.id,
        feature_code: "print",
        change: "gained",
        after: { enabled: true }
      },
      {
        kind: "feature",
        feature_id: features["render"]!.id,
        feature_code: "render",
        change: "changed",
        before: { enabled: true, max_consumptions: 1000, period: "month" },
        after: { enabled: true, max_consumptions: 100, period: "month" }
      },
      {
        kind: "feature",
        feature_id: features["scan"]!.id,
        feature_code: "scan",
        change: "lost",
        before: { enabled: true, max_consumptions: 50 }
      },
      { kind: "counter", name: "render", before: 40, after: 0 },
      { kind: "counter", name: "scan", before: 9, after: 0 }
    ])
    assert.deepStrictEqual(await statuses(license.id), {
      a: "active",
      b: "active",
      c: "reset",
      d: "reset",
      "container_id=x": "active",
      "container_id=y": "reset",
      e: "active",
      f: "deactivated"
    })
    // The lease of a device that is reset ends with it, so of three seats one more is to be released.
    assert.deepStrictEqual(seats.map(({ kind }) => kind), ["device", "device", "device", "lease"])
    assert.strictEqual((await get(license.id)).active_device_count, 3)
    const [event] = await service.feed(`&event_type=license.policy_changed&resource_id=${license.id}`)
    assert.deepStrictEqual(event!.metadata, { previous_policy_id: policy.id })
    assert.strictEqual(event!.data.policy_id, smaller.id)
  })

  it("is refused while more is taken than the policy serves, and keeps it where it may", async () => {
    const issued = await makeFull()
    const { license, smaller } = issued
    const refusal = refused(await attempt(license.id, { policy_id: smaller.id }), 409, "STATE_CONFLICT")
    assert.strictEqual(refusal.detail, "4 hardware seats taken, 2 in the policy")
    const { changes } = await change(license.id, { policy_id: smaller.id, devices: "keep" })
    assert.notIncludeMembers(changes.map(({ kind }) => kind), ["device", "lease", "counter"])
    assert.strictEqual((await get(license.id)).active_device_count, 6)
    refused(await activate(issued, "new"), 403, "ACTIVATION_LIMIT_EXCEEDED")
    refused(await checkout(issued, "new"), 403, "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual((await service.license("validate", issued.key, { fingerprint: "d" })).status, 200)
    assert.strictEqual((await consume(issued, "render", 61)).body.error.detail, "60 left, 61 asked for")
  })

  it("counts the overage of the new terms, and each kind by its own limit", async () => {
    const issued = await service.issue({ policy: { max_activations: 6, max_floating_users: 4 } })
    const { license, product } = issued
    for (const name of ["a", "b", "c"]) await activate(issued, name)
    for (const name of ["x", "y"]) {
      await service.license("activate", issued.key, { container_id: name, is_container: true })
    }
    for (const name of ["f", "g"]) await checkout(issued, name)
    const dry = async (rules: object) => {
      const other = await policyOf(product, rules)
      return attempt(license.id, { policy_id: other.id, dry_run: true })
    }
    const detail = async (rules: object) => refused(await dry(rules), 409, "STATE_CONFLICT").detail
    const floats = { max_floating_users: 2 }
    assert.strictEqual(await detail({ max_activations: 2, ...floats }), "3 hardware seats taken, 2 in the policy")
    assert.strictEqual((await dry({ max_activations: 2, activation_overage: "50%", ...floats })).status, 200)
    assert.strictEqual((await dry({ max_activations: 1, activation_overage: "allow", ...floats })).status, 200)
    assert.strictEqual((await dry({ max_activations: 3, ...floats })).status, 200)
    assert.strictEqual(
      await detail({ max_activations: 3, max_container_instances: 1, ...floats }),
      "2 container seats taken, 1 in the policy"
    )
    assert.strictEqual(await detail({ max_activations: 3 }), "2 floating seats taken, 0 in the policy")
    assert.strictEqual(
      await detail({ max_activations: 3, max_floating_users: 1 }),
      "2 floating seats taken, 1 in the policy"
    )
    assert.strictEqual(
      (await dry({ max_activations: 3, max_floating_users: 1, floating_overage: "100%" })).status,
      200
    )
  })

  it("goes on counting, or starts again: the ledger and the log agree", async () => {
    const issued = await makeFull()
    const { features, license, product, smaller } = issued
    const listed = async () =>
      Object.fromEntries(
        (await service.data("GET", `/api/v1/licenses/${license.id}/features`)).map((feature: Body) => [
          feature.feature_code,
          [feature.total_consumptions, feature.period_consumptions]
        ])
      )
    await change(license.id, { policy_id: smaller.id, devices: "keep" })
    assert.deepStrictEqual((await listed())["render"], [40, 40])
    const back = await policyOf(product, {})
    await grant(product, back, features["render"]!, { max_consumptions: 10, period: "month" })
    await grant(product, back, features["scan"]!, { max_consumptions: 10 })
    await change(license.id, { policy_id: back.id, devices: "keep", counters: "restart" })
    assert.deepStrictEqual(await listed(), { render: [0, 0], scan: [0, undefined] })
    assert.strictEqual((await consume(issued, "scan", 10)).status, 200)
    const ledger = await service.data("GET", `/api/v1/reports/usage-ledger?license_id=${license.id}`)
    const corrections = ledger.filter(({ action }: Body) => action === "license.usage_reset")
    assert.sameDeepMembers(
      corrections.map((
        { amount, feature_code, total_consumptions }: Body
      ) => [feature_code, amount, total_consumptions]),
      [["render", -40, 0], ["scan", -9, 0]]
    )
  })

  it.each([
    ["its duration from now", { duration: "P1Y", license_type: "time_limited" }, 365 * day],
    ["from now for what is activated already", { duration: "P1M", expiry_basis: "first_activation" }, 30.5 * day]
  ])("ends as one that is issued now: %s", async (_name, rules, after) => {
    const issued = await service.issue({ license: { expires_at: from(3 * day) } })
    await activate(issued, "a")
    const policy = await policyOf(issued.product, rules)
    const kept = await change(issued.license.id, { policy_id: policy.id, dry_run: true })
    assert.strictEqual(kept.license.expires_at, issued.license.expires_at)
    const { changes, license } = await change(issued.license.id, { policy_id: policy.id, expiry: "policy" })
    assert.isBelow(Math.abs(Date.parse(license.expires_at) - Date.now() - after), 3 * day)
    assert.notProperty(license, "awaits_activation")
    assert.deepInclude(changes, {
      kind: "license",
      name: "expires_at",
      before: issued.license.expires_at,
      after: license.expires_at
    })
  })

  it("never ends without a duration, and awaits its activation still where it did", async () => {
    const rules = { duration: "P1Y", expiry_basis: "first_activation" }
    const issued = await service.issue({ policy: rules, license: { activate_before: from(9 * day) } })
    const { license, product } = issued
    const month = await policyOf(product, { ...rules, duration: "P1M" })
    const waits = (await change(license.id, { policy_id: month.id, expiry: "policy" })).license
    assert.deepInclude(waits, { awaits_activation: true, activate_before: license.activate_before })
    isNear((await activate(issued, "a")).body.data.expires_at, new Date().setUTCMonth(new Date().getUTCMonth() + 1))
    const endless = await policyOf(product, {})
    const { changes, license: left } = await change(license.id, { policy_id: endless.id, expiry: "policy" })
    assert.notProperty(left, "expires_at")
    assert.deepStrictEqual(changes.filter(({ name }) => name === "expires_at").map(({ after }) => after), [undefined])
    const perpetual = await policyOf(product, { license_type: "perpetual", maintenance_duration: "P1Y" })
    const bought = (await change(license.id, { policy_id: perpetual.id, expiry: "policy" })).license
    isNear(bought.maintenance_expires_at, new Date().setUTCFullYear(new Date().getUTCFullYear() + 1))
    invalid(await attempt(license.id, { policy_id: endless.id }), "expiry", "contradiction")
    assert.notProperty(
      (await change(license.id, { policy_id: endless.id, expiry: "policy" })).license,
      "maintenance_expires_at"
    )
  })

  it("follows its subscription as the new policy says, or is let go", async () => {
    const { policy, product } = await service.issue()
    const end = from(40 * day)
    const subscription = await makeSubscription(service, product, {
      status: "paused",
      current_period_start: from(-day),
      current_period_end: end
    })
    const { license } = await service.data("POST", "/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      subscription_id: subscription.id,
      expires_at: from(20 * day)
    })
    const following = await policyOf(product, { follows_subscription: true })
    const kept = await change(license.id, { policy_id: following.id, dry_run: true })
    assert.notProperty(kept.license, "follows_subscription")
    const { changes, license: follows } = await change(license.id, { policy_id: following.id, expiry: "policy" })
    assert.deepInclude(follows, {
      follows_subscription: true,
      suspended_by: "subscription",
      status: "suspended",
      expires_at: end
    })
    assert.includeDeepMembers(changes, [
      { kind: "term", name: "follows_subscription", after: true },
      { kind: "license", name: "status", before: "active", after: "suspended" },
      { kind: "license", name: "follows_subscription", after: true }
    ])
    const timed = await policyOf(product, { license_type: "time_limited", duration: "P1M" })
    invalid(await attempt(license.id, { policy_id: timed.id }), "expiry", "contradiction")
    const free = (await change(license.id, { policy_id: timed.id, expiry: "policy" })).license
    assert.doesNotHaveAnyKeys(free, ["follows_subscription", "suspended_by"])
    assert.strictEqual(free.status, "active")
    assert.deepStrictEqual(
      (await service.feed(`&resource_id=${license.id}`)).map(({ event_type }) => event_type).slice(1),
      [
        "license.policy_changed",
        "license.renewed",
        "license.suspended",
        "license.policy_changed",
        "license.reinstated"
      ]
    )
  })

  it("keeps its own rules or drops them; those that contradict the policy are refused, with the cure", async () => {
    const { license, product } = await service.issue({
      policy: { max_floating_users: 2, max_activations: 3 },
      license: { overrides: { floating_overage: "50%", max_activations: 25 } }
    })
    const seated = await policyOf(product, { max_activations: 4 })
    const refusal = await attempt(license.id, { policy_id: seated.id })
    invalid(refusal, "overrides", "contradiction")
    assert.match(refusal.body.error.message, /floating_overage.*max_floating_users.*drop/)
    const floating = await policyOf(product, { max_floating_users: 5, max_activations: 4 })
    const { changes, license: kept } = await change(license.id, { policy_id: floating.id })
    assert.deepStrictEqual(kept.overrides, { floating_overage: "50%", max_activations: 25 })
    assert.deepStrictEqual(changes, [{ kind: "term", name: "max_floating_users", before: 2, after: 5 }])
    const dropped = await change(license.id, { policy_id: seated.id, overrides: "drop" })
    assert.notProperty(dropped.license, "overrides")
    assert.deepInclude(dropped.changes, { kind: "term", name: "max_activations", before: 25, after: 4 })
    assert.deepInclude(dropped.changes, { kind: "term", name: "floating_overage", before: "50%" })
  })

  it("is refused where there is nothing to change to", async () => {
    const { license, policy } = await service.issue()
    const other = await service.issue()
    refused(await attempt(license.id, { policy_id: "pol_none" }), 404, "NOT_FOUND")
    refused(await attempt("lic_none", { policy_id: policy.id }), 404, "NOT_FOUND")
    const same = refused(await attempt(license.id, { policy_id: policy.id }), 409, "STATE_CONFLICT")
    assert.strictEqual(same.detail, "same_policy")
    invalid(await attempt(license.id, { policy_id: other.policy.id }), "policy_id", "other_product")
    const without = await service.call("POST", `/api/v1/licenses/${license.id}/change-policy`, {
      body: { policy_id: policy.id }
    })
    refused(without, 400, "IDEMPOTENCY_KEY_REQUIRED")
    const long = await policyOf(other.product, { license_type: "time_limited", duration: "P1Y" })
    await service.data("PATCH", `/api/v1/licenses/${other.license.id}`, { starts_at: "9999-06-01T00:00:00Z" })
    invalid(await attempt(other.license.id, { policy_id: long.id, expiry: "policy" }), "expiry", "out_of_range")
    await service.data("POST", `/api/v1/licenses/${other.license.id}/revoke`)
    assert.strictEqual(
      refused(await attempt(other.license.id, { policy_id: long.id }), 409, "STATE_CONFLICT").detail,
      "revoked"
    )
  })
})

describe("a change to fewer devices", () => {
  it("frees the seats of the devices that were chosen, and the others stay", async () => {
    const issued = await service.issue({ policy: { max_activations: 3 } })
    const { license, product } = issued
    for (const name of ["a", "b", "c"]) await activate(issued, name)
    const devices: ReadonlyArray<Body> = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    const idOf = (name: string): string => devices.find(({ fingerprint }) => fingerprint === name)!.id
    const smaller = await policyOf(product, { max_activations: 2 })
    const choosing = (ids: ReadonlyArray<string>) => ({ policy_id: smaller.id, reset_device_ids: ids })
    refused(await attempt(license.id, choosing([])), 409, "STATE_CONFLICT")
    refused(await attempt(license.id, choosing(["dev_of_nobody"])), 409, "STATE_CONFLICT")
    const dry = await change(license.id, { ...choosing([idOf("a")]), dry_run: true })
    assert.deepStrictEqual(dry.changes.filter(({ kind }) => kind === "device"), [{ kind: "device", id: idOf("a") }])
    assert.deepStrictEqual(await statuses(license.id), { a: "active", b: "active", c: "active" })
    await change(license.id, choosing([idOf("a")]))
    assert.deepStrictEqual(await statuses(license.id), { a: "reset", b: "active", c: "active" })
  })
})

describe("a limit that falls while 60 devices activate", () => {
  it.each(["refuse", "keep", "reset_newest"])("devices: %s", async (devices) => {
    const issued = await service.issue({ policy: { max_activations: 100 } })
    const { license, product } = issued
    const smaller = await policyOf(product, { max_activations: 10 })
    const party = (name: string) => Array.from({ length: 20 }, (_, index) => activate(issued, `${name}-${index}`))
    const early = party("early")
    const changing = attempt(license.id, { policy_id: smaller.id, devices }).then(async (answer) => ({
      answer,
      late: await Promise.all(party("late"))
    }))
    const during = party("during")
    const answers = await Promise.all([...early, ...during])
    const { answer, late } = await changing
    const all = [...answers, ...late]
    const served = all.filter(({ status }) => status === 200)
    for (const one of all) if (one.status !== 200) refused(one, 403, "ACTIVATION_LIMIT_EXCEEDED")

    // Replayed in the order of the log: after the change, a device is only let in within the new limit.
    const mine = (await service.feed()).filter(({ metadata, resource_id }) =>
      resource_id === license.id || metadata.license_id === license.id
    )
    let active = 0
    let changed = false
    for (const { event_type } of mine) {
      if (event_type === "license.policy_changed") changed = true
      if (event_type === "device.reset") active--
      if (event_type !== "license.activated") continue
      active++
      if (changed) assert.isAtMost(active, 10)
    }
    const left = await get(license.id)
    const hasChanged = devices !== "refuse" || answer.status === 200
    if (hasChanged) {
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(left.policy_id, smaller.id)
      if (devices !== "keep") assert.isAtMost(left.active_device_count, 10)
    } else {
      refused(answer, 409, "STATE_CONFLICT")
      assert.strictEqual(left.active_device_count, 60)
    }
    assert.strictEqual(left.active_device_count, active)
    assert.strictEqual(mine.filter(({ event_type }) => event_type === "license.activated").length, served.length)
  })
})
