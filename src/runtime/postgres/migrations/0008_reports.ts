import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The tables that activities and reports read. A metered use stores its owner at that time beside its amount, so that a
 * report needs no join and does not change when a license is transferred. Corrections are in a table of their own, and
 * `usage_ledger` combines both. `activities` holds all other events, and refused requests.
 *
 * `created_at` and `occurred_at` are those of the event, to the millisecond. Every filter has an index that ends in the
 * time, so that a page costs the same wherever it is; rows of one instant are sorted by id when read.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE activities (
      id text COLLATE "C" PRIMARY KEY,
      occurred_at timestamptz(3) NOT NULL,
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
      CHECK ((code IS NOT NULL) = (result_class = 'refused'))
    )`
  yield* sql`CREATE INDEX activities_by_time ON activities (occurred_at)`
  // Refused requests are purged by a rule of their own.
  yield* sql`CREATE INDEX activities_refused ON activities (occurred_at) WHERE result_class = 'refused'`
  for (const column of ["action", "source", "result_class"]) {
    yield* sql`CREATE INDEX ${sql(`activities_by_${column}`)} ON activities (${sql(column)}, occurred_at)`
  }
  for (
    const column of [
      "status_code",
      "product_id",
      "customer_id",
      "license_id",
      "order_id",
      "subscription_id",
      "feature_code",
      "request_id"
    ]
  ) {
    yield* sql`
      CREATE INDEX ${sql(`activities_by_${column}`)} ON activities (${sql(column)}, occurred_at)
        WHERE ${sql(column)} IS NOT NULL`
  }

  // The time of the event, to the millisecond.
  yield* sql`
    ALTER TABLE usage_records
      ALTER COLUMN created_at TYPE timestamptz(3),
      ADD COLUMN id text COLLATE "C",
      ADD COLUMN feature_code text,
      ADD COLUMN total_consumptions bigint,
      ADD COLUMN product_id text COLLATE "C",
      ADD COLUMN customer_id text COLLATE "C",
      ADD COLUMN order_id text COLLATE "C",
      ADD COLUMN subscription_id text COLLATE "C",
      ADD COLUMN request_id text`
  yield* sql`COMMENT ON COLUMN usage_records.id IS 'the id of the event'`
  yield* sql`COMMENT ON COLUMN usage_records.total_consumptions IS 'of the feature of the license, after this use'`

  yield* sql`
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
      created_at timestamptz(3) NOT NULL DEFAULT now()
    )`
  yield* sql`COMMENT ON COLUMN usage_corrections.amount IS 'by how much the total changed, negative where it fell'`

  // One row sums a day of use, maintained by the writer of the use, so that a report over days need not scan single
  // uses. The license is locked by then, so writers do not wait for each other here.
  yield* sql`
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
      first_at timestamptz(3) NOT NULL,
      last_at timestamptz(3) NOT NULL,
      UNIQUE NULLS NOT DISTINCT (license_id, day, feature_id, customer_id)
    ) WITH (fillfactor = 70)`

  yield* backfill

  yield* sql`
    ALTER TABLE usage_records
      ALTER COLUMN id SET NOT NULL,
      ALTER COLUMN feature_code SET NOT NULL,
      ALTER COLUMN total_consumptions SET NOT NULL,
      ALTER COLUMN product_id SET NOT NULL`

  for (const table of ["usage_records", "usage_corrections"]) {
    // Includes the amount, so that use in buckets of an hour is read from the index alone.
    yield* sql`CREATE INDEX ${sql(`${table}_by_time`)} ON ${sql(table)} (created_at) INCLUDE (amount)`
    for (const column of ["license_id", "product_id", "feature_code"]) {
      yield* sql`CREATE INDEX ${sql(`${table}_by_${column}`)} ON ${sql(table)} (${sql(column)}, created_at)`
    }
    for (const column of ["customer_id", "order_id", "subscription_id", "request_id"]) {
      yield* sql`
        CREATE INDEX ${sql(`${table}_by_${column}`)} ON ${sql(table)} (${sql(column)}, created_at)
          WHERE ${sql(column)} IS NOT NULL`
    }
  }

  // Without these statistics the planner expects a separate hour for every instant, and sorts a month of rows.
  yield* sql`
    CREATE STATISTICS usage_records_hours
      ON (date_bin('1 hour', created_at, '2000-01-01T00:00:00Z')) FROM usage_records`

  yield* sql`CREATE INDEX usage_days_by_day ON usage_days (day)`
  for (const column of ["product_id", "feature_code"]) {
    yield* sql`CREATE INDEX ${sql(`usage_days_by_${column}`)} ON usage_days (${sql(column)}, day)`
  }
  for (const column of ["customer_id", "order_id", "subscription_id"]) {
    yield* sql`
      CREATE INDEX ${sql(`usage_days_by_${column}`)} ON usage_days (${sql(column)}, day)
        WHERE ${sql(column)} IS NOT NULL`
  }

  yield* sql`
    CREATE VIEW usage_ledger AS
      SELECT id, created_at AS occurred_at, 'license.usage_recorded' AS action, license_id, feature_id, feature_code,
        amount, total_consumptions, NULL::bigint AS max_consumptions, device_id, event_id, product_id, customer_id,
        order_id, subscription_id, request_id
      FROM usage_records
      UNION ALL
      SELECT id, created_at, action, license_id, feature_id, feature_code, amount, total_consumptions,
        max_consumptions, NULL, NULL, product_id, customer_id, order_id, subscription_id, request_id
      FROM usage_corrections`
})

/** Fills the tables from the log for the time before this migration. */
const backfill = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // In the order of events; those that wait for their place in the feed are the newest.
  yield* sql`
    CREATE TEMPORARY TABLE past ON COMMIT DROP AS
      SELECT place, e.id, e.event_type, e.actor_type, e.actor_id, e.resource_type, e.resource_id, e.request_id,
        e.created_at, e.data::jsonb AS data, e.metadata::jsonb AS metadata
      FROM (
        SELECT sequence AS place, id, event_type, actor_type, actor_id, resource_type, resource_id, request_id,
          created_at, data, metadata FROM events
        UNION ALL
        SELECT 9000000000000000000 + ordinal, id, event_type, actor_type, actor_id, resource_type, resource_id,
          request_id, created_at, data, metadata FROM event_outbox
      ) e`
  yield* sql`CREATE INDEX ON past (resource_id, place) WHERE event_type IN ('license.created', 'license.transferred')`
  yield* sql`ANALYZE past`

  const owner = sql`
    (SELECT o.data ->> 'customer_id' FROM past o
      WHERE o.resource_id = l.id AND o.event_type IN ('license.created', 'license.transferred') AND o.place <= p.place
      ORDER BY o.place DESC LIMIT 1)`

  yield* sql`
    UPDATE usage_records u SET id = p.id, created_at = p.created_at, feature_code = p.data ->> 'feature_code',
      total_consumptions = (p.data ->> 'total_consumptions')::int8, product_id = l.product_id,
      customer_id = ${owner}, order_id = l.order_id, subscription_id = l.subscription_id, request_id = p.request_id
    FROM past p, licenses l
    WHERE p.event_type = 'license.usage_recorded' AND l.id = p.resource_id AND u.license_id = p.resource_id
      AND u.feature_id = p.data ->> 'feature_id' AND u.event_id = p.data ->> 'event_id'`

  yield* sql`
    INSERT INTO usage_days (day, license_id, feature_id, customer_id, feature_code, product_id, order_id,
      subscription_id, uses, amount, first_at, last_at)
    SELECT date_trunc('day', created_at, 'UTC'), license_id, feature_id, customer_id, min(feature_code),
      min(product_id), min(order_id), min(subscription_id), count(*), sum(amount), min(created_at), max(created_at)
    FROM usage_records GROUP BY 1, 2, 3, 4`

  yield* sql`
    INSERT INTO usage_corrections (id, action, license_id, feature_id, feature_code, amount, total_consumptions,
      max_consumptions, product_id, customer_id, order_id, subscription_id, request_id, created_at)
    SELECT p.id, p.event_type, p.resource_id, p.data ->> 'feature_id', p.data ->> 'feature_code',
      p.total - coalesce(p.before, 0), p.total, (p.data ->> 'max_consumptions')::int8, l.product_id, ${owner},
      l.order_id, l.subscription_id, p.request_id, p.created_at
    FROM (
      SELECT *, lag(total) OVER (PARTITION BY resource_id, data ->> 'feature_id' ORDER BY place) AS before
      FROM (
        SELECT *, CASE event_type WHEN 'license.feature_removed' THEN 0
          ELSE (data ->> 'total_consumptions')::int8 END AS total
        FROM past
        WHERE event_type IN ('license.usage_recorded', 'license.usage_reset', 'license.feature_assigned',
          'license.feature_removed')
      ) t
    ) p JOIN licenses l ON l.id = p.resource_id
    WHERE p.event_type IN ('license.usage_reset', 'license.feature_removed')`

  yield* sql`
    INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class, status_code,
      resource_type, resource_id, product_id, customer_id, license_id, order_id, subscription_id, device_id,
      feature_code, request_id, audit_event_id)
    SELECT 'act_' || substr(p.id, 5), p.created_at, p.event_type,
      CASE p.actor_type WHEN 'system' THEN 'system' WHEN 'license' THEN 'runtime' ELSE 'management' END,
      p.actor_type, p.actor_id,
      CASE WHEN p.event_type IN ('webhook.delivery_exhausted', 'report_export.failed') THEN 'failed' ELSE 'success' END,
      CASE WHEN p.request_id IS NULL THEN NULL WHEN p.event_type LIKE '%.created' THEN 201
        WHEN p.event_type LIKE '%.deleted' OR p.event_type = 'license.feature_removed' THEN 204 ELSE 200 END,
      p.resource_type, p.resource_id,
      CASE p.resource_type WHEN 'product' THEN p.resource_id ELSE coalesce(p.data ->> 'product_id', l.product_id) END,
      CASE p.resource_type WHEN 'customer' THEN p.resource_id
        WHEN 'license' THEN ${owner} WHEN 'device' THEN ${owner} WHEN 'lease' THEN ${owner}
        ELSE p.data ->> 'customer_id' END,
      l.id,
      CASE p.resource_type WHEN 'order' THEN p.resource_id ELSE coalesce(p.metadata ->> 'order_id', l.order_id) END,
      CASE p.resource_type WHEN 'subscription' THEN p.resource_id
        ELSE coalesce(p.metadata ->> 'subscription_id', p.data ->> 'subscription_id', l.subscription_id) END,
      CASE p.resource_type WHEN 'device' THEN p.resource_id
        ELSE coalesce(p.data ->> 'device_id', p.data -> 'device' ->> 'id') END,
      CASE p.resource_type WHEN 'feature' THEN p.data ->> 'code' ELSE p.data ->> 'feature_code' END,
      p.request_id, p.id
    FROM past p LEFT JOIN licenses l
      ON l.id = CASE p.resource_type WHEN 'license' THEN p.resource_id ELSE p.data ->> 'license_id' END
    WHERE p.event_type <> 'license.usage_recorded'`
})
