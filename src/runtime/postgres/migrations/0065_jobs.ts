import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Jobs: an action on many licenses, each of which is a row. A row's outcome is written by the transaction that changes its license,
 * so that none is changed twice. One who asks has one job running at a time, and a job is repeated once.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS jobs (
      id text COLLATE "C" PRIMARY KEY,
      action text NOT NULL,
      selection jsonb NOT NULL,
      parameters jsonb NOT NULL,
      reason text,
      author_type text NOT NULL CHECK (author_type IN ('api_key', 'person')),
      author_id text COLLATE "C" NOT NULL,
      author_name text,
      author_roles text[],
      product_ids text[] COLLATE "C",
      request_id text,
      state text NOT NULL DEFAULT 'running' CONSTRAINT jobs_state_check CHECK (state IN ('running', 'done', 'stopped', 'failed')),
      failure jsonb,
      repeats text COLLATE "C",
      counts jsonb,
      worked_at timestamptz NOT NULL DEFAULT now(),
      created_at timestamptz NOT NULL DEFAULT now(),
      ended_at timestamptz,
      CONSTRAINT jobs_ended_check CHECK ((state = 'running') = (ended_at IS NULL))
    )`)
  yield* createIndex("jobs_repeated", "ON jobs (repeats) WHERE repeats IS NOT NULL", "UNIQUE")
  yield* createIndex("jobs_running", "ON jobs (author_type, author_id) WHERE state = 'running'", "UNIQUE")
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS job_rows (
      job_id text COLLATE "C" NOT NULL REFERENCES jobs ON DELETE CASCADE,
      position int NOT NULL,
      license_id text COLLATE "C" NOT NULL,
      outcome text CONSTRAINT job_rows_outcome_check CHECK (outcome IN ('done', 'skipped', 'failed')),
      failure jsonb,
      PRIMARY KEY (job_id, position)
    )`)
  yield* createIndex("job_rows_by_license", "ON job_rows (license_id)")
  yield* createIndex("jobs_ended", "ON jobs (ended_at) WHERE ended_at IS NOT NULL")
  yield* createIndex("job_rows_pending", "ON job_rows (job_id, position) WHERE outcome IS NULL")
})
