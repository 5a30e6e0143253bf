import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/** Saved views of the list of licenses: of one who saved them, or shared with everybody. */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS license_views (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      filter jsonb NOT NULL,
      expires_within_days int,
      sort_order text,
      columns text[],
      is_shared boolean NOT NULL,
      author_type text NOT NULL CHECK (author_type IN ('api_key', 'person')),
      author_id text COLLATE "C" NOT NULL,
      author_name text,
      author_roles text[],
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    )`)
  yield* createIndex("license_views_by_author", "ON license_views (author_type, author_id, id)")
  yield* createIndex("license_views_shared", "ON license_views (id) WHERE is_shared")
})
