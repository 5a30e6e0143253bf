import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Requests for a second person whose work takes several steps: begun once somebody has approved them, before the first step. And the job
 * that a request is about.
 */
export default Effect.gen(function*() {
  yield* addColumns("approvals", { begun_at: "timestamptz", job_id: `text COLLATE "C"` })
  yield* briefly(`
    ALTER TABLE approvals DROP CONSTRAINT IF EXISTS approvals_decider_check,
      ADD CONSTRAINT approvals_decider_check
        CHECK ((state IN ('approved', 'declined') OR begun_at IS NOT NULL) = (decider_id IS NOT NULL)),
      DROP CONSTRAINT IF EXISTS approvals_begun_check,
      ADD CONSTRAINT approvals_begun_check CHECK (begun_at IS NULL OR state IN ('pending', 'approved', 'expired'))`)
  yield* createIndex("approvals_by_job", "ON approvals (job_id) WHERE job_id IS NOT NULL")
})
