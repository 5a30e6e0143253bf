import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * People who work with the service. invited -> active, when there is a way to sign in, and back; removed is left by
 * reinstating. The built-in roles have no row: `roles` of a person names them by their ids.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE roles (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      description text,
      scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
      product_ids text[] COLLATE "C" CHECK (cardinality(product_ids) > 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    )`
  yield* sql`CREATE UNIQUE INDEX roles_by_name ON roles (lower(name))`
  yield* sql`COMMENT ON COLUMN roles.product_ids IS 'the products it is limited to; NULL: all'`

  yield* sql`
    CREATE TABLE people (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      email text,
      roles text[] COLLATE "C" NOT NULL,
      status text NOT NULL CHECK (status IN ('invited', 'active', 'removed')),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CHECK (status <> 'removed' OR cardinality(roles) = 0)
    )`

  yield* sql`
    CREATE TABLE person_identities (
      issuer text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      person_id text COLLATE "C" NOT NULL REFERENCES people,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (issuer, subject)
    )`
  yield* sql`CREATE INDEX person_identities_by_person ON person_identities (person_id)`
})
