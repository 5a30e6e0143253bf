/** The channel on which nodes are told that a move of the clock has ended, or that they are to leave the environment. */
export const clockChannel = "environment_clock"

/**
 * The clock: functions of the names of PostgreSQL's own, which stand before them in the search path of this database, so that
 * every statement, default and index condition reads the moved time. `pg_catalog` keeps the real one.
 */
export const clockStatements = [
  `CREATE TABLE IF NOT EXISTS environment_clock (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    ahead interval NOT NULL DEFAULT interval '0',
    incarnation text NOT NULL DEFAULT gen_random_uuid()::text
  )`,
  "INSERT INTO environment_clock DEFAULT VALUES ON CONFLICT DO NOTHING",
  // Where a move leads that may be repeated: a span counts from where the clock was the first time.
  "CREATE TABLE IF NOT EXISTS environment_clock_moves (key text PRIMARY KEY, target timestamptz NOT NULL)",
  `CREATE OR REPLACE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS 'SELECT pg_catalog.now() + ahead FROM public.environment_clock'`,
  `CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
    AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM public.environment_clock'`,
  // Heartbeats of nodes move along: by their age the cluster would take all nodes for dead.
  `CREATE OR REPLACE FUNCTION environment_clock_moved(target timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
    DECLARE
      step interval;
    BEGIN
      -- A clock that was behind and has come within a second of real time goes with it from then on.
      SELECT CASE WHEN ahead < '0' AND ahead + needed BETWEEN interval '-1 second' AND interval '0'
        THEN -ahead ELSE needed END INTO step
      FROM public.environment_clock,
        LATERAL (SELECT greatest(target - pg_catalog.clock_timestamp() - ahead, interval '0') AS needed) n
      FOR UPDATE OF environment_clock;
      UPDATE public.environment_clock SET ahead = ahead + make_interval(secs => extract(epoch FROM step)::float8);
      IF to_regclass('public.node_runners') IS NOT NULL THEN
        EXECUTE 'UPDATE public.node_runners SET last_heartbeat = last_heartbeat + $1' USING step;
      END IF;
      RETURN public.clock_timestamp();
    END $$`
]
