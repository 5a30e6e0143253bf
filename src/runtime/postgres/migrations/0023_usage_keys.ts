import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What is left of a use that was deleted by age: enough to count its `event_id` once for ever, and to tell a repeat with
 * another amount. The digest is no UUID, but the type holds 16 bytes in a fifth less space than bytea does.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE usage_keys (
      digest uuid PRIMARY KEY,
      amount bigint NOT NULL CHECK (amount >= 1)
    )`
  // Half of a SHA-256. Neither id of ours has a line feed, so no two uses are joined alike; and apps choose event_id, so
  // nothing weaker would do. STABLE, as convert_to is, or it would not be inlined.
  yield* sql`
    CREATE FUNCTION usage_key(license_id text, feature_id text, event_id text) RETURNS uuid LANGUAGE sql STABLE
    RETURN encode(substr(sha256(convert_to(license_id || E'\\n' || feature_id || E'\\n' || event_id, 'UTF8')), 1, 16),
      'hex')::uuid`

  // The pruned ones among these uses, in the snapshot of its caller. Until something is pruned, which is said by the
  // transaction that does it, no key is looked for. LIMIT has each looked up by itself, however few the planner expects.
  yield* sql`
    CREATE FUNCTION usage_pruned(licenses text[], features text[], events text[])
    RETURNS TABLE (license_id text, feature_id text, event_id text, amount bigint) LANGUAGE plpgsql STABLE ROWS 1 AS $$
    BEGIN
      IF EXISTS (SELECT 1 FROM pruned_tables WHERE name = 'usage_records') THEN
        RETURN QUERY
          SELECT u.license, u.feature, u.event, k.amount
          FROM unnest((SELECT licenses), (SELECT features), (SELECT events)) AS u (license, feature, event)
          CROSS JOIN LATERAL (
            SELECT usage_keys.amount FROM usage_keys WHERE digest = usage_key(u.license, u.feature, u.event) LIMIT 1
          ) k;
      END IF;
    END $$`

  yield* sql`
    ALTER TABLE pruned_tables DROP CONSTRAINT pruned_tables_name_check,
      ADD CONSTRAINT pruned_tables_name_check CHECK (name IN ('activities', 'usage_records'))`
})
