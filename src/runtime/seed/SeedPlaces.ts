import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { resourceTypeOf } from "../../domain/events/EventKind.ts"
import type { EventKind } from "../../domain/events/EventKind.ts"
import type { EventColumns } from "../../domain/events/EventLeaf.ts"
import { chainHash, leafHash, leafText } from "../../domain/events/EventLeaf.ts"
import { grow } from "../../domain/transparency/MerkleTiles.ts"
import { makeMerkleLog, tileParameters, writtenTiles } from "../../services/events/MerkleLog.ts"
import { Database } from "../../services/persistence/Database.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"

type RecordRow = Omit<EventColumns, "sequence" | "created_at" | "resource_type"> & {
  readonly ordinal: bigint
  readonly event_type: EventKind
  readonly created_at: Date
}

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

/**
 * Gives the records above an ordinal their places at the end of the feed, in the order of their ordinals, as the
 * sequencer does: numbered without gaps, chained by hash, and in the Merkle tree. In the surrounding transaction, which
 * from here on holds the end of the chain, so that a sequencer that runs waits for it. `placed` is told of each batch.
 */
export const placeRecords = Effect.fnUntraced(function*(after: number, placed: (events: number) => void) {
  const sql = yield* Database
  const { sha256 } = yield* Cryptography
  const tree = yield* makeMerkleLog
  const [chain] = yield* sql<{ readonly sequence: bigint; readonly tree_size: bigint; readonly hash: Uint8Array }>`
    SELECT last_sequence AS sequence, tree_size, coalesce(
      (SELECT hash FROM event_places p WHERE p.sequence = c.last_sequence),
      (SELECT dropped_hash FROM event_archive WHERE dropped_sequence = c.last_sequence)
    ) AS hash FROM event_chain c FOR UPDATE OF c`
  let sequence = Number(chain!.sequence)
  let hash = chain!.hash
  let edge = yield* tree.edge(sequence)
  let ordinal = BigInt(after)
  // The planner knows nothing of the new rows, and would sort all of them for each batch.
  yield* sql`ANALYZE event_records`
  while (true) {
    const rows: ReadonlyArray<RecordRow> = yield* sql<RecordRow>`
      SELECT ordinal, id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments, request_id, created_at
      FROM event_records WHERE ordinal > ${ordinal} ORDER BY ordinal LIMIT ${atOnce}`
    if (rows.length === 0) break
    const before = sequence
    const chained = rows.map((row) => {
      sequence += 1
      const leaf = leafHash(
        leafText({
          ...row,
          resource_type: resourceTypeOf(row.event_type),
          sequence,
          created_at: row.created_at.toISOString()
        }),
        sha256
      )
      const previous = hash
      hash = chainHash(previous, leaf, sha256)
      return { leaf, sequence, previous: Hex.encode(previous), hash: Hex.encode(hash) }
    })
    const grown = grow(edge, before, chained.map(({ leaf }) => leaf), sha256)
    edge = grown.edge
    ordinal = rows.at(-1)!.ordinal
    yield* sql.unsafe(placeQuery, [
      chained.map((row) => row.sequence),
      rows.map((row) => row.ordinal),
      rows.map((row) => row.id),
      rows.map((row) => row.event_type),
      rows.map((row) => row.resource_id ?? ""),
      rows.map((row) => row.actor_type),
      chained.map((row) => row.previous),
      chained.map((row) => row.hash),
      ...tileParameters(grown.tiles)
    ])
    placed(rows.length)
  }
  yield* sql`UPDATE event_chain SET last_sequence = ${sequence}, tree_size = ${sequence}`
  yield* sql`SELECT pg_notify('countersign_feed', ${String(sequence)})`
  return sequence
})
