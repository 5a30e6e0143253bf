import type { Database, Query } from "../ground/persistence/Database.ts"

/** A publishable key in use that opens trials with a policy. */
export const findTrialKey = (sql: Database, policyId: string): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: publishable_keys.find of policy
    SELECT id FROM publishable_keys WHERE policy_id = ${policyId} AND revoked_at IS NULL LIMIT 1`
