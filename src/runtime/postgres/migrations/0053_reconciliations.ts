import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Reconciliations with payment providers. queued -> running -> done, running -> failed, and running -> queued while the
 * provider is waited for. `attempt` counts the claims and is what a stale one is told by; `paths` is what is left to be
 * read, so that another node goes on where one has ended.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE billing_reconciliations (
      id text COLLATE "C" PRIMARY KEY,
      connection_id text COLLATE "C" NOT NULL REFERENCES billing_connections ON DELETE CASCADE,
      is_dry_run boolean NOT NULL,
      status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed')),
      paths jsonb NOT NULL,
      pages integer NOT NULL DEFAULT 0,
      same bigint NOT NULL DEFAULT 0,
      attempt integer NOT NULL DEFAULT 0,
      tries integer NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL DEFAULT now(),
      leased_until timestamptz,
      failure jsonb,
      created_by text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      finished_at timestamptz,
      CHECK ((status = 'running') = (leased_until IS NOT NULL)),
      CHECK ((status IN ('done', 'failed')) = (finished_at IS NOT NULL))
    )`
  yield* sql`
    CREATE UNIQUE INDEX billing_reconciliations_under_way ON billing_reconciliations (connection_id)
    WHERE status IN ('queued', 'running')`
  yield* sql`CREATE INDEX billing_reconciliations_by_connection ON billing_reconciliations (connection_id, id DESC)`

  yield* sql`
    CREATE TABLE billing_reconciliation_purchases (
      reconciliation_id text COLLATE "C" NOT NULL REFERENCES billing_reconciliations ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      finding text NOT NULL CHECK (finding IN ('same', 'missing', 'differs', 'unknown')),
      members text[] NOT NULL,
      PRIMARY KEY (reconciliation_id, name)
    )`
})
