import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Tags of licenses, and notes for colleagues about licenses and customers. A note goes with its customer. `owner_ids` are the
 * customers of its license while it had this text or an earlier one, who may be named in it and be erased later.
 */
export default Effect.gen(function*() {
  yield* addColumns("licenses", {
    tags: { type: "text[]", check: "cardinality(tags) BETWEEN 1 AND 20" }
  })
  yield* createIndex("licenses_by_tag", "ON licenses USING gin (tags) WHERE tags IS NOT NULL")
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS notes (
      id text COLLATE "C" PRIMARY KEY,
      license_id text COLLATE "C" REFERENCES licenses ON DELETE CASCADE,
      customer_id text COLLATE "C" REFERENCES customers ON DELETE CASCADE,
      owner_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
      text text NOT NULL CHECK (length(text) BETWEEN 1 AND 2000),
      author_type text NOT NULL CHECK (author_type IN ('api_key', 'person')),
      author_id text COLLATE "C" NOT NULL,
      author_name text,
      author_roles text[],
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CHECK (num_nonnulls(license_id, customer_id) = 1)
    )`)
  yield* createIndex("notes_by_license", "ON notes (license_id, id) WHERE license_id IS NOT NULL")
  yield* createIndex("notes_by_customer", "ON notes (customer_id, id) WHERE customer_id IS NOT NULL")
  yield* createIndex("notes_by_owner", "ON notes USING gin (owner_ids)")
})
