import { Effect } from "effect"
import type { Dimensions } from "../../../domain/catalog/Dimensions.ts"
import type { EffectiveFeature } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import type { GrantBalance, TakenUnits } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { ReachedThreshold } from "../../../domain/catalog/terms/QuotaThresholds.ts"
import type { LicenseOwner } from "../../../domain/licensing/metering/PastTerms.ts"
import type { AuditActorType } from "../../../domain/log/EventKind.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

/** A use that was counted before. A license counts each `event_id` of a feature once. */
export interface CountedRow {
  readonly license_id: string
  readonly feature_id: string
  readonly event_id: string
  readonly amount: bigint
}

/**
 * Reads the uses that were counted before; its parameters are arrays of licenses, features and `event_id`s.
 *
 * The keys of pruned uses are read in the same snapshot, and {@link pruneUsesQuery} moves them in one transaction: so
 * each use is seen in exactly one of both tables, whenever it moves. No index keeps a pruned `event_id` from being
 * recorded again. The lock on the license does: whoever records a use holds it, and this statement begins only after it
 * was granted, READ COMMITTED, so it sees every use that was recorded before.
 *
 * The function has a plan of its own, which is not made anew with that of the statement.
 */
export const countedQuery = `
  -- name: usage_records.list counted
  SELECT license_id, feature_id, event_id, coalesce(measured, amount) AS amount FROM usage_records
  WHERE (license_id, feature_id, event_id) IN (SELECT * FROM unnest($1::text[],
    $2::text[], $3::text[]))
  UNION ALL
  SELECT license_id, feature_id, event_id, amount FROM usage_pruned($1::text[], $2::text[], $3::text[])`

/** Finds the uses of these keys that were counted before. */
export const listCounted = (
  sql: Database,
  keys: ReadonlyArray<Pick<CountedRow, "license_id" | "feature_id" | "event_id">>
): Query<CountedRow> =>
  sql.unsafe<CountedRow>(countedQuery, [
    keys.map(({ license_id }) => license_id),
    keys.map(({ feature_id }) => feature_id),
    keys.map(({ event_id }) => event_id)
  ])

/**
 * Moves a slice of the uses of an earlier time to their keys, and says up to when uses may be gone. Its parameters are
 * that time, the time at which the slice before ended, and the size of a slice. A key that is there already would be of
 * a use that was counted twice: then nothing is deleted, and the failure is logged.
 */
export const pruneUsesQuery = `
  -- name: usage_records.delete pruned
  WITH gone AS (
    DELETE FROM usage_records WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM usage_records
      WHERE created_at < $1::text::timestamptz AND created_at >= $2::text::timestamptz
      ORDER BY created_at LIMIT $3::int FOR UPDATE SKIP LOCKED
    )) RETURNING license_id, feature_id, event_id, coalesce(measured, amount) AS amount, created_at
  ), moved AS (
    INSERT INTO usage_keys (digest, amount)
    SELECT usage_key(license_id, feature_id, event_id), amount FROM gone
  ), marked AS (
    INSERT INTO pruned_tables AS t (name, until)
    SELECT 'usage_records', $1::text::timestamptz WHERE EXISTS (SELECT 1 FROM gone)
    ON CONFLICT (name) DO UPDATE SET until = EXCLUDED.until
    -- guard: the border of pruned uses never moves back
    WHERE t.until < EXCLUDED.until
  )
  SELECT count(*)::int AS rows, max(created_at)::text AS last FROM gone`

/** A use to be counted: a row of `usage_records`, without the owners that the license adds. */
export interface CountedUse {
  /** The id of its event. */
  readonly id: string
  readonly license_id: string
  readonly feature_id: string
  readonly feature_code: string
  readonly event_id: string
  /** The units that count. */
  readonly amount: number
  /** The amount that the caller named; undefined where it is the amount that counts. */
  readonly measured: number | undefined
  /** The value of a dimension that is counted with it, which the period did not have before. */
  readonly value: string | undefined
  /** How much of the amount lies over the quota. */
  readonly overage: number
  readonly total_consumptions: number
  /** The units that it took of each grant. */
  readonly taken: ReadonlyArray<TakenUnits>
  /** The thresholds of the quota that are to be announced. */
  readonly crossed: ReadonlyArray<ReachedThreshold>
  /** The feature as the use found it, and as it leaves it. */
  readonly before: EffectiveFeature
  readonly after: EffectiveFeature
  /** Undefined where a backend reported the use. */
  readonly device_id: string | undefined
  readonly request_id: string | undefined
  readonly dimensions: Dimensions | undefined
  /** The words of a backend about a use that it reported. */
  readonly reported?: {
    /** When it was, in Unix milliseconds; undefined where it is now. */
    readonly usedAt: number | undefined
    readonly actor: { readonly type: AuditActorType; readonly id: string }
    /** The time that was named, of a use that was too late for it and counts now. */
    readonly namedAt: string | undefined
    /** Whether its period had been over. */
    readonly isLate: boolean
    /** Whether that or its terms are: what it reaches of the quota is no news of now. */
    readonly isOver: boolean
    /** The owner of the license then; undefined where that is as now. */
    readonly owner: LicenseOwner | undefined
  }
}

/** The statement that records uses; uses that a backend reported have columns and parameters more. */
const recordUsesText = (
  name: string,
  more: Readonly<Record<"columns" | "values" | "arrays" | "names" | "owner", string>>
) => `
  -- name: ${name}
  WITH used AS (
  INSERT INTO usage_records (id, license_id, feature_id, feature_code, event_id, amount, total_consumptions,
    device_id, request_id, overage, grants, period_start, dimensions, measured, product_id, customer_id, order_id, subscription_id${more.columns})
  SELECT u.id, u.license_id, u.feature_id, u.feature_code, u.event_id, u.amount, u.total, nullif(u.device_id, ''),
    nullif(u.request_id, ''), nullif(u.overage, 0), nullif(u.grants, '')::jsonb,
    coalesce(nullif(u.period, '')::timestamptz, '-infinity'), nullif(u.dimensions, '')::jsonb, nullif(u.measured, -1),
    CASE WHEN l.product_ids IS NULL THEN l.product_id
      ELSE (SELECT f.product_id FROM features f WHERE f.id = u.feature_id) END, ${more.owner}${more.values}
  FROM unnest($1::text[], $2::text[],
    $3::text[], $4::text[],
    $5::text[], $6::int8[],
    $7::int8[],
    $8::text[], $9::text[], $10::int8[], $11::text[], $12::text[], $13::text[], $14::int8[]${more.arrays}
  ) AS u (id, license_id, feature_id, feature_code, event_id, amount, total, device_id, request_id, overage, grants,
    period, dimensions, measured${more.names})
  JOIN licenses l ON l.id = u.license_id
  RETURNING *
  )
  INSERT INTO usage_days AS d (day, license_id, feature_id, customer_id, feature_code, product_id, order_id,
    subscription_id, uses, amount, overage, first_at, last_at)
  SELECT date_trunc('day', created_at, 'UTC') AS day, license_id, feature_id, customer_id, feature_code,
    product_id, order_id, subscription_id, count(*), sum(amount), sum(overage), min(created_at), max(created_at)
  FROM used
  GROUP BY day, license_id, feature_id, customer_id, feature_code, product_id, order_id, subscription_id
  ON CONFLICT (license_id, day, feature_id, customer_id, feature_code) DO UPDATE SET uses = d.uses + excluded.uses,
    amount = d.amount + excluded.amount,
    overage = nullif(coalesce(d.overage, 0) + coalesce(excluded.overage, 0), 0), first_at = least(d.first_at, excluded.first_at),
    last_at = greatest(d.last_at, excluded.last_at)`

const recordUsesQuery = recordUsesText("usage_records.insert", {
  columns: "",
  values: "",
  arrays: "",
  names: "",
  owner: "l.customer_id, l.order_id, l.subscription_id"
})

const recordReportedQuery = recordUsesText("usage_records.insert reported", {
  columns: ", created_at, reported_at, actor_type, actor_id",
  values: `, coalesce(nullif(u.used_at, '')::timestamptz, now()), CASE WHEN u.used_at <> '' THEN now() END,
    u.actor_type, u.actor_id`,
  arrays: ", $15::text[], $16::text[], $17::text[], $18::boolean[], $19::text[], $20::text[], $21::text[]",
  names: ", used_at, actor_type, actor_id, is_then, customer, ordered, subscription",
  owner: `CASE WHEN u.is_then THEN nullif(u.customer, '') ELSE l.customer_id END,
    CASE WHEN u.is_then THEN nullif(u.ordered, '') ELSE l.order_id END,
    CASE WHEN u.is_then THEN nullif(u.subscription, '') ELSE l.subscription_id END`
})

/** A use, by the period that it was counted in. */
interface InPeriod {
  readonly after: Pick<EffectiveFeature, "periodStart">
}

/** When the period began; an empty text for none, because the driver cannot infer the type of an array of nulls. */
const periodOf = ({ after }: InPeriod): string =>
  after.periodStart === undefined ? "" : new Date(after.periodStart).toISOString()

/** Records uses, and adds them to the daily roll-up. Owners come from the license; of a bundle the product is that of the feature. */
export const insertUses = (
  sql: Database,
  uses: ReadonlyArray<RecordedUse>
): Query<object> => sql.unsafe(recordUsesQuery, recordedColumns(uses))

/** The same for uses that a backend reported: they stand at the time at which they were. */
export const insertReportedUses = (
  sql: Database,
  uses: ReadonlyArray<RecordedUse & Required<Pick<CountedUse, "reported">>>
): Query<object> =>
  sql.unsafe(recordReportedQuery, [
    ...recordedColumns(uses),
    uses.map(({ reported: { usedAt } }) => usedAt === undefined ? "" : new Date(usedAt).toISOString()),
    uses.map(({ reported: { actor } }) => actor.type),
    uses.map(({ reported: { actor } }) => actor.id),
    uses.map(({ reported: { owner } }) => owner !== undefined),
    uses.map(({ reported: { owner } }) => owner?.customer_id ?? ""),
    uses.map(({ reported: { owner } }) => owner?.order_id ?? ""),
    uses.map(({ reported: { owner } }) => owner?.subscription_id ?? "")
  ])

type RecordedUse = Omit<CountedUse, "after" | "before" | "crossed" | "reported" | "value"> & InPeriod

const recordedColumns = (uses: ReadonlyArray<RecordedUse>) => [
  uses.map(({ id }) => id),
  uses.map(({ license_id }) => license_id),
  uses.map(({ feature_id }) => feature_id),
  uses.map(({ feature_code }) => feature_code),
  uses.map(({ event_id }) => event_id),
  integers(uses.map(({ amount }) => amount)),
  integers(uses.map(({ total_consumptions }) => total_consumptions)),
  uses.map(({ device_id }) => device_id ?? ""),
  uses.map(({ request_id }) => request_id ?? ""),
  integers(uses.map(({ overage }) => overage)),
  uses.map(({ taken }) => taken.length === 0 ? "" : JSON.stringify(taken)),
  uses.map(periodOf),
  uses.map(({ dimensions }) => dimensions === undefined ? "" : JSON.stringify(dimensions)),
  integers(uses.map(({ measured }) => measured ?? -1))
]

/**
 * Counters of features: arrays of licenses, features, totals, starts of periods (empty for none), and their counts; how much of both
 * grants served, -1 for a feature that never had one; the highest percentage and the lowest number of units left that were announced, 0
 * for none; and whether uses were counted without a period since those of the last one.
 */
const featureCounters =
  `unnest($1::text[], $2::text[], $3::int8[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::int8[], $10::boolean[])
    AS v (license_id, feature_id, total, period, count, drawn, period_drawn, announced, announced_remaining, is_apart)`

const countFeaturesQuery = `
  -- name: license_features.update counters
  UPDATE license_features a SET total_consumptions = v.total, updated_at = now(),
    period_start = coalesce(nullif(v.period, '')::timestamptz, a.period_start),
    period_consumptions = CASE WHEN v.period = '' THEN a.period_consumptions ELSE v.count END,
    granted_consumptions = CASE WHEN v.drawn >= 0 THEN v.drawn END,
    granted_period_consumptions = CASE WHEN v.drawn < 0 THEN NULL WHEN v.period = '' THEN a.granted_period_consumptions
      ELSE v.period_drawn END,
    counted_apart = CASE WHEN v.is_apart AND a.period_start IS NOT NULL THEN true END,
    announced_threshold = nullif(v.announced, 0), announced_remaining = nullif(v.announced_remaining, 0),
    announced_period_start = CASE WHEN v.announced > 0 OR v.announced_remaining > 0 THEN nullif(v.period, '')::timestamptz END
  FROM ${featureCounters}
  WHERE a.license_id = v.license_id AND a.feature_id = v.feature_id`

const beginFeaturesQuery = `
  -- name: license_features.insert counters
  INSERT INTO license_features (license_id, feature_id, enabled, metadata, is_counter, total_consumptions, period_start,
    period_consumptions, granted_consumptions, granted_period_consumptions, announced_threshold, announced_remaining,
    announced_period_start)
  SELECT license_id, feature_id, true, '{}', true, total, nullif(period, '')::timestamptz,
    CASE WHEN period <> '' THEN count END, CASE WHEN drawn >= 0 THEN drawn END,
    CASE WHEN period <> '' AND drawn >= 0 THEN period_drawn END, nullif(announced, 0), nullif(announced_remaining, 0),
    CASE WHEN announced > 0 OR announced_remaining > 0 THEN nullif(period, '')::timestamptz END
  FROM ${featureCounters}`

/** A counter of a feature as uses leave it. */
export interface FeatureCounter extends Pick<CountedUse, "license_id" | "feature_id"> {
  readonly after: Pick<EffectiveFeature, "total" | "periodStart" | "consumed" | "announced" | "announcedRemaining"> & {
    readonly granted: Pick<GrantBalance, "totalDrawn" | "drawn"> | undefined
    /** Whether uses were counted without a period since those of the last one; of a use alone, it is whether it has none. */
    readonly isApart?: boolean
  }
}

const writeCounters = (
  sql: Database,
  query: string,
  counters: ReadonlyArray<FeatureCounter>
): Effect.Effect<unknown> =>
  counters.length === 0 ? Effect.void : sql.unsafe(query, [
    counters.map(({ license_id }) => license_id),
    counters.map(({ feature_id }) => feature_id),
    integers(counters.map(({ after }) => after.total)),
    counters.map(periodOf),
    integers(counters.map(({ after }) => after.consumed)),
    integers(counters.map(({ after }) => after.granted?.totalDrawn ?? -1)),
    integers(counters.map(({ after }) => after.granted?.drawn ?? -1)),
    integers(counters.map(({ after }) => after.announced)),
    integers(counters.map(({ after }) => Number.isFinite(after.announcedRemaining) ? after.announcedRemaining : 0)),
    counters.map(({ after: { isApart, periodStart } }) => isApart ?? periodStart === undefined)
  ])

/** Sets the counters of features. A feature whose quota has no period any more keeps what was counted in the last one. */
export const updateCounters = (sql: Database, counters: ReadonlyArray<FeatureCounter>): Effect.Effect<unknown> =>
  writeCounters(sql, countFeaturesQuery, counters)

/** Begins the counters of features that the policy grants and the license has not used before. */
export const insertCounters = (sql: Database, counters: ReadonlyArray<FeatureCounter>): Effect.Effect<unknown> =>
  writeCounters(sql, beginFeaturesQuery, counters)

const addToLicensesQuery = `
  -- name: licenses.update consumptions
  UPDATE licenses l SET total_consumptions = least(l.total_consumptions + v.amount, $1)
  FROM unnest($2::text[], $3::int8[])
    AS v (id, amount)
  WHERE l.id = v.id`

/** Adds amounts to the counters of licenses, which stay numbers that every JSON library reads exactly. */
export const updateConsumptions = (sql: Database, amounts: ReadonlyMap<string, bigint>): Query<object> =>
  sql.unsafe(addToLicensesQuery, [Number.MAX_SAFE_INTEGER, [...amounts.keys()], integers([...amounts.values()])])
