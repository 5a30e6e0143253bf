import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What vendors sell: rules of a license of its own, features of a policy, durations, quotas that start again, and
 * overage. Every column is new and NULL where the rule is not in force, so that rows, and the events that tell of them,
 * stay as they are. None is filled, and no table is rewritten.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const periods = "('day', 'week', 'month', 'year', 'license_month', 'subscription')"

  yield* sql`
    ALTER TABLE policies
      ADD COLUMN duration text,
      ADD COLUMN expiry_basis text CHECK (expiry_basis IN ('creation', 'first_activation')),
      ADD COLUMN maintenance_duration text,
      ADD COLUMN activation_overage text,
      ADD COLUMN floating_overage text,
      ADD COLUMN follows_subscription boolean,
      ADD COLUMN component_match text,
      ADD COLUMN self_service boolean,
      ADD COLUMN max_self_service_resets integer CHECK (max_self_service_resets >= 0),
      ADD COLUMN self_service_period text CHECK (self_service_period IN ('day', 'week', 'month', 'year')),
      ADD COLUMN offline_file_days integer CHECK (offline_file_days >= 0)`
  yield* sql`COMMENT ON COLUMN policies.duration IS 'ISO 8601, in the calendar of UTC'`

  yield* sql`
    ALTER TABLE licenses
      ADD COLUMN overrides jsonb CHECK (jsonb_typeof(overrides) = 'object'),
      ADD COLUMN awaits_activation boolean CHECK (awaits_activation),
      ADD COLUMN ends_without_grace boolean CHECK (ends_without_grace),
      ADD COLUMN follows_subscription boolean CHECK (follows_subscription),
      ADD COLUMN suspended_by text CHECK (suspended_by = 'subscription')`
  yield* sql`COMMENT ON COLUMN licenses.overrides IS 'rules instead of those of the policy by the same names'`
  yield* sql`COMMENT ON COLUMN licenses.awaits_activation IS
    'starts with its first activation or checkout; until then expires_at is the end of the time for that'`

  // Where the end of the grace period does not follow from the policy.
  yield* sql`
    CREATE INDEX licenses_past_expiry_own ON licenses (expires_at)
      WHERE state = 'active' AND announced = 'grace_period'
        AND (overrides -> 'grace_period_days' IS NOT NULL OR ends_without_grace OR awaits_activation)`

  yield* sql.unsafe(`
    CREATE TABLE policy_features (
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
  yield* sql`CREATE INDEX policy_features_by_feature ON policy_features (feature_id)`

  yield* sql.unsafe(`
    ALTER TABLE license_features
      ADD COLUMN is_counter boolean CHECK (is_counter),
      ADD COLUMN period text CHECK (period IN ${periods}),
      ADD COLUMN overage text,
      ADD COLUMN period_start timestamptz,
      ADD COLUMN period_consumptions bigint CHECK (period_consumptions >= 0)`)
  yield* sql`COMMENT ON COLUMN license_features.is_counter IS
    'only counts the use of a feature that the policy grants; the license was assigned nothing'`
  yield* sql`COMMENT ON COLUMN license_features.period_start IS
    'when the period began that period_consumptions was counted in; in a later one it counts as 0'`

  yield* sql`ALTER TABLE usage_records ADD COLUMN overage bigint CHECK (overage > 0)`
  yield* sql`COMMENT ON COLUMN usage_records.overage IS 'how much of the amount lies over the quota; NULL when none does'`
  yield* sql`ALTER TABLE usage_days ADD COLUMN overage numeric`
})
