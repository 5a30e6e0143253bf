import { Effect } from "effect"
import type { UnplacedEvent } from "../../domain/transparency/ChainExtension.ts"
import { extendChain } from "../../domain/transparency/ChainExtension.ts"
import type { Edge } from "../../domain/transparency/MerkleTiles.ts"
import { grow } from "../../domain/transparency/MerkleTiles.ts"
import { makeMerkleLog } from "../../services/events/MerkleLog.ts"
import { tileParameters, writtenTiles } from "../../services/events/MerkleLogSql.ts"
import { Database } from "../../services/persistence/Database.ts"
import { integers } from "../../services/persistence/NumberArrays.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"
import { seedMarker } from "./SeedMarker.ts"

type RecordRow = UnplacedEvent & { readonly ordinal: bigint }

/** Events that are given their places by one statement. */
const atOnce = 2000

const placeQuery = `
  WITH placed AS (
    INSERT INTO event_places (sequence, ordinal, id, event_type, resource_id, actor_type, previous_hash, hash)
    SELECT n.sequence, n.ordinal, n.id, n.event_type, nullif(n.resource_id, ''), n.actor_type,
      decode(n.previous_hash, 'hex'), decode(n.hash, 'hex')
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      AS n (sequence, ordinal, id, event_type, resource_id, actor_type, previous_hash, hash)
  ), ${writtenTiles(9)} SELECT`

/** Ordinals from one that is not included up to another that is not either. */
interface Span {
  readonly after: bigint
  readonly before: bigint
}

/**
 * Gives the records between two ordinals their places at the end of the feed, in the order of their ordinals, as the
 * sequencer does: numbered without gaps, chained by hash, and in the Merkle tree. Each batch is a transaction, which
 * holds the end of the chain; between them a sequencer that runs places what happens meanwhile. `placed` is told of each
 * batch. Answers the end of the feed.
 */
export const placeRecords = Effect.fnUntraced(function*({ after, before }: Span, placed: (events: number) => void) {
  const sql = yield* Database
  const { sha256 } = yield* Cryptography
  const tree = yield* makeMerkleLog
  let known: { readonly sequence: number; readonly edge: Edge } | undefined
  let ordinal = after
  // The planner knows nothing of the new rows, and would sort all of them for each batch.
  yield* sql`ANALYZE event_records`

  const batch = Effect.gen(function*() {
    const [chain] = yield* sql<{ readonly sequence: bigint }>`
      SELECT last_sequence AS sequence FROM event_chain FOR UPDATE`
    // A statement of its own: the one before may have waited for a sequencer, whose places it does not see.
    const [last] = yield* sql<{ readonly hash: Uint8Array }>`
      SELECT coalesce(
        (SELECT hash FROM event_places WHERE sequence = ${chain!.sequence}),
        (SELECT dropped_hash FROM event_archive WHERE dropped_sequence = ${chain!.sequence})
      ) AS hash`
    const rows: ReadonlyArray<RecordRow> = yield* sql<RecordRow>`
      SELECT ordinal, id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments, request_id, created_at
      FROM event_records WHERE ordinal > ${ordinal} AND ordinal < ${before} ORDER BY ordinal LIMIT ${atOnce}`
    const end = Number(chain!.sequence)
    if (rows.length === 0) return { rows: 0, end }
    const edge = known?.sequence === end ? known.edge : yield* tree.edge(end)
    const extension = extendChain({ sequence: end, hash: last!.hash }, rows, "live", sha256)
    const { sequence } = extension.end
    const grown = grow(edge, end, extension.leaves, sha256)
    yield* sql.unsafe(placeQuery, [
      integers(extension.sequences),
      integers(rows.map((row) => row.ordinal)),
      rows.map((row) => row.id),
      rows.map((row) => row.event_type),
      rows.map((row) => row.resource_id ?? ""),
      rows.map((row) => row.actor_type),
      extension.previousHashes,
      extension.hashes,
      ...tileParameters(grown.tiles)
    ])
    yield* sql`UPDATE event_chain SET last_sequence = ${sequence}, tree_size = ${sequence}`
    yield* sql.unsafe(`UPDATE ${seedMarker} SET placed = $1::bigint`, [rows.at(-1)!.ordinal])
    yield* sql`SELECT pg_notify('countersign_feed', ${String(sequence)})`
    known = { sequence, edge: grown.edge }
    ordinal = rows.at(-1)!.ordinal
    return { rows: rows.length, end: sequence }
  })

  while (true) {
    const { end, rows } = yield* sql.withTransaction(batch)
    if (rows === 0) return end
    placed(rows)
  }
})
