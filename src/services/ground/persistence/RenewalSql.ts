import type { Database, Query } from "./Database.ts"

/** Whether a license `l` ends by nothing that is known yet: the subscription that it follows renews by itself. */
export const renewsItself = `l.follows_subscription AND EXISTS (
  SELECT FROM subscriptions s
  WHERE s.id = l.subscription_id AND s.status IN ('active', 'trialing') AND NOT s.cancel_at_period_end)`

/** Whether a license ends by nothing that is known yet: see `renewsItself`. */
export const findRenewing = (sql: Database, licenseId: string): Query<{ readonly renews: boolean }> =>
  sql<{ readonly renews: boolean }>`
    -- name: licenses.find renewing
    SELECT (${sql.literal(renewsItself)}) IS TRUE AS renews FROM licenses l WHERE l.id = ${licenseId}`
