import type { Grant } from "../../../domain/licensing/grants/Grant.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

/**
 * When a use `u` counts: at its time, or at the start of the period that it was counted in. A use that waited for its lock, at
 * the turn of a period, may stand a little before that.
 */
export const countsAt = "greatest(u.created_at, u.period_start)"

/** When a correction `c` was counted. Earlier releases know only when its transaction began. */
const correctedAt = "coalesce(c.counted_at, c.created_at)"

/** From when on a correction of a row sets what was used. Those of earlier releases do not say so, and set all. */
const settlesFrom = (row: string) => `coalesce(${row}.settles_from, '-infinity')`

/**
 * Whether a correction has set the count of a use `u` since: one that was counted after it, of a stretch of time that the use
 * lies in.
 */
export const isSettled = `
  EXISTS (SELECT 1 FROM usage_corrections c WHERE c.license_id = u.license_id AND c.feature_id = u.feature_id
    AND ${correctedAt} >= coalesce(u.counted_at, u.created_at)
    AND c.amount <> 0 AND c.refund_of IS NULL AND ${settlesFrom("c")} <= ${countsAt})`

/** The units of uses together, without what was refunded of them. */
const added = "sum(u.amount - coalesce(u.refunded, 0))"

/** The value that uses come to by the meter of their feature `f`. */
const metered = `CASE f.meter WHEN 'max' THEN max(u.measured)
  WHEN 'last' THEN (array_agg(u.measured ORDER BY ${countsAt} DESC, u.counted_at DESC))[1] ELSE ${added} END`

/**
 * The count of a stretch of time by the records, as a FROM item with `consumed`, and `drawn`, how much of it grants served: its
 * uses, less what was refunded of them, since the last correction that set them, and what that set. Each parameter is SQL. It comes
 * to the same whatever the period was in which they were counted.
 */
export const recount = (
  { featureId, licenseId, measured = added, start, until }: {
    readonly licenseId: string
    readonly featureId: string
    readonly start: string
    readonly until: string
    /** The value that its uses come to. */
    readonly measured?: string
  }
): string => `
  (SELECT greatest(0, used.amount + set.amount) AS consumed,
      least(greatest(0, used.amount + set.amount), greatest(0, used.drawn)) AS drawn
    FROM (
      SELECT coalesce(${measured}, 0) AS amount,
        coalesce(sum((SELECT sum((t ->> 'amount')::int8) FROM jsonb_array_elements(u.grants) t) - coalesce((
          SELECT sum((t ->> 'amount')::int8) FROM usage_corrections c CROSS JOIN jsonb_array_elements(c.grants) t
          WHERE u.refunded IS NOT NULL AND c.license_id = u.license_id AND c.feature_id = u.feature_id
            AND c.refund_of = u.event_id), 0)) FILTER (WHERE u.grants IS NOT NULL), 0) AS drawn
      FROM usage_records u WHERE u.license_id = ${licenseId} AND u.feature_id = ${featureId}
        AND u.created_at >= ${start} - interval '1 hour' AND u.created_at < ${until}
        AND ${countsAt} >= ${start} AND NOT ${isSettled}
    ) used CROSS JOIN (
      SELECT coalesce(sum(c.settled_count), 0) AS amount FROM usage_corrections c
      WHERE c.license_id = ${licenseId} AND c.feature_id = ${featureId} AND c.amount <> 0 AND c.refund_of IS NULL
        AND ${correctedAt} >= ${start} AND ${correctedAt} < ${until} AND NOT EXISTS (
          SELECT 1 FROM usage_corrections d WHERE d.license_id = c.license_id AND d.feature_id = c.feature_id
            AND d.amount <> 0 AND d.refund_of IS NULL AND ${settlesFrom("d")} <= ${correctedAt}
            AND coalesce(d.counted_at, d.created_at) > ${correctedAt})
    ) set)`

/**
 * The count of the running period of a feature `f` by the records, where the counter `a` of a license `l` under the policy's terms
 * `g` is of none or of another one: the license has turned to a new period, its quota has one of another length, or had none for a while. A counter
 * is a cache of records, and of the units that were counted since a later start, which may have come from elsewhere. NULL
 * where the counter is of the running period, where there is none, and where values are counted, which their table knows.
 */
export const recounted = `
  (SELECT json_build_object('start', p.start, 'consumed', CASE WHEN a.period_start > p.start AND a.counted_apart IS NULL
      THEN greatest(r.consumed, a.period_consumptions) ELSE r.consumed END, 'drawn', r.drawn)
    FROM (SELECT quota_period_start(coalesce(CASE WHEN a.is_counter IS NULL THEN a.period END, g.period), clock_timestamp(),
      coalesce(l.starts_at, l.created_at), (SELECT s.current_period_start FROM subscriptions s WHERE s.id = l.subscription_id)) AS start) p
    CROSS JOIN LATERAL ${
  recount({
    licenseId: "a.license_id",
    featureId: "a.feature_id",
    start: "p.start",
    until: "'infinity'",
    measured: metered
  })
} r
    WHERE (a.total_consumptions > 0 OR a.counted_apart) AND f.meter IS DISTINCT FROM 'unique' AND (p.start IS DISTINCT FROM a.period_start OR a.counted_apart)
      AND p.start IS NOT NULL)`

/** Writes carried units as grants of features that are counted from then on, of locked licenses. */
export const insertCarried = (sql: Database, grants: ReadonlyArray<Grant>): Query<object> =>
  sql.unsafe(
    `
    -- name: grants.insert carried
    WITH v AS (
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::timestamptz[], $6::timestamptz[], $7::int8[],
        $8::timestamptz[]) AS v (id, license_id, feature_id, amount, starts_at, expires_at, priority, created_at)
    ), counted AS (
      INSERT INTO license_features AS a (license_id, feature_id, enabled, metadata, is_counter, granted_consumptions)
      SELECT DISTINCT license_id, feature_id, true, '{}'::jsonb, true, 0 FROM v
      ON CONFLICT (license_id, feature_id) DO UPDATE SET granted_consumptions = coalesce(a.granted_consumptions, 0)
    )
    INSERT INTO grants (id, license_id, feature_id, amount, starts_at, expires_at, priority, source, created_at)
    SELECT id, license_id, feature_id, amount, starts_at, expires_at, priority, 'rollover', created_at FROM v`,
    [
      grants.map(({ id }) => id),
      grants.map(({ license_id }) => license_id),
      grants.map(({ feature_id }) => feature_id),
      integers(grants.map(({ amount }) => amount)),
      grants.map(({ starts_at }) => starts_at),
      grants.map(({ expires_at }) => expires_at ?? "infinity"),
      integers(grants.map(({ priority }) => priority)),
      grants.map(({ created_at }) => created_at)
    ]
  )

/** Says up to which instant the carried units of a locked license are grants. */
export const updateRolledUntil = (sql: Database, licenseId: string, until: Date): Query<object> =>
  sql`
    -- name: licenses.update rolled until
    UPDATE licenses SET rolled_until = ${until} WHERE id = ${licenseId}`

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
