import { several } from "../../../domain/evidence/recording/DecidedCalls.ts"
import type { DecidedCalls } from "../../../domain/evidence/recording/DecidedCalls.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** Counts calls, each row of another key, on top of those that are recorded of their hour. */
export const insertDecidedCalls = (sql: Database, calls: ReadonlyArray<DecidedCalls>): Query<object> => {
  const ofLease = sql.literal("excluded.operation IN ('checkout', 'heartbeat', 'checkin')")
  // Where the calls of two nodes alternate it is negative: then no pause is longer than those that each of the nodes knows.
  const apart = sql.literal(
    "ceil(1000 * extract(epoch FROM greatest(excluded.first_at - t.last_at, t.first_at - excluded.last_at)))::bigint"
  )
  return sql`
    -- name: decided_calls.insert
    INSERT INTO decided_calls AS t (license_id, hour, device, operation, result, is_vm, is_container, calls, first_at, last_at,
      app_version, os, user_id, feature_code, amount, remaining, shortest_pause, longest_pause)
    SELECT * FROM json_to_recordset(${
    JSON.stringify(calls)
  }::json) AS c (license_id text, hour timestamptz, device text,
      operation text, result text, is_vm boolean, is_container boolean, calls bigint, first_at timestamptz, last_at timestamptz,
      app_version text, os text, user_id text, feature_code text, amount bigint, remaining bigint,
      shortest_pause bigint, longest_pause bigint)
    -- guard: calls of two nodes add up
    ON CONFLICT (license_id, hour, device, operation, result, is_vm) DO UPDATE SET calls = t.calls + excluded.calls,
      first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at),
      app_version = CASE WHEN excluded.last_at >= t.last_at THEN coalesce(excluded.app_version, t.app_version) ELSE t.app_version END,
      os = CASE WHEN excluded.last_at >= t.last_at THEN coalesce(excluded.os, t.os) ELSE t.os END,
      user_id = CASE WHEN excluded.user_id IS NOT DISTINCT FROM t.user_id THEN t.user_id ELSE ${several} END,
      feature_code = CASE WHEN excluded.feature_code IS NOT DISTINCT FROM t.feature_code THEN t.feature_code ELSE ${several} END,
      amount = coalesce(t.amount, 0) + excluded.amount, remaining = least(t.remaining, excluded.remaining),
      shortest_pause = CASE WHEN ${ofLease} THEN least(t.shortest_pause, excluded.shortest_pause, greatest(0, ${apart})) END,
      longest_pause = CASE WHEN ${ofLease} THEN greatest(t.longest_pause, excluded.longest_pause, ${apart}) END`
}
