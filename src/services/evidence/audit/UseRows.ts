import { eventMember, standingTime } from "../../ground/persistence/EventMemberSql.ts"
import { droppedUntil, wholeLogSql } from "./LogBaselineSql.ts"

/** A use, a key, a correction, a day or a pool that is only in its table or only in the log, or a member in which they differ. */
export interface UseRow {
  readonly resource: "usage_record" | "usage_key" | "usage_correction" | "usage_day" | "pool"
  readonly id: string
  readonly member: string | null
  readonly in_table: string | null
  readonly by_log: string | null
}

const log = wholeLogSql("id, event_type, resource_id, request_id, created_at, actor_type, actor_id, metadata, data")

const prunedUntil = "(SELECT coalesce(max(until), '-infinity') FROM pruned_tables WHERE name = 'usage_records')"

const counting = ["license.usage_recorded", "license.usage_reset", "license.feature_removed"] as const

const use = ["license.usage_recorded"] as const

/** A member of the metadata of a refund: an event that shows the feature as the refund left it. */
const refundMember = (arrow: "->" | "->>", member: string): string =>
  `(CASE WHEN event_type = 'license.usage_reset' THEN metadata::jsonb ${arrow} '${member}' END)`

const usedByLog = `
  (SELECT id, resource_id AS license_id, event_type, request_id,
    CASE WHEN actor_type <> 'license' THEN actor_type || '/' || actor_id END AS actor,
    CASE WHEN ${eventMember(use, "used_at")} IS NOT NULL THEN created_at END AS reported_at,
    ${standingTime} AS created_at,
    ${eventMember(counting, "feature_id")} AS feature_id, ${eventMember(counting, "feature_code")} AS feature_code,
    ${eventMember(use, "event_id")} AS event_id, ${eventMember(use, "amount", "int8")} AS amount,
    ${eventMember(use, "measured", "int8")} AS measured,
    -- Uses of earlier releases say it as \`overage\` alone.
    coalesce(${eventMember(use, "over_quota", "int8")}, ${eventMember(use, "overage", "int8")}) AS overage,
    ${eventMember(counting, "total_consumptions", "int8")} AS total, ${eventMember(use, "device_id")} AS device_id,
    ${eventMember(use, "period_start", "timestamptz")} AS period_start,
    ${eventMember(use, "dimensions", "object")} AS dimensions,
    coalesce(${eventMember(use, "grants", "jsonb")}, ${refundMember("->", "grants")}) AS grants,
    ${refundMember("->>", "refund_of")} AS refund_of, ${refundMember("->>", "refunded")}::int8 AS refunded,
    ${refundMember("->>", "counted")}::int8 AS counted
  FROM ${log} l WHERE event_type IN (${counting.map((kind) => `'${kind}'`).join(", ")}))`

/**
 * One row for each use that is only in the table or only in the log, and for each member in which the two differ. A
 * correction is matched by the id of its event, and a day of use is added up from the log. Of a use that was deleted by
 * age its key is left, and tells its amount. Uses whose events may have been dropped are not compared; while none were,
 * each key must be that of a use.
 */
export const brokenUses = `
  (WITH e AS MATERIALIZED ${usedByLog}, j AS (
    SELECT 'usage_record' AS resource,
      coalesce(u.license_id || '/' || u.feature_id || '/' || u.event_id,
        e.license_id || '/' || e.feature_id || '/' || e.event_id) AS id,
      coalesce(u.amount, k.amount) IS NULL OR e.amount IS NULL AS is_alone,
      (e.amount IS NOT NULL OR u.created_at > ${droppedUntil}) AND (k.amount IS NULL OR member = 'amount') AS is_kept,
      m.*
    FROM usage_records u FULL JOIN (SELECT * FROM e WHERE event_type = 'license.usage_recorded') e
      ON e.license_id = u.license_id AND e.feature_id = u.feature_id AND e.event_id = u.event_id
    LEFT JOIN (SELECT license_id, feature_id, refund_of, sum(refunded) AS refunded FROM e WHERE refund_of IS NOT NULL
      GROUP BY 1, 2, 3) r ON r.license_id = e.license_id AND r.feature_id = e.feature_id AND r.refund_of = e.event_id
    LEFT JOIN usage_keys k ON k.digest = CASE WHEN u.amount IS NULL AND e.created_at < ${prunedUntil}
      THEN usage_key(e.license_id, e.feature_id, e.event_id) END
    CROSS JOIN LATERAL (VALUES (NULL, u.amount::text, e.amount::text),
      ('amount', coalesce(u.amount, k.amount)::text, CASE WHEN u.amount IS NULL THEN coalesce(e.measured, e.amount) ELSE e.amount END::text),
      ('measured', u.measured::text, e.measured::text),
      ('actor_id', u.actor_type || '/' || u.actor_id, e.actor),
      ('reported_at', u.reported_at::text, e.reported_at::text), ('device_id', u.device_id, e.device_id), ('id', u.id, e.id), ('feature_code', u.feature_code, e.feature_code),
      ('total_consumptions', u.total_consumptions::text, e.total::text),
      ('overage', u.overage::text, e.overage::text), ('grants', u.grants::text, e.grants::text),
      ('dimensions', u.dimensions::text, e.dimensions::text), ('refunded', u.refunded::text, r.refunded::text),
      -- Uses of earlier releases do not say their period.
      ('period_start', u.period_start::text,
        CASE WHEN u.period_start IS NOT NULL THEN coalesce(e.period_start, '-infinity')::text END), ('request_id', u.request_id, e.request_id),
      ('created_at', u.created_at::text, e.created_at::text)) AS m (member, in_table, by_log)
    UNION ALL
    SELECT 'usage_key', k.digest::text, TRUE, ${droppedUntil} = '-infinity', NULL, k.amount::text, NULL
    FROM usage_keys k WHERE NOT EXISTS (
      SELECT 1 FROM e
      WHERE event_type = 'license.usage_recorded' AND usage_key(license_id, feature_id, event_id) = k.digest)
    UNION ALL
    SELECT 'usage_correction', coalesce(u.id, e.id), u.id IS NULL OR e.id IS NULL,
      e.id IS NOT NULL OR u.created_at > ${droppedUntil}, m.*
    FROM usage_corrections u
    FULL JOIN (SELECT * FROM e WHERE event_type <> 'license.usage_recorded') e ON e.id = u.id
    CROSS JOIN LATERAL (VALUES (NULL, u.id, e.id), ('action', u.action, e.event_type),
      ('license_id', u.license_id, e.license_id), ('feature_id', u.feature_id, e.feature_id),
      ('total_consumptions', u.total_consumptions::text,
        CASE e.event_type WHEN 'license.feature_removed' THEN '0' ELSE e.total::text END),
      ('amount', CASE WHEN e.refund_of IS NOT NULL THEN u.amount::text END, (-e.counted)::text),
      ('refund_of', u.refund_of, e.refund_of), ('grants', nullif(u.grants, '[]')::text, e.grants::text),
      ('created_at', u.created_at::text, e.created_at::text)) AS m (member, in_table, by_log)
    UNION ALL
    SELECT 'usage_day', coalesce(u.license_id, e.license_id) || '/' || coalesce(u.feature_id, e.feature_id) || '/' ||
        to_char(coalesce(u.day, e.day) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), u.day IS NULL OR e.day IS NULL,
      coalesce(u.day, e.day) > ${droppedUntil}, m.*
    FROM (SELECT license_id, feature_id, feature_code, day, sum(uses) AS uses, sum(amount) AS amount,
        sum(overage) AS overage, min(first_at) AS first_at, max(last_at) AS last_at FROM usage_days GROUP BY 1, 2, 3, 4) u
    FULL JOIN (SELECT license_id, feature_id, feature_code, date_trunc('day', created_at, 'UTC') AS day,
        count(*) AS uses, sum(amount) AS amount, sum(overage) AS overage, min(created_at) AS first_at, max(created_at) AS last_at
        FROM e WHERE event_type = 'license.usage_recorded' GROUP BY 1, 2, 3, 4) e
      ON e.license_id = u.license_id AND e.feature_id = u.feature_id AND e.feature_code = u.feature_code
        AND e.day = u.day
    CROSS JOIN LATERAL (VALUES (NULL, u.day::text, e.day::text), ('uses', u.uses::text, e.uses::text),
      ('amount', u.amount::text, e.amount::text), ('overage', u.overage::text, e.overage::text), ('first_at', u.first_at::text, e.first_at::text),
      ('last_at', u.last_at::text, e.last_at::text)) AS m (member, in_table, by_log)
    UNION ALL
    SELECT 'pool', g.id, FALSE, ${droppedUntil} = '-infinity', 'used', g.used::text, coalesce(d.used, 0)::text
    FROM grants g LEFT JOIN (
      SELECT t ->> 'grant_id' AS id, sum(CASE event_type WHEN 'license.usage_recorded' THEN 1 ELSE -1 END
        * (t ->> 'amount')::int8) AS used
      FROM e CROSS JOIN jsonb_array_elements(e.grants) t GROUP BY 1) d ON d.id = g.id WHERE g.customer_id IS NOT NULL
  )
  SELECT resource, id, member, in_table, by_log FROM j
  WHERE CASE WHEN is_alone THEN member IS NULL ELSE in_table IS DISTINCT FROM by_log AND member IS NOT NULL END
    AND is_kept)`
