// What a license is issued with: by what the caller says, by its subscription, by the durations of its terms, or by its first activation.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import { cannotStart, issueOf, startOf } from "../../../../src/domain/licensing/licenses/LicenseIssue.ts"
import type { IssuingPolicy } from "../../../../src/domain/licensing/licenses/LicenseIssue.ts"

const now = Date.parse("2026-06-15T00:00:00Z")
const at = (text: string) => `2026-${text}T00:00:00.000Z`

const always: Rules = {
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

const subscription = { id: "sub", status: "active", current_period_end: at("08-01") } as const
const paused = { id: "sub", status: "paused", current_period_end: at("08-01") } as const

const policies = {
  plain: { id: "pol_1", license_type: "subscription", rules: always },
  month: { id: "pol_1", license_type: "time_limited", rules: { ...always, duration: "P1M" } },
  lazy: {
    id: "pol_1",
    license_type: "time_limited",
    rules: { ...always, duration: "P1M", expiry_basis: "first_activation" }
  },
  cared: { id: "pol_1", license_type: "perpetual", rules: { ...always, maintenance_duration: "P1Y" } },
  lazilyCared: {
    id: "pol_1",
    license_type: "perpetual",
    rules: { ...always, maintenance_duration: "P1Y", expiry_basis: "first_activation" }
  },
  waiting: {
    id: "pol_1",
    license_type: "time_limited",
    rules: { ...always, expiry_basis: "first_activation" }
  },
  follows: { id: "pol_1", license_type: "subscription", rules: { ...always, follows_subscription: true } },
  subscribed: {
    id: "pol_1",
    license_type: "subscription",
    rules: { ...always, follows_subscription: true },
    subscription
  },
  stopped: {
    id: "pol_1",
    license_type: "subscription",
    rules: { ...always, follows_subscription: true },
    subscription: paused
  },
  asked: { id: "pol_1", license_type: "subscription", rules: always, subscription },
  endless: { id: "pol_1", license_type: "time_limited", rules: { ...always, duration: "P9999Y" } },
  endlesslyCared: { id: "pol_1", license_type: "perpetual", rules: { ...always, maintenance_duration: "P9999Y" } },
  asleep: {
    id: "pol_1",
    license_type: "time_limited",
    rules: { ...always, duration: "P9999Y", expiry_basis: "first_activation" }
  }
} satisfies Readonly<Record<string, IssuingPolicy>>

type Input = Parameters<typeof issueOf>[0]

/** What is issued, or the members and codes of the findings. */
const issued = (policy: keyof typeof policies, input: Input = {}) => {
  const result = issueOf(input, policies[policy] as IssuingPolicy, now)
  return Result.isSuccess(result) ? result.success : result.failure.map(({ code, path }) => `${path} ${code}`)
}

const follows = { follows_subscription: true, expires_at: at("08-01") } as const

describe("a license that is issued", () => {
  it.each<[string, keyof typeof policies, Input, ReturnType<typeof issued>]>([
    ["does not end where nothing says so", "plain", {}, {}],
    ["begins and ends as is said", "plain", { starts_at: at("07-01"), expires_at: at("07-02") }, {
      starts_at: at("07-01"),
      expires_at: at("07-02")
    }],
    ["ends after the duration of its terms, from now", "month", {}, { expires_at: at("07-15") }],
    ["ends after it from its start", "month", { starts_at: at("07-01") }, {
      starts_at: at("07-01"),
      expires_at: at("08-01")
    }],
    ["ends as is said, and not after it", "month", { expires_at: at("06-20") }, { expires_at: at("06-20") }],
    ["ends after the duration of its own", "plain", { overrides: { duration: "P1M" } }, {
      expires_at: at("07-15"),
      overrides: { duration: "P1M" }
    }],
    ["is maintained for the duration of its terms", "cared", {}, {
      maintenance_expires_at: "2027-06-15T00:00:00.000Z"
    }],
    ["is maintained as is said", "cared", { maintenance_expires_at: at("07-01") }, {
      maintenance_expires_at: at("07-01")
    }],
    ["has its own limits", "plain", { overrides: { max_activations: 9 } }, { overrides: { max_activations: 9 } }]
  ])("%s", (_, policy, input, expected) => {
    assert.deepStrictEqual(issued(policy, input), expected)
  })

  it.each<[string, keyof typeof policies, Input, ReturnType<typeof issued>]>([
    ["awaits its first activation", "lazy", {}, { awaits_activation: true }],
    ["awaits it no longer than is said", "lazy", { activate_before: at("07-01") }, {
      awaits_activation: true,
      expires_at: at("07-01")
    }],
    ["awaits it for its maintenance alone", "lazilyCared", {}, { awaits_activation: true }],
    ["awaits nothing where its start is said", "lazy", { starts_at: at("07-01") }, {
      starts_at: at("07-01"),
      expires_at: at("08-01")
    }],
    ["awaits nothing where its end is said", "lazy", { expires_at: at("07-01") }, { expires_at: at("07-01") }],
    ["awaits nothing where no duration would begin", "waiting", {}, {}]
  ])("%s", (_, policy, input, expected) => {
    assert.deepStrictEqual(issued(policy, input), expected)
  })

  it.each<[string, keyof typeof policies, Input, ReturnType<typeof issued>]>([
    ["follows its subscription where the policy says so", "subscribed", {}, follows],
    ["follows it where it is asked to", "asked", { follows_subscription: true }, follows],
    ["does not where it is asked not to", "subscribed", { follows_subscription: false }, {}],
    ["does not where neither says so", "asked", {}, {}],
    ["is suspended while its subscription is paused", "stopped", {}, {
      follows_subscription: true,
      expires_at: at("08-01"),
      state: "suspended",
      suspended_by: "subscription"
    }],
    ["needs a subscription or an end where the policy says that one ends it", "follows", {}, [
      "subscription_id no_subscription"
    ]],
    ["has no need of one where its end is said", "follows", { expires_at: at("07-01") }, { expires_at: at("07-01") }],
    ["has none where it is said that it has no end", "follows", { follows_subscription: false }, {}]
  ])("%s", (_, policy, input, expected) => {
    assert.deepStrictEqual(issued(policy, input), expected)
  })

  it.each<[string, keyof typeof policies, Input, ReturnType<typeof issued>]>([
    ["ends when it starts", "plain", { starts_at: at("07-01"), expires_at: at("07-01") }, ["expires_at before_start"]],
    ["ends before it starts", "plain", { starts_at: at("07-01"), expires_at: at("06-30") }, [
      "expires_at before_start"
    ]],
    ["is maintained, and not perpetual", "month", { maintenance_expires_at: at("07-01") }, [
      "maintenance_expires_at perpetual_only"
    ]],
    ["is to be activated, and awaits nothing", "month", { activate_before: at("07-01") }, [
      "activate_before contradiction"
    ]],
    ["is to be activated, and starts", "lazy", { activate_before: at("07-01"), starts_at: at("07-01") }, [
      "activate_before contradiction"
    ]],
    ["is to be activated, and ends", "lazy", { activate_before: at("07-01"), expires_at: at("08-01") }, [
      "activate_before contradiction"
    ]],
    ["ends after the year 9999", "endless", {}, ["expires_at out_of_range"]],
    ["would, once it is activated", "asleep", {}, ["expires_at out_of_range"]],
    ["is maintained beyond it", "endlesslyCared", {}, ["maintenance_expires_at out_of_range"]]
  ])("is refused where it %s", (_, policy, input, expected) => {
    assert.deepStrictEqual(issued(policy, input), expected)
  })

  it("says of a duration that is too long whose it is", () => {
    const message = (policy: IssuingPolicy, input: Input) => {
      const [found] = Result.getOrThrow(Result.flip(issueOf(input, policy, now)))
      return found!.message
    }
    assert.include(message(policies.endless, {}), "the duration P9999Y of the policy pol_1")
    assert.include(
      message(policies.plain, { overrides: { duration: "P9999Y" } }),
      "the duration P9999Y of the overrides"
    )
    assert.include(message(policies.endlesslyCared, {}), "the maintenance_duration P9999Y of the policy pol_1")
  })

  it("is judged by its own limits where it has some", () => {
    assert.deepStrictEqual(issued("plain", { overrides: { max_devices_per_user: 3 } }), [
      "overrides.max_devices_per_user contradiction"
    ])
    assert.deepStrictEqual(issued("plain", { overrides: { max_devices_per_user: 3, max_users: 2 } }), {
      overrides: { max_devices_per_user: 3, max_users: 2 }
    })
  })
})

describe("the first activation", () => {
  it("starts a license by the durations in force, and leaves a maintenance that was said", () => {
    const started = (rules: Parameters<typeof startOf>[0], maintained?: string) =>
      Result.getOrThrow(startOf(rules, maintained, new Date(now)))
    assert.deepStrictEqual(started({ duration: "P1M", maintenance_duration: "P1Y" }), {
      starts_at: at("06-15"),
      expires_at: at("07-15"),
      maintenance_expires_at: "2027-06-15T00:00:00.000Z"
    })
    assert.deepStrictEqual(started({ maintenance_duration: "P1Y" }, at("07-01")), {
      starts_at: at("06-15"),
      expires_at: null,
      maintenance_expires_at: at("07-01")
    })
    assert.deepStrictEqual(started({}).maintenance_expires_at, null)
    // What was said needs no duration, be that beyond the year 9999.
    assert.strictEqual(started({ maintenance_duration: "P9999Y" }, at("07-01")).maintenance_expires_at, at("07-01"))
  })

  it("cannot where a duration leads beyond the year 9999, which counts while it is awaited", () => {
    const cannot = (license: Parameters<typeof cannotStart>[0]) => cannotStart(license, new Date(now))
    assert.isTrue(cannot({ awaits_activation: true, duration: "P9999Y" }))
    assert.isFalse(cannot({ duration: "P9999Y" }))
    assert.isFalse(cannot({ awaits_activation: true, duration: "P1Y" }))
    assert.isTrue(cannot({ awaits_activation: true, maintenance_duration: "P9999Y" }))
    assert.isFalse(
      cannot({ awaits_activation: true, maintenance_duration: "P9999Y", maintenance_expires_at: at("07-01") })
    )
  })
})
