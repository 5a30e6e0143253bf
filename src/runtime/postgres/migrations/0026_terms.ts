import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * What vendors sell: rules of a license of its own, features of a policy, durations, quotas that start again, and
 * overage. Every column is new and NULL where the rule is not in force, so that rows, and the events that tell of them,
 * stay as they are. None is filled, and no table is rewritten.
 */
export default Effect.gen(function*() {
  const periods = "('day', 'week', 'month', 'year', 'license_month', 'subscription')"

  yield* addColumns("policies", {
    duration: "text",
    expiry_basis: { type: "text", check: "expiry_basis IN ('creation', 'first_activation')" },
    maintenance_duration: "text",
    activation_overage: "text",
    floating_overage: "text",
    follows_subscription: "boolean",
    component_match: "text",
    self_service: "boolean",
    max_self_service_resets: { type: "integer", check: "max_self_service_resets >= 0" },
    self_service_period: { type: "text", check: "self_service_period IN ('day', 'week', 'month', 'year')" },
    offline_file_days: { type: "integer", check: "offline_file_days >= 0" }
  })
  yield* briefly("COMMENT ON COLUMN policies.duration IS 'ISO 8601, in the calendar of UTC'")

  yield* addColumns("licenses", {
    overrides: { type: "jsonb", check: "jsonb_typeof(overrides) = 'object'" },
    awaits_activation: { type: "boolean", check: "awaits_activation" },
    ends_without_grace: { type: "boolean", check: "ends_without_grace" },
    follows_subscription: { type: "boolean", check: "follows_subscription" },
    suspended_by: { type: "text", check: "suspended_by = 'subscription'" }
  })
  yield* briefly("COMMENT ON COLUMN licenses.overrides IS 'rules instead of those of the policy by the same names'")
  yield* briefly(`COMMENT ON COLUMN licenses.awaits_activation IS
    'starts with its first activation or checkout; until then expires_at is the end of the time for that'`)

  // Where the end of the grace period does not follow from the policy.
  yield* createIndex(
    "licenses_past_expiry_own",
    `ON licenses (expires_at) WHERE state = 'active' AND announced = 'grace_period'
      AND (overrides -> 'grace_period_days' IS NOT NULL OR ends_without_grace OR awaits_activation)`
  )

  yield* briefly(`
    CREATE TABLE IF NOT EXISTS policy_features (
      policy_id text COLLATE "C" NOT NULL REFERENCES policies ON DELETE CASCADE,
      feature_id text COLLATE "C" NOT NULL REFERENCES features,
      enabled boolean NOT NULL,
      max_consumptions bigint CHECK (max_consumptions >= 0),
      period text CHECK (period IN ${periods}),
      overage text,
      expires_after text,
      metadata jsonb NOT NULL,
      PRIMARY KEY (policy_id, feature_id)
    )`)
  yield* createIndex("policy_features_by_feature", "ON policy_features (feature_id)")

  yield* addColumns("license_features", {
    is_counter: { type: "boolean", check: "is_counter" },
    period: { type: "text", check: `period IN ${periods}` },
    overage: "text",
    period_start: "timestamptz",
    period_consumptions: { type: "bigint", check: "period_consumptions >= 0" }
  })
  yield* briefly(`COMMENT ON COLUMN license_features.is_counter IS
    'only counts the use of a feature that the policy grants; the license was assigned nothing'`)
  yield* briefly(`COMMENT ON COLUMN license_features.period_start IS
    'when the period began that period_consumptions was counted in; in a later one it counts as 0'`)

  yield* addColumns("usage_records", { overage: { type: "bigint", check: "overage > 0" } })
  yield* briefly(
    "COMMENT ON COLUMN usage_records.overage IS 'how much of the amount lies over the quota; NULL when none does'"
  )
  yield* addColumns("usage_days", { overage: "numeric" })
})
