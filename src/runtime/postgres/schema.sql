-- The tables of Countersign, in the order of its subjects: what each holds, and which rooms of src/services write
-- it. A new database gets this file in one transaction; later migrations (src/runtime/postgres/migrations) come on
-- top.
--
-- It is schema 255 to the letter, as the migrations before it left it, and a test compares the catalogs: a database
-- that was migrated up to there and a new one are the same. So this file never changes. A table or a column that
-- comes later is in its migration, and columns stand in the order in which they came, because backups name them in
-- it.
--
-- What a table holds is said here, as "--", for whoever reads this file. The few COMMENT ON were made by migrations
-- and stay. Ids are text in collation "C": they carry a UUIDv7, so byte order is creation order and pages need no
-- other column. States are CHECK constraints, so that no code can write a row outside of a state machine. What is
-- sealed is encrypted under a data key.

-- ========== ground: the service itself: its schema, its state, its callers ==========================================

-- What searches by words: letters without case and accents, the words of a text, and a query for words that begin
-- so. Letters that no decomposition takes apart are named. More than 64 characters of a word tell nothing, and a
-- tsvector takes 2 KiB of it.
CREATE FUNCTION search_folded(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN CASE
  WHEN octet_length(given) = char_length(given) OR getdatabaseencoding() <> 'UTF8' THEN lower(given)
  ELSE replace(replace(replace(
    translate(lower(regexp_replace(normalize(given, NFD), '[\u0300-\u036f]', '', 'g')), 'łøđħŧı', 'lodhti'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') END;
CREATE FUNCTION search_words(given text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN array_to_tsvector(ARRAY(SELECT left(word, 64) AS word
    FROM regexp_split_to_table(search_folded(given), '[\s!-/:-@\[-`{-~\u00a0\u2000-\u206f\u3000-\u303f]+') word
    WHERE word <> ''));
CREATE FUNCTION search_query(given text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (SELECT CASE WHEN bool_or(octet_length(word) > 1) THEN string_agg('''' || word || ''':*', ' & ')::tsquery END
    FROM (SELECT word FROM (SELECT left(word, 64) AS word
      FROM regexp_split_to_table(search_folded(given), '[\s!-/:-@\[-`{-~\u00a0\u2000-\u206f\u3000-\u303f]+') word
      WHERE word <> '') w LIMIT 8) first_words);

-- What of the schema was applied, and when. With this file come the numbers of all migrations before it, as if each
-- had run; later ones add their own.
-- Written by: runtime/postgres.
CREATE TABLE IF NOT EXISTS schema_migrations (
  migration_id integer PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  name text NOT NULL
);

-- Single values that belong to the database and not to a table: the name of the log, the root of keyed hashes, a
-- restore that is not yet decided.
-- Written by: log, security, transparency, webhooks.
CREATE TABLE service_state (
  key text PRIMARY KEY,
  value bytea NOT NULL
);

-- What rate-limited callers have spent, shared between nodes. Unlogged: it matters for a few seconds, and a crash
-- may lose it.
-- Written by: admission.
CREATE UNLOGGED TABLE rate_limits (
  name text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  burst double precision NOT NULL,
  per_second double precision NOT NULL,
  spent double precision NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (name, subject)
) WITH (fillfactor = 50);

-- Answers to writes by the caller's Idempotency-Key, for the same answer to a repeat. Locked and looked up by
-- idempotency_claim().
-- Written by: access, webhooks.
CREATE TABLE idempotency_keys (
  principal text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status integer NOT NULL,
  headers jsonb NOT NULL,
  body bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (principal, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
COMMENT ON COLUMN idempotency_keys.body IS 'the answer, sealed under the master key: it may hold a secret shown once';

-- How many answers are stored of each caller, by the hour, which limits them.
-- Written by: access.
CREATE TABLE idempotency_counts (
  principal text NOT NULL,
  hour timestamptz NOT NULL,
  shard smallint NOT NULL,
  answers bigint NOT NULL,
  PRIMARY KEY (principal, hour, shard)
) WITH (fillfactor = 50);
COMMENT ON COLUMN idempotency_counts.shard IS 'so that concurrent writes of one caller seldom wait for each other';

-- Locks and looks up keys in one statement. Volatile, so that its second statement sees what was committed before
-- its first one got the locks: the next holder of a key's lock finds the answer that the previous holder stored.
CREATE FUNCTION idempotency_claim(principals text[], keys text[])
RETURNS TABLE (place integer, locked boolean, request_hash bytea, status integer, headers jsonb, body bytea) LANGUAGE plpgsql ROWS 10 AS $$
    DECLARE
      locks boolean[];
    BEGIN
      SELECT array_agg(r.held ORDER BY r.place) INTO locks FROM (
        SELECT n.place, pg_try_advisory_xact_lock(hashtextextended(n.principal || E'
' || n.key, 0)) AS held
        FROM unnest(principals, keys) WITH ORDINALITY AS n (principal, key, place)
      ) r;
      RETURN QUERY
        SELECT n.place::int, locks[n.place], i.request_hash, i.status, i.headers, i.body
        FROM unnest(principals, keys) WITH ORDINALITY AS n (principal, key, place)
        LEFT JOIN idempotency_keys i ON i.principal = n.principal AND i.key = n.key;
    END $$;

-- From which instant on a table is whole: its older rows were deleted by age, and a report over them says that it
-- cannot tell.
-- Written by: retention, audit, metering.
CREATE TABLE pruned_tables (
  name text COLLATE "C" PRIMARY KEY CHECK (name IN ('activities', 'decided_calls', 'decided_leases', 'usage_records')),
  until timestamptz NOT NULL
);
COMMENT ON COLUMN pruned_tables.until IS 'rows of an earlier time may be gone';

-- Decided calls are kept from now on.
INSERT INTO pruned_tables VALUES ('decided_calls', now()), ('decided_leases', now());

-- ========== log: events in order, their tree, and what remains of a dropped part ====================================

-- The events, written once by the transaction that they tell of and never moved. `data` and `metadata` are canonical
-- JSON (RFC 8785), whose bytes are hashed and signed; personal values stand in `personal`, so that they can be
-- erased while `commitments` keep the chain valid.
-- Written by: log, privacy, retention, transparency.
CREATE TABLE event_records (
  ordinal bigint PRIMARY KEY,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  id text COLLATE "C" NOT NULL,
  event_type text NOT NULL,
  actor_type text NOT NULL CHECK (actor_type IN ('api_key', 'customer', 'license', 'license_holder', 'oidc_subject',
    'person', 'system')),
  actor_id text NOT NULL,
  resource_id text COLLATE "C",
  metadata text NOT NULL,
  data text NOT NULL,
  commitments jsonb,
  personal jsonb,
  request_id text,
  traceparent text
);

-- Announces to the sequencer an event that has no place in the feed yet. `xid` belongs to the server that the event
-- was appended on.
-- Written by: log, transparency.
CREATE TABLE event_pending (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  ordinal bigint GENERATED ALWAYS AS IDENTITY
);

-- The place of each event in the feed, numbered without gaps and chained by hash; written by the sequencer alone.
-- `license_previous` is the previous event of the same license, 0 for the first, and NULL where the leaf does not
-- say it; `license_id` is NULL where the resource is the license.
-- Written by: log, retention.
CREATE TABLE event_places (
  sequence bigint PRIMARY KEY CHECK (sequence >= 1),
  ordinal bigint NOT NULL,
  id text COLLATE "C" NOT NULL UNIQUE,
  event_type text NOT NULL,
  resource_id text COLLATE "C",
  actor_type text NOT NULL,
  previous_hash bytea NOT NULL,
  hash bytea NOT NULL,
  license_id text COLLATE "C",
  license_previous bigint,
  license_previous_hash bytea
);
CREATE INDEX event_places_by_actor_type ON event_places (actor_type, sequence) WHERE event_type <>
  'license.usage_recorded' OR actor_type <> 'license';
CREATE INDEX event_places_by_kind_and_actor ON event_places (hashtextextended(event_type, hashtextextended(actor_type,
  (0)::bigint)), sequence) WHERE event_type <> 'license.usage_recorded' OR actor_type <> 'license';
CREATE INDEX event_places_by_license ON event_places ("right"(license_id, 7), sequence) WHERE license_id IS NOT NULL;
CREATE INDEX event_places_by_resource ON event_places ("right"(resource_id, 7), sequence);
CREATE INDEX event_places_by_type ON event_places (hashtextextended(event_type, (0)::bigint), sequence);
CREATE INDEX event_places_of_state ON event_places ("right"(resource_id, 7), sequence) WHERE event_type NOT IN
  ('license.usage_recorded', 'license.quota_reached', 'lease.checked_out', 'lease.checked_in', 'lease.expired',
  'offline.issued');

-- Statements are planned while the tables are small and run when they are large. This declared cost for each row
-- keeps the planner from reading all records where it needs the one with a given ordinal.
CREATE FUNCTION event_sought(ordinal bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 1000 PARALLEL SAFE
  AS $$BEGIN RETURN true; END$$;

-- Events that have a place. A place whose columns differ from its record joins to nothing: otherwise a query would
-- find by one value and return another. A query for a kind or a resource also names `type_key` or `resource_key`,
-- which the indexes hold: with keys of 8 bytes PostgreSQL recognises consecutive events of one kind, and leaves full
-- pages behind.
CREATE VIEW events AS
  SELECT p.sequence, p.ordinal, p.id, p.event_type, p.actor_type, r.actor_id,
    CASE WHEN p.event_type LIKE 'offline.%' OR p.event_type LIKE 'mail.%' THEN 'license'
      ELSE split_part(p.event_type, '.', 1) END AS resource_type,
    p.resource_id, r.metadata, r.data, r.commitments, r.personal, r.request_id, r.traceparent, r.created_at,
    p.previous_hash, p.hash, hashtextextended(p.event_type, 0) AS type_key, right(p.resource_id, 7) AS resource_key,
    coalesce(p.license_id, p.resource_id) AS license_id, p.license_previous, p.license_previous_hash
  FROM event_places p
  CROSS JOIN LATERAL (
    SELECT actor_id, metadata, data, commitments, personal, request_id, traceparent, created_at
    FROM event_records r
    WHERE r.ordinal = p.ordinal AND r.id = p.id AND r.event_type = p.event_type AND r.actor_type = p.actor_type
      AND r.resource_id IS NOT DISTINCT FROM p.resource_id AND event_sought(r.ordinal)
    OFFSET 0
  ) r;

-- Events that wait for their place.
CREATE VIEW event_outbox AS
  SELECT q.xid, q.ordinal, r.id, r.event_type, r.actor_type, r.actor_id,
    CASE WHEN r.event_type LIKE 'offline.%' OR r.event_type LIKE 'mail.%' THEN 'license'
      ELSE split_part(r.event_type, '.', 1) END AS resource_type,
    r.resource_id, r.metadata, r.data, r.commitments, r.personal, r.request_id, r.traceparent, r.created_at
  FROM event_pending q
  CROSS JOIN LATERAL (
    SELECT id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments, personal, request_id,
      traceparent, created_at
    FROM event_records r
    WHERE r.ordinal = q.ordinal AND event_sought(r.ordinal)
    OFFSET 0
  ) r;

-- The end of the log, one row: its last place, how much of it is in the tree, and the first event that names the one
-- before it of its license (`linked_from`). `last_hash` and `link_after` were for nodes of version 0.1.0.
-- Written by: log.
CREATE TABLE event_chain (
  one boolean DEFAULT true PRIMARY KEY CHECK (one),
  last_sequence bigint NOT NULL,
  last_hash bytea,
  tree_size bigint NOT NULL DEFAULT 0,
  linked_from bigint,
  link_after timestamptz DEFAULT (now() + interval '1 day')
);

INSERT INTO event_chain (last_sequence, last_hash) VALUES (0, decode(repeat('00', 32), 'hex'));

-- The Merkle tree over the events (RFC 6962), in tiles of up to 16 hashes, which the sequencer extends with every
-- batch. A tile has its full width from the start, so that a change writes only the new hashes to the WAL.
-- Written by: log, retention.
CREATE TABLE event_tiles (
  level smallint NOT NULL,
  index bigint NOT NULL,
  hashes bytea NOT NULL CHECK (length(hashes) = 512),
  PRIMARY KEY (level, index)
);
ALTER TABLE event_tiles ALTER COLUMN hashes SET STORAGE PLAIN;

-- A checkpoint over events that name the one before them of their license is kept only of a node that knows such
-- leaves.
CREATE FUNCTION event_checkpoints_of_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.leaf_version IS NULL AND NEW.tree_size >= (SELECT linked_from FROM event_chain) THEN
        RETURN NULL;
      END IF;
      RETURN NEW;
    END
    $$;

-- Signed checkpoints of the root of the tree, with the version of the leaves that they are over.
-- Written by: transparency, retention.
CREATE TABLE event_checkpoints (
  tree_size bigint PRIMARY KEY CHECK (tree_size >= 1),
  root_hash bytea NOT NULL,
  kid text COLLATE "C" NOT NULL,
  note text NOT NULL,
  created_at timestamptz NOT NULL,
  leaf_version smallint
);
CREATE INDEX event_checkpoints_by_time ON event_checkpoints (created_at);
CREATE TRIGGER event_checkpoints_of_leaves BEFORE INSERT ON event_checkpoints FOR EACH ROW EXECUTE FUNCTION
  event_checkpoints_of_leaves();

-- Signatures of witnesses on checkpoints.
-- Written by: transparency, retention.
CREATE TABLE checkpoint_cosignatures (
  tree_size bigint NOT NULL,
  witness text COLLATE "C" NOT NULL,
  line text NOT NULL,
  cosigned_at timestamptz NOT NULL,
  PRIMARY KEY (tree_size, witness)
);

-- The epochs of the log after the first: each begins where the log was restored to an earlier state.
-- `first_sequence` is the place of the event that declares it, and `witness` is what was known of the lost log.
-- Written by: transparency.
CREATE TABLE log_epochs (
  epoch integer PRIMARY KEY CHECK (epoch >= 2),
  origin text COLLATE "C" NOT NULL UNIQUE,
  first_sequence bigint NOT NULL CHECK (first_sequence >= 1),
  previous_origin text NOT NULL,
  restored_sequence bigint NOT NULL,
  restored_hash text NOT NULL,
  reason text NOT NULL,
  witness jsonb,
  started_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CHECK (restored_sequence < first_sequence)
);

-- Up to which place the log was archived and dropped, one row. Events up to there are no longer served, even while
-- their rows are still being deleted.
-- Written by: retention.
CREATE TABLE event_archive (
  one boolean DEFAULT true PRIMARY KEY CHECK (one),
  dropped_sequence bigint NOT NULL DEFAULT 0 CHECK ((dropped_sequence % (16)::bigint) = 0),
  dropped_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
  dropped_until timestamptz,
  CHECK ((dropped_sequence = 0) = (dropped_until IS NULL))
);
COMMENT ON COLUMN event_archive.dropped_sequence IS
  'a multiple of 16, so that no tile of the tree has leaves on both sides';
COMMENT ON COLUMN event_archive.dropped_until IS 'the latest time of a dropped event';

INSERT INTO event_archive (dropped_sequence, dropped_hash) VALUES (0, decode(repeat('00', 32), 'hex'));

-- What each resource and what belongs to it was after the event `upto`, which the rest of the log is replayed from
-- once the events before it are dropped. Without personal values.
-- Written by: audit.
CREATE TABLE event_baselines (
  root text COLLATE "C" NOT NULL,
  upto bigint NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (root, upto)
);

-- The last event of each kind before `upto` that tells what a license was. Rows beyond the dropped part are of a
-- drop that has not happened yet.
-- Written by: audit.
CREATE TABLE event_anchors (
  resource_id text COLLATE "C" NOT NULL,
  slot text COLLATE "C" NOT NULL,
  upto bigint NOT NULL,
  place bigint NOT NULL,
  event_type text NOT NULL,
  metadata text NOT NULL,
  data text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  PRIMARY KEY (resource_id, slot, upto)
);

-- The last dropped event of each license, which its next event names.
-- Written by: retention.
CREATE TABLE dropped_license_ends (
  license_id text COLLATE "C" PRIMARY KEY,
  sequence bigint NOT NULL,
  hash bytea NOT NULL
);

-- ========== catalog: what is sold: products and the terms of their licenses =========================================

-- Products, with the codes that they had before.
-- Written by: catalog.
CREATE TABLE products (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  code text NOT NULL UNIQUE,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  former_codes text[]
);
COMMENT ON COLUMN products.former_codes IS
  'codes that the product had before, the newest first; NULL where there is none';

-- Since when a code of a product is a former one, and when an app last asked by it. It stands apart from the
-- product, whose row every call of an app reads.
-- Written by: catalog.
CREATE TABLE product_former_codes (
  product_id text COLLATE "C" NOT NULL,
  code text NOT NULL,
  since timestamptz NOT NULL DEFAULT now(),
  last_asked_at timestamptz,
  PRIMARY KEY (product_id, code)
);

-- Released versions of products, and where customers get them.
-- Written by: catalog.
CREATE TABLE product_versions (
  id text COLLATE "C" PRIMARY KEY,
  product_id text COLLATE "C" NOT NULL REFERENCES products,
  version text NOT NULL,
  released_at timestamptz NOT NULL,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  links jsonb,
  UNIQUE (product_id, version)
);
CREATE INDEX product_versions_by_product ON product_versions (product_id, id DESC);

-- The terms under which licenses are issued: limits, durations, what apps and owners may do. A rule is NULL where it
-- is not in force.
-- Written by: catalog.
CREATE TABLE policies (
  id text COLLATE "C" PRIMARY KEY,
  product_id text COLLATE "C" NOT NULL REFERENCES products,
  name text NOT NULL,
  code text NOT NULL,
  license_type text NOT NULL CHECK (license_type IN ('perpetual', 'time_limited', 'subscription', 'trial',
    'consumption')),
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
  duration text,
  expiry_basis text CHECK (expiry_basis IN ('creation', 'first_activation')),
  maintenance_duration text,
  activation_overage text,
  floating_overage text,
  follows_subscription boolean,
  component_match text,
  self_service boolean,
  max_self_service_resets integer CHECK (max_self_service_resets >= 0),
  self_service_period text CHECK (self_service_period IN ('day', 'week', 'month', 'year')),
  offline_file_days integer CHECK (offline_file_days >= 0),
  lease_unit text CHECK (lease_unit IN ('device', 'process')),
  refund_window_minutes integer CHECK (refund_window_minutes >= 1 AND refund_window_minutes <= 44640),
  mails text[] CHECK (cardinality(mails) >= 1),
  expiring_days integer[] CHECK (cardinality(expiring_days) >= 1 AND cardinality(expiring_days) <= 10),
  max_users integer CHECK (max_users >= 0),
  max_devices_per_user integer CHECK (max_devices_per_user >= 1),
  self_service_transfer boolean,
  hold_offline_seats boolean,
  UNIQUE (product_id, code)
);
CREATE INDEX policies_by_product ON policies (product_id, id DESC);
COMMENT ON COLUMN policies.duration IS 'ISO 8601, in the calendar of UTC';

-- Features of products: switches, values for the app, or metered usage. An archived one stays with the licenses that
-- have it.
-- Written by: catalog.
CREATE TABLE features (
  id text COLLATE "C" PRIMARY KEY,
  product_id text COLLATE "C" NOT NULL REFERENCES products,
  code text NOT NULL,
  name text NOT NULL,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  value_type text CHECK (value_type IN ('boolean', 'integer', 'string', 'enum', 'list')),
  enum_options text[] COLLATE "C" CHECK (cardinality(enum_options) > 0),
  decimals integer CHECK (decimals >= 1 AND decimals <= 6),
  meter text CHECK (meter IN ('max', 'last', 'unique')),
  meter_dimension text,
  CONSTRAINT features_meter_dimension_check CHECK ((meter_dimension IS NULL) = (meter IS DISTINCT FROM 'unique')),
  UNIQUE (product_id, code)
);
CREATE INDEX features_by_product ON features (product_id, id DESC);
COMMENT ON COLUMN features.archived_at IS 'no license is given it any more; who has it keeps it';

-- Features that each license under a policy has, with quota and period. `past_terms` tells what the quota was
-- before, for the rollover of earlier periods.
-- Written by: catalog.
CREATE TABLE policy_features (
  policy_id text COLLATE "C" NOT NULL REFERENCES policies ON DELETE CASCADE,
  feature_id text COLLATE "C" NOT NULL REFERENCES features,
  enabled boolean NOT NULL,
  max_consumptions bigint CHECK (max_consumptions >= 0),
  period text CHECK (period IN ('day', 'week', 'month', 'year', 'license_month', 'subscription')),
  overage text,
  expires_after text,
  metadata jsonb NOT NULL,
  value jsonb CHECK (value <> 'null'::jsonb),
  quota_thresholds integer[] CHECK (cardinality(quota_thresholds) >= 1 AND cardinality(quota_thresholds) <= 10),
  rollover jsonb CHECK ((((rollover ->> 'cap'))::bigint > 0) AND ((((rollover ->> 'periods'))::integer >= 1) AND
    (((rollover ->> 'periods'))::integer <= 12))),
  rollover_since timestamptz,
  past_terms jsonb,
  remaining_thresholds bigint[] CHECK (cardinality(remaining_thresholds) >= 1 AND cardinality(remaining_thresholds) <=
    10),
  PRIMARY KEY (policy_id, feature_id)
);
CREATE INDEX policy_features_by_feature ON policy_features (feature_id);
COMMENT ON COLUMN policy_features.rollover_since IS 'since when quota, period and rollover are as they are';
COMMENT ON COLUMN policy_features.past_terms IS 'quotas, periods and rollovers before, with their times';

-- Custom fields of licenses and customers, as vendors define them.
-- Written by: catalog.
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
  is_signed boolean,
  CHECK ((value_type = 'enum') = (cardinality(enum_options) > 0)),
  UNIQUE (product_id, resource_type, code)
);
CREATE INDEX custom_field_definitions_by_product ON custom_field_definitions (product_id, id DESC);
CREATE INDEX custom_field_definitions_signed ON custom_field_definitions (product_id) WHERE is_signed;

-- ========== keys: secrets, who calls with which key, and the settings of the environment ============================

-- Keys that encrypt stored values. A period is the month (UTC) in which a key seals; it is empty for the root of the
-- keyed hashes.
-- Written by: security, webhooks.
CREATE TABLE data_keys (
  id bytea PRIMARY KEY CHECK (length(id) = 8),
  purpose text NOT NULL,
  period text COLLATE "C" NOT NULL CHECK (period ~ '^([0-9]{4}-[0-9]{2})?$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (purpose, period)
);

-- Each data key, wrapped by every master key that may open it: by two while the master key is being changed.
-- Written by: security, webhooks.
CREATE TABLE data_key_wraps (
  data_key_id bytea NOT NULL REFERENCES data_keys,
  master_key_id bytea NOT NULL CHECK (length(master_key_id) = 8),
  wrapped bytea NOT NULL,
  PRIMARY KEY (data_key_id, master_key_id)
);

-- How many licenses, offline files and signing keys were ever revoked, which numbers the list of revocations. One
-- row; triggers count at the commit, so that it is locked for a moment alone.
-- Written by: its triggers.
CREATE TABLE revocation_count (
  one boolean DEFAULT true PRIMARY KEY CHECK (one),
  number bigint NOT NULL
);

INSERT INTO revocation_count (number) VALUES (0);
CREATE FUNCTION count_revocation() RETURNS trigger LANGUAGE plpgsql
  AS $$BEGIN UPDATE revocation_count SET number = number + 1; RETURN NULL; END$$;

-- Ed25519 keys that sign answers, files and checkpoints: one is active, earlier ones still verify.
-- Written by: security, webhooks.
CREATE TABLE signing_keys (
  id text COLLATE "C" PRIMARY KEY,
  public_key bytea NOT NULL CHECK (length(public_key) = 32),
  private_key bytea NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'retired', 'revoked')),
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz,
  revoked_at timestamptz
);
CREATE UNIQUE INDEX signing_keys_one_active ON signing_keys ((true)) WHERE status = 'active';
CREATE CONSTRAINT TRIGGER count_revocation AFTER UPDATE OF status ON signing_keys DEFERRABLE INITIALLY DEFERRED FOR EACH
  ROW WHEN ((new.status = 'revoked') AND (old.status <> 'revoked')) EXECUTE FUNCTION count_revocation();
COMMENT ON COLUMN signing_keys.private_key IS 'Ed25519 seed, sealed under the master key';

-- Admin tokens that were rotated: the valid one and the withdrawn ones. A token that is not listed is valid if the
-- configuration names it.
-- Written by: access, webhooks.
CREATE TABLE bootstrap_tokens (
  token_hash bytea PRIMARY KEY,
  issued_at timestamptz NOT NULL DEFAULT now(),
  withdrawn_at timestamptz
);

-- API keys of backends, by keyed hash: scopes, networks, products, and the tag of licenses that a reseller's key is
-- limited to.
-- Written by: access.
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
  created_at timestamptz NOT NULL DEFAULT now(),
  product_ids text[] COLLATE "C" CHECK (cardinality(product_ids) > 0),
  created_by jsonb,
  license_tag text,
  max_licenses integer,
  CONSTRAINT management_keys_license_tag_check CHECK (license_tag IS NULL OR product_ids IS NOT NULL),
  CONSTRAINT management_keys_max_licenses_check CHECK (max_licenses IS NULL OR (max_licenses > 0 AND license_tag IS NOT
    NULL))
);
COMMENT ON COLUMN management_keys.product_ids IS 'the products it is limited to; NULL: all';

-- Keys that stand in apps and open trials under one policy.
-- Written by: access, webhooks.
CREATE TABLE publishable_keys (
  id text COLLATE "C" PRIMARY KEY,
  product_id text COLLATE "C" NOT NULL REFERENCES products,
  policy_id text COLLATE "C" NOT NULL REFERENCES policies,
  name text NOT NULL,
  key text NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX publishable_keys_by_policy ON publishable_keys (policy_id);
CREATE INDEX publishable_keys_by_product ON publishable_keys (product_id, created_at, id);
COMMENT ON COLUMN publishable_keys.key IS 'no secret: it stands in apps';

-- Settings that people change: required reasons, brand, language, support contact. One row, once something was
-- changed.
-- Written by: settings.
CREATE TABLE service_settings (
  singleton boolean DEFAULT true PRIMARY KEY CHECK (singleton),
  required_reasons text[] NOT NULL DEFAULT '{}'::text[],
  suggested_reasons text[],
  brand_name text,
  brand_accent text CHECK (brand_accent ~ '^#[0-9a-f]{6}$'),
  logo bytea CHECK (octet_length(logo) >= 1 AND octet_length(logo) <= 32768),
  logo_digest bytea GENERATED ALWAYS AS (sha256(logo)) STORED,
  logo_type text CHECK (logo_type IN ('image/png', 'image/jpeg', 'image/webp')),
  logo_width integer,
  logo_height integer,
  updated_at timestamptz NOT NULL DEFAULT now(),
  mail_language text CHECK (mail_language ~ '^[a-z]{2}$'),
  support_contact text,
  renewal_url text,
  CHECK (num_nonnulls(logo, logo_type, logo_width, logo_height) IN (0, 4))
);

-- ========== people: colleagues of the vendor, their roles, sign-in, and what needs a second person ==================

-- Roles that the vendor made. The built-in ones have no row: `people.roles` names them by their ids.
-- Written by: people.
CREATE TABLE roles (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  description text,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  product_ids text[] COLLATE "C" CHECK (cardinality(product_ids) > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX roles_by_name ON roles (lower(name));
COMMENT ON COLUMN roles.product_ids IS 'the products it is limited to; NULL: all';

-- Which actions of a role need a second person, of built-in roles too.
-- Written by: people.
CREATE TABLE role_second_looks (
  role_id text COLLATE "C" PRIMARY KEY,
  actions text[] NOT NULL CHECK (cardinality(actions) > 0)
);

-- People who work with the service: invited -> active -> removed, and back. Nothing refers to a person by a foreign
-- key, and none is deleted.
-- Written by: people.
CREATE TABLE people (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  email text,
  roles text[] COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('invited', 'active', 'removed')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  claimed_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  CHECK (status <> 'removed' OR cardinality(roles) = 0)
);

-- Accounts at the identity provider that belong to a person.
-- Written by: people.
CREATE TABLE person_identities (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  person_id text COLLATE "C" NOT NULL REFERENCES people,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX person_identities_by_person ON person_identities (person_id);

-- Invitations by keyed hash, each good for one sign-in. In no backup.
-- Written by: people.
CREATE TABLE person_invitations (
  token_hash bytea PRIMARY KEY,
  person_id text COLLATE "C" NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  links_account boolean NOT NULL DEFAULT false,
  invited_by text,
  opener_type text CHECK (opener_type IN ('api_key', 'person')),
  opener_id text COLLATE "C",
  CONSTRAINT person_invitations_opener_id_check CHECK ((opener_id IS NULL) = (opener_type IS NULL))
);

-- Signed-in sessions by keyed hash; a session ends by being deleted. In no backup.
-- Written by: people.
CREATE TABLE person_sessions (
  id text COLLATE "C" PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  person_id text COLLATE "C" NOT NULL,
  ip_address text,
  user_agent text,
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  sign_in_method text NOT NULL DEFAULT 'invitation',
  passkey_id text COLLATE "C",
  opener_type text CHECK (opener_type IN ('api_key', 'person')),
  opener_id text COLLATE "C",
  provider_issuer text COLLATE "C",
  provider_subject text COLLATE "C",
  provider_session text COLLATE "C",
  sealed_id_token bytea,
  CONSTRAINT person_sessions_opener_id_check CHECK ((opener_id IS NULL) = (opener_type IS NULL))
);
CREATE INDEX person_sessions_by_person ON person_sessions (person_id, id);

-- Sign-ins at the identity provider that were finished, so that none is finished twice. In no backup.
-- Written by: people.
CREATE TABLE spent_sign_ins (
  seed_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

-- Passkeys, which people sign in with.
-- Written by: passkeys.
CREATE TABLE passkeys (
  id text COLLATE "C" PRIMARY KEY,
  credential_id bytea NOT NULL UNIQUE,
  person_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  is_synced boolean NOT NULL,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX passkeys_by_person ON passkeys (person_id, id);

-- Requests that wait for a second person, each decided once: pending -> approved, declined, canceled or expired.
-- `body` is kept as it is written: its bytes are part of what makes two requests the same.
-- Written by: approvals, jobs, privacy.
CREATE TABLE approvals (
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
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'declined', 'canceled', 'expired')),
  decider_id text COLLATE "C",
  decider_name text,
  decider_roles text[],
  decision_reason text,
  failure jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decided_at timestamptz,
  begun_at timestamptz,
  job_id text COLLATE "C",
  selected text[],
  CONSTRAINT approvals_begun_check CHECK (begun_at IS NULL OR (state IN ('pending', 'approved', 'expired'))),
  CONSTRAINT approvals_decided_check CHECK ((state = 'pending') = (decided_at IS NULL)),
  CONSTRAINT approvals_decider_check CHECK (((state IN ('approved', 'declined')) OR begun_at IS NOT NULL) = (decider_id
    IS NOT NULL)),
  CONSTRAINT approvals_second_check CHECK (decider_id <> requester_id)
);
CREATE INDEX approvals_by_job ON approvals (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX approvals_by_resource ON approvals (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX approvals_decided ON approvals (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX approvals_pending ON approvals (expires_at) WHERE state = 'pending';

-- ========== customers: who buys =====================================================================================

-- Customers, and the groups that they belong to by `parent_id`; customer_line() climbs it.
-- Written by: customers, privacy.
CREATE TABLE customers (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  code text NOT NULL UNIQUE,
  email text,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  product_ids text[] COLLATE "C" CHECK (cardinality(product_ids) > 0),
  external_system text,
  external_id text,
  parent_id text COLLATE "C" REFERENCES customers,
  language text CHECK (language ~ '^[a-z]{2}$'),
  CONSTRAINT customers_external_id_check CHECK ((external_id IS NULL) = (external_system IS NULL))
);
CREATE INDEX customers_by_created ON customers (created_at, id);
CREATE INDEX customers_by_email ON customers (lower(email) COLLATE "C", id) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX customers_by_external_id ON customers (external_id, external_system) WHERE external_id IS NOT NULL;
CREATE INDEX customers_by_metadata ON customers USING gin (jsonb_path_query_array(metadata, '$.*'::jsonpath)
  jsonb_path_ops) WHERE metadata <> '{}'::jsonb;
CREATE INDEX customers_by_name ON customers (lower(name) COLLATE "C", id);
CREATE INDEX customers_by_parent ON customers (parent_id, id) WHERE parent_id IS NOT NULL;
CREATE INDEX customers_by_product ON customers USING gin (product_ids) WHERE product_ids IS NOT NULL;
CREATE INDEX customers_by_sorted_name ON customers ("left"(search_folded(name), 60) COLLATE "C", id);
CREATE INDEX customers_by_updated ON customers (updated_at, id);
CREATE INDEX customers_by_word ON customers USING gin (search_words(((COALESCE(name, '') || ' ') || COALESCE(email,
  ''))));
COMMENT ON COLUMN customers.product_ids IS 'those of the limited key that made it; NULL: another made it';

-- A customer and the groups above it, the nearest first.
CREATE FUNCTION customer_line(customer text) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
    BEGIN
      RETURN (SELECT ARRAY[c0.id, c0.parent_id, c1.parent_id, c2.parent_id, c3.parent_id]
        FROM customers c0 LEFT JOIN customers c1 ON c1.id = c0.parent_id LEFT JOIN customers c2 ON c2.id = c1.parent_id
        LEFT JOIN customers c3 ON c3.id = c2.parent_id WHERE c0.id = customer);
    END $$;

-- Subscriptions of billing systems that licenses may follow.
-- Written by: customers.
CREATE TABLE subscriptions (
  id text COLLATE "C" PRIMARY KEY,
  product_id text COLLATE "C" NOT NULL REFERENCES products,
  customer_id text COLLATE "C" REFERENCES customers,
  external_system text NOT NULL,
  external_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('trialing', 'active', 'past_due', 'paused', 'canceled', 'unpaid', 'disputed',
    'incomplete', 'incomplete_expired')),
  current_period_start timestamptz NOT NULL,
  current_period_end timestamptz NOT NULL,
  cancel_at_period_end boolean NOT NULL,
  canceled_at timestamptz,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  source_updated_at timestamptz,
  quantity bigint CHECK (quantity > 0),
  ended_at timestamptz,
  CHECK (current_period_end >= current_period_start),
  CONSTRAINT subscriptions_check1 CHECK (canceled_at IS NULL OR status = 'canceled'),
  UNIQUE (product_id, external_system, external_id),
  UNIQUE (product_id, id)
);
CREATE INDEX subscriptions_by_created ON subscriptions (product_id, created_at, id);
CREATE INDEX subscriptions_by_customer ON subscriptions (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX subscriptions_by_external_id ON subscriptions (external_id);
CREATE INDEX subscriptions_by_updated ON subscriptions (product_id, updated_at, id);

-- Orders of billing systems that licenses come from. The pair with `product_id` keeps an order and its subscription
-- within one product.
-- Written by: customers.
CREATE TABLE orders (
  id text COLLATE "C" PRIMARY KEY,
  product_id text COLLATE "C" NOT NULL REFERENCES products,
  customer_id text COLLATE "C" REFERENCES customers,
  subscription_id text COLLATE "C",
  external_system text NOT NULL,
  external_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'paid', 'fulfilled', 'canceled', 'refunded', 'partially_refunded',
    'disputed')),
  period_start timestamptz,
  period_end timestamptz,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  source_updated_at timestamptz,
  quantity bigint CHECK (quantity > 0),
  ended_at timestamptz,
  CHECK ((period_start IS NULL) = (period_end IS NULL)),
  CONSTRAINT orders_check1 CHECK (period_end >= period_start),
  UNIQUE (product_id, external_system, external_id),
  UNIQUE (product_id, id),
  FOREIGN KEY (product_id, subscription_id) REFERENCES subscriptions(product_id, id)
);
CREATE INDEX orders_by_created ON orders (product_id, created_at, id);
CREATE INDEX orders_by_customer ON orders (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX orders_by_external_id ON orders (external_id);
CREATE INDEX orders_by_subscription ON orders (subscription_id) WHERE subscription_id IS NOT NULL;
CREATE INDEX orders_by_updated ON orders (product_id, updated_at, id);

-- Erasures of customers, numbered in the order of commits, by which an export is known that was read before an
-- erasure and frozen after it.
-- Written by: privacy.
CREATE TABLE customer_erasures (
  number bigint PRIMARY KEY CHECK (number >= 1),
  customer_id text COLLATE "C" NOT NULL,
  erased_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX customer_erasures_by_customer ON customer_erasures (customer_id);

-- ========== licensing: licenses, who holds them, and what they use ==================================================

-- Licenses. `state` is what people decided; what time makes of it is computed at read. Seats, leases and terms of a
-- license change under the lock of its row.
-- Written by: licenses, lifecycle, entitlements, metering, terms, privacy.
CREATE TABLE licenses (
  id text COLLATE "C" PRIMARY KEY,
  product_id text COLLATE "C" NOT NULL REFERENCES products,
  policy_id text COLLATE "C" NOT NULL REFERENCES policies,
  customer_id text COLLATE "C" REFERENCES customers,
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended', 'revoked')),
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
  updated_at timestamptz NOT NULL DEFAULT now(),
  order_id text COLLATE "C",
  subscription_id text COLLATE "C",
  announced text NOT NULL DEFAULT 'nothing' CHECK (announced IN ('nothing', 'expiring', 'grace_period', 'expired')),
  overrides jsonb CHECK (jsonb_typeof(overrides) = 'object'),
  awaits_activation boolean CHECK (awaits_activation),
  ends_without_grace boolean CHECK (ends_without_grace),
  follows_subscription boolean CHECK (follows_subscription),
  suspended_by text CHECK (suspended_by = 'subscription'),
  self_service_start timestamptz,
  self_service_resets integer CHECK (self_service_resets > 0),
  product_ids text[] COLLATE "C" CHECK (cardinality(product_ids) > 0),
  term_anchor timestamptz,
  tags text[] CHECK (cardinality(tags) >= 1 AND cardinality(tags) <= 20),
  rolled_until timestamptz,
  announced_days integer CHECK (announced_days >= 1),
  trusted_issuer jsonb,
  FOREIGN KEY (product_id, order_id) REFERENCES orders(product_id, id),
  FOREIGN KEY (product_id, subscription_id) REFERENCES subscriptions(product_id, id)
) WITH (fillfactor = 85);
CREATE INDEX licenses_by_bin_of_expiry ON licenses (date_bin('16 days'::interval, expires_at,
  '2000-01-01 00:00:00+00'::timestamptz), id) INCLUDE (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX licenses_by_created ON licenses (created_at, id);
CREATE INDEX licenses_by_customer ON licenses (customer_id, id DESC) WHERE customer_id IS NOT NULL;
CREATE INDEX licenses_by_customer_email ON licenses (lower(customer_email) COLLATE "C", id) WHERE customer_email IS NOT
  NULL;
CREATE INDEX licenses_by_customer_name ON licenses (lower(customer_name) COLLATE "C", id) WHERE customer_name IS NOT
  NULL;
CREATE INDEX licenses_by_end ON licenses (COALESCE(expires_at, 'infinity'::timestamptz), id);
CREATE INDEX licenses_by_expiry ON licenses (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX licenses_by_further_product ON licenses USING gin (product_ids) WHERE product_ids IS NOT NULL;
CREATE INDEX licenses_by_last4 ON licenses (license_key_last4, id);
CREATE INDEX licenses_by_metadata ON licenses USING gin (jsonb_path_query_array(metadata, '$.*'::jsonpath)
  jsonb_path_ops) WHERE metadata <> '{}'::jsonb;
CREATE INDEX licenses_by_order ON licenses (order_id, id DESC) WHERE order_id IS NOT NULL;
CREATE INDEX licenses_by_owner ON licenses ("left"(search_folded(COALESCE(customer_name, CASE WHEN (customer_id IS NULL)
  THEN COALESCE(customer_email, chr(1114111)) ELSE NULL::text END)), 60) COLLATE "C", id) WHERE customer_name IS NOT
  NULL OR customer_id IS NULL;
CREATE INDEX licenses_by_policy ON licenses (policy_id, id DESC);
CREATE INDEX licenses_by_product ON licenses (product_id, id DESC);
CREATE INDEX licenses_by_state ON licenses (state, id DESC);
CREATE INDEX licenses_by_subscription ON licenses (subscription_id, id DESC) WHERE subscription_id IS NOT NULL;
CREATE INDEX licenses_by_tag ON licenses USING gin (tags) WHERE tags IS NOT NULL;
CREATE INDEX licenses_by_updated ON licenses (updated_at, id);
CREATE INDEX licenses_by_word ON licenses USING gin (search_words(((COALESCE(customer_name, '') || ' ') ||
  COALESCE(customer_email, '')))) WHERE customer_name IS NOT NULL OR customer_email IS NOT NULL;
CREATE INDEX licenses_past_expiry ON licenses (policy_id, announced, expires_at) WHERE state = 'active' AND (announced
  IN ('grace_period', 'expired'));
CREATE INDEX licenses_past_expiry_own ON licenses (expires_at) WHERE state = 'active' AND announced = 'grace_period' AND
  (((overrides -> 'grace_period_days') IS NOT NULL) OR ends_without_grace OR awaits_activation);
CREATE INDEX licenses_revoked ON licenses (id) WHERE state = 'revoked';
CREATE INDEX licenses_to_end ON licenses (expires_at) WHERE state = 'active' AND announced = 'expiring';
CREATE INDEX licenses_to_remind ON licenses (( CASE WHEN (announced = 'nothing') THEN 1000000 ELSE
  COALESCE(announced_days, 7) END), policy_id, expires_at) WHERE state = 'active' AND (announced IN ('nothing',
  'expiring')) AND expires_at IS NOT NULL;
CREATE INDEX licenses_to_warn ON licenses (expires_at) WHERE state = 'active' AND announced = 'nothing' AND expires_at
  IS NOT NULL;
CREATE INDEX licenses_without_end ON licenses (product_id) WHERE state = 'active' AND expires_at IS NULL;
CREATE CONSTRAINT TRIGGER count_revocation AFTER UPDATE OF state ON licenses DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((new.state = 'revoked') AND (old.state <> 'revoked')) EXECUTE FUNCTION count_revocation();
COMMENT ON COLUMN licenses.state IS
  'what people decided; expired and grace_period are computed at read from expires_at on the database clock';
COMMENT ON COLUMN licenses.announced IS
  'the last crossing of expires_at that has an event; whoever changes expires_at sets it back to nothing';
COMMENT ON COLUMN licenses.overrides IS 'rules instead of those of the policy by the same names';
COMMENT ON COLUMN licenses.awaits_activation IS
  'starts with its first activation or checkout; until then expires_at is the end of the time for that';
COMMENT ON COLUMN licenses.self_service_start IS
  'when the period began that self_service_resets was counted in; in a later one it counts as 0';
COMMENT ON COLUMN licenses.product_ids IS 'further products, beside product_id';
COMMENT ON COLUMN licenses.term_anchor IS 'what its terms count from; NULL for its start';
COMMENT ON COLUMN licenses.announced_days IS
  'how many days before its end a license that is announced as expiring was announced last; NULL: 7';

-- The keys of a license by keyed hash: the one in use, and replaced ones that still work.
-- Written by: licenses, lifecycle.
CREATE TABLE license_keys (
  key_hash bytea PRIMARY KEY,
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX license_keys_in_use ON license_keys (license_id) WHERE expires_at IS NULL;
CREATE INDEX license_keys_replaced ON license_keys (license_id) WHERE expires_at IS NOT NULL;
COMMENT ON COLUMN license_keys.expires_at IS 'until when a replaced key works; NULL for the one key that is in use';

-- When the period of a quota began that an instant is in.
CREATE FUNCTION quota_period_start(
  period text, instant timestamptz, license_start timestamptz, subscription_start timestamptz
) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT date_trunc('milliseconds', CASE period
      WHEN 'subscription' THEN subscription_start
      WHEN 'license_month' THEN (
        SELECT (CASE WHEN m.begun + make_interval(months => m.months) <= m.reached THEN m.begun + make_interval(months => m.months)
          ELSE m.begun + make_interval(months => m.months - 1) END) AT TIME ZONE 'UTC'
        FROM (SELECT b.begun, b.reached, (12 * (extract(year FROM b.reached) - extract(year FROM b.begun))
            + extract(month FROM b.reached) - extract(month FROM b.begun))::int AS months
          FROM (SELECT license_start AT TIME ZONE 'UTC' AS begun, instant AT TIME ZONE 'UTC' AS reached) b) m)
      ELSE date_trunc(period, instant, 'UTC') END)
  $$;

-- Features that a license was assigned, or whose use it counts: quota, totals, and the running period.
-- Written by: licenses, metering, terms, warnings.
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
  is_counter boolean CHECK (is_counter),
  period text CHECK (period IN ('day', 'week', 'month', 'year', 'license_month', 'subscription')),
  overage text,
  period_start timestamptz,
  period_consumptions bigint CHECK (period_consumptions >= 0),
  credits bigint CHECK (credits > 0),
  credits_start timestamptz,
  value jsonb CHECK (value <> 'null'::jsonb),
  granted_consumptions bigint CHECK (granted_consumptions >= 0),
  granted_period_consumptions bigint CHECK (granted_period_consumptions >= 0),
  announced_threshold integer CHECK (announced_threshold >= 1),
  announced_period_start timestamptz,
  announced_remaining bigint CHECK (announced_remaining >= 1),
  counted_apart boolean,
  quota_thresholds integer[] CHECK (cardinality(quota_thresholds) >= 1 AND cardinality(quota_thresholds) <= 10),
  remaining_thresholds bigint[] CHECK (cardinality(remaining_thresholds) >= 1 AND cardinality(remaining_thresholds) <=
    10),
  PRIMARY KEY (license_id, feature_id)
) WITH (fillfactor = 70);
CREATE INDEX license_features_by_feature ON license_features (feature_id);
CREATE INDEX license_features_thresholds ON license_features (feature_id, license_id) WHERE
  num_nonnulls(quota_thresholds, remaining_thresholds) > 0;
CREATE INDEX license_features_valued ON license_features (feature_id) WHERE value IS NOT NULL;
COMMENT ON COLUMN license_features.is_counter IS
  'only counts the use of a feature that the policy grants; the license was assigned nothing';
COMMENT ON COLUMN license_features.period_start IS
  'when the period began that period_consumptions was counted in; in a later one it counts as 0';
COMMENT ON COLUMN license_features.credits_start IS
  'when the period began that the credits were added in; NULL where the quota had no period';
COMMENT ON COLUMN license_features.announced_threshold IS
  'the highest percentage that was announced in the period that began at announced_period_start';
COMMENT ON COLUMN license_features.announced_remaining IS
  'the lowest number of units left that was announced in the period that began at announced_period_start';
COMMENT ON COLUMN license_features.counted_apart IS
  'true where uses were counted or corrected without a period since: the count of its period is to be made of the records';

-- Units that a license has in addition to its quota, and how much of each is used. Since 0256 a part of `grants`.
-- Written by: metering, terms.
CREATE TABLE license_grants (
  id text COLLATE "C" PRIMARY KEY,
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  feature_id text COLLATE "C" NOT NULL REFERENCES features,
  amount bigint NOT NULL CHECK (amount <> 0),
  used bigint NOT NULL DEFAULT 0,
  starts_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone,
  priority integer NOT NULL,
  source text NOT NULL CHECK (source IN ('purchase', 'gift', 'correction', 'rollover')),
  reference text,
  is_open boolean NOT NULL DEFAULT true,
  revoked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CHECK (used >= 0 AND (used <= GREATEST(amount, (0)::bigint))),
  CONSTRAINT license_grants_check1 CHECK (expires_at > starts_at),
  CONSTRAINT license_grants_check2 CHECK ((NOT is_open) OR (revoked_at IS NULL AND (amount < 0 OR used < amount)))
) WITH (fillfactor = 80);
CREATE INDEX license_grants_by_feature ON license_grants (feature_id);
CREATE INDEX license_grants_by_license ON license_grants (license_id, id);
CREATE UNIQUE INDEX license_grants_by_reference ON license_grants (license_id, reference) WHERE reference IS NOT NULL;
CREATE INDEX license_grants_open ON license_grants (license_id, feature_id, COALESCE(expires_at,
  'infinity'::timestamptz)) WHERE is_open;
COMMENT ON COLUMN license_grants.is_open IS 'neither spent nor revoked; it may have ended';

-- Units that a customer owns and the licenses of its group share. Since 0256 a part of `grants`.
-- Written by: metering.
CREATE TABLE pools (
  id text COLLATE "C" PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL REFERENCES customers,
  feature_id text COLLATE "C" NOT NULL REFERENCES features,
  amount bigint NOT NULL CHECK (amount > 0),
  used bigint NOT NULL DEFAULT 0,
  max_per_license bigint CHECK (max_per_license > 0),
  starts_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone,
  priority integer NOT NULL,
  reference text,
  is_open boolean NOT NULL DEFAULT true,
  revoked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CHECK (used >= 0 AND used <= amount),
  CONSTRAINT pools_check1 CHECK (expires_at > starts_at),
  CONSTRAINT pools_check2 CHECK ((NOT is_open) OR (revoked_at IS NULL AND used < amount))
) WITH (fillfactor = 80);
CREATE INDEX pools_by_customer ON pools (customer_id, id);
CREATE INDEX pools_by_feature ON pools (feature_id);
CREATE UNIQUE INDEX pools_by_reference ON pools (customer_id, reference) WHERE reference IS NOT NULL;
CREATE INDEX pools_open ON pools (customer_id, COALESCE(expires_at, 'infinity'::timestamptz)) WHERE is_open;
COMMENT ON COLUMN pools.is_open IS 'neither spent nor revoked; it may have ended';

-- What each license took of a pool.
-- Written by: metering.
CREATE TABLE pool_uses (
  pool_id text COLLATE "C" NOT NULL REFERENCES pools,
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  used bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (pool_id, license_id)
) WITH (fillfactor = 80);
CREATE INDEX pool_uses_by_license ON pool_uses (license_id);

-- Values of custom fields, each of a license or of a customer, and deleted with it.
-- Written by: licenses, privacy.
CREATE TABLE custom_field_values (
  resource_id text COLLATE "C" GENERATED ALWAYS AS (COALESCE(license_id, customer_id)) STORED NOT NULL,
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
  CONSTRAINT custom_field_values_check1 CHECK (num_nonnulls(string_value, integer_value, boolean_value, datetime_value,
    enum_value) = 1)
);
CREATE INDEX custom_field_values_by_customer ON custom_field_values (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX custom_field_values_by_definition ON custom_field_values (definition_id, enum_value);
CREATE INDEX custom_field_values_by_license ON custom_field_values (license_id) WHERE license_id IS NOT NULL;

-- Devices that a license is activated on. A binding that a checkout made is `floating`: it takes no seat, and is
-- active only while its lease lives. `last_seen_at` changes at every call, and so is in no index.
-- Written by: licenses, lifecycle, floating, offline, entitlements, sightings, privacy.
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
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  idle_check_at timestamptz,
  floating boolean NOT NULL DEFAULT false,
  offline_counter bigint NOT NULL DEFAULT 0,
  components jsonb CHECK (jsonb_typeof(components) = 'object'),
  components_changed_at timestamptz,
  name text CHECK (length(name) >= 1 AND length(name) <= 255),
  app_version text,
  app_version_since timestamptz,
  envelope_until timestamptz,
  UNIQUE (license_id, binding_kind, binding_key)
) WITH (fillfactor = 70);
CREATE INDEX devices_by_component ON devices USING gin (components jsonb_path_ops) WHERE components IS NOT NULL;
CREATE INDEX devices_by_fingerprint ON devices USING hash (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX devices_by_license ON devices (license_id, id DESC);
CREATE INDEX devices_by_system ON devices (lower(os) COLLATE "C", license_id) INCLUDE (os, app_version) WHERE status =
  'active' AND os IS NOT NULL;
CREATE INDEX devices_by_version ON devices (app_version COLLATE "C", license_id) WHERE status = 'active' AND app_version
  IS NOT NULL;
CREATE INDEX devices_to_check ON devices (idle_check_at NULLS FIRST) WHERE binding_kind = 'container' AND status =
  'active';
COMMENT ON COLUMN devices.idle_check_at IS
  'when the sweeper looks at last_seen_at of a container binding next; NULL: as soon as it can';
COMMENT ON COLUMN devices.offline_counter IS 'the number of the last offline envelope of this device';
COMMENT ON COLUMN devices.components IS 'hashes by name, as of the last activation or checkout';

-- Named users of a license, who sign in at the customer's identity provider or by mail.
-- Written by: users, licenses, privacy.
CREATE TABLE license_users (
  id text COLLATE "C" PRIMARY KEY,
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  status text NOT NULL CHECK (status IN ('invited', 'active', 'removed')),
  removed_because text CHECK (removed_because IN ('removed', 'reduced', 'transferred', 'erased')),
  email text,
  name text,
  issuer text,
  subject text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  joined_at timestamp(3) with time zone,
  last_seen_at timestamp(3) with time zone,
  removed_at timestamp(3) with time zone,
  CHECK ((issuer IS NULL) = (subject IS NULL)),
  CONSTRAINT license_users_check1 CHECK ((status = 'removed') = (removed_because IS NOT NULL)),
  CONSTRAINT license_users_check2 CHECK ((status = 'removed') = (removed_at IS NOT NULL)),
  CONSTRAINT license_users_check3 CHECK (status <> 'active' OR joined_at IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX license_users_active ON license_users (license_id) WHERE status = 'active';
CREATE UNIQUE INDEX license_users_by_account ON license_users (license_id, issuer, subject) WHERE status <> 'removed'
  AND subject IS NOT NULL;
CREATE INDEX license_users_by_license ON license_users (license_id, id);
CREATE UNIQUE INDEX license_users_invited ON license_users (license_id, email) WHERE status = 'invited' AND email IS NOT
  NULL;

-- The user of each device that a license has by name.
-- Written by: standings.
CREATE TABLE license_user_devices (
  device_id text COLLATE "C" PRIMARY KEY REFERENCES devices,
  user_id text COLLATE "C" NOT NULL REFERENCES license_users
) WITH (fillfactor = 80);
CREATE INDEX license_user_devices_by_user ON license_user_devices (user_id);
COMMENT ON TABLE license_user_devices IS 'who activated a device last; it counts while it is active';

-- Sign-ins of users by mail that wait for their code or their link. A row holds no address. In no backup.
-- Written by: users, privacy.
CREATE TABLE user_mail_sign_ins (
  token_hash bytea PRIMARY KEY,
  license_id text COLLATE "C" NOT NULL,
  reference text NOT NULL,
  user_id text COLLATE "C",
  link_hash bytea,
  code_hash bytea,
  tries integer NOT NULL DEFAULT 0,
  confirmed_at timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX user_mail_sign_ins_by_link ON user_mail_sign_ins (link_hash) WHERE link_hash IS NOT NULL;
CREATE INDEX user_mail_sign_ins_over ON user_mail_sign_ins (expires_at);

-- Floating seats. Whoever changes the holder of a seat holds the lock of the license; a heartbeat touches its own
-- lease alone. A lease is open until `ended_at`; readers see at once that its time has run out, and a sweep records
-- it later.
-- Written by: floating, licenses, retention.
CREATE TABLE leases (
  id text COLLATE "C" PRIMARY KEY,
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  device_id text COLLATE "C" NOT NULL REFERENCES devices,
  generation bigint NOT NULL DEFAULT 1 CHECK (generation >= 1),
  token_hash bytea NOT NULL,
  previous_token_hash bytea,
  rotated_at timestamptz NOT NULL,
  checked_out_at timestamptz NOT NULL,
  last_heartbeat_at timestamptz,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  end_reason text CHECK (end_reason IN ('checked_in', 'released', 'expired', 'deactivated', 'reset', 'blacklisted',
    'transferred', 'revoked')),
  product_id text COLLATE "C",
  product_code text,
  process_id text NOT NULL DEFAULT '',
  CHECK ((ended_at IS NULL) = (end_reason IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX leases_by_license ON leases (license_id, id DESC);
CREATE INDEX leases_by_previous_token ON leases (previous_token_hash) WHERE previous_token_hash IS NOT NULL;
CREATE UNIQUE INDEX leases_by_token ON leases (token_hash);
CREATE INDEX leases_due ON leases (expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX leases_ended ON leases (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX leases_one_open ON leases (license_id, device_id, process_id) WHERE ended_at IS NULL;
COMMENT ON COLUMN leases.generation IS 'how many tokens the lease has had; a token is derived from it';
COMMENT ON COLUMN leases.product_id IS 'the further product that it was taken for; NULL for the first';
COMMENT ON COLUMN leases.product_code IS
  'the code of the product that the app named when it took the lease; NULL where it named none';
COMMENT ON COLUMN leases.process_id IS 'the process that it is of; empty where it is the device''s, or unnamed';

-- Files for machines without a network, as management issued them. What is in them is sealed under the license key
-- and not kept.
-- Written by: offline, licenses, lifecycle.
CREATE TABLE offline_files (
  id text COLLATE "C" PRIMARY KEY,
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  device_id text COLLATE "C" NOT NULL REFERENCES devices,
  fingerprint_hash text NOT NULL,
  offline_counter bigint NOT NULL CHECK (offline_counter > 0),
  issued_at timestamptz NOT NULL,
  valid_until timestamptz NOT NULL,
  revoked_at timestamptz,
  seat_held_until timestamptz
);
CREATE INDEX offline_files_by_device ON offline_files (device_id);
CREATE INDEX offline_files_by_license ON offline_files (license_id, issued_at, id);
CREATE INDEX offline_files_revoked ON offline_files (id) WHERE revoked_at IS NOT NULL;
CREATE CONSTRAINT TRIGGER count_revocation AFTER UPDATE OF revoked_at ON offline_files DEFERRABLE INITIALLY DEFERRED FOR
  EACH ROW WHEN ((new.revoked_at IS NOT NULL) AND (old.revoked_at IS NULL)) EXECUTE FUNCTION count_revocation();

-- Devices that opened a trial of a product, by keyed hash, so that each has one for ever and nothing of the device
-- is stored.
-- Written by: seats.
CREATE TABLE trials (
  product_id text COLLATE "C" NOT NULL REFERENCES products,
  binding_hash bytea NOT NULL,
  license_id text COLLATE "C" NOT NULL UNIQUE REFERENCES licenses DEFERRABLE INITIALLY DEFERRED,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (product_id, binding_hash)
);
COMMENT ON COLUMN trials.binding_hash IS 'keyed hash of the product, and of the kind and key of the device';

-- Licenses that their owners offer to another address until that person accepts. In no backup.
-- Written by: lifecycle.
CREATE TABLE license_transfer_requests (
  license_id text COLLATE "C" PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL,
  recipient text NOT NULL,
  token_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  license_key_hash bytea,
  address_hash bytea
);
CREATE UNIQUE INDEX license_transfer_requests_by_token ON license_transfer_requests (token_hash);

-- Notes of colleagues about licenses and customers. `owner_ids` are the customers of its license while it had this
-- text or an earlier one, who may be named in it and be erased later.
-- Written by: notes, privacy.
CREATE TABLE notes (
  id text COLLATE "C" PRIMARY KEY,
  license_id text COLLATE "C" REFERENCES licenses ON DELETE CASCADE,
  customer_id text COLLATE "C" REFERENCES customers ON DELETE CASCADE,
  owner_ids text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  text text NOT NULL CHECK (length(text) >= 1 AND length(text) <= 2000),
  author_type text NOT NULL CHECK (author_type IN ('api_key', 'person')),
  author_id text COLLATE "C" NOT NULL,
  author_name text,
  author_roles text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(license_id, customer_id) = 1)
);
CREATE INDEX notes_by_customer ON notes (customer_id, id) WHERE customer_id IS NOT NULL;
CREATE INDEX notes_by_license ON notes (license_id, id) WHERE license_id IS NOT NULL;
CREATE INDEX notes_by_owner ON notes USING gin (owner_ids);

-- Saved views of the list of licenses: of one who saved them, or shared with everybody.
-- Written by: notes, access, privacy.
CREATE TABLE license_views (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  filter jsonb NOT NULL,
  expires_within_days integer,
  sort_order text,
  columns text[],
  is_shared boolean NOT NULL,
  author_type text NOT NULL CHECK (author_type IN ('api_key', 'person')),
  author_id text COLLATE "C" NOT NULL,
  author_name text,
  author_roles text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX license_views_by_author ON license_views (author_type, author_id, id);
CREATE INDEX license_views_shared ON license_views (id) WHERE is_shared;

-- Usage events, one row for each `event_id` that was ever counted: the primary key counts a repeat once, whatever
-- happened to its Idempotency-Key. The owner of then stands beside the amount, so that a report needs no join and
-- does not change when a license is transferred.
-- Written by: metering.
CREATE TABLE usage_records (
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  feature_id text COLLATE "C" NOT NULL REFERENCES features,
  event_id text NOT NULL,
  amount bigint NOT NULL,
  device_id text COLLATE "C" REFERENCES devices,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  id text COLLATE "C" NOT NULL,
  feature_code text NOT NULL,
  total_consumptions bigint NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C",
  order_id text COLLATE "C",
  subscription_id text COLLATE "C",
  request_id text,
  overage bigint CHECK (overage > 0),
  grants jsonb,
  refunded bigint,
  period_start timestamptz,
  counted_at timestamptz DEFAULT clock_timestamp(),
  reported_at timestamp(3) with time zone,
  actor_type text,
  actor_id text,
  dimensions jsonb,
  measured bigint,
  PRIMARY KEY (license_id, feature_id, event_id),
  CONSTRAINT usage_records_refunded_check CHECK (refunded >= 1 AND refunded <= amount)
);
ALTER TABLE usage_records ADD CONSTRAINT usage_records_counted_check CHECK (amount >= 1 OR measured IS NOT NULL) NOT VALID;
ALTER TABLE usage_records ADD CONSTRAINT usage_records_measured_check CHECK (measured >= 0) NOT VALID;
CREATE INDEX usage_records_by_actor ON usage_records (actor_id, created_at) WHERE actor_id IS NOT NULL;
CREATE INDEX usage_records_by_actor_type ON usage_records (actor_type, created_at) WHERE actor_id IS NOT NULL;
CREATE INDEX usage_records_by_customer_id ON usage_records (customer_id, created_at) WHERE customer_id IS NOT NULL;
CREATE INDEX usage_records_by_feature_code ON usage_records (feature_code, created_at);
CREATE INDEX usage_records_by_license_id ON usage_records (license_id, created_at);
CREATE INDEX usage_records_by_order_id ON usage_records (order_id, created_at) WHERE order_id IS NOT NULL;
CREATE INDEX usage_records_by_product_id ON usage_records (product_id, created_at);
CREATE INDEX usage_records_by_request_id ON usage_records (request_id, created_at) WHERE request_id IS NOT NULL;
CREATE INDEX usage_records_by_subscription_id ON usage_records (subscription_id, created_at) WHERE subscription_id IS
  NOT NULL;
CREATE INDEX usage_records_by_time ON usage_records (created_at) INCLUDE (amount, overage);
COMMENT ON COLUMN usage_records.id IS 'the id of the event';
COMMENT ON COLUMN usage_records.total_consumptions IS 'of the feature of the license, after this use';
COMMENT ON COLUMN usage_records.overage IS 'how much of the amount lies over the quota; NULL when none does';
COMMENT ON COLUMN usage_records.grants IS 'the units that the use took of each grant';
COMMENT ON COLUMN usage_records.period_start IS
  'of the quota, when the use was counted; -infinity without a period, NULL in records of earlier releases';
COMMENT ON COLUMN usage_records.reported_at IS
  'when a use was counted whose created_at a backend has named; NULL where that is when it was counted';
COMMENT ON COLUMN usage_records.actor_id IS 'who reported the use; NULL where it is the license';
COMMENT ON COLUMN usage_records.measured IS 'the amount that the caller named; NULL where it is the amount that counts';

-- Without these statistics the planner expects a separate hour for every instant, and sorts a month of rows.
CREATE STATISTICS usage_records_hours
  ON date_bin('01:00:00'::interval, created_at, '2000-01-01 00:00:00+00'::timestamptz) FROM usage_records;

-- Resets and refunds of usage, beside the usage events that they correct.
-- Written by: licenses.
CREATE TABLE usage_corrections (
  id text COLLATE "C" PRIMARY KEY,
  action text NOT NULL CHECK (action IN ('license.usage_reset', 'license.feature_removed')),
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  feature_id text COLLATE "C" NOT NULL REFERENCES features,
  feature_code text NOT NULL,
  amount bigint NOT NULL,
  total_consumptions bigint NOT NULL,
  max_consumptions bigint,
  product_id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C",
  order_id text COLLATE "C",
  subscription_id text COLLATE "C",
  request_id text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  refund_of text,
  grants jsonb,
  counted_at timestamptz DEFAULT clock_timestamp(),
  settles_from timestamptz,
  settled_count bigint
);
CREATE INDEX usage_corrections_by_customer_id ON usage_corrections (customer_id, created_at) WHERE customer_id IS NOT
  NULL;
CREATE INDEX usage_corrections_by_feature_code ON usage_corrections (feature_code, created_at);
CREATE INDEX usage_corrections_by_license_id ON usage_corrections (license_id, created_at);
CREATE INDEX usage_corrections_by_order_id ON usage_corrections (order_id, created_at) WHERE order_id IS NOT NULL;
CREATE INDEX usage_corrections_by_product_id ON usage_corrections (product_id, created_at);
CREATE INDEX usage_corrections_by_request_id ON usage_corrections (request_id, created_at) WHERE request_id IS NOT NULL;
CREATE INDEX usage_corrections_by_subscription_id ON usage_corrections (subscription_id, created_at) WHERE
  subscription_id IS NOT NULL;
CREATE INDEX usage_corrections_by_time ON usage_corrections (created_at) INCLUDE (amount);
CREATE INDEX usage_corrections_of_feature ON usage_corrections (license_id, feature_id, created_at) WHERE amount <> 0
  AND refund_of IS NULL;
COMMENT ON COLUMN usage_corrections.amount IS 'by how much the total changed, negative where it fell';
COMMENT ON COLUMN usage_corrections.refund_of IS 'the event_id of the use that was refunded';
COMMENT ON COLUMN usage_corrections.settles_from IS
  'the start of the period whose count it set, -infinity where it set all; NULL in refunds and in rows of earlier releases';

CREATE VIEW usage_ledger AS
  SELECT id, created_at AS occurred_at, 'license.usage_recorded' AS action, license_id, feature_id, feature_code,
    amount, total_consumptions, NULL::bigint AS max_consumptions, device_id, event_id, product_id, customer_id,
    order_id, subscription_id, request_id, overage, dimensions, measured
  FROM usage_records
  UNION ALL
  SELECT id, created_at, action, license_id, feature_id, feature_code, amount, total_consumptions,
    max_consumptions, NULL, NULL, product_id, customer_id, order_id, subscription_id, request_id, NULL, NULL, NULL
  FROM usage_corrections;

-- The digest of a usage event: half of a SHA-256. Neither id of ours has a line feed, so no two are joined alike;
-- and apps choose event_id, so nothing weaker would do. STABLE, as convert_to is, or it would not be inlined.
CREATE FUNCTION usage_key(license_id text, feature_id text, event_id text) RETURNS uuid LANGUAGE sql STABLE
  RETURN encode(substr(sha256(convert_to(license_id || E'\n' || feature_id || E'\n' || event_id, 'UTF8')), 1, 16),
    'hex')::uuid;

-- What is left of a usage event that was deleted by age: enough to count its `event_id` once for ever, and to tell a
-- repeat with another amount. Looked up by usage_pruned().
-- Written by: metering.
CREATE TABLE usage_keys (
  digest uuid PRIMARY KEY,
  amount bigint NOT NULL
);
ALTER TABLE usage_keys ADD CONSTRAINT usage_keys_amount_check CHECK (amount >= 0) NOT VALID;

-- The ones among these usage events that were deleted by age, in the snapshot of its caller. Until something is
-- deleted, which is said by the transaction that does it, no key is looked for. LIMIT has each looked up by itself,
-- however few the planner expects.
CREATE FUNCTION usage_pruned(licenses text[], features text[], events text[])
RETURNS TABLE (license_id text, feature_id text, event_id text, amount bigint) LANGUAGE plpgsql STABLE ROWS 1 AS $$
    BEGIN
      IF EXISTS (SELECT 1 FROM pruned_tables WHERE name = 'usage_records') THEN
        RETURN QUERY
          SELECT u.license, u.feature, u.event, k.amount
          FROM unnest((SELECT licenses), (SELECT features), (SELECT events)) AS u (license, feature, event)
          CROSS JOIN LATERAL (
            SELECT usage_keys.amount FROM usage_keys WHERE digest = usage_key(u.license, u.feature, u.event) LIMIT 1
          ) k;
      END IF;
    END $$;

-- The values that uses of a period had, of features that count each value once. A row holds a digest of one.
-- Written by: terms, retention.
CREATE TABLE usage_values (
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  feature_id text COLLATE "C" NOT NULL REFERENCES features,
  period_start timestamptz NOT NULL,
  digest uuid NOT NULL,
  PRIMARY KEY (license_id, feature_id, digest, period_start)
);
COMMENT ON TABLE usage_values IS
  'the values of a dimension that uses of a period had, of features that count them; digests by usage_key()';

-- The use of a day in one row, kept by the writer of the use under the lock of its license.
-- Written by: metering.
CREATE TABLE usage_days (
  day timestamptz NOT NULL CHECK (day = date_trunc('day', day, 'UTC')),
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  feature_id text COLLATE "C" NOT NULL REFERENCES features,
  customer_id text COLLATE "C",
  feature_code text NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  order_id text COLLATE "C",
  subscription_id text COLLATE "C",
  uses bigint NOT NULL,
  amount numeric NOT NULL,
  first_at timestamp(3) with time zone NOT NULL,
  last_at timestamp(3) with time zone NOT NULL,
  overage numeric,
  CONSTRAINT usage_days_once UNIQUE NULLS NOT DISTINCT (license_id, day, feature_id, customer_id, feature_code)
) WITH (fillfactor = 70);
CREATE INDEX usage_days_by_customer_id ON usage_days (customer_id, day) WHERE customer_id IS NOT NULL;
CREATE INDEX usage_days_by_day ON usage_days (day);
CREATE INDEX usage_days_by_feature_code ON usage_days (feature_code, day);
CREATE INDEX usage_days_by_order_id ON usage_days (order_id, day) WHERE order_id IS NOT NULL;
CREATE INDEX usage_days_by_product_id ON usage_days (product_id, day);
CREATE INDEX usage_days_by_subscription_id ON usage_days (subscription_id, day) WHERE subscription_id IS NOT NULL;

-- Licenses, customers and policies of which it is to be looked whether a threshold of usage is reached: at once, or
-- when a grant or a pool of theirs begins or ends.
-- Written by: warnings, log.
CREATE TABLE usage_watches (
  subject text COLLATE "C" PRIMARY KEY,
  due_at timestamptz NOT NULL,
  fell boolean NOT NULL DEFAULT false,
  turns_at timestamptz,
  rests_until timestamptz,
  asked bigint NOT NULL DEFAULT 0
);
CREATE INDEX usage_watches_due ON usage_watches (due_at);
COMMENT ON COLUMN usage_watches.fell IS
  'whether less may be left than at the last look: then thresholds that are reached are announced';

-- Calls of apps by what was decided about them, counted by the hour with the class of device that the decision read;
-- a new policy is rehearsed with them.
-- Written by: sightings, retention.
CREATE TABLE decided_calls (
  license_id text COLLATE "C" NOT NULL,
  hour timestamptz NOT NULL,
  device text COLLATE "C" NOT NULL,
  operation text NOT NULL,
  result text NOT NULL,
  is_vm boolean NOT NULL,
  is_container boolean NOT NULL,
  calls bigint NOT NULL CHECK (calls > 0),
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  app_version text,
  os text,
  user_id text,
  feature_code text,
  amount bigint,
  remaining bigint,
  shortest_pause bigint,
  longest_pause bigint,
  PRIMARY KEY (license_id, hour, device, operation, result, is_vm)
) WITH (fillfactor = 85);
CREATE INDEX decided_calls_by_hour ON decided_calls (hour);

-- ========== mail: mails to customers ================================================================================

-- Mails that wait to be sent. `secret` is the key or link that a mail shows, sealed. In no backup: none is sent
-- again that was sent after the backup.
-- Written by: mail, privacy, transparency.
CREATE TABLE mails (
  event_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  license_id text COLLATE "C",
  customer_id text COLLATE "C",
  secret bytea,
  key_hash bytea,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  last_reply text,
  created_at timestamptz NOT NULL DEFAULT now(),
  details jsonb,
  last_fault text,
  PRIMARY KEY (event_id, kind, recipient)
);
CREATE INDEX mails_by_customer ON mails (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX mails_by_license ON mails (license_id);
CREATE INDEX mails_due ON mails (due_at);
COMMENT ON COLUMN mails.last_fault IS
  'whose fault the last failure was: us, a moment, or doubt whether it arrived; NULL without one';

-- Texts of mails that are the vendor's own, by kind and language. Without a row a mail is worded as it ships.
-- Written by: mail.
CREATE TABLE mail_templates (
  kind text NOT NULL,
  language text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, language)
);

-- Addresses that get no mails, or no notices: each by a keyed digest, which is all that is left once its customer
-- was erased, and once for each reason.
-- Written by: mail, privacy.
CREATE TABLE mail_suppressions (
  id text COLLATE "C" PRIMARY KEY,
  digest bytea NOT NULL,
  reason text NOT NULL,
  address text,
  reply text,
  customer_id text COLLATE "C",
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (digest, reason)
);
CREATE INDEX mail_suppressions_by_created ON mail_suppressions (created_at, id);

-- ========== delivery: webhooks ======================================================================================

-- Receivers of events. Nodes poll for changed ones a few times a second: `changed_xid` finds them whatever the order
-- of commits.
-- Written by: webhooks, delivery.
CREATE TABLE webhook_endpoints (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  url text NOT NULL,
  event_types text[] NOT NULL,
  is_active boolean NOT NULL,
  disabled_reason text,
  disabled_at timestamptz,
  deleted_at timestamptz,
  changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  headers bytea,
  header_names text[],
  ordered boolean NOT NULL DEFAULT false,
  skipped_seq bigint NOT NULL DEFAULT 0,
  CHECK (NOT (is_active AND (disabled_reason IS NOT NULL OR deleted_at IS NOT NULL)))
);
CREATE INDEX webhook_endpoints_by_change ON webhook_endpoints (changed_xid);
COMMENT ON COLUMN webhook_endpoints.deleted_at IS
  'a deleted endpoint stays a short while, so that every node learns of it, and is then purged';
COMMENT ON COLUMN webhook_endpoints.headers IS 'headers of the receiver by name, sealed JSON; NULL: none';
COMMENT ON COLUMN webhook_endpoints.header_names IS 'their names, which may be shown';
COMMENT ON COLUMN webhook_endpoints.ordered IS 'one delivery at a time, each after the one before was accepted';
COMMENT ON COLUMN webhook_endpoints.skipped_seq IS 'nothing up to here is sent any more: the endpoint went on from now';

-- Secrets that sign deliveries to an endpoint; two while one is being rotated.
-- Written by: webhooks.
CREATE TABLE webhook_secrets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  secret bytea NOT NULL,
  prefix text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz
);
CREATE INDEX webhook_secrets_by_endpoint ON webhook_secrets (endpoint_id, id DESC);
COMMENT ON COLUMN webhook_secrets.secret IS 'sealed under the master key';

-- How far each endpoint has got in the log, and its pace. One row that every advance updates: free space on the page
-- keeps those updates off the indexes (HOT).
-- Written by: delivery, webhooks.
CREATE TABLE webhook_lanes (
  endpoint_id text COLLATE "C" PRIMARY KEY REFERENCES webhook_endpoints ON DELETE CASCADE,
  cursor_seq bigint NOT NULL,
  breaker text NOT NULL DEFAULT 'closed' CHECK (breaker IN ('closed', 'open', 'half_open')),
  probe_at timestamptz,
  probe_count integer NOT NULL DEFAULT 0,
  consecutive_failures integer NOT NULL DEFAULT 0,
  delivered_total bigint NOT NULL DEFAULT 0,
  failed_total bigint NOT NULL DEFAULT 0,
  exhausted_total bigint NOT NULL DEFAULT 0,
  dropped_total bigint NOT NULL DEFAULT 0,
  last_attempt_at timestamptz,
  last_success_at timestamptz,
  failing_since timestamptz,
  failing_deliveries integer NOT NULL DEFAULT 0,
  rest_until timestamptz,
  rate_per_second double precision,
  refusals integer NOT NULL DEFAULT 0,
  throttled_since timestamptz,
  last_class text,
  last_status integer,
  last_location text,
  CHECK (breaker = 'closed' OR probe_at IS NOT NULL)
) WITH (fillfactor = 50);
COMMENT ON COLUMN webhook_lanes.failed_total IS 'failed attempts; exhausted and dropped count deliveries';
COMMENT ON COLUMN webhook_lanes.rest_until IS 'no attempt before this, because the receiver asked for a slower pace';
COMMENT ON COLUMN webhook_lanes.rate_per_second IS
  'the rate that is learned of a receiver which limits it; NULL: unlimited';
COMMENT ON COLUMN webhook_lanes.refusals IS
  'how often in a row the receiver refused for its pace, without a delivery in between';
COMMENT ON COLUMN webhook_lanes.throttled_since IS 'since when the receiver has refused everything for its pace';
COMMENT ON COLUMN webhook_lanes.last_class IS 'how the last attempt ended (WebhookOutcomeClass)';

-- Deliveries that failed and are due again.
-- Written by: delivery, webhooks.
CREATE TABLE webhook_retries (
  endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  seq bigint NOT NULL,
  attempt integer NOT NULL CHECK (attempt >= 1),
  due_at timestamptz NOT NULL,
  first_at timestamptz NOT NULL DEFAULT now(),
  last_at timestamptz NOT NULL DEFAULT now(),
  last_outcome text NOT NULL,
  PRIMARY KEY (endpoint_id, seq)
) WITH (fillfactor = 70);
CREATE INDEX webhook_retries_due ON webhook_retries (endpoint_id, due_at);
COMMENT ON COLUMN webhook_retries.attempt IS 'attempts made so far';

-- What each node measured in each minute; health sums an hour of them, on whichever node it is asked.
-- Written by: delivery.
CREATE TABLE webhook_minutes (
  node text NOT NULL,
  minute timestamptz NOT NULL,
  delivered bigint NOT NULL,
  failed bigint NOT NULL,
  latency bigint[] NOT NULL,
  PRIMARY KEY (minute, node)
);

-- ========== evidence: what is told of the log: activities ===========================================================

-- All events but usage, and refused requests, which are deleted by a rule of their own: what lists and reports of
-- activities read. Every filter has an index that ends in the time.
-- Written by: audit, privacy.
CREATE TABLE activities (
  id text COLLATE "C" PRIMARY KEY,
  occurred_at timestamp(3) with time zone NOT NULL,
  action text NOT NULL,
  source text NOT NULL CHECK (source IN ('management', 'runtime', 'system')),
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  result_class text NOT NULL CHECK (result_class IN ('success', 'refused', 'failed')),
  status_code integer,
  code text,
  resource_type text,
  resource_id text COLLATE "C",
  product_id text COLLATE "C",
  customer_id text COLLATE "C",
  license_id text COLLATE "C",
  order_id text COLLATE "C",
  subscription_id text COLLATE "C",
  device_id text COLLATE "C",
  feature_code text,
  request_id text,
  audit_event_id text COLLATE "C",
  reason text,
  CHECK ((code IS NOT NULL) = (result_class = 'refused'))
);
CREATE INDEX activities_activated ON activities (occurred_at) INCLUDE (product_id) WHERE action = 'license.activated'
  AND result_class = 'success';
CREATE INDEX activities_by_action ON activities (action, occurred_at);
CREATE INDEX activities_by_actor_id ON activities (actor_id, occurred_at) WHERE source = 'management';
CREATE INDEX activities_by_actor_type ON activities (actor_type, occurred_at) WHERE source = 'management';
CREATE INDEX activities_by_customer_id ON activities (customer_id, occurred_at) WHERE customer_id IS NOT NULL;
CREATE INDEX activities_by_feature_code ON activities (feature_code, occurred_at) WHERE feature_code IS NOT NULL;
CREATE INDEX activities_by_license_id ON activities (license_id, occurred_at) WHERE license_id IS NOT NULL;
CREATE INDEX activities_by_order_id ON activities (order_id, occurred_at) WHERE order_id IS NOT NULL;
CREATE INDEX activities_by_product_id ON activities (product_id, occurred_at) WHERE product_id IS NOT NULL;
CREATE INDEX activities_by_request_id ON activities (request_id, occurred_at) WHERE request_id IS NOT NULL;
CREATE INDEX activities_by_resource_id ON activities (resource_id, occurred_at) WHERE resource_type <> 'license';
CREATE INDEX activities_by_resource_type ON activities (resource_type, occurred_at) WHERE resource_type <> 'license';
CREATE INDEX activities_by_result_class ON activities (result_class, occurred_at);
CREATE INDEX activities_by_source ON activities (source, occurred_at);
CREATE INDEX activities_by_status_code ON activities (status_code, occurred_at) WHERE status_code IS NOT NULL;
CREATE INDEX activities_by_subscription_id ON activities (subscription_id, occurred_at) WHERE subscription_id IS NOT
  NULL;
CREATE INDEX activities_by_time ON activities (occurred_at);
CREATE INDEX activities_ended ON activities (occurred_at) INCLUDE (product_id) WHERE (action IN ('license.expired',
  'license.revoked')) AND result_class = 'success';
CREATE INDEX activities_issued ON activities (occurred_at) INCLUDE (product_id) WHERE action = 'license.created' AND
  result_class = 'success';
CREATE INDEX activities_quota_reached ON activities (occurred_at) INCLUDE (feature_code, product_id) WHERE action =
  'license.quota_reached';
CREATE INDEX activities_refused ON activities (occurred_at) INCLUDE (code, product_id) WHERE result_class = 'refused';
CREATE INDEX activities_refused_to_management ON activities (occurred_at) WHERE source = 'management' AND result_class =
  'refused';

CREATE STATISTICS activities_filters (mcv) ON action, source, result_class, status_code FROM activities;

-- ========== sales: purchases at payment providers ===================================================================

-- Connections to payment providers, with their mapping of prices to policies. `credentials` are sealed.
-- Written by: billing, webhooks.
CREATE TABLE billing_connections (
  id text COLLATE "C" PRIMARY KEY,
  provider text NOT NULL,
  name text NOT NULL,
  mapping jsonb NOT NULL,
  credentials bytea,
  has_secret boolean NOT NULL,
  has_api_key boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  customer_portal_url text,
  records_as text
);

-- What a provider has sent. The body is read again whenever its purchase is looked at, until `facts` takes its
-- place.
-- Written by: billing, purchases.
CREATE TABLE billing_events (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  connection_id text COLLATE "C" NOT NULL REFERENCES billing_connections,
  event_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  occurred_at text COLLATE "C" NOT NULL,
  api_version text,
  body bytea,
  is_routed boolean NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  facts json,
  CONSTRAINT billing_events_facts_check CHECK ((body IS NULL) <> (facts IS NULL)),
  UNIQUE (connection_id, event_id)
);
CREATE INDEX billing_events_by_age ON billing_events (received_at) WHERE body IS NOT NULL;
CREATE INDEX billing_events_by_connection ON billing_events (connection_id, sequence DESC);
CREATE INDEX billing_events_silent ON billing_events (sequence) WHERE body IS NULL AND json_array_length(facts) = 0;
CREATE INDEX billing_events_to_route ON billing_events (sequence) WHERE NOT is_routed;
CREATE INDEX billing_events_with_body ON billing_events (sequence) WHERE body IS NOT NULL;

-- Which objects of the provider an event is about.
-- Written by: billing.
CREATE TABLE billing_event_objects (
  connection_id text COLLATE "C" NOT NULL,
  object text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (connection_id, object, sequence),
  FOREIGN KEY (sequence) REFERENCES billing_events(sequence) ON DELETE CASCADE
);
CREATE INDEX billing_event_objects_by_event ON billing_event_objects (sequence);

-- Which object of the provider belongs to which purchase, as events told.
-- Written by: billing.
CREATE TABLE billing_links (
  connection_id text COLLATE "C" NOT NULL REFERENCES billing_connections,
  about text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  PRIMARY KEY (connection_id, about, target)
);
CREATE INDEX billing_links_by_target ON billing_links (connection_id, target);

-- Payers who were erased, by keyed hashes of their names: nobody finds by them who it was, but an event that tells
-- of them again.
-- Written by: billing.
CREATE TABLE erased_payers (
  digest bytea PRIMARY KEY,
  erased_at timestamptz NOT NULL DEFAULT now()
);

-- Purchases as the provider last told of them, and what holds one up.
-- Written by: purchases.
CREATE TABLE purchases (
  id text COLLATE "C" PRIMARY KEY,
  connection_id text COLLATE "C" NOT NULL REFERENCES billing_connections,
  name text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('new', 'done', 'waiting', 'failed')),
  state jsonb,
  holds jsonb NOT NULL DEFAULT '[]'::jsonb,
  failure jsonb,
  customer_id text COLLATE "C" REFERENCES customers,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  tried bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  read_at timestamptz,
  read_failure jsonb,
  has_moved_in boolean,
  UNIQUE (connection_id, name)
);
CREATE INDEX purchases_by_begin ON purchases (((state ->> 'began_at')) COLLATE "C");
CREATE INDEX purchases_by_created ON purchases (created_at, id);
CREATE INDEX purchases_by_customer ON purchases (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX purchases_by_end ON purchases (COALESCE((state ->> 'ended_at'), 'infinity') COLLATE "C");
CREATE INDEX purchases_by_payer ON purchases (((state #>> '{payer,id}'::text[])));
CREATE INDEX purchases_by_status ON purchases (status, id DESC) WHERE status <> 'done';
CREATE INDEX purchases_by_updated ON purchases (updated_at, id);

-- The licenses of a purchase. The primary key gives each item of a purchase one license, whatever happens.
-- Written by: purchases, billing, licenses.
CREATE TABLE purchase_licenses (
  purchase_id text COLLATE "C" NOT NULL REFERENCES purchases,
  item text COLLATE "C" NOT NULL,
  index integer NOT NULL,
  license_id text COLLATE "C" NOT NULL REFERENCES licenses,
  stopped text,
  is_adopted boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  said jsonb,
  is_suspended_by_person boolean,
  PRIMARY KEY (purchase_id, item, index)
);
CREATE INDEX purchase_licenses_by_license ON purchase_licenses (license_id);
CREATE UNIQUE INDEX purchase_licenses_held_once ON purchase_licenses (license_id) WHERE NOT is_adopted;

-- Units that purchases have bought. The primary key gives each payment its units once, whichever connection was told
-- of it; `number` counts how often they were given, again where they had been taken back.
-- Written by: purchases.
CREATE TABLE purchase_units (
  system text COLLATE "C" NOT NULL,
  bill text COLLATE "C" NOT NULL,
  part text COLLATE "C" NOT NULL,
  feature_id text COLLATE "C" NOT NULL REFERENCES features,
  number integer NOT NULL,
  purchase_id text COLLATE "C" NOT NULL REFERENCES purchases,
  license_id text COLLATE "C" REFERENCES licenses,
  customer_id text COLLATE "C" REFERENCES customers,
  grant_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  taken_by text COLLATE "C" REFERENCES purchases,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (system, bill, part, feature_id, number),
  CHECK ((license_id IS NULL) <> (customer_id IS NULL))
);
CREATE INDEX purchase_units_by_customer ON purchase_units (customer_id);
CREATE INDEX purchase_units_by_feature ON purchase_units (feature_id);
CREATE INDEX purchase_units_by_license ON purchase_units (license_id);
CREATE INDEX purchase_units_by_purchase ON purchase_units (purchase_id);
COMMENT ON COLUMN purchase_units.taken_by IS 'the purchase that took back what was left, because the money was back';

-- Purchases to look at. Whoever wants it adds a row and waits for nobody; who has looked deletes those it saw.
-- Written by: purchases, billing, lifecycle.
CREATE TABLE purchase_work (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  purchase_id text COLLATE "C" NOT NULL REFERENCES purchases,
  is_read boolean NOT NULL DEFAULT false
);
CREATE INDEX purchase_work_by_purchase ON purchase_work (purchase_id, id);

-- Comparisons with all that a provider has: queued -> running -> done or failed, and back to queued while the
-- provider is waited for. `attempt` counts the claims and fences off a stale one; `paths` is what is left to be
-- read.
-- Written by: reconciling.
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
  CONSTRAINT billing_reconciliations_check1 CHECK ((status IN ('done', 'failed')) = (finished_at IS NOT NULL))
);
CREATE INDEX billing_reconciliations_by_connection ON billing_reconciliations (connection_id, id DESC);
CREATE UNIQUE INDEX billing_reconciliations_under_way ON billing_reconciliations (connection_id) WHERE status IN
  ('queued', 'running');

-- What a reconciliation found of a purchase, and of a dry run what it foresees.
-- Written by: reconciling.
CREATE TABLE billing_reconciliation_purchases (
  reconciliation_id text COLLATE "C" NOT NULL REFERENCES billing_reconciliations ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  finding text NOT NULL CHECK (finding IN ('same', 'missing', 'differs', 'unknown')),
  members text[] NOT NULL,
  foreseen jsonb,
  PRIMARY KEY (reconciliation_id, name)
);

-- ========== jobs: actions on many licenses ==========================================================================

-- Actions on many licenses. One who asks has one job running at a time, and a job is repeated once.
-- Written by: jobs, privacy.
CREATE TABLE jobs (
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
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'stopped', 'failed')),
  failure jsonb,
  repeats text COLLATE "C",
  counts jsonb,
  worked_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  CONSTRAINT jobs_ended_check CHECK ((state = 'running') = (ended_at IS NULL))
);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_repeated ON jobs (repeats) WHERE repeats IS NOT NULL;
CREATE UNIQUE INDEX jobs_running ON jobs (author_type, author_id) WHERE state = 'running';

-- The licenses of a job. The outcome is written by the transaction that changes the license, so that none is changed
-- twice.
-- Written by: jobs.
CREATE TABLE job_rows (
  job_id text COLLATE "C" NOT NULL REFERENCES jobs ON DELETE CASCADE,
  "position" integer NOT NULL,
  license_id text COLLATE "C" NOT NULL,
  outcome text CHECK (outcome IN ('done', 'skipped', 'failed')),
  failure jsonb,
  PRIMARY KEY (job_id, "position")
);
CREATE INDEX job_rows_by_license ON job_rows (license_id);
CREATE INDEX job_rows_pending ON job_rows (job_id, "position") WHERE outcome IS NULL;

-- ========== evidence: frozen exports of reports =====================================================================

-- Exports: queued -> running -> ready -> expired; queued or running -> failed -> queued by a retry. `attempt` counts
-- the claims and fences off a stale worker: a write requires that it is unchanged. A claim lasts until
-- `leased_until`.
-- Written by: exports, privacy.
CREATE TABLE report_exports (
  id text COLLATE "C" PRIMARY KEY,
  report_kind text NOT NULL,
  format text NOT NULL CHECK (format IN ('json', 'csv', 'pdf')),
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'ready', 'failed', 'expired')),
  filters jsonb NOT NULL,
  created_by text NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  leased_until timestamptz,
  progress_rows bigint NOT NULL DEFAULT 0,
  progress_total bigint,
  as_of_sequence bigint,
  checkpoint jsonb,
  digest text,
  snapshot_size bigint,
  seal jsonb,
  artifact_digest text,
  artifact_size bigint,
  manifest text,
  manifest_signature jsonb,
  failure jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  frozen_at timestamptz,
  ready_at timestamptz,
  expires_at timestamptz,
  expired_reason text CHECK (expired_reason IN ('retention', 'customer_erased')),
  names_recorded boolean NOT NULL DEFAULT false,
  is_large boolean NOT NULL DEFAULT false,
  time_zone text CHECK (length(time_zone) >= 1 AND length(time_zone) <= 64),
  product_ids text[] COLLATE "C" CHECK (cardinality(product_ids) > 0),
  CHECK ((status = 'running') = (leased_until IS NOT NULL)),
  CONSTRAINT report_exports_check1 CHECK ((status = 'failed') = (failure IS NOT NULL)),
  CONSTRAINT report_exports_check2 CHECK ((status = 'expired') = (expired_reason IS NOT NULL)),
  CONSTRAINT report_exports_check3 CHECK ((digest IS NULL) = (seal IS NULL)),
  CONSTRAINT report_exports_check4 CHECK ((manifest IS NOT NULL) = (status IN ('ready', 'expired')))
);
CREATE INDEX report_exports_by_kind ON report_exports (report_kind, id DESC);
CREATE INDEX report_exports_by_status ON report_exports (status, id DESC);
CREATE INDEX report_exports_due ON report_exports (due_at) WHERE status = 'queued';
CREATE INDEX report_exports_ending ON report_exports (expires_at) WHERE status = 'ready';
CREATE INDEX report_exports_running ON report_exports (leased_until) WHERE status = 'running';
COMMENT ON COLUMN report_exports.tries IS 'claims since it was created or a person had it retried';
COMMENT ON COLUMN report_exports.manifest IS 'canonical JSON, as it was signed';
COMMENT ON COLUMN report_exports.names_recorded IS
  'whether report_export_customers holds everybody whom the snapshot names';
COMMENT ON COLUMN report_exports.product_ids IS
  'all that it may tell of: those of the limited key that made it; NULL: all';

-- The snapshot and the file of an export, in pieces; `start_at` is the offset of a piece in its part. A JSON export
-- has no part `artifact`: its file is the snapshot.
-- Written by: exports.
CREATE TABLE report_export_pieces (
  export_id text COLLATE "C" NOT NULL REFERENCES report_exports ON DELETE CASCADE,
  part text NOT NULL CHECK (part IN ('snapshot', 'artifact')),
  start_at bigint NOT NULL CHECK (start_at >= 0),
  bytes bytea NOT NULL CHECK (octet_length(bytes) > 0),
  encoding text CHECK (encoding = 'br'),
  PRIMARY KEY (export_id, part, start_at)
);
ALTER TABLE report_export_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
COMMENT ON COLUMN report_export_pieces.encoding IS
  'how bytes are encoded: br (Brotli, RFC 7932), or NULL for not at all; start_at counts what was encoded';

-- Customers whom an export names, so that it ends with their erasure.
-- Written by: exports.
CREATE TABLE report_export_customers (
  customer_id text COLLATE "C" NOT NULL,
  export_id text COLLATE "C" NOT NULL REFERENCES report_exports ON DELETE CASCADE,
  PRIMARY KEY (customer_id, export_id)
);
CREATE INDEX report_export_customers_by_export ON report_export_customers (export_id);

-- Who downloaded an export in which hour: repeated downloads count once.
-- Written by: exports.
CREATE TABLE report_export_downloads (
  export_id text COLLATE "C" NOT NULL REFERENCES report_exports ON DELETE CASCADE,
  actor_id text NOT NULL,
  hour timestamptz NOT NULL,
  PRIMARY KEY (export_id, actor_id, hour)
);

-- ========== portal: customers who look after their licenses themselves ==============================================

-- Links by which customers sign in, one for each address, which only a keyed hash tells. In no backup.
-- Written by: portal, mail.
CREATE TABLE portal_links (
  address_hash bytea PRIMARY KEY,
  token_hash bytea NOT NULL,
  browser_hash bytea,
  code_hash bytea,
  customer_ids text[] NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  opener_type text CHECK (opener_type IN ('api_key', 'person')),
  opener_id text COLLATE "C",
  CONSTRAINT portal_links_opener_id_check CHECK ((opener_id IS NULL) = (opener_type IS NULL))
);
CREATE UNIQUE INDEX portal_links_by_browser ON portal_links (browser_hash) WHERE browser_hash IS NOT NULL;
CREATE UNIQUE INDEX portal_links_by_token ON portal_links (token_hash);

-- Signed-in customers: of one license, by the keyed hash of the key that opened it and for as long as that is its
-- key; or of the customers whose address a link was sent to. In no backup.
-- Written by: portal, lifecycle.
CREATE TABLE portal_sessions (
  token_hash bytea PRIMARY KEY,
  license_id text COLLATE "C",
  key_hash bytea,
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  address_hash bytea,
  customer_ids text[] CHECK (cardinality(customer_ids) >= 1),
  customer_id text,
  opener_type text CHECK (opener_type IN ('api_key', 'person')),
  opener_id text COLLATE "C",
  CONSTRAINT portal_sessions_opener_id_check CHECK ((opener_id IS NULL) = (opener_type IS NULL))
);
CREATE INDEX portal_sessions_by_end ON portal_sessions (expires_at);
