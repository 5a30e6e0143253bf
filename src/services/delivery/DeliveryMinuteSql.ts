import type { Database, Query } from "../ground/persistence/Database.ts"
import { integers } from "../ground/persistence/NumberArrays.ts"

/** The deliveries of a node since it last wrote; `latency` counts them by the bucket of their latency. */
export interface DeliveredMinute {
  readonly delivered: number
  readonly failed: number
  readonly latency: ReadonlyArray<number>
}

/** Adds what a node delivered to its row of the current minute. */
export const insertMinute = (sql: Database, node: string, { delivered, failed, latency }: DeliveredMinute) =>
  sql`
    -- name: webhook_minutes.insert
    INSERT INTO webhook_minutes AS m (node, minute, delivered, failed, latency)
    VALUES (${node}, date_trunc('minute', now()), ${delivered}, ${failed}, ${integers(latency)}::bigint[])
    ON CONFLICT (minute, node) DO UPDATE SET delivered = m.delivered + EXCLUDED.delivered,
      failed = m.failed + EXCLUDED.failed,
      latency = ARRAY(SELECT a + b FROM unnest(m.latency, EXCLUDED.latency) WITH ORDINALITY AS u (a, b, n) ORDER BY n)`

/** Deletes the minutes that nobody asks for any more. */
export const deleteOldMinutes = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_minutes.delete old
    DELETE FROM webhook_minutes WHERE minute < now() - interval '2 hours'`

/** The last hour of all nodes, in up to two rows: the last five minutes, which are `recent`, and those before. */
export const listWindows = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_minutes.list windows
    SELECT m.recent, sum(m.delivered)::bigint AS delivered, sum(m.failed)::bigint AS failed,
      ARRAY(
        SELECT sum(x.n)::bigint FROM webhook_minutes w, unnest(w.latency) WITH ORDINALITY AS x (n, place)
        WHERE w.minute > now() - interval '1 hour' AND (w.minute > now() - interval '5 minutes') = m.recent
        GROUP BY x.place ORDER BY x.place
      ) AS latency
    FROM (
      SELECT minute > now() - interval '5 minutes' AS recent, delivered, failed FROM webhook_minutes
      WHERE minute > now() - interval '1 hour'
    ) m
    GROUP BY m.recent`

/** The minutes of the last hour, each summed over all nodes. */
export const listMinutes = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_minutes.list
    SELECT minute, sum(delivered)::bigint AS delivered, sum(failed)::bigint AS failed_attempts FROM webhook_minutes
    WHERE minute > now() - interval '1 hour' GROUP BY minute ORDER BY minute`
