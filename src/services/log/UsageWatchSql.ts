import type { MovedLimit } from "../../domain/licensing/metering/MovedLimits.ts"
import { lineOf } from "../ground/persistence/CustomerLineSql.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"

/** Whether a row of `policy_features` or `license_features` names thresholds. */
export const announces = (feature: string): string =>
  `num_nonnulls(${feature}.quota_thresholds, ${feature}.remaining_thresholds) > 0`

/** How a subject that is watched already is looked at anew. Only what fell since its last look is announced with it. */
export const watchedAnew = `
  ON CONFLICT (subject) DO UPDATE SET due_at = least(w.due_at, greatest(excluded.due_at, w.rests_until)),
    fell = w.fell OR excluded.fell, asked = w.asked + 1`

const watchQuery = `
  -- name: usage_watches.insert moved
  WITH v AS (SELECT * FROM unnest($1::text[], $2::boolean[]) AS v (id, fell))
  INSERT INTO usage_watches AS w (subject, due_at, fell)
  SELECT subject, clock_timestamp(), bool_or(fell) FROM (
    SELECT l.id AS subject, v.fell FROM v JOIN licenses l ON l.id = v.id
    WHERE EXISTS (SELECT 1 FROM policy_features g WHERE g.policy_id = l.policy_id AND ${announces("g")})
      OR EXISTS (SELECT 1 FROM license_features a WHERE a.license_id = l.id AND ${announces("a")})
    UNION ALL
    SELECT o.id, v.fell FROM v JOIN customers o ON o.id = v.id
    WHERE EXISTS (SELECT 1 FROM pools g WHERE g.customer_id = ANY(${lineOf("o.id")}))
    UNION ALL
    SELECT p.id, v.fell FROM v JOIN policies p ON p.id = v.id
    UNION ALL
    SELECT g.customer_id, v.fell FROM v JOIN pools g ON g.id = v.id
    WHERE EXISTS (SELECT 1 FROM policy_features p WHERE p.feature_id = g.feature_id AND ${announces("p")})
      OR EXISTS (SELECT 1 FROM license_features a WHERE a.feature_id = g.feature_id AND ${announces("a")})
  ) m GROUP BY subject ORDER BY subject
  ${watchedAnew}
  RETURNING subject`

/**
 * Has it looked at whether a threshold is reached where what can be used was moved: of licenses whose policy names thresholds, of all
 * licenses below a customer, and of all under a policy.
 */
export const insertMoved = (sql: Database, moved: ReadonlyArray<MovedLimit>): Query<object> =>
  sql.unsafe(watchQuery, [moved.map(({ id }) => id), moved.map(({ fell }) => fell)])
