import { Clock, Context, Effect, Layer, Metric } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { Commitments } from "../domain/EventRecord.ts"
import { chainHash, leafHash, leafText } from "../domain/EventRecord.ts"
import type { Edge } from "../domain/MerkleTiles.ts"
import { grow } from "../domain/MerkleTiles.ts"
import { Cryptography } from "./Cryptography.ts"
import { makeEventTree } from "./EventTree.ts"
import { FeedSignal } from "./FeedSignal.ts"
import { SequencerSignal } from "./SequencerSignal.ts"

interface OutboxRow {
  readonly xid: string
  readonly ordinal: bigint
  readonly id: string
  readonly event_type: string
  readonly actor_type: string
  readonly actor_id: string
  readonly resource_type: string
  readonly resource_id: string | null
  readonly metadata: string
  readonly data: string
  readonly commitments: Commitments | null
  readonly request_id: string | null
  readonly created_at: Date
  readonly age: number
}

/** What a row is read as where there is none. */
type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

interface ChainRow {
  readonly last_sequence: bigint
  readonly last_hash: Uint8Array
  readonly tree_size: bigint
}

const batchLimit = 1000
const busyPoll = 20
const idlePoll = 100
const busyFor = 2_000
const retryAfterFailure = 500
const retryFillAfter = 60_000

const batchSize = Metric.histogram("countersign_sequencer_batch_size", {
  description: "Events given their place in the feed by one transaction",
  boundaries: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
})
const feedLag = Metric.histogram("countersign_feed_lag_seconds", {
  description: "From the start of the transaction that appended an event to its place in the feed",
  boundaries: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]
})

/** The edge of the tree after the event with this hash. The hash stands for everything before it. */
interface KnownEdge {
  readonly hash: string
  readonly edge: Edge
}

/**
 * The only writer of the feed. It moves committed rows from `event_outbox` to `events`, numbers them without gaps,
 * chains them by hash and grows the Merkle tree over them, in one transaction. A row is moved once no transaction that could still commit an earlier one is running, which is
 * what makes the order one that no reader ever sees change.
 */
export class Sequencer extends Context.Service<Sequencer, {
  /**
   * Moves one batch; answers how many events, 0 when there is nothing to do or another sequencer is at work.
   */
  readonly step: Effect.Effect<number>
  /**
   * Adds to the tree a piece of the events that were in the feed before there was a tree; answers how many. Until all
   * are in it, batches are moved without it.
   */
  readonly fill: Effect.Effect<number>
  /** Moves batches for ever: at every local commit, and by polling for those of other nodes. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/Sequencer") {
  static readonly layer = Layer.effect(
    Sequencer,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const crypto = yield* Cryptography
      const signal = yield* SequencerSignal
      const feed = yield* FeedSignal
      const tree = yield* makeEventTree
      let known: KnownEdge | undefined
      let lags = true

      const edgeAfter = ({ last_hash, last_sequence }: ChainRow): Effect.Effect<Edge> =>
        known?.hash === Hex.encode(last_hash) ? Effect.succeed(known.edge) : tree.edge(Number(last_sequence))

      // A transaction has its id before it waits for a row and its ordinals after, so ordinals tell who came first. A
      // row waits for the committed ones before it that have to wait for a running transaction.
      // Rows at or above the snapshot's end come from a dump of another server: nobody here can still commit them.
      const read = sql<ChainRow & Nullable<OutboxRow>>`
        SELECT c.last_sequence, c.last_hash, c.tree_size, o.xid::text AS xid, o.ordinal, o.id, o.event_type, o.actor_type,
          o.actor_id, o.resource_type, o.resource_id, o.metadata, o.data, o.commitments, o.request_id,
          date_trunc('milliseconds', o.created_at) AS created_at,
          extract(epoch FROM clock_timestamp() - o.created_at)::float8 AS age
        FROM event_chain c LEFT JOIN LATERAL (
          SELECT * FROM event_outbox
          WHERE (xid < pg_snapshot_xmin(pg_current_snapshot()) OR xid >= pg_snapshot_xmax(pg_current_snapshot()))
            AND ordinal < coalesce((
              SELECT min(ordinal) FROM event_outbox
              WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()) AND xid < pg_snapshot_xmax(pg_current_snapshot())
            ), 9223372036854775807)
          ORDER BY ordinal
          LIMIT ${batchLimit}
        ) o ON true
        ORDER BY o.ordinal`

      const batch = Effect.gen(function*() {
        const found = yield* read
        const chain = found[0]
        if (chain === undefined) return yield* Effect.die(new Error("The event chain has no row"))
        lags = chain.tree_size !== chain.last_sequence
        if (chain.xid === null) return 0
        const rows = found as ReadonlyArray<OutboxRow>
        let sequence = Number(chain.last_sequence)
        let hash = chain.last_hash
        const sequences: Array<number> = []
        const previous: Array<string> = []
        const hashes: Array<string> = []
        const leaves: Array<Uint8Array> = []
        for (const row of rows) {
          sequence += 1
          const leaf = leafHash(
            leafText({ ...row, sequence, created_at: row.created_at.toISOString() }),
            crypto.sha256
          )
          leaves.push(leaf)
          previous.push(Hex.encode(hash))
          hash = chainHash(hash, leaf, crypto.sha256)
          hashes.push(Hex.encode(hash))
          sequences.push(sequence)
        }
        const lastHash = Hex.encode(hash)
        const grown = lags ? undefined : grow(yield* edgeAfter(chain), sequence - rows.length, leaves, crypto.sha256)
        // One statement, which is a transaction of its own. The end of the chain is the guard: a sequencer that read an
        // older one waits for the row, finds another end than it expected, and does nothing.
        const [moved] = yield* sql<{ readonly placed: number; readonly announced: unknown }>`
          WITH chained AS (
            UPDATE event_chain SET last_sequence = ${sequence}, last_hash = decode(${lastHash}, 'hex'),
              tree_size = ${grown === undefined ? chain.tree_size : sequence}
            WHERE last_sequence = ${chain.last_sequence} AND tree_size = ${chain.tree_size}
            RETURNING 1
          ), numbered AS (
            SELECT x::xid8 AS xid, o AS ordinal, s AS sequence, decode(p, 'hex') AS previous_hash,
              decode(h, 'hex') AS hash
            FROM unnest(
              ${rows.map((row) => row.xid)}::text[], ${rows.map((row) => row.ordinal)}::bigint[],
              ${sequences}::bigint[], ${previous}::text[], ${hashes}::text[]
            ) AS n (x, o, s, p, h)
            WHERE EXISTS (SELECT FROM chained)
          ), taken AS (
            DELETE FROM event_outbox b USING numbered n WHERE b.xid = n.xid AND b.ordinal = n.ordinal
            RETURNING n.sequence, n.previous_hash, n.hash, b.*
          ), placed AS (
            INSERT INTO events (
              sequence, id, event_type, actor_type, actor_id, resource_type, resource_id, metadata, data, commitments,
              personal, request_id, traceparent, created_at, previous_hash, hash
            )
            SELECT sequence, id, event_type, actor_type, actor_id, resource_type, resource_id, metadata, data,
              commitments, personal, request_id, traceparent, date_trunc('milliseconds', created_at), previous_hash, hash
            FROM taken ORDER BY sequence
            RETURNING sequence
          ), grown AS (
            ${tree.write(grown?.tiles ?? [], sql`EXISTS (SELECT FROM chained)`)}
          ), counted AS (
            SELECT (SELECT count(*)::int FROM chained) AS chained, (SELECT count(*)::int FROM placed) AS placed
          )
          SELECT placed, CASE
            WHEN chained = 0 THEN NULL
            WHEN placed = ${rows.length} THEN pg_notify('countersign_feed', ${String(sequence)})::text
            -- A text that is no number fails the statement, so that the chain does not move either.
            ELSE (${`of ${rows.length} events that were numbered, so many were placed: `} || placed)::int::text
          END AS announced
          FROM counted`
        if (moved === undefined || moved.placed === 0) return 0
        known = grown === undefined ? undefined : { hash: lastHash, edge: grown.edge }
        yield* feed.publish(sequence)
        yield* Metric.update(batchSize, rows.length)
        // One observation a batch: the oldest event tells how far the feed lags.
        yield* Metric.update(feedLag, Math.max(0, rows[0]!.age))
        return rows.length
      })

      const step = batch.pipe(Effect.withTracerEnabled(false), Effect.orDie)

      const run = Effect.gen(function*() {
        let busyUntil = 0
        let fillAt = 0
        while (true) {
          const moved = yield* step.pipe(
            Effect.catchCause((cause) =>
              Effect.logWarning("Sequencing failed and is tried again", cause).pipe(
                Effect.andThen(Effect.sleep(retryAfterFailure)),
                Effect.as(0)
              )
            )
          )
          const now = yield* Clock.currentTimeMillis
          if (moved > 0) busyUntil = now + busyFor
          // Batches go first, and between two of them the tree gains on the feed.
          if (lags && now >= fillAt) {
            const filled = yield* Effect.catchCause(
              tree.fill,
              (cause) => Effect.as(Effect.logError("The tree over the events cannot be continued", cause), undefined)
            )
            if (filled === undefined) fillAt = now + retryFillAfter
            else lags = filled > 0
            if (filled !== undefined && filled > 0) continue
          }
          if (moved === batchLimit) continue
          yield* Effect.timeoutOption(signal.await, now < busyUntil ? busyPoll : idlePoll)
        }
      }) as Effect.Effect<never>

      return Sequencer.of({ step, fill: tree.fill, run })
    })
  )
}
