import { Hex } from "effect/encoding"
import type { Statement } from "effect/sql"
import type { extendChain } from "../../domain/evidence/transparency/ChainExtension.ts"
import type { Commitments } from "../../domain/log/EventLeaf.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { integers } from "../ground/persistence/StatementParts.ts"
import type { FeedRow } from "./FeedPosition.ts"
import { tileParameters, writtenTiles } from "./MerkleLogSql.ts"

/** When events are to be placed. */
export const eventsDue = (sql: Database): Statement.Fragment =>
  sql`SELECT now() WHERE EXISTS (SELECT FROM event_pending)`

/** A row of `event_pending` with its record. */
export interface PendingRow extends Omit<FeedRow, "sequence"> {
  /** The position of the row of `event_pending` in its table. */
  readonly ctid: string
  readonly ordinal: bigint
  readonly actor_type: string
  readonly actor_id: string
  readonly resource_id: string | null
  readonly metadata: string
  readonly commitments: Commitments | null
  readonly request_id: string | null
  readonly age: number
}

/** A row of an outer join that found nothing. */
type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

export interface ChainRow {
  readonly last_sequence: bigint
  /** NULL when the last event of the feed is not there. */
  readonly last_hash: Uint8Array | null
  readonly tree_size: bigint
  /** The first event that names the previous one of its license; NULL until then. */
  readonly linked_from: bigint | null
  /** Whether events may name it: not yet where a node of version 0.1.0 was there within the day before. */
  readonly link_due: boolean
  /** Where nothing can be placed: whether events wait for a running transaction. */
  readonly waits: boolean | null
  /** Whether transactions of other databases of the server run; NULL where nobody looked. */
  readonly besides: boolean | null
}

// Hash of the last event, or of the last dropped event if all were dropped, or zeros before the first event.
const lastHash = `coalesce(
  (SELECT p.hash FROM event_places p WHERE p.sequence = c.last_sequence AND event_sought(p.ordinal)),
  (SELECT a.dropped_hash FROM event_archive a WHERE a.dropped_sequence = c.last_sequence)
)`

// A transaction gets its id before it waits for a row, and its ordinals after, so ordinals tell which transaction
// came first. A row also waits for earlier committed rows that must wait for a running transaction.
// Rows at or above the snapshot's end come from a dump of another server: no transaction here can still commit
// them.
const pendingBefore = (horizon: string, besides: string) =>
  `(
  SELECT c.last_sequence, ${lastHash} AS last_hash, c.tree_size, c.linked_from,
    c.last_sequence = 0 OR coalesce(c.link_after <= now(), true) AS link_due, o.ctid::text AS ctid, o.ordinal, o.id, o.event_type,
    o.actor_type, o.actor_id, o.resource_id, o.metadata, o.data, o.commitments, o.personal, o.request_id,
    o.traceparent, o.created_at, extract(epoch FROM clock_timestamp() - o.created_at)::float8 AS age,
    CASE WHEN o.ordinal IS NULL THEN EXISTS (SELECT FROM event_pending) END AS waits, ${besides} AS besides
  FROM event_chain c LEFT JOIN LATERAL (
    SELECT q.ctid, r.* FROM (
      SELECT ctid, ordinal FROM event_pending
      WHERE
        (xid < ${horizon} OR xid >= pg_snapshot_xmax(pg_current_snapshot()))
        -- guard: an event waits for earlier ones of a running transaction
        AND ordinal < coalesce((
          SELECT min(ordinal) FROM event_pending
          WHERE xid >= ${horizon} AND xid < pg_snapshot_xmax(pg_current_snapshot())
        ), 9223372036854775807)
      ORDER BY ordinal
      LIMIT $1
    ) q
    CROSS JOIN LATERAL (
      SELECT * FROM event_records e WHERE e.ordinal = q.ordinal AND event_sought(e.ordinal) OFFSET 0
    ) r
  ) o ON true
  ORDER BY o.ordinal
)`

const anyQuery = `
  -- name: event_pending.list to place
  ${pendingBefore("pg_snapshot_xmin(pg_current_snapshot())", "NULL::boolean")}`

// The running transactions of the snapshot, and whether they are of another database of the server: none of those can commit
// an event here. A transaction is of another database where it holds a lock on a table there: by its virtual id, which no
// other transaction has. One whose locks say nothing, such as a prepared one, may be of this database.
const ownQuery = `
  -- name: event_pending.list to place beside other databases
  WITH held AS MATERIALIZED (
    SELECT locktype, mode, database, transactionid, virtualtransaction FROM pg_locks WHERE granted AND pid IS NOT NULL
  ), beside AS MATERIALIZED (
    -- Who waits for a transaction asks for a ShareLock on its id
    SELECT t.transactionid FROM held t WHERE t.locktype = 'transactionid' AND t.mode = 'ExclusiveLock' AND EXISTS (
      SELECT FROM held r WHERE r.virtualtransaction = t.virtualtransaction AND r.locktype = 'relation'
        AND r.database NOT IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    )
  ), running AS MATERIALIZED (
    SELECT x AS xid, EXISTS (SELECT FROM beside b WHERE b.transactionid = x::xid) AS besides
    FROM pg_snapshot_xip(pg_current_snapshot()) x
  ), horizon AS MATERIALIZED (
    SELECT coalesce(min(xid) FILTER (WHERE NOT besides), pg_snapshot_xmax(pg_current_snapshot())) AS xid,
      coalesce(bool_or(besides), false) AS besides
    FROM running
  )
  ${pendingBefore("(SELECT xid FROM horizon)", "(SELECT besides FROM horizon)")}`

// One statement, which is a transaction of its own. The end of the chain is an optimistic lock: a sequencer that read an
// older end waits for the row, finds a different end, and changes nothing. `last_hash` is what a node of version 0.1.0 continues
// the chain from: it must not once leaves have members that it does not know.
const placeQuery = `
  -- name: event_chain.update with places
  WITH chained AS (
    UPDATE event_chain SET last_sequence = $1::bigint, tree_size = $2::bigint,
      last_hash = CASE WHEN $20::bigint IS NULL THEN decode(($13::text[])[$14::int], 'hex') END,
      linked_from = $20::bigint
    -- guard: a sequencer that read an older end places nothing
    WHERE last_sequence = $3::bigint AND tree_size = $4::bigint
    RETURNING 1
  ), taken AS (
    DELETE FROM event_pending WHERE ctid = ANY($5::text[]::tid[]) AND EXISTS (SELECT FROM chained)
    RETURNING ordinal
  ), placed AS (
    INSERT INTO event_places (sequence, ordinal, id, event_type, resource_id, actor_type, previous_hash, hash,
      license_id, license_previous, license_previous_hash)
    SELECT n.sequence, n.ordinal, n.id, n.event_type, nullif(n.resource_id, ''), n.actor_type,
      decode(n.previous_hash, 'hex'), decode(n.hash, 'hex'),
      nullif(n.license_id, ''), nullif(n.previous, -1), decode(nullif(n.license_hash, ''), 'hex')
    FROM unnest(
      $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
      $21::text[], $22::bigint[], $23::text[]
    ) AS n (sequence, ordinal, id, event_type, resource_id, actor_type, previous_hash, hash, license_id, previous,
      license_hash)
    JOIN taken t ON t.ordinal = n.ordinal
    ORDER BY n.sequence
    RETURNING sequence
  ), ${writtenTiles(17, "EXISTS (SELECT FROM chained)")}, counted AS (
    SELECT (SELECT count(*)::int FROM chained) AS chained, (SELECT count(*)::int FROM placed) AS placed
  )
  SELECT placed, CASE
    WHEN chained = 0 THEN NULL
    WHEN placed = $14::int THEN pg_notify('countersign_feed', $15::text)::text
    -- A text that is no number fails the statement, so that the chain does not move either.
    ELSE ($16::text || placed)::int::text
  END AS announced
  FROM counted`

/** The end of the chain, and events that may be placed after it: rows without an event where there is none. */
export const listPending = (sql: Database, limit: number): Query<ChainRow & Nullable<PendingRow>> =>
  sql.unsafe<ChainRow & Nullable<PendingRow>>(anyQuery, [limit])

/** The same where events wait for no transaction of another database of the server. It reads the locks of the whole server. */
export const listOwnPending = (sql: Database, limit: number): Query<ChainRow & Nullable<PendingRow>> =>
  sql.unsafe<ChainRow & Nullable<PendingRow>>(ownQuery, [limit])

/** Events that continue the chain from an end that was read. */
export interface Placement {
  readonly chain: Pick<ChainRow, "last_sequence" | "tree_size">
  readonly rows: ReadonlyArray<
    Pick<PendingRow, "ctid" | "ordinal" | "id" | "event_type" | "resource_id" | "actor_type">
  >
  readonly extension: Pick<
    ReturnType<typeof extendChain>,
    "end" | "sequences" | "previousHashes" | "hashes" | "licenses"
  >
  /** The first event that names the previous one of its license; left out while none does. */
  readonly linkedFrom?: bigint | undefined
  /** The tiles of the tree that change; left out where the tree lags behind, and is extended later. */
  readonly tiles?: Parameters<typeof tileParameters>[0]
}

/** Gives events their places; answers how many, 0 when another sequencer has moved the end of the chain meanwhile. */
export const placeEvents = (
  sql: Database,
  { chain, extension, linkedFrom, rows, tiles }: Placement
): Query<{ readonly placed: number; readonly announced: unknown }> =>
  sql.unsafe<{ readonly placed: number; readonly announced: unknown }>(placeQuery, [
    extension.end.sequence,
    tiles === undefined ? chain.tree_size : extension.end.sequence,
    chain.last_sequence,
    chain.tree_size,
    rows.map((row) => row.ctid),
    integers(extension.sequences),
    integers(rows.map((row) => row.ordinal)),
    rows.map((row) => row.id),
    rows.map((row) => row.event_type),
    rows.map((row) => row.resource_id ?? ""),
    rows.map((row) => row.actor_type),
    extension.previousHashes,
    extension.hashes,
    rows.length,
    String(extension.end.sequence),
    `of ${rows.length} events that were numbered, so many were placed: `,
    ...tileParameters(tiles ?? []),
    linkedFrom ?? null,
    // Where the resource is the license, its ID stands in the row already.
    extension.licenses.map((license, index) =>
      license?.license_id === rows[index]!.resource_id ? "" : license?.license_id ?? ""
    ),
    integers(extension.licenses.map((license) => license?.license_previous ?? -1)),
    extension.licenses.map((license) => hexOf(license?.license_previous_hash))
  ])

const hexOf = (hash: Uint8Array | null | undefined): string =>
  hash === null || hash === undefined ? "" : Hex.encode(hash)

/** The last event of a license that has its place. */
export interface LicenseEndRow {
  readonly license_id: string
  readonly sequence: bigint
  readonly hash: Uint8Array
}

const licenseEnds = `
  -- name: event_places.list last of licenses
  SELECT w.license_id, e.sequence, e.hash FROM unnest($1::text[]) AS w (license_id) CROSS JOIN LATERAL (
    SELECT sequence, hash FROM (
      (
        SELECT sequence, hash FROM event_places
        WHERE right(resource_id, 7) = right(w.license_id, 7) AND coalesce(resource_id = w.license_id, false)
        ORDER BY sequence DESC LIMIT 1
      )
      UNION ALL
      (
        SELECT sequence, hash FROM event_places
        WHERE right(license_id, 7) = right(w.license_id, 7) AND coalesce(license_id = w.license_id, false)
          AND license_id IS NOT NULL
        ORDER BY sequence DESC LIMIT 1
      )
      UNION ALL SELECT sequence, hash FROM dropped_license_ends d WHERE d.license_id = w.license_id
    ) u
    ORDER BY sequence DESC LIMIT 1
  ) e`

/** The last events of licenses, also where they were archived and dropped; no row for one that has none. */
export const listLicenseEnds = (sql: Database, licenses: ReadonlyArray<string>): Query<LicenseEndRow> =>
  sql.unsafe<LicenseEndRow>(licenseEnds, [licenses])
