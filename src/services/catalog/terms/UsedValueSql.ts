import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/NumberArrays.ts"

/** A value of a dimension that a use of a feature has. */
export interface UsedValue {
  readonly license_id: string
  readonly feature_id: string
  readonly value: string
}

/** Such a value in a period, by its start in Unix milliseconds; undefined without one. */
export interface ValueInPeriod extends UsedValue {
  readonly start: number | undefined
}

const columnsOf = (values: ReadonlyArray<UsedValue>) =>
  [
    values.map(({ license_id }) => license_id),
    values.map(({ feature_id }) => feature_id),
    values.map(({ value }) => value)
  ] as const

/** Finds the periods in which features had these values: with their licenses locked, all that were counted before. */
export const listValues = (
  sql: Database,
  values: ReadonlyArray<UsedValue>
): Query<UsedValue & { readonly start: bigint | null }> => {
  const [licenses, features, texts] = columnsOf(values)
  return sql<UsedValue & { readonly start: bigint | null }>`
    -- name: usage_values.list
    SELECT q.license_id, q.feature_id, q.value,
      CASE WHEN isfinite(v.period_start) THEN (extract(epoch FROM v.period_start) * 1000)::int8 END AS start
    FROM unnest(${licenses}::text[], ${features}::text[], ${texts}::text[]) AS q (license_id, feature_id, value)
    JOIN usage_values v ON v.license_id = q.license_id AND v.feature_id = q.feature_id
      AND v.digest = usage_key(q.license_id, q.feature_id, q.value)`
}

/** Keeps values that are counted. Each is kept once in a period: the lock on the license sees to that, and the key. */
export const insertValues = (sql: Database, values: ReadonlyArray<ValueInPeriod>): Query<object> => {
  const [licenses, features, texts] = columnsOf(values)
  const starts = values.map(({ start }) => start === undefined ? "-infinity" : new Date(start).toISOString())
  return sql`
    -- name: usage_values.insert
    INSERT INTO usage_values (license_id, feature_id, period_start, digest)
    SELECT license_id, feature_id, start::timestamptz, usage_key(license_id, feature_id, value)
    FROM unnest(${licenses}::text[], ${features}::text[], ${texts}::text[], ${starts}::text[])
      AS q (license_id, feature_id, value, start)`
}

/** Forgets the values of the running period of features, whose counters start again. */
export const deleteValues = (sql: Database, licenseId: string, featureIds: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: usage_values.delete
    DELETE FROM usage_values v WHERE v.license_id = ${licenseId} AND v.feature_id = ANY(${featureIds}::text[])
      AND v.period_start >= coalesce((SELECT a.period_start FROM license_features a
        WHERE a.license_id = v.license_id AND a.feature_id = v.feature_id), '-infinity')`

/** A use of a feature by its time, and until when another one of its period could be later; instants in Unix milliseconds. */
export interface TimedUse {
  readonly index: number
  readonly license_id: string
  readonly feature_id: string
  readonly at: number
  readonly until: number
}

/** Finds the uses after which their period had others. */
export const listOutdated = (sql: Database, uses: ReadonlyArray<TimedUse>): Query<{ readonly index: number }> =>
  sql<{ readonly index: number }>`
    -- name: usage_records.list outdated
    SELECT q.index FROM unnest(${integers(uses.map(({ index }) => index))}::int[], ${
    uses.map(({ license_id }) => license_id)
  }::text[],
      ${uses.map(({ feature_id }) => feature_id)}::text[], ${uses.map(({ at }) => new Date(at).toISOString())}::text[],
      ${uses.map(({ until }) => Number.isFinite(until) ? new Date(until).toISOString() : "infinity")}::text[])
      AS q (index, license_id, feature_id, at, until)
    WHERE EXISTS (SELECT 1 FROM usage_records u WHERE u.license_id = q.license_id AND u.feature_id = q.feature_id
      AND u.created_at > q.at::timestamptz AND u.created_at < q.until::timestamptz)`
