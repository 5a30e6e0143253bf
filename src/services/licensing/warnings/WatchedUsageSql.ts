import type { Statement } from "effect/sql"
import type { ThresholdNews } from "../../../domain/catalog/terms/FeatureUse.ts"
import { notEnded } from "../../catalog/terms/OpenGrantSql.ts"
import { effectiveGrace } from "../../catalog/terms/TermsSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"
import { announces, watchedAnew } from "../../log/EventSql.ts"

/** A license, a customer or a policy that is to be looked at, and how often that was asked for by then. */
export interface DueWatch {
  readonly subject: string
  readonly asked: bigint
  /** Whether less may be left than at the last look. */
  readonly fell: boolean
}

/** When the next look is due; NULL where none is. */
export const watchesDue = (sql: Database): Statement.Fragment =>
  sql`SELECT min(due_at) FROM usage_watches WHERE due_at < 'infinity'`

/** At most `limit` watches that are due, but those in `passed`. */
export const listDueWatches = (
  sql: Database,
  passed: ReadonlyArray<string>,
  limit: number
): Query<DueWatch> =>
  sql<DueWatch>`
    -- name: usage_watches.list due
    SELECT subject, asked, fell OR coalesce(turns_at <= clock_timestamp(), false) AS fell FROM usage_watches
    WHERE due_at <= clock_timestamp() AND subject <> ALL(${passed}::text[])
    ORDER BY due_at LIMIT ${limit}`

/** Takes the watch of a license that is locked; says whether less may be left, and whether the license serves. */
export const deleteWatch = (
  sql: Database,
  licenseId: string
): Query<{ readonly fell: boolean; readonly serves: boolean }> =>
  sql<{ readonly fell: boolean; readonly serves: boolean }>`
    -- name: usage_watches.delete of license
    DELETE FROM usage_watches w USING licenses l JOIN policies p ON p.id = l.policy_id
    WHERE w.subject = ${licenseId} AND l.id = w.subject
    RETURNING w.fell OR coalesce(w.turns_at <= clock_timestamp(), false) AS fell,
      l.state = 'active' AND coalesce(l.expires_at + ${
    sql.literal(effectiveGrace)
  }, 'infinity') > clock_timestamp() AS serves`

/** The time at which the next of sources of units, rows `g`, begins or ends. */
const turnOf = "least(CASE WHEN g.starts_at > clock_timestamp() THEN g.starts_at END, g.expires_at)"

/** Has a license looked at again when the next of its grants begins or ends. */
export const insertTurn = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: usage_watches.insert turn of license
    INSERT INTO usage_watches (subject, due_at, turns_at)
    SELECT license_id, min(at), min(at) FROM (
      SELECT g.license_id, ${sql.literal(turnOf)} AS at FROM grants g
      WHERE g.license_id = ${licenseId} AND g.is_open AND ${sql.literal(notEnded)}
    ) t WHERE at IS NOT NULL GROUP BY 1
    ON CONFLICT (subject) DO NOTHING`

/** Whether a feature `a` of a license, which its policy may grant as `g`, has thresholds. */
const isWatched = `(${announces("a")} OR ${announces("g")})`

/** Has the licenses of a policy looked at that have used a feature with thresholds: a slice of those after `after`, by their IDs. */
export const insertOfPolicy = (
  sql: Database,
  { fell, subject }: DueWatch,
  after: string,
  limit: number
): Query<{ readonly subject: string }> =>
  sql<{ readonly subject: string }>`
    -- name: usage_watches.insert of policy
    INSERT INTO usage_watches AS w (subject, due_at, fell)
    SELECT DISTINCT l.id, clock_timestamp(), ${fell} FROM licenses l
    JOIN license_features a ON a.license_id = l.id
    LEFT JOIN policy_features g ON g.policy_id = l.policy_id AND g.feature_id = a.feature_id
    WHERE ${sql.literal(isWatched)} AND l.policy_id = ${subject} AND l.id > ${after}
    ORDER BY l.id LIMIT ${limit}
    ${sql.literal(watchedAnew)}
    RETURNING subject`

/** The same of the licenses of a customer, and of the customers below it. */
export const insertOfCustomer = (
  sql: Database,
  { fell, subject }: DueWatch,
  after: string,
  limit: number
): Query<{ readonly subject: string }> =>
  sql<{ readonly subject: string }>`
    -- name: usage_watches.insert of customer
    WITH RECURSIVE below AS (
      SELECT id FROM customers WHERE id = ${subject}
      UNION
      SELECT c.id FROM below b JOIN customers c ON c.parent_id = b.id
    )
    INSERT INTO usage_watches AS w (subject, due_at, fell)
    SELECT DISTINCT l.id, clock_timestamp(), ${fell} FROM below b JOIN licenses l ON l.customer_id = b.id
    JOIN license_features a ON a.license_id = l.id
    LEFT JOIN policy_features g ON g.policy_id = l.policy_id AND g.feature_id = a.feature_id
    WHERE ${sql.literal(isWatched)} AND l.id > ${after}
    ORDER BY l.id LIMIT ${limit}
    ${sql.literal(watchedAnew)}
    RETURNING subject`

/**
 * Ends a look at a customer or a policy that nobody has asked for anew since. A customer is looked at again when the next of its pools
 * begins or ends, and after so many seconds at the earliest.
 */
export const updateWatched = (sql: Database, { asked, subject }: DueWatch, rests: number): Query<object> =>
  sql`
    -- name: usage_watches.update watched
    WITH next AS (
      SELECT min(${sql.literal(turnOf)}) AS at FROM grants g
      WHERE g.customer_id = ${subject} AND g.is_open AND ${sql.literal(notEnded)}
    ), kept AS (
      UPDATE usage_watches w SET fell = false, turns_at = n.at, due_at = coalesce(n.at, 'infinity'),
        rests_until = CASE WHEN ${rests}::float8 > 0 THEN clock_timestamp() + ${rests}::float8 * interval '1 second' END
      FROM next n
      -- guard: a look that was asked for meanwhile is made
      WHERE w.subject = ${subject} AND w.asked = ${asked}::int8 AND (n.at IS NOT NULL OR ${rests}::float8 > 0)
    )
    DELETE FROM usage_watches w USING next n
    WHERE w.subject = ${subject} AND w.asked = ${asked}::int8 AND n.at IS NULL AND ${rests}::float8 = 0`

/** The announced thresholds of a feature of a license, with the period of its quota that they are of. */
export interface AnnouncedNews extends Pick<ThresholdNews, "announced" | "announcedRemaining"> {
  readonly featureId: string
  /** Unix milliseconds. */
  readonly periodStart: number | undefined
}

/** Writes what is announced of features of a license that is locked. */
export const updateAnnouncedNews = (
  sql: Database,
  licenseId: string,
  news: ReadonlyArray<AnnouncedNews>
): Query<object> =>
  sql`
    -- name: license_features.update announced
    UPDATE license_features a SET announced_threshold = nullif(v.announced, 0), announced_remaining = nullif(v.remaining, 0),
      announced_period_start = CASE WHEN v.announced > 0 OR v.remaining > 0 THEN nullif(v.period, '')::timestamptz END
    FROM unnest(${news.map(({ featureId }) => featureId)}::text[], ${
    integers(news.map(({ announced }) => announced))
  }::int8[], ${
    integers(
      news.map(({ announcedRemaining }) => Number.isFinite(announcedRemaining) ? announcedRemaining : 0)
    )
  }::int8[],
      ${
    news.map(({ periodStart }) => periodStart === undefined ? "" : new Date(periodStart).toISOString())
  }::text[]) AS v (feature_id, announced, remaining, period)
    WHERE a.license_id = ${licenseId} AND a.feature_id = v.feature_id`
