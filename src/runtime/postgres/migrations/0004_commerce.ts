import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Commerce: product versions, subscriptions and orders of billing systems, their links to licenses, custom fields, and
 * archived features.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE features ADD COLUMN archived_at timestamptz`
  yield* sql`COMMENT ON COLUMN features.archived_at IS 'no license is given it any more; who has it keeps it'`

  yield* sql`
    CREATE TABLE product_versions (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      version text NOT NULL,
      released_at timestamptz NOT NULL,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (product_id, version)
    )`
  yield* sql`CREATE INDEX product_versions_by_product ON product_versions (product_id, id DESC)`

  yield* sql`
    CREATE TABLE subscriptions (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      customer_id text COLLATE "C" REFERENCES customers,
      external_system text NOT NULL,
      external_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('trialing', 'active', 'past_due', 'paused', 'canceled')),
      current_period_start timestamptz NOT NULL,
      current_period_end timestamptz NOT NULL,
      cancel_at_period_end boolean NOT NULL,
      canceled_at timestamptz,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (product_id, external_system, external_id),
      UNIQUE (product_id, id),
      CHECK (current_period_end >= current_period_start),
      CHECK (canceled_at IS NULL OR status = 'canceled')
    )`
  yield* sql`CREATE INDEX subscriptions_by_customer ON subscriptions (customer_id) WHERE customer_id IS NOT NULL`

  // The pair with product_id keeps an order and its subscription, and a license and its origin, within one product.
  yield* sql`
    CREATE TABLE orders (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      customer_id text COLLATE "C" REFERENCES customers,
      subscription_id text COLLATE "C",
      external_system text NOT NULL,
      external_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'paid', 'fulfilled', 'canceled', 'refunded')),
      period_start timestamptz,
      period_end timestamptz,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (product_id, external_system, external_id),
      UNIQUE (product_id, id),
      FOREIGN KEY (product_id, subscription_id) REFERENCES subscriptions (product_id, id),
      CHECK ((period_start IS NULL) = (period_end IS NULL)),
      CHECK (period_end >= period_start)
    )`
  yield* sql`CREATE INDEX orders_by_customer ON orders (customer_id) WHERE customer_id IS NOT NULL`
  yield* sql`CREATE INDEX orders_by_subscription ON orders (subscription_id) WHERE subscription_id IS NOT NULL`

  yield* sql`
    ALTER TABLE licenses
      ADD COLUMN order_id text COLLATE "C",
      ADD COLUMN subscription_id text COLLATE "C",
      ADD FOREIGN KEY (product_id, order_id) REFERENCES orders (product_id, id),
      ADD FOREIGN KEY (product_id, subscription_id) REFERENCES subscriptions (product_id, id)`
  yield* sql`CREATE INDEX licenses_by_order ON licenses (order_id, id DESC) WHERE order_id IS NOT NULL`
  yield* sql`
    CREATE INDEX licenses_by_subscription ON licenses (subscription_id, id DESC) WHERE subscription_id IS NOT NULL`

  yield* sql`
    CREATE TABLE custom_field_definitions (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      resource_type text NOT NULL CHECK (resource_type IN ('license', 'customer')),
      code text NOT NULL,
      name text NOT NULL,
      value_type text NOT NULL CHECK (value_type IN ('string', 'integer', 'boolean', 'datetime', 'enum')),
      is_required boolean NOT NULL,
      enum_options text[] NOT NULL,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (product_id, resource_type, code),
      CHECK ((value_type = 'enum') = (cardinality(enum_options) > 0))
    )`
  yield* sql`
    CREATE INDEX custom_field_definitions_by_product ON custom_field_definitions (product_id, id DESC)`

  // A value belongs to its license or customer and is deleted with it.
  yield* sql`
    CREATE TABLE custom_field_values (
      resource_id text COLLATE "C" GENERATED ALWAYS AS (coalesce(license_id, customer_id)) STORED,
      definition_id text COLLATE "C" NOT NULL REFERENCES custom_field_definitions,
      license_id text COLLATE "C" REFERENCES licenses ON DELETE CASCADE,
      customer_id text COLLATE "C" REFERENCES customers ON DELETE CASCADE,
      string_value text,
      integer_value bigint,
      boolean_value boolean,
      datetime_value timestamptz,
      enum_value text,
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (resource_id, definition_id),
      CHECK (num_nonnulls(license_id, customer_id) = 1),
      CHECK (num_nonnulls(string_value, integer_value, boolean_value, datetime_value, enum_value) = 1)
    )`
  yield* sql`CREATE INDEX custom_field_values_by_definition ON custom_field_values (definition_id, enum_value)`
  yield* sql`CREATE INDEX custom_field_values_by_license ON custom_field_values (license_id) WHERE license_id IS NOT NULL`
  yield* sql`
    CREATE INDEX custom_field_values_by_customer ON custom_field_values (customer_id) WHERE customer_id IS NOT NULL`
})
