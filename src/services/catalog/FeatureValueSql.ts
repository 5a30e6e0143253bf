import type { Database, Query } from "../ground/persistence/Database.ts"

/** Finds a policy or license that has a value of a feature with one of these options, or any value. */
export const findLostValue = (
  sql: Database,
  featureId: string,
  lost: ReadonlyArray<string> | "all"
): Query<object> => {
  const isLost = lost === "all" ? sql`` : sql`AND value ?| ${lost}::text[]`
  return sql`
    -- name: features.find lost value
    (SELECT 1 FROM policy_features WHERE feature_id = ${featureId} AND value IS NOT NULL ${isLost} LIMIT 1)
    UNION ALL
    (SELECT 1 FROM license_features WHERE feature_id = ${featureId} AND value IS NOT NULL ${isLost} LIMIT 1)
    LIMIT 1`
}
