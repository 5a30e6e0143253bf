import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const columns = "id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments, personal, " +
  "request_id, traceparent, created_at"

/**
 * The event log, with records that are written once and never moved. A business transaction appends the event to
 * `event_records` and announces it in `event_pending`; the sequencer removes the announcement and gives the record its
 * place in the feed with a row of `event_places`. `events` and `event_outbox`, formerly tables, are now views of the
 * records that have a place and of those that wait for one. A query for events of a kind or about a resource also names
 * `type_key` or `resource_key`, because the indexes hold these.
 *
 * `event_pending.xid` belongs to the server that the event was appended on, as it did in `event_outbox`.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE event_records (
      ordinal bigint NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      actor_type text NOT NULL CHECK (actor_type IN ('api_key', 'license', 'oidc_subject', 'system')),
      actor_id text NOT NULL,
      resource_id text COLLATE "C",
      metadata text NOT NULL,
      data text NOT NULL,
      commitments jsonb,
      personal jsonb,
      request_id text,
      traceparent text
    )`
  // A few small rows, always read together: an index would cost more than it saves.
  yield* sql`
    CREATE TABLE event_pending (
      xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      ordinal bigint NOT NULL GENERATED ALWAYS AS IDENTITY
    )`
  yield* sql`
    CREATE TABLE event_places (
      sequence bigint NOT NULL CHECK (sequence >= 1),
      ordinal bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      resource_id text COLLATE "C",
      actor_type text NOT NULL,
      previous_hash bytea NOT NULL,
      hash bytea NOT NULL
    )`

  yield* sql`
    INSERT INTO event_records (ordinal, ${sql.literal(columns)})
      SELECT sequence, ${sql.literal(columns)} FROM events ORDER BY sequence`
  yield* sql`
    INSERT INTO event_places (sequence, ordinal, id, event_type, resource_id, actor_type, previous_hash, hash)
      SELECT sequence, sequence, id, event_type, resource_id, actor_type, previous_hash, hash
      FROM events ORDER BY sequence`
  // Waiting events continue after the last place, in their order.
  yield* sql`
    CREATE TEMPORARY TABLE waiting ON COMMIT DROP AS
      SELECT xid, ${sql.literal(columns)}, row_number() OVER (ORDER BY ordinal)
        + (SELECT coalesce(max(sequence), 0) FROM events) AS ordinal
      FROM event_outbox`
  yield* sql`
    INSERT INTO event_records (ordinal, ${sql.literal(columns)})
      SELECT ordinal, ${sql.literal(columns)} FROM waiting ORDER BY ordinal`
  yield* sql`
    INSERT INTO event_pending (xid, ordinal) OVERRIDING SYSTEM VALUE SELECT xid, ordinal FROM waiting ORDER BY ordinal`
  yield* sql`
    SELECT setval(pg_get_serial_sequence('event_pending', 'ordinal'), max(ordinal)) FROM event_records
    HAVING max(ordinal) IS NOT NULL`
  yield* sql`DROP TABLE events, event_outbox`

  const typeKey = sql.literal("hashtextextended(event_type, 0)")
  const resourceKey = sql.literal("right(resource_id, 7)")
  yield* sql`ALTER TABLE event_records ADD PRIMARY KEY (ordinal)`
  yield* sql`ALTER TABLE event_places ADD PRIMARY KEY (sequence), ADD UNIQUE (id)`
  // Keys of 8 bytes: with up to two of them PostgreSQL recognises consecutive events of one kind, and leaves full pages
  // behind. With longer keys it splits every page in half, and writes that half to the WAL.
  yield* sql`CREATE INDEX event_places_by_type ON event_places ((${typeKey}), sequence)`
  yield* sql`CREATE INDEX event_places_by_resource ON event_places ((${resourceKey}), sequence)`
  yield* sql`CREATE INDEX event_places_by_actor_type ON event_places (actor_type, sequence)`
  // Metered use writes most of the log, and does not change the state of a license.
  yield* sql`
    CREATE INDEX event_places_of_state ON event_places ((${resourceKey}), sequence)
      WHERE event_type NOT IN ('license.usage_recorded', 'license.quota_reached', 'lease.checked_out',
        'lease.checked_in', 'lease.expired', 'offline.issued')`

  // Statements are planned while the tables are small and run when they are large. This declared cost for each row
  // keeps the planner from reading all records where it needs the one with a given ordinal.
  yield* sql`
    CREATE FUNCTION event_sought(ordinal bigint) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
      AS 'BEGIN RETURN true; END'`

  const resourceType = sql.literal(
    "CASE WHEN event_type LIKE 'offline.%' THEN 'license' ELSE split_part(event_type, '.', 1) END AS resource_type"
  )
  // A place whose columns differ from its record joins to nothing: otherwise a query would find by one value and return
  // another.
  yield* sql`
    CREATE VIEW events AS
      SELECT p.sequence, p.ordinal, p.id, p.event_type, p.actor_type, r.actor_id, ${resourceType}, p.resource_id,
        r.metadata, r.data, r.commitments, r.personal, r.request_id, r.traceparent, r.created_at, p.previous_hash,
        p.hash, hashtextextended(p.event_type, 0) AS type_key, right(p.resource_id, 7) AS resource_key
      FROM event_places p
      CROSS JOIN LATERAL (
        SELECT actor_id, metadata, data, commitments, personal, request_id, traceparent, created_at
        FROM event_records r
        WHERE r.ordinal = p.ordinal AND r.id = p.id AND r.event_type = p.event_type AND r.actor_type = p.actor_type
          AND r.resource_id IS NOT DISTINCT FROM p.resource_id AND event_sought(r.ordinal)
        OFFSET 0
      ) r`
  yield* sql`
    CREATE VIEW event_outbox AS
      SELECT q.xid, q.ordinal, r.id, r.event_type, r.actor_type, r.actor_id, ${resourceType}, r.resource_id,
        r.metadata, r.data, r.commitments, r.personal, r.request_id, r.traceparent, r.created_at
      FROM event_pending q
      CROSS JOIN LATERAL (
        SELECT id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments, personal, request_id,
          traceparent, created_at
        FROM event_records r
        WHERE r.ordinal = q.ordinal AND event_sought(r.ordinal)
        OFFSET 0
      ) r`
})
