import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import type { IssuingPolicy } from "../../../../src/domain/licensing/licenses/LicenseIssue.ts"
import { moved } from "../../../../src/domain/licensing/lifecycle/PolicyMove.ts"
import type { MovedLicense } from "../../../../src/domain/licensing/lifecycle/PolicyMove.ts"

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

const policies: Readonly<Record<string, IssuingPolicy>> = {
  plain: { id: "pol_plain", license_type: "subscription", rules: always },
  month: { id: "pol_month", license_type: "time_limited", rules: { ...always, duration: "P1M" } },
  lazy: {
    id: "pol_lazy",
    license_type: "time_limited",
    rules: { ...always, duration: "P1M", expiry_basis: "first_activation" }
  },
  bought: { id: "pol_bought", license_type: "perpetual", rules: { ...always, maintenance_duration: "P1M" } },
  follows: { id: "pol_follows", license_type: "subscription", rules: { ...always, follows_subscription: true } },
  subscribed: {
    id: "pol_subscribed",
    license_type: "subscription",
    rules: { ...always, follows_subscription: true },
    subscription
  },
  endless: { id: "pol_endless", license_type: "time_limited", rules: { ...always, duration: "P9999Y" } },
  asleep: {
    id: "pol_asleep",
    license_type: "time_limited",
    rules: { ...always, duration: "P9999Y", expiry_basis: "first_activation" }
  }
}

const licenses: Readonly<Record<string, MovedLicense>> = {
  new: {},
  ending: { expires_at: at("07-01") },
  starting: { starts_at: at("07-10"), expires_at: at("08-01") },
  waiting: { awaits_activation: true, expires_at: at("07-01") },
  following: { follows_subscription: true, expires_at: at("07-01"), ends_without_grace: true },
  maintained: { maintenance_expires_at: at("07-01") },
  own: { overrides: { duration: "P2M", max_activations: 9 } }
}

/**
 * Written by hand: a license, the policy and what is asked of the expiry, and then its end, the end of its maintenance
 * (`-` for none), and what else it has; or the path of the finding.
 */
const table = `
  new        | plain keep        | -     | -     |
  ending     | plain keep        | 07-01 | -     |
  ending     | month keep        | 07-01 | -     |
  ending     | lazy keep         | 07-01 | -     |
  ending     | subscribed keep   | 07-01 | -     |
  waiting    | plain keep        | 07-01 | -     | awaits
  waiting    | lazy keep         | 07-01 | -     | awaits
  following  | plain keep        | 07-01 | -     | follows graceless
  following  | month keep        | expiry
  maintained | bought keep       | -     | 07-01 |
  maintained | month keep        | expiry
  new        | month policy      | 07-15 | -     |
  ending     | month policy      | 07-15 | -     |
  ending     | plain policy      | -     | -     |
  ending     | lazy policy       | 07-15 | -     |
  starting   | month policy      | 08-10 | -     |
  waiting    | lazy policy       | 07-01 | -     | awaits
  waiting    | month policy      | 07-15 | -     |
  waiting    | plain policy      | -     | -     |
  waiting    | subscribed policy | 07-01 | -     | follows
  ending     | bought policy     | -     | 07-15 |
  maintained | bought policy     | -     | 07-15 |
  maintained | month policy      | 07-15 | -     |
  maintained | subscribed policy | -     | -     | follows
  ending     | follows policy    | subscription_id
  own        | follows policy    | 08-15 | -     | own
  ending     | subscribed policy | 07-01 | -     | follows
  following  | subscribed policy | 07-01 | -     | follows graceless
  following  | month policy      | 07-15 | -     |
  following  | plain policy      | -     | -     |
  own        | month policy      | 08-15 | -     | own
  own        | bought policy     | overrides
  own        | subscribed policy | overrides
  own        | bought policy drop | -    | 07-15 |
  own        | month policy drop | 07-15 | -     |
  own        | subscribed policy drop | - | -    | follows
  ending     | endless keep      | 07-01 | -     |
  ending     | endless policy    | expiry
  waiting    | endless policy    | expiry
  waiting    | asleep policy     | expiry
  waiting    | asleep keep       | 07-01 | -     | awaits
`

const rows = table.trim().split("\n").map((line) => line.split("|").map((cell) => cell.trim()))
const shown = (instant: string | undefined) => instant === undefined ? "-" : instant.slice(5, 10)

describe("what a license has under another policy", () => {
  it.each(rows)("%s, %s: %s %s %s", (license, asked, ...expected) => {
    const [policy, expiry, overrides] = asked!.split(" ")
    const result = moved(
      licenses[license!]!,
      policies[policy!]!,
      { expiry: expiry as "keep", ...(overrides === undefined ? {} : { overrides: "drop" as const }) },
      now
    )
    if (Result.isFailure(result)) {
      assert.deepStrictEqual(result.failure.map(({ path }) => path), [expected[0]!])
      assert.isTrue(result.failure.every(({ message }) => /say (expiry: keep|policy|drop|keep)|PATCH it/.test(message)))
      return
    }
    const left = result.success
    const more = [
      left.awaits_activation ? "awaits" : "",
      left.follows_subscription ? "follows" : "",
      left.ends_without_grace ? "graceless" : "",
      left.overrides === undefined ? "" : "own"
    ].filter((word) => word !== "").join(" ")
    assert.deepStrictEqual([shown(left.expires_at), shown(left.maintenance_expires_at), more], expected)
  })

  it("has the rules of the policy, with its own as they are kept, and no grace where it has none", () => {
    const rules = (license: MovedLicense, overrides: "keep" | "drop") =>
      Result.getOrThrow(moved(license, policies["month"]!, { overrides }, now)).rules
    assert.deepInclude(rules(licenses["own"]!, "keep"), { max_activations: 9, duration: "P2M", grace_period_days: 7 })
    assert.deepInclude(rules(licenses["own"]!, "drop"), { max_activations: 3, duration: "P1M" })
    assert.strictEqual(rules({ ends_without_grace: true }, "keep").grace_period_days, 0)
    assert.strictEqual(rules({ awaits_activation: true }, "keep").grace_period_days, 0)
  })
})
