import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/**
 * What roles need a second person for, built-in ones too, which have no row of their own; and the requests that wait for one. A
 * request is decided once: pending -> approved, declined, canceled or expired.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS role_second_looks (
      role_id text COLLATE "C" PRIMARY KEY,
      actions text[] NOT NULL CHECK (cardinality(actions) > 0)
    )`)
  // The body is kept as it is written: its bytes are part of what makes two requests the same.
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS approvals (
      id text COLLATE "C" PRIMARY KEY,
      operation text NOT NULL,
      params jsonb NOT NULL,
      resource_id text COLLATE "C",
      product_id text COLLATE "C",
      body text,
      if_match text,
      reason text,
      requester_id text COLLATE "C" NOT NULL,
      requester_name text NOT NULL,
      requester_roles text[] NOT NULL,
      state text NOT NULL DEFAULT 'pending' CONSTRAINT approvals_state_check
        CHECK (state IN ('pending', 'approved', 'declined', 'canceled', 'expired')),
      decider_id text COLLATE "C",
      decider_name text,
      decider_roles text[],
      decision_reason text,
      failure jsonb,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      decided_at timestamptz,
      CONSTRAINT approvals_decided_check CHECK ((state = 'pending') = (decided_at IS NULL)),
      CONSTRAINT approvals_decider_check CHECK ((state IN ('approved', 'declined')) = (decider_id IS NOT NULL)),
      CONSTRAINT approvals_second_check CHECK (decider_id <> requester_id)
    )`)
  yield* createIndex("approvals_pending", "ON approvals (expires_at) WHERE state = 'pending'")
  yield* createIndex("approvals_decided", "ON approvals (decided_at) WHERE decided_at IS NOT NULL")
  yield* createIndex("approvals_by_resource", "ON approvals (resource_id) WHERE resource_id IS NOT NULL")
})
