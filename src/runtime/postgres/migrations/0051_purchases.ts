import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Purchases at payment providers: connections, what they receive, what purchases it makes, and the licenses of those. The
 * primary key of `purchase_licenses` is what gives each item of a purchase one license, whatever happens.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE billing_connections (
      id text COLLATE "C" PRIMARY KEY,
      provider text NOT NULL,
      name text NOT NULL,
      mapping jsonb NOT NULL,
      credentials bytea,
      has_secret boolean NOT NULL,
      has_api_key boolean NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    )`

  // An event is stored with its body, which is read again whenever its purchase is looked at.
  yield* sql`
    CREATE TABLE billing_events (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      connection_id text COLLATE "C" NOT NULL REFERENCES billing_connections,
      event_id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      occurred_at text COLLATE "C" NOT NULL,
      api_version text,
      body bytea NOT NULL,
      is_routed boolean NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (connection_id, event_id)
    )`
  yield* sql`CREATE INDEX billing_events_to_route ON billing_events (sequence) WHERE NOT is_routed`
  yield* sql`CREATE INDEX billing_events_by_connection ON billing_events (connection_id, sequence DESC)`

  yield* sql`
    CREATE TABLE billing_event_objects (
      connection_id text COLLATE "C" NOT NULL,
      object text COLLATE "C" NOT NULL,
      sequence bigint NOT NULL REFERENCES billing_events ON DELETE CASCADE,
      PRIMARY KEY (connection_id, object, sequence)
    )`
  yield* sql`CREATE INDEX billing_event_objects_by_event ON billing_event_objects (sequence)`

  yield* sql`
    CREATE TABLE billing_links (
      connection_id text COLLATE "C" NOT NULL REFERENCES billing_connections,
      about text COLLATE "C" NOT NULL,
      target text COLLATE "C" NOT NULL,
      PRIMARY KEY (connection_id, about, target)
    )`
  yield* sql`CREATE INDEX billing_links_by_target ON billing_links (connection_id, target)`

  yield* sql`
    CREATE TABLE purchases (
      id text COLLATE "C" PRIMARY KEY,
      connection_id text COLLATE "C" NOT NULL REFERENCES billing_connections,
      name text COLLATE "C" NOT NULL,
      status text NOT NULL CHECK (status IN ('new', 'done', 'waiting', 'failed')),
      state jsonb,
      holds jsonb NOT NULL DEFAULT '[]',
      failure jsonb,
      customer_id text COLLATE "C" REFERENCES customers,
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz,
      tried bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (connection_id, name)
    )`
  yield* sql`CREATE INDEX purchases_by_status ON purchases (status, id DESC) WHERE status <> 'done'`
  yield* sql`CREATE INDEX purchases_by_customer ON purchases (customer_id) WHERE customer_id IS NOT NULL`
  yield* sql`CREATE INDEX purchases_by_payer ON purchases ((state #>> '{payer,id}'))`
  for (const time of ["created", "updated"]) {
    yield* sql.unsafe(`CREATE INDEX purchases_by_${time} ON purchases (${time}_at, id)`)
  }

  // Whoever wants a purchase to be looked at adds a row and waits for nobody. Who has looked deletes those it saw.
  yield* sql`
    CREATE TABLE purchase_work (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      purchase_id text COLLATE "C" NOT NULL REFERENCES purchases
    )`
  yield* sql`CREATE INDEX purchase_work_by_purchase ON purchase_work (purchase_id, id)`

  yield* sql`
    CREATE TABLE purchase_licenses (
      purchase_id text COLLATE "C" NOT NULL REFERENCES purchases,
      item text COLLATE "C" NOT NULL,
      index integer NOT NULL,
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      stopped text,
      is_adopted boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (purchase_id, item, index)
    )`
  yield* sql`CREATE INDEX purchase_licenses_by_license ON purchase_licenses (license_id)`
})
