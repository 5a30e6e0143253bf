import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Frozen exports. queued -> running -> ready -> expired; queued or running -> failed -> queued by a retry.
 *
 * A worker claims an export before it works on it. `attempt` counts the claims. Every write holds the lock of the row
 * and requires that `attempt` is unchanged since the claim (a fencing token), so that of two nodes that both believe
 * they hold the claim only the later one writes. A claim lasts until `leased_until` on the database's clock.
 *
 * The snapshot and the file are stored in pieces; `start_at` is the offset of a piece in its part, in bytes. A JSON
 * export has no part `artifact`: its file is the snapshot.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE report_exports (
      id text COLLATE "C" PRIMARY KEY,
      report_kind text NOT NULL,
      format text NOT NULL CHECK (format IN ('json', 'csv', 'pdf')),
      status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'ready', 'failed', 'expired')),
      filters jsonb NOT NULL,
      created_by text NOT NULL,
      attempt integer NOT NULL DEFAULT 0,
      tries integer NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL DEFAULT now(),
      leased_until timestamptz,
      progress_rows bigint NOT NULL DEFAULT 0,
      progress_total bigint,
      as_of_sequence bigint,
      checkpoint jsonb,
      digest text,
      snapshot_size bigint,
      seal jsonb,
      artifact_digest text,
      artifact_size bigint,
      manifest text,
      manifest_signature jsonb,
      failure jsonb,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      frozen_at timestamptz,
      ready_at timestamptz,
      expires_at timestamptz,
      expired_reason text CHECK (expired_reason IN ('retention', 'customer_erased')),
      CHECK ((status = 'running') = (leased_until IS NOT NULL)),
      CHECK ((status = 'failed') = (failure IS NOT NULL)),
      CHECK ((status = 'expired') = (expired_reason IS NOT NULL)),
      CHECK ((digest IS NULL) = (seal IS NULL)),
      CHECK ((manifest IS NOT NULL) = (status IN ('ready', 'expired')))
    )`
  yield* sql`COMMENT ON COLUMN report_exports.tries IS 'claims since it was created or a person had it retried'`
  yield* sql`COMMENT ON COLUMN report_exports.manifest IS 'canonical JSON, as it was signed'`
  yield* sql`CREATE INDEX report_exports_due ON report_exports (due_at) WHERE status = 'queued'`
  yield* sql`CREATE INDEX report_exports_running ON report_exports (leased_until) WHERE status = 'running'`
  yield* sql`CREATE INDEX report_exports_by_kind ON report_exports (report_kind, id DESC)`
  yield* sql`CREATE INDEX report_exports_by_status ON report_exports (status, id DESC)`
  yield* sql`CREATE INDEX report_exports_ending ON report_exports (expires_at) WHERE status = 'ready'`

  yield* sql`
    CREATE TABLE report_export_pieces (
      export_id text COLLATE "C" NOT NULL REFERENCES report_exports ON DELETE CASCADE,
      part text NOT NULL CHECK (part IN ('snapshot', 'artifact')),
      start_at bigint NOT NULL CHECK (start_at >= 0),
      bytes bytea NOT NULL CHECK (octet_length(bytes) > 0),
      PRIMARY KEY (export_id, part, start_at)
    )`
})
