import { Clock, Context, Effect, Layer, Metric, Schedule } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { Commitments } from "../../domain/events/EventLeaf.ts"
import { extendChain } from "../../domain/transparency/ChainExtension.ts"
import type { Edge } from "../../domain/transparency/MerkleTiles.ts"
import { grow } from "../../domain/transparency/MerkleTiles.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { fromStart } from "../platform/SeriesFromStart.ts"
import { supervised } from "../platform/Supervised.ts"
import type { FeedRow } from "./FeedSignal.ts"
import { FeedSignal } from "./FeedSignal.ts"
import { makeMerkleLog, tileParameters, writtenTiles } from "./MerkleLog.ts"
import { SequencerSignal } from "./SequencerSignal.ts"

/** A row of `event_pending` with its record. */
interface PendingRow extends Omit<FeedRow, "sequence"> {
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

interface ChainRow {
  readonly last_sequence: bigint
  /** NULL when the last event of the feed is not there. */
  readonly last_hash: Uint8Array | null
  readonly tree_size: bigint
  /** Where nothing can be placed: whether events wait for a running transaction. */
  readonly waits: boolean | null
}

const batchLimit = 1000
/**
 * The intervals at which the sequencer looks, in milliseconds: while events wait for a running transaction, whose end
 * nobody announces, often at first and then less so; otherwise only for announcements that were lost.
 */
const waitingPoll = 20
const longWaitingPoll = 100
const idlePoll = 1_000
const busyFor = 2_000
const retryAfterFailure = Schedule.spaced("500 millis")
const retryFillAfter = 60_000

const batchSize = fromStart(Metric.histogram("countersign_sequencer_batch_size", {
  description: "Events given their place in the feed by one transaction",
  boundaries: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
}))
const feedLag = fromStart(Metric.histogram("countersign_feed_lag_seconds", {
  description: "From the start of the transaction that appended an event to its place in the feed",
  boundaries: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]
}))

/** Events that are committed and have no place in the feed yet. Whoever measures the feed says how many. */
export const sequencerDepth = fromStart(Metric.gauge("countersign_sequencer_depth", {
  description: "Events that wait for their place in the feed; of more than 10,000 only so many are counted."
}))

// Of the last place; of what was dropped when that was all of it; and zeros before the first event.
const lastHash = `coalesce(
  (SELECT p.hash FROM event_places p WHERE p.sequence = c.last_sequence AND event_sought(p.ordinal)),
  (SELECT a.dropped_hash FROM event_archive a WHERE a.dropped_sequence = c.last_sequence)
)`

// A transaction gets its id before it waits for a row, and its ordinals after, so ordinals tell which transaction
// came first. A row also waits for earlier committed rows that must wait for a running transaction.
// Rows at or above the snapshot's end come from a dump of another server: no transaction here can still commit
// them.
const pendingQuery = `
  SELECT c.last_sequence, ${lastHash} AS last_hash, c.tree_size, o.ctid::text AS ctid, o.ordinal, o.id, o.event_type,
    o.actor_type, o.actor_id, o.resource_id, o.metadata, o.data, o.commitments, o.personal, o.request_id,
    o.traceparent, o.created_at, extract(epoch FROM clock_timestamp() - o.created_at)::float8 AS age,
    CASE WHEN o.ordinal IS NULL THEN EXISTS (SELECT FROM event_pending) END AS waits
  FROM event_chain c LEFT JOIN LATERAL (
    SELECT q.ctid, r.* FROM (
      SELECT ctid, ordinal FROM event_pending
      WHERE (xid < pg_snapshot_xmin(pg_current_snapshot()) OR xid >= pg_snapshot_xmax(pg_current_snapshot()))
        AND ordinal < coalesce((
          SELECT min(ordinal) FROM event_pending
          WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()) AND xid < pg_snapshot_xmax(pg_current_snapshot())
        ), 9223372036854775807)
      ORDER BY ordinal
      LIMIT $1
    ) q
    CROSS JOIN LATERAL (
      SELECT * FROM event_records e WHERE e.ordinal = q.ordinal AND event_sought(e.ordinal) OFFSET 0
    ) r
  ) o ON true
  ORDER BY o.ordinal`

// One statement, which is a transaction of its own. The end of the chain is an optimistic lock: a sequencer that read an
// older end waits for the row, finds a different end, and changes nothing. `last_hash` is for nodes of version 0.1.0 that
// still run during an upgrade, and continue the chain from it.
const placeQuery = `
  WITH chained AS (
    UPDATE event_chain SET last_sequence = $1::bigint, tree_size = $2::bigint,
      last_hash = decode(($13::text[])[$14::int], 'hex')
    WHERE last_sequence = $3::bigint AND tree_size = $4::bigint
    RETURNING 1
  ), taken AS (
    DELETE FROM event_pending WHERE ctid = ANY($5::text[]::tid[]) AND EXISTS (SELECT FROM chained)
    RETURNING ordinal
  ), placed AS (
    INSERT INTO event_places (sequence, ordinal, id, event_type, resource_id, actor_type, previous_hash, hash)
    SELECT n.sequence, n.ordinal, n.id, n.event_type, nullif(n.resource_id, ''), n.actor_type,
      decode(n.previous_hash, 'hex'), decode(n.hash, 'hex')
    FROM unnest(
      $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[]
    ) AS n (sequence, ordinal, id, event_type, resource_id, actor_type, previous_hash, hash)
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

/** The edge of the tree after the event with this hash. The hash covers every event before it. */
interface KnownEdge {
  readonly hash: string
  readonly edge: Edge
}

/**
 * The only writer of the feed. It gives committed events their places in one transaction: it numbers them without gaps,
 * chains them by hash, and extends the Merkle tree. It places an event only when no running transaction could still
 * commit an earlier one, so no reader ever sees the order change.
 */
export class Sequencer extends Context.Service<Sequencer, {
  /** Places one batch; returns the number of events, 0 when there is nothing to do or another sequencer is at work. */
  readonly step: Effect.Effect<number>
  /**
   * Adds to the tree a batch of the events that were in the feed before there was a tree; returns their number. Until
   * all of them are in the tree, new batches are placed without extending it.
   */
  readonly fill: Effect.Effect<number>
  /** Places batches forever: after every commit that is announced, and by polling for what nobody announces. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/events/Sequencer") {
  static readonly layer = Layer.effect(
    Sequencer,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const crypto = yield* Cryptography
      const signal = yield* SequencerSignal
      const feed = yield* FeedSignal
      const tree = yield* makeMerkleLog
      let known: KnownEdge | undefined
      let lags = true
      /** Whether there may be events that could not be placed yet. */
      let waits = true

      const edgeAfter = (hash: Uint8Array, sequence: number): Effect.Effect<Edge> =>
        known?.hash === Hex.encode(hash) ? Effect.succeed(known.edge) : tree.edge(sequence)

      const read = sql.unsafe<ChainRow & Nullable<PendingRow>>(pendingQuery, [batchLimit])

      const batch = Effect.gen(function*() {
        const found = yield* read
        const chain = found[0]
        if (chain === undefined) return yield* Effect.die(new Error("The event chain has no row"))
        lags = chain.tree_size !== chain.last_sequence
        waits = chain.waits ?? true
        if (chain.ordinal === null) return 0
        if (chain.last_hash === null) {
          return yield* Effect.die(new Error(`The event ${chain.last_sequence}, the last one, is not there`))
        }
        const rows = found as ReadonlyArray<PendingRow>
        const last = Number(chain.last_sequence)
        const extension = extendChain({ sequence: last, hash: chain.last_hash }, rows, crypto.sha256)
        const { sequence } = extension.end
        const grown = lags
          ? undefined
          : grow(yield* edgeAfter(chain.last_hash, last), last, extension.leaves, crypto.sha256)
        const [moved] = yield* sql.unsafe<{ readonly placed: number; readonly announced: unknown }>(placeQuery, [
          sequence,
          grown === undefined ? chain.tree_size : sequence,
          chain.last_sequence,
          chain.tree_size,
          rows.map((row) => row.ctid),
          extension.sequences,
          rows.map((row) => row.ordinal),
          rows.map((row) => row.id),
          rows.map((row) => row.event_type),
          rows.map((row) => row.resource_id ?? ""),
          rows.map((row) => row.actor_type),
          extension.previousHashes,
          extension.hashes,
          rows.length,
          String(sequence),
          `of ${rows.length} events that were numbered, so many were placed: `,
          ...tileParameters(grown?.tiles ?? [])
        ])
        if (moved === undefined || moved.placed === 0) return 0
        known = grown === undefined ? undefined : { hash: extension.hashes.at(-1)!, edge: grown.edge }
        yield* feed.publish(
          sequence,
          rows.map(({ created_at, data, event_type, id, personal, traceparent }, index) => ({
            sequence: BigInt(extension.sequences[index]!),
            id,
            event_type,
            data,
            personal,
            created_at,
            traceparent
          }))
        )
        yield* Metric.update(batchSize, rows.length)
        // One observation for each batch: the oldest event gives the lag of the feed.
        yield* Metric.update(feedLag, Math.max(0, rows[0]!.age))
        return rows.length
      })

      // No request's, so it is in no trace.
      const step = batch.pipe(Effect.withTracerEnabled(false), Effect.orDie)

      const run = Effect.suspend(() => {
        let busyUntil = 0
        let fillAt = 0

        /** Extends the lagging tree by one step between batches, which go first; returns whether it still lags. */
        const gain = Effect.gen(function*() {
          if (!lags || (yield* Clock.currentTimeMillis) < fillAt) return false
          lags = (yield* tree.fill) > 0
          return lags
        }).pipe(Effect.catchCause((cause) =>
          Effect.gen(function*() {
            fillAt = (yield* Clock.currentTimeMillis) + retryFillAfter
            yield* Effect.logError("The tree over the events cannot be continued", cause)
            return false
          })
        ))

        const round = Effect.gen(function*() {
          const moved = yield* step
          const now = yield* Clock.currentTimeMillis
          if (moved > 0) busyUntil = now + busyFor
          if ((yield* gain) || moved === batchLimit) return
          yield* waits
            ? Effect.timeoutOption(signal.await, now < busyUntil ? waitingPoll : longWaitingPoll)
            : signal.await
        })
        return signal.attended(Effect.raceFirst(
          supervised("Sequencing", Effect.forever(round), Schedule.forever, { retry: retryAfterFailure }),
          // Cheaper than a timeout for each wait.
          Effect.forever(Effect.delay(signal.committedElsewhere, idlePoll))
        ))
      })

      return Sequencer.of({ step, fill: tree.fill, run })
    })
  )
}
