import type { Statement } from "effect/sql"
import type { LeafRow } from "../../domain/events/LeafRow.ts"
import type { StatedKind } from "../../domain/exports/StatementEvidence.ts"
import { statedKinds } from "../../domain/exports/StatementEvidence.ts"
import { leafColumns } from "../events/MerkleLogSql.ts"
import type { Database, Query } from "../persistence/Database.ts"
import { integers } from "../persistence/NumberArrays.ts"
import { andWithinProducts } from "../persistence/ProductLimit.ts"
import type { ProductLimit } from "../persistence/ProductLimit.ts"

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
