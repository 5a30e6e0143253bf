import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Foundation: catalogue, customers, licenses, devices, credentials, the event log and webhooks.
 *
 * Ids are text in collation "C": they carry a UUIDv7, so byte order is creation order and keyset pages need no other
 * column. States are CHECK constraints, so that no code can write a row outside the state machine.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE service_state (
      key text PRIMARY KEY,
      value bytea NOT NULL
    )`

  yield* sql`
    CREATE TABLE products (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      code text NOT NULL UNIQUE,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    )`

  yield* sql`
    CREATE TABLE policies (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      name text NOT NULL,
      code text NOT NULL,
      license_type text NOT NULL
        CHECK (license_type IN ('perpetual', 'time_limited', 'subscription', 'trial', 'consumption')),
      max_activations integer NOT NULL CHECK (max_activations >= 0),
      max_floating_users integer CHECK (max_floating_users >= 0),
      max_container_instances integer CHECK (max_container_instances >= 0),
      floating_timeout_minutes integer NOT NULL CHECK (floating_timeout_minutes >= 1),
      grace_period_days integer NOT NULL CHECK (grace_period_days >= 0),
      validation_interval_minutes integer NOT NULL CHECK (validation_interval_minutes >= 1),
      require_heartbeat boolean NOT NULL,
      allow_offline_activation boolean NOT NULL,
      offline_grace_days integer NOT NULL CHECK (offline_grace_days >= 0),
      allow_vm boolean NOT NULL,
      allow_container boolean NOT NULL,
      max_transfers integer NOT NULL CHECK (max_transfers >= 0),
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (product_id, code)
    )`
  yield* sql`CREATE INDEX policies_by_product ON policies (product_id, id DESC)`

  yield* sql`
    CREATE TABLE features (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      code text NOT NULL,
      name text NOT NULL,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (product_id, code)
    )`
  yield* sql`CREATE INDEX features_by_product ON features (product_id, id DESC)`

  yield* sql`
    CREATE TABLE customers (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      code text NOT NULL UNIQUE,
      email text,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    )`

  yield* sql`
    CREATE TABLE management_keys (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      key_hash bytea NOT NULL UNIQUE,
      key_prefix text NOT NULL,
      scopes text[] NOT NULL,
      allowed_cidrs text[] NOT NULL,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    )`

  yield* sql`
    CREATE TABLE signing_keys (
      id text COLLATE "C" PRIMARY KEY,
      public_key bytea NOT NULL CHECK (length(public_key) = 32),
      private_key bytea NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'retired', 'revoked')),
      created_at timestamptz NOT NULL DEFAULT now(),
      retired_at timestamptz,
      revoked_at timestamptz
    )`
  yield* sql`COMMENT ON COLUMN signing_keys.private_key IS 'Ed25519 seed, sealed under the master key'`
  yield* sql`CREATE UNIQUE INDEX signing_keys_one_active ON signing_keys ((true)) WHERE status = 'active'`

  yield* sql`
    CREATE TABLE licenses (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      policy_id text COLLATE "C" NOT NULL REFERENCES policies,
      customer_id text COLLATE "C" REFERENCES customers,
      state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended', 'revoked')),
      key_hash bytea NOT NULL UNIQUE,
      license_key_prefix text NOT NULL,
      license_key_last4 text NOT NULL,
      customer_email text,
      customer_name text,
      active_device_count integer NOT NULL DEFAULT 0 CHECK (active_device_count >= 0),
      times_activated integer NOT NULL DEFAULT 0,
      times_transferred integer NOT NULL DEFAULT 0,
      total_consumptions bigint NOT NULL DEFAULT 0,
      entitlement_version bigint NOT NULL DEFAULT 1,
      starts_at timestamptz,
      expires_at timestamptz,
      maintenance_expires_at timestamptz,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 85)`
  yield* sql`COMMENT ON COLUMN licenses.state IS
    'what people decided; expired and grace_period are computed at read from expires_at on the database clock'`
  yield* sql`CREATE INDEX licenses_by_product ON licenses (product_id, id DESC)`
  yield* sql`CREATE INDEX licenses_by_policy ON licenses (policy_id, id DESC)`
  yield* sql`CREATE INDEX licenses_by_customer ON licenses (customer_id, id DESC) WHERE customer_id IS NOT NULL`
  yield* sql`CREATE INDEX licenses_by_state ON licenses (state, id DESC)`
  yield* sql`CREATE INDEX licenses_by_expiry ON licenses (expires_at) WHERE expires_at IS NOT NULL`

  yield* sql`
    CREATE TABLE license_features (
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      feature_id text COLLATE "C" NOT NULL REFERENCES features,
      enabled boolean NOT NULL,
      max_consumptions bigint CHECK (max_consumptions >= 0),
      total_consumptions bigint NOT NULL DEFAULT 0 CHECK (total_consumptions >= 0),
      expires_at timestamptz,
      metadata jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (license_id, feature_id)
    ) WITH (fillfactor = 70)`
  yield* sql`CREATE INDEX license_features_by_feature ON license_features (feature_id)`

  yield* sql`
    CREATE TABLE devices (
      id text COLLATE "C" PRIMARY KEY,
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      binding_kind text NOT NULL CHECK (binding_kind IN ('hardware', 'container')),
      binding_key text NOT NULL,
      fingerprint text,
      hostname text,
      os text,
      ip_address text,
      is_vm boolean NOT NULL,
      is_container boolean NOT NULL,
      container_id text,
      cluster_id text,
      namespace text,
      pod_name text,
      status text NOT NULL CHECK (status IN ('active', 'deactivated', 'blacklisted', 'reset', 'expired')),
      first_seen_at timestamptz NOT NULL DEFAULT now(),
      last_seen_at timestamptz NOT NULL DEFAULT now(),
      last_validated_at timestamptz,
      metadata jsonb NOT NULL DEFAULT '{}',
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (license_id, binding_kind, binding_key)
    ) WITH (fillfactor = 70)`
  yield* sql`CREATE INDEX devices_by_license ON devices (license_id, id DESC)`

  yield* sql`
    CREATE TABLE idempotency_keys (
      principal text NOT NULL,
      key text NOT NULL,
      request_hash bytea NOT NULL,
      status integer NOT NULL,
      headers jsonb NOT NULL,
      body bytea,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (principal, key)
    )`
  yield* sql`COMMENT ON COLUMN idempotency_keys.body IS 'the answer, sealed under the master key: it may hold a secret shown once'`
  yield* sql`CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)`
})
