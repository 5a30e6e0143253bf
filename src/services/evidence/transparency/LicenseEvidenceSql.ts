import type { Statement } from "effect/sql"
import type { StatedKind } from "../../../domain/evidence/exports/StatementEvidence.ts"
import { statedKinds } from "../../../domain/evidence/exports/StatementEvidence.ts"
import type { LeafRow } from "../../../domain/log/LicenseChain.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"
import { leafColumns } from "../../log/MerkleLogSql.ts"

/** The licenses and the features whose events are evidence, up to a place of the feed. */
export interface EvidenceScope {
  readonly customerId: string | undefined
  readonly licenseId: string | undefined
  readonly featureCode: string | undefined
  readonly limit: ProductLimit
  readonly lastSequence: number
}

/** An event that the figures of a statement may follow from. */
export interface StatedRow {
  readonly sequence: bigint
  readonly kind: StatedKind
  readonly license_id: string
  readonly feature_id: string
  readonly at: Date
  readonly moves_grants: boolean
}

/** The condition that a license is one of the scope. */
const owned = (sql: Database, { customerId, licenseId, limit }: EvidenceScope): Statement.Fragment =>
  sql`${licenseId === undefined ? sql`l.customer_id = ${customerId ?? ""}` : sql`l.id = ${licenseId}`}
    ${andWithinProducts(sql, "l.product_id", limit)}`

/** Lists the events of the usage and the grants of licenses in the order of the feed, at most so many. */
export const listStated = (sql: Database, of: EvidenceScope, most: number): Query<StatedRow> =>
  sql<StatedRow>`
    -- name: events.list stated
    SELECT e.sequence, e.event_type AS kind, e.resource_id AS license_id, d.data ->> 'feature_id' AS feature_id,
      coalesce((d.data ->> 'used_at')::timestamptz, e.created_at) AS at,
      coalesce(jsonb_array_length(CASE e.event_type WHEN 'license.usage_recorded' THEN d.data -> 'grants'
        WHEN 'license.usage_reset' THEN e.metadata::jsonb -> 'grants' END), 0) > 0 AS moves_grants
    FROM licenses l
    CROSS JOIN LATERAL (
      SELECT * FROM events WHERE resource_key = right(l.id, 7) AND resource_id = l.id
        AND event_type = ANY(${[...statedKinds]}::text[]) AND sequence <= ${of.lastSequence}
      OFFSET 0
    ) e
    CROSS JOIN LATERAL (SELECT e.data::jsonb AS data OFFSET 0) d
    WHERE ${owned(sql, of)} ORDER BY e.sequence LIMIT ${most}`

/** The places of the log between which a period lies. */
export interface ChainBounds {
  /** All events up to it were recorded before the period. */
  readonly low: number
  /** The period, and what may be reported into it later, is over with it. */
  readonly high: number
}

/** Finds the {@link ChainBounds} of a period by the checkpoints that were signed before and after it. */
export const findChainBounds = (
  sql: Database,
  { from, to }: { readonly from: Date; readonly to: Date },
  lastSequence: number
): Query<{ readonly low: bigint; readonly high: bigint }> =>
  sql<{ readonly low: bigint; readonly high: bigint }>`
    -- name: event_checkpoints.find around
    SELECT coalesce((
        -- The time of a checkpoint is in whole seconds.
        SELECT tree_size FROM event_checkpoints WHERE created_at < ${from}::timestamptz - interval '10 seconds'
        ORDER BY created_at DESC, tree_size DESC LIMIT 1
      ), 0) AS low,
      least(coalesce((
        SELECT tree_size FROM event_checkpoints WHERE created_at >= ${to}::timestamptz ORDER BY created_at, tree_size LIMIT 1
      ), ${lastSequence}), ${lastSequence}) AS high`

/** An event of the chain of a license. */
export interface ChainedRow {
  readonly sequence: bigint
  readonly is_linked: boolean
}

/**
 * Lists all events of the licenses between two places, and for each license the last one before and the first one after, at most so
 * many.
 */
export const listChained = (
  sql: Database,
  of: EvidenceScope,
  { high, low }: ChainBounds,
  most: number
): Query<ChainedRow> => {
  const places = (among: Statement.Fragment, order: Statement.Fragment): Statement.Fragment =>
    sql`(
      (SELECT sequence, license_previous FROM event_places
        WHERE right(resource_id, 7) = right(l.id, 7) AND coalesce(resource_id = l.id, false) AND ${among} ${order})
      UNION ALL
      (SELECT sequence, license_previous FROM event_places
        WHERE right(license_id, 7) = right(l.id, 7) AND license_id IS NOT NULL AND coalesce(license_id = l.id, false)
          AND ${among} ${order})
    )`
  const one = (among: Statement.Fragment, order: Statement.Fragment): Statement.Fragment =>
    sql`(SELECT * FROM ${places(among, sql`${order} LIMIT 1`)} s ${order} LIMIT 1)`
  return sql<ChainedRow>`
    -- name: event_places.list chained
    SELECT e.sequence, e.license_previous IS NOT NULL AS is_linked
    FROM licenses l CROSS JOIN LATERAL (
      ${one(sql`sequence <= ${low}`, sql`ORDER BY sequence DESC`)}
      UNION ALL ${places(sql`sequence > ${low} AND sequence <= ${high}`, sql`ORDER BY sequence LIMIT ${most}`)}
      UNION ALL ${one(sql`sequence > ${high} AND sequence <= ${of.lastSequence}`, sql`ORDER BY sequence`)}
    ) e
    WHERE ${owned(sql, of)} LIMIT ${most}`
}

/** Whether a license of the scope began at an instant or before. */
export const findBegunBy = (sql: Database, of: EvidenceScope, at: Date): Query<{ readonly has_begun: boolean }> =>
  sql<{ readonly has_begun: boolean }>`
    -- name: licenses.find begun by
    SELECT EXISTS (SELECT FROM licenses l WHERE ${owned(sql, of)} AND l.created_at <= ${at}) AS has_begun`

/** Lists features by their ids, as far as a statement shows them. */
export const listStatedFeatures = (
  sql: Database,
  ids: ReadonlyArray<string>,
  { featureCode, limit }: EvidenceScope
): Query<{ readonly id: string; readonly product_id: string; readonly code: string }> =>
  sql<{ readonly id: string; readonly product_id: string; readonly code: string }>`
    -- name: features.list stated
    SELECT f.id, f.product_id, f.code FROM features f
    WHERE f.id = ANY(${ids}::text[]) ${andWithinProducts(sql, "f.product_id", limit)}
      ${featureCode === undefined ? sql`` : sql`AND f.code = ${featureCode}`}
    ORDER BY f.id`

/** Lists events by their sequences, as their leaves say them. */
export const listLeavesAt = (sql: Database, sequences: ReadonlyArray<number>): Query<LeafRow> =>
  sql<LeafRow>`
    -- name: events.list leaves by sequence
    SELECT ${sql.literal(leafColumns)} FROM events WHERE sequence = ANY(${integers(sequences)}::bigint[])
    ORDER BY sequence`
