import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The event log. A business transaction inserts into `event_outbox`; the sequencer alone moves rows to `events`, in
 * commit-visible order, numbered without gaps and chained by hash. `data` and `metadata` are canonical JSON text
 * (RFC 8785), because their bytes are hashed and signed; personal values live in `personal` (JSON Pointer to
 * `{salt, value}`) so that they can be erased while `commitments` keep the chain valid.
 * `created_at` is kept to the millisecond, which is what the hashed leaf says.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE event_outbox (
      xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      ordinal bigint GENERATED ALWAYS AS IDENTITY,
      id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      actor_type text NOT NULL CHECK (actor_type IN ('api_key', 'license', 'oidc_subject', 'system')),
      actor_id text NOT NULL,
      resource_type text NOT NULL,
      resource_id text COLLATE "C",
      metadata text NOT NULL,
      data text NOT NULL,
      commitments jsonb,
      personal jsonb,
      request_id text,
      traceparent text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (xid, ordinal)
    )`

  yield* sql`
    CREATE TABLE events (
      sequence bigint PRIMARY KEY CHECK (sequence >= 1),
      id text COLLATE "C" NOT NULL UNIQUE,
      event_type text NOT NULL,
      actor_type text NOT NULL,
      actor_id text NOT NULL,
      resource_type text NOT NULL,
      resource_id text COLLATE "C",
      metadata text NOT NULL,
      data text NOT NULL,
      commitments jsonb,
      personal jsonb,
      request_id text,
      traceparent text,
      created_at timestamptz(3) NOT NULL,
      sequenced_at timestamptz NOT NULL DEFAULT now(),
      previous_hash bytea NOT NULL,
      hash bytea NOT NULL
    )`
  yield* sql`CREATE INDEX events_by_type ON events (event_type, sequence)`
  yield* sql`CREATE INDEX events_by_resource_type ON events (resource_type, sequence)`
  yield* sql`CREATE INDEX events_by_resource ON events (resource_id, sequence)`
  yield* sql`CREATE INDEX events_by_actor_type ON events (actor_type, sequence)`

  yield* sql`
    CREATE TABLE event_chain (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      last_sequence bigint NOT NULL,
      last_hash bytea NOT NULL
    )`
  yield* sql`INSERT INTO event_chain (last_sequence, last_hash) VALUES (0, decode(repeat('00', 32), 'hex'))`

  yield* sql`
    CREATE TABLE webhook_endpoints (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      url text NOT NULL,
      event_types text[] NOT NULL,
      is_active boolean NOT NULL,
      disabled_reason text,
      disabled_at timestamptz,
      deleted_at timestamptz,
      changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CHECK (NOT (is_active AND (disabled_reason IS NOT NULL OR deleted_at IS NOT NULL)))
    )`
  // Nodes poll for changed endpoints a few times a second: the transaction id finds them whatever the order of commits.
  yield* sql`CREATE INDEX webhook_endpoints_by_change ON webhook_endpoints (changed_xid)`
  yield* sql`COMMENT ON COLUMN webhook_endpoints.deleted_at IS
    'a deleted endpoint stays a short while, so that every node learns of it, and is then purged'`

  yield* sql`
    CREATE TABLE webhook_secrets (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
      secret bytea NOT NULL,
      prefix text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz
    )`
  yield* sql`COMMENT ON COLUMN webhook_secrets.secret IS 'sealed under the master key'`
  yield* sql`CREATE INDEX webhook_secrets_by_endpoint ON webhook_secrets (endpoint_id, id DESC)`

  // A lane is one row that is updated at every advance: free space on the page keeps those updates off the indexes
  // (HOT).
  yield* sql`
    CREATE TABLE webhook_lanes (
      endpoint_id text COLLATE "C" PRIMARY KEY REFERENCES webhook_endpoints ON DELETE CASCADE,
      cursor_seq bigint NOT NULL,
      breaker text NOT NULL DEFAULT 'closed' CHECK (breaker IN ('closed', 'open', 'half_open')),
      probe_at timestamptz,
      probe_count integer NOT NULL DEFAULT 0,
      consecutive_failures integer NOT NULL DEFAULT 0,
      delivered_total bigint NOT NULL DEFAULT 0,
      failed_total bigint NOT NULL DEFAULT 0,
      exhausted_total bigint NOT NULL DEFAULT 0,
      dropped_total bigint NOT NULL DEFAULT 0,
      last_attempt_at timestamptz,
      last_success_at timestamptz,
      failing_since timestamptz,
      failing_deliveries integer NOT NULL DEFAULT 0,
      CHECK (breaker = 'closed' OR probe_at IS NOT NULL)
    ) WITH (fillfactor = 50)`
  yield* sql`COMMENT ON COLUMN webhook_lanes.failed_total IS 'failed attempts; exhausted and dropped count deliveries'`

  yield* sql`
    CREATE TABLE webhook_retries (
      endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
      seq bigint NOT NULL,
      attempt integer NOT NULL CHECK (attempt >= 1),
      due_at timestamptz NOT NULL,
      first_at timestamptz NOT NULL DEFAULT now(),
      last_at timestamptz NOT NULL DEFAULT now(),
      last_outcome text NOT NULL,
      PRIMARY KEY (endpoint_id, seq)
    ) WITH (fillfactor = 70)`
  yield* sql`COMMENT ON COLUMN webhook_retries.attempt IS 'attempts made so far'`
  yield* sql`CREATE INDEX webhook_retries_due ON webhook_retries (endpoint_id, due_at)`

  // Each node's measurements of each minute: health sums an hour of them, on whichever node it is asked.
  yield* sql`
    CREATE TABLE webhook_minutes (
      node text NOT NULL,
      minute timestamptz NOT NULL,
      delivered bigint NOT NULL,
      failed bigint NOT NULL,
      latency bigint[] NOT NULL,
      PRIMARY KEY (minute, node)
    )`
})
