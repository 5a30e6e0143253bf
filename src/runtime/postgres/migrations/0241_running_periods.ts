import { briefly } from "../OnlineMigration.ts"

/**
 * The start of the period of a quota that an instant lies in; NULL without a period, and without a subscription where it is of that.
 * As in the domain, each anniversary of a license is counted from its start, to the millisecond.
 */
export default briefly(`
  CREATE OR REPLACE FUNCTION quota_period_start(period text, instant timestamptz, license_start timestamptz, subscription_start timestamptz)
    RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT date_trunc('milliseconds', CASE period
      WHEN 'subscription' THEN subscription_start
      WHEN 'license_month' THEN (
        SELECT (CASE WHEN m.begun + make_interval(months => m.months) <= m.reached THEN m.begun + make_interval(months => m.months)
          ELSE m.begun + make_interval(months => m.months - 1) END) AT TIME ZONE 'UTC'
        FROM (SELECT b.begun, b.reached, (12 * (extract(year FROM b.reached) - extract(year FROM b.begun))
            + extract(month FROM b.reached) - extract(month FROM b.begun))::int AS months
          FROM (SELECT license_start AT TIME ZONE 'UTC' AS begun, instant AT TIME ZONE 'UTC' AS reached) b) m)
      ELSE date_trunc(period, instant, 'UTC') END)
  $$`)
