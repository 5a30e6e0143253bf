/** A use that was counted before. A license counts each `event_id` of a feature once. */
export interface CountedRow {
  readonly license_id: string
  readonly feature_id: string
  readonly event_id: string
  readonly amount: bigint
}

/** Reads the uses that were counted before; its parameters are arrays of licenses, features and `event_id`s. */
export const countedQuery = `
  SELECT license_id, feature_id, event_id, amount FROM usage_records
  WHERE (license_id, feature_id, event_id) IN (SELECT * FROM unnest($1::text[],
    $2::text[], $3::text[]))`

/**
 * Records uses, and adds them to the daily roll-up. Its parameters are arrays, one for each member of a use. Product,
 * customer, order and subscription come from the license.
 */
export const recordUsesQuery = `
  WITH used AS (
  INSERT INTO usage_records (id, license_id, feature_id, feature_code, event_id, amount, total_consumptions,
    device_id, request_id, product_id, customer_id, order_id, subscription_id)
  SELECT u.id, u.license_id, u.feature_id, u.feature_code, u.event_id, u.amount, u.total, u.device_id,
    nullif(u.request_id, ''), l.product_id, l.customer_id, l.order_id, l.subscription_id
  FROM unnest($1::text[], $2::text[],
    $3::text[], $4::text[],
    $5::text[], $6::int8[],
    $7::int8[],
    $8::text[], $9::text[]
  ) AS u (id, license_id, feature_id, feature_code, event_id, amount, total, device_id, request_id)
  JOIN licenses l ON l.id = u.license_id
  RETURNING *
  )
  INSERT INTO usage_days AS d (day, license_id, feature_id, customer_id, feature_code, product_id, order_id,
    subscription_id, uses, amount, first_at, last_at)
  SELECT date_trunc('day', created_at, 'UTC') AS day, license_id, feature_id, customer_id, feature_code,
    product_id, order_id, subscription_id, count(*), sum(amount), min(created_at), max(created_at)
  FROM used
  GROUP BY day, license_id, feature_id, customer_id, feature_code, product_id, order_id, subscription_id
  ON CONFLICT (license_id, day, feature_id, customer_id, feature_code) DO UPDATE SET uses = d.uses + excluded.uses,
    amount = d.amount + excluded.amount, first_at = least(d.first_at, excluded.first_at),
    last_at = greatest(d.last_at, excluded.last_at)`

/** Adds amounts to the counters of features; its parameters are arrays of licenses, features and amounts. */
export const addToFeaturesQuery = `
  UPDATE license_features a SET total_consumptions = a.total_consumptions + v.amount, updated_at = now()
  FROM unnest($1::text[], $2::text[], $3::int8[]) AS v (license_id, feature_id, amount)
  WHERE a.license_id = v.license_id AND a.feature_id = v.feature_id`

/** Adds amounts to the counters of licenses; its parameters are their maximum, and arrays of licenses and amounts. */
export const addToLicensesQuery = `
  UPDATE licenses l SET total_consumptions = least(l.total_consumptions + v.amount, $1)
  FROM unnest($2::text[], $3::int8[])
    AS v (id, amount)
  WHERE l.id = v.id`
