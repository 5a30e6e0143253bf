import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Idempotency keys are locked and looked up in one statement, and each caller's stored answers are counted by the hour.
 * Exports record the customers they name; those frozen earlier, or by an older node, do not, and count as naming every
 * customer that they could. Erasures are numbered in commit order, to detect an export that was read before an erasure
 * and frozen after it. Repeated downloads of an export by one caller count once an hour.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Volatile, so that its second statement sees what was committed before its first one got the locks: the next holder
  // of a key's lock finds the answer that the previous holder stored.
  yield* sql`
    CREATE FUNCTION idempotency_claim(principals text[], keys text[])
      RETURNS TABLE (place int, locked boolean, request_hash bytea, status integer, headers jsonb, body bytea)
      LANGUAGE plpgsql VOLATILE ROWS 10 AS $$
    DECLARE
      locks boolean[];
    BEGIN
      SELECT array_agg(r.held ORDER BY r.place) INTO locks FROM (
        SELECT n.place, pg_try_advisory_xact_lock(hashtextextended(n.principal || E'\n' || n.key, 0)) AS held
        FROM unnest(principals, keys) WITH ORDINALITY AS n (principal, key, place)
      ) r;
      RETURN QUERY
        SELECT n.place::int, locks[n.place], i.request_hash, i.status, i.headers, i.body
        FROM unnest(principals, keys) WITH ORDINALITY AS n (principal, key, place)
        LEFT JOIN idempotency_keys i ON i.principal = n.principal AND i.key = n.key;
    END $$`
  yield* sql`
    CREATE TABLE idempotency_counts (
      principal text NOT NULL,
      hour timestamptz NOT NULL,
      shard smallint NOT NULL,
      answers bigint NOT NULL,
      PRIMARY KEY (principal, hour, shard)
    ) WITH (fillfactor = 50)`
  yield* sql`COMMENT ON COLUMN idempotency_counts.shard IS
    'so that concurrent writes of one caller seldom wait for each other'`

  yield* sql`ALTER TABLE report_exports ADD COLUMN names_recorded boolean NOT NULL DEFAULT false`
  yield* sql`COMMENT ON COLUMN report_exports.names_recorded IS
    'whether report_export_customers holds everybody whom the snapshot names'`
  yield* sql`
    CREATE TABLE report_export_customers (
      customer_id text COLLATE "C" NOT NULL,
      export_id text COLLATE "C" NOT NULL REFERENCES report_exports ON DELETE CASCADE,
      PRIMARY KEY (customer_id, export_id)
    )`
  yield* sql`CREATE INDEX report_export_customers_by_export ON report_export_customers (export_id)`
  yield* sql`
    CREATE TABLE customer_erasures (
      number bigint PRIMARY KEY CHECK (number >= 1),
      customer_id text COLLATE "C" NOT NULL,
      erased_at timestamptz NOT NULL DEFAULT now()
    )`

  yield* sql`
    CREATE TABLE report_export_downloads (
      export_id text COLLATE "C" NOT NULL REFERENCES report_exports ON DELETE CASCADE,
      actor_id text NOT NULL,
      hour timestamptz NOT NULL,
      PRIMARY KEY (export_id, actor_id, hour)
    )`
})
