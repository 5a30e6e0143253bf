import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * What policies carry of quotas from period to period. `rolled_until` of a license is the instant up to which its carried units
 * are grants, whatever was counted since.
 */
export default Effect.gen(function*() {
  yield* addColumns("policy_features", {
    rollover: {
      type: "jsonb",
      check: "(rollover ->> 'cap')::int8 > 0 AND (rollover ->> 'periods')::int BETWEEN 1 AND 12"
    },
    rollover_since: "timestamptz",
    past_terms: "jsonb"
  })
  yield* briefly(
    `COMMENT ON COLUMN policy_features.rollover_since IS 'since when quota, period and rollover are as they are'`
  )
  yield* briefly(
    `COMMENT ON COLUMN policy_features.past_terms IS 'quotas, periods and rollovers before, with their times'`
  )
  yield* addColumns("licenses", { rolled_until: "timestamptz" })
  yield* briefly(`
    ALTER TABLE license_grants DROP CONSTRAINT IF EXISTS license_grants_source_check,
      ADD CONSTRAINT license_grants_source_check
        CHECK (source IN ('purchase', 'gift', 'correction', 'rollover')) NOT VALID`)
  yield* briefly("ALTER TABLE license_grants VALIDATE CONSTRAINT license_grants_source_check")
})
