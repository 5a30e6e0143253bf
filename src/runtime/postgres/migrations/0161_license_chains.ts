import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** The resource type of events of a kind: neither envelopes nor mails are resources. */
const resourceType = (kind: string): string =>
  `CASE WHEN ${kind} LIKE 'offline.%' OR ${kind} LIKE 'mail.%' THEN 'license' ELSE split_part(${kind}, '.', 1) END AS resource_type`

/**
 * Each event names the one before it of its license. A place keeps which one: `license_previous` is 0 for the first, and NULL
 * where the leaf does not say it; `license_id` is NULL where the resource is the license. `linked_from` of the chain is the
 * first event whose leaf says it. A node of an earlier release does not know these members. So a log that has events gets
 * them after `link_after`, a day after such a node was seen last: until then one goes back to it. From then on it would
 * take every leaf for another one, so without `last_hash` it places nothing, and its checkpoints are not kept.
 */
export default Effect.gen(function*() {
  yield* addColumns("event_places", {
    license_id: "text COLLATE \"C\"",
    license_previous: "bigint",
    license_previous_hash: "bytea"
  })
  // A log without events is linked from its first one.
  yield* addColumns("event_chain", {
    linked_from: "bigint",
    link_after: "timestamptz DEFAULT now() + interval '1 day'"
  })
  yield* briefly("ALTER TABLE event_chain ALTER COLUMN last_hash DROP NOT NULL")
  yield* addColumns("event_checkpoints", { leaf_version: "smallint" })
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS dropped_license_ends (
      license_id text COLLATE "C" PRIMARY KEY,
      sequence bigint NOT NULL,
      hash bytea NOT NULL
    )`)
  yield* briefly(`
    CREATE OR REPLACE VIEW events AS
      SELECT p.sequence, p.ordinal, p.id, p.event_type, p.actor_type, r.actor_id,
        ${resourceType("p.event_type")},
        p.resource_id, r.metadata, r.data, r.commitments, r.personal, r.request_id, r.traceparent, r.created_at,
        p.previous_hash, p.hash, hashtextextended(p.event_type, 0) AS type_key, right(p.resource_id, 7) AS resource_key,
        coalesce(p.license_id, p.resource_id) AS license_id, p.license_previous, p.license_previous_hash
      FROM event_places p
      CROSS JOIN LATERAL (
        SELECT actor_id, metadata, data, commitments, personal, request_id, traceparent, created_at
        FROM event_records r
        WHERE r.ordinal = p.ordinal AND r.id = p.id AND r.event_type = p.event_type AND r.actor_type = p.actor_type
          AND r.resource_id IS NOT DISTINCT FROM p.resource_id AND event_sought(r.ordinal)
        OFFSET 0
      ) r`)
  yield* briefly(`
    CREATE OR REPLACE VIEW event_outbox AS
      SELECT q.xid, q.ordinal, r.id, r.event_type, r.actor_type, r.actor_id, ${resourceType("r.event_type")},
        r.resource_id, r.metadata, r.data, r.commitments, r.personal, r.request_id, r.traceparent, r.created_at
      FROM event_pending q
      CROSS JOIN LATERAL (
        SELECT id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments, personal, request_id,
          traceparent, created_at
        FROM event_records r
        WHERE r.ordinal = q.ordinal AND event_sought(r.ordinal)
        OFFSET 0
      ) r`)
  yield* briefly(`
    CREATE OR REPLACE FUNCTION event_checkpoints_of_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.leaf_version IS NULL AND NEW.tree_size >= (SELECT linked_from FROM event_chain) THEN
        RETURN NULL;
      END IF;
      RETURN NEW;
    END
    $$`)
  yield* briefly(`
    CREATE OR REPLACE TRIGGER event_checkpoints_of_leaves BEFORE INSERT ON event_checkpoints
      FOR EACH ROW EXECUTE FUNCTION event_checkpoints_of_leaves()`)
})
