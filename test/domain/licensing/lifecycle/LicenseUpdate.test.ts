// What an edit of a license changes, and what refuses it.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"
import type { LicenseLinks, LicenseUpdate } from "../../../../src/domain/licensing/lifecycle/LicenseUpdate.ts"
import { licenseUpdate, withFollowing } from "../../../../src/domain/licensing/lifecycle/LicenseUpdate.ts"

const at = (text: string) => `2026-${text}T00:00:00.000Z`

const rules: Rules = {
  max_activations: 3,
  floating_timeout_minutes: 10,
  grace_period_days: 7,
  validation_interval_minutes: 60,
  require_heartbeat: false,
  allow_offline_activation: true,
  offline_grace_days: 30,
  allow_vm: true,
  allow_container: true,
  max_transfers: 3
}

const whole = (Schema.resolveAnnotations(License)!["examples"] as ReadonlyArray<License>)[0]!

/** A license of nobody that does not end. */
const license = (more: Partial<License> = {}): License => {
  const left: Partial<Record<keyof License, unknown>> = { ...whole }
  for (
    const member of [
      "customer_id",
      "customer_email",
      "customer_name",
      "starts_at",
      "expires_at",
      "maintenance_expires_at",
      "subscription_id",
      "follows_subscription",
      "overrides",
      "term_anchor",
      "awaits_activation"
    ] as const
  ) delete left[member]
  return { ...left as unknown as License, status: "active", created_at: at("01-01"), ...more }
}

type Type = Parameters<typeof licenseUpdate>[0]["license_type"]

const edited = (
  before: Partial<License>,
  changes: LicenseUpdate,
  links: LicenseLinks = {},
  license_type: Type = "subscription",
  policy: Partial<Rules> = {}
) => licenseUpdate({ license: license(before), license_type, policy: { ...rules, ...policy } }, [], links, changes)

/** What an edit changes, or the detail or the findings of its refusal. */
const change = (...given: Parameters<typeof edited>) => {
  const result = edited(...given)
  if (Result.isSuccess(result)) return result.success
  const { detail, fields } = result.failure.error
  return detail ?? fields!.map(({ code, path }) => `${path} ${code}`)
}

const following = { follows_subscription: true, subscription_id: "sub_1" } as const

describe("an edit of a license", () => {
  it.each<[string, Partial<License>, LicenseUpdate, object]>([
    ["changes nothing that it leaves out", { starts_at: at("02-01"), customer_email: "ada@example.com" }, {}, {}],
    ["names the first customer", {}, { customer_id: "cus_1" }, { customer_id: "cus_1" }],
    ["names the same customer again", { customer_id: "cus_1" }, { customer_id: "cus_1" }, { customer_id: "cus_1" }],
    ["clears texts by empty ones", {}, { customer_email: "", customer_name: "" }, {
      customer_email: null,
      customer_name: null
    }],
    ["names its owner", {}, { customer_email: "ada@example.com", customer_name: "Ada" }, {
      customer_email: "ada@example.com",
      customer_name: "Ada"
    }],
    ["clears tags by none", {}, { tags: null }, { tags: null }],
    ["clears tags by an empty list", {}, { tags: [] }, { tags: null }],
    ["gives tags", {}, { tags: ["a", "a", "b"] }, { tags: ["a", "b"] }],
    ["clears further products by an empty list", {}, { product_ids: [] }, { product_ids: null }],
    ["clears further products by none", {}, { product_ids: null }, { product_ids: null }],
    ["names further products", {}, { product_ids: ["prod_2"] }, { product_ids: ["prod_2"] }],
    ["keeps metadata as they are", {}, { metadata: { a: 1 } }, { metadata: { a: 1 } }],
    ["clears its issuer", {}, { trusted_issuer: null }, { trusted_issuer: null }],
    ["trusts an issuer", {}, { trusted_issuer: { issuer: "https://login.example.com", audience: "studio" } }, {
      trusted_issuer: { issuer: "https://login.example.com", audience: "studio", admits: "invited" }
    }],
    ["merges limits", { overrides: { max_activations: 3 } }, { overrides: { max_users: 2 } }, {
      overrides: { max_activations: 3, max_users: 2 }
    }],
    ["clears one limit", { overrides: { max_activations: 3, max_users: 2 } }, { overrides: { max_users: null } }, {
      overrides: { max_activations: 3 }
    }],
    ["clears all limits", { overrides: { max_activations: 3 } }, { overrides: null }, { overrides: null }]
  ])("%s", (_, before, changes, expected) => {
    assert.deepStrictEqual<unknown>(change(before, changes), expected)
  })

  it("of the end counts renewals from there, and of the start alone leaves the days on which it is renewed", () => {
    assert.deepStrictEqual<unknown>(change({}, { expires_at: at("07-01") }), {
      expires_at: at("07-01"),
      ends_without_grace: null,
      term_anchor: at("07-01")
    })
    assert.deepStrictEqual<unknown>(change({}, { expires_at: null }), { expires_at: null, ends_without_grace: null })
    assert.deepStrictEqual<unknown>(change({ starts_at: at("02-01") }, { starts_at: at("03-01") }), {
      starts_at: at("03-01"),
      term_anchor: at("02-01")
    })
    assert.deepStrictEqual<unknown>(change({}, { starts_at: at("03-01"), expires_at: at("07-01") }), {
      starts_at: at("03-01"),
      expires_at: at("07-01"),
      ends_without_grace: null,
      term_anchor: at("07-01")
    })
    assert.deepStrictEqual<unknown>(change({ starts_at: at("02-01") }, { starts_at: at("03-01"), expires_at: null }), {
      starts_at: at("03-01"),
      expires_at: null,
      ends_without_grace: null,
      term_anchor: at("02-01")
    })
  })

  it("that says a time ends the waiting for the first activation", () => {
    const waits = { awaits_activation: true } as const
    const ends = (changes: LicenseUpdate, links: LicenseLinks = {}) =>
      (change(waits, changes, links) as { awaits_activation?: null }).awaits_activation === null
    assert.isTrue(ends({ starts_at: at("03-01") }))
    assert.isTrue(ends({ expires_at: at("03-01") }))
    assert.isTrue(ends({ follows_subscription: true }, { subscription_id: "sub_1" }))
    assert.isFalse(ends({ starts_at: null }))
    assert.isFalse(ends({ expires_at: null }))
    assert.isFalse(ends({ follows_subscription: false }))
    assert.isFalse(ends({ customer_name: "Ada" }))
    assert.notProperty(change({}, { starts_at: at("03-01") }), "awaits_activation")
  })
})

describe("an edit is refused", () => {
  const revoked = { status: "revoked" } as const

  it.each<[string, Partial<License>, LicenseUpdate, LicenseLinks, string | false]>([
    ["the start of a revoked license", revoked, { starts_at: at("02-01") }, {}, "revoked"],
    ["its end", revoked, { expires_at: null }, {}, "revoked"],
    ["its maintenance", revoked, { maintenance_expires_at: null }, {}, "revoked"],
    ["that it follows its subscription", revoked, { follows_subscription: true }, {}, "revoked"],
    ["that it no longer does", { ...revoked, ...following }, { follows_subscription: false }, {}, "revoked"],
    ["but not that it goes on not to", revoked, { follows_subscription: false }, {}, false],
    ["nor its name", revoked, { customer_name: "Ada" }, {}, false],
    ["another customer", { customer_id: "cus_1" }, { customer_id: "cus_2" }, {}, "other_customer"],
    ["the start of one that follows", following, { starts_at: null }, {}, "follows_subscription"],
    ["the end of one that follows", following, { expires_at: at("07-01") }, {}, "follows_subscription"],
    [
      "but not where it follows no longer",
      following,
      {
        follows_subscription: false,
        expires_at: at("07-01")
      },
      {},
      false
    ],
    ["nor the name of one that follows", following, { customer_name: "Ada" }, {}, false]
  ])("where it is %s", (_, before, changes, links, detail) => {
    const found = change(before, changes, links)
    assert.strictEqual(typeof found === "string" ? found : false, detail)
  })

  it("where both times of one that follows are said, by the first", () => {
    const result = edited(following, { starts_at: null, expires_at: null })
    assert.include(Result.isFailure(result) ? result.failure.error.message : "", "starts_at cannot be changed")
  })

  it("where it ends before it starts, by the member that says so", () => {
    const times = { starts_at: at("02-01"), expires_at: at("07-01") }
    assert.deepStrictEqual(change(times, { expires_at: at("02-01") }), ["expires_at before_start"])
    assert.deepStrictEqual(change(times, { starts_at: at("07-01") }), ["starts_at before_start"])
    assert.deepStrictEqual(change({}, { starts_at: at("07-01"), expires_at: at("07-01") }), ["expires_at before_start"])
    for (
      const changes of [{ expires_at: at("02-02") }, { starts_at: null }, { starts_at: at("08-01"), expires_at: null }]
    ) {
      assert.isNotArray(change(times, changes))
    }
  })

  it("where it says how long a license is maintained that is not perpetual", () => {
    const maintained = { maintenance_expires_at: at("07-01") }
    assert.deepStrictEqual(change({}, maintained), ["maintenance_expires_at perpetual_only"])
    assert.deepStrictEqual<unknown>(change({}, maintained, {}, "perpetual"), maintained)
    assert.deepStrictEqual<unknown>(change({}, { maintenance_expires_at: null }), { maintenance_expires_at: null })
  })

  it("where it is to follow a subscription that it has not", () => {
    assert.isArray(change({}, { follows_subscription: true }))
    assert.deepStrictEqual<unknown>(change({}, { follows_subscription: true }, { subscription_id: "sub_1" }), {
      subscription_id: "sub_1",
      follows_subscription: true
    })
    assert.deepStrictEqual<unknown>(change({ subscription_id: "sub_1" }, { follows_subscription: true }), {
      follows_subscription: true
    })
    assert.deepStrictEqual<unknown>(change(following, { follows_subscription: true }), {})
    assert.deepStrictEqual<unknown>(change(following, { follows_subscription: false }), { follows_subscription: null })
  })

  it("where its limits contradict each other, and its policy's", () => {
    const devices = { overrides: { max_devices_per_user: 3 } }
    assert.deepStrictEqual(change({}, devices), ["overrides.max_devices_per_user contradiction"])
    assert.isNotArray(change({}, devices, {}, "subscription", { max_users: 2 }))
    assert.isNotArray(change({ overrides: { max_users: 2 } }, devices))
    // What stood there before is not judged by an edit of something else.
    assert.isNotArray(change(devices, { customer_name: "Ada" }))
  })

  it("where a further product cannot be one", () => {
    const found = [{ path: "product_ids.0", code: "not_found", message: "is no product" }]
    const held = { license: license(), license_type: "subscription", policy: rules } as const
    const result = licenseUpdate(held, found, {}, { product_ids: ["prod_9"] })
    assert.deepStrictEqual(Result.isFailure(result) ? result.failure.error.fields : undefined, found)
  })
})

describe("a license that was issued before its subscription was known", () => {
  const follows = (
    before: Partial<License> = {},
    changes: LicenseUpdate = {},
    links: LicenseLinks = { subscription_id: "sub_1" },
    of: { readonly license_type?: Type; readonly policy?: Partial<Rules> } = {}
  ) => {
    const { license_type = "subscription", policy = { follows_subscription: true } } = of
    const held = { license: license(before), license_type, policy: { ...rules, ...policy } }
    return withFollowing(held, links, changes).follows_subscription
  }

  it("follows it once it is named, as if it were issued then", () => {
    assert.isTrue(follows())
  })

  it.each<[string, ReturnType<typeof follows>]>([
    ["the edit says that it does not", follows({}, { follows_subscription: false })],
    ["the edit says its end", follows({}, { expires_at: at("07-01") })],
    ["the edit says that it has no end", follows({}, { expires_at: null })],
    ["its policy is for something else", follows({}, {}, undefined, { license_type: "perpetual" })],
    ["its policy does not say so", follows({}, {}, undefined, { policy: {} })],
    ["it had a subscription", follows({ subscription_id: "sub_0" })],
    ["it is revoked", follows({ status: "revoked" })],
    ["it has a duration of its own", follows({ overrides: { duration: "P1M" } })],
    ["none is named", follows({}, {}, {})]
  ])("does not where %s", (_, found) => {
    assert.notStrictEqual(found, true)
  })

  it("has its other limits all the same", () => {
    assert.isTrue(follows({ overrides: { max_activations: 3 } }))
  })
})
