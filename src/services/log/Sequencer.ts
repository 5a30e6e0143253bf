import { Clock, Context, Effect, Layer, Metric, Schedule } from "effect"
import { Hex } from "effect/encoding"
import { extendChain } from "../../domain/evidence/transparency/ChainExtension.ts"
import type { ChainExtension } from "../../domain/evidence/transparency/ChainExtension.ts"
import { grow } from "../../domain/evidence/transparency/MerkleTiles.ts"
import type { Edge } from "../../domain/evidence/transparency/MerkleTiles.ts"
import { licenseOf } from "../../domain/log/LicenseChain.ts"
import type { LicenseEnd, LicenseEnds } from "../../domain/log/LicenseChain.ts"
import { Agenda } from "../ground/agenda/Agenda.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database } from "../ground/persistence/Database.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { fromStart } from "../ground/platform/SeriesFromStart.ts"
import { Hint, supervised } from "../ground/platform/Supervised.ts"
import { FeedSignal } from "./FeedPosition.ts"
import { makeMerkleLog } from "./MerkleLog.ts"
import { eventsDue, listLicenseEnds, listOwnPending, listPending, placeEvents } from "./SequencerSql.ts"
import type { PendingRow } from "./SequencerSql.ts"

/**
 * Tells the sequencer that events were committed, on whichever node it runs. A hint that is lost costs a second, after
 * which the sequencer looks by itself.
 */
export class SequencerSignal extends Context.Service<SequencerSignal, {
  /** Announces that this node has committed events. */
  readonly committed: Effect.Effect<void>
  /** Announces that another node has committed events. */
  readonly committedElsewhere: Effect.Effect<void>
  /** Waits for an announcement since the last wait. */
  readonly await: Effect.Effect<void>
  /** Waits for a commit of this node while the sequencer runs on another one, which is to be told. */
  readonly awaitUnannounced: Effect.Effect<void>
  /** Marks that the sequencer runs on this node for as long as the effect does. */
  readonly attended: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("countersign/services/log/SequencerSignal") {
  static readonly layer = Layer.effect(
    SequencerSignal,
    Effect.gen(function*() {
      const hint = yield* Hint.make
      const unannounced = yield* Hint.make
      let sequencers = 0
      return SequencerSignal.of({
        committed: Effect.suspend(() => sequencers > 0 ? hint.wake : unannounced.wake),
        committedElsewhere: hint.wake,
        await: hint.await,
        awaitUnannounced: unannounced.await,
        attended: (effect) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              sequencers += 1
            }),
            () => effect,
            () =>
              Effect.sync(() => {
                sequencers -= 1
              })
          )
      })
    })
  )
}

/** The most licenses whose last event is kept in memory. */
const kept = 10_000

/**
 * The last event of each license, as the sequencer needs it for a batch. Those of the licenses that it placed last are kept, as
 * long as the log ends with what it placed.
 */
const makeLicenseEnds = (sql: Database) => {
  let end: string | undefined
  const ends = new Map<string, LicenseEnd>()
  return {
    /** The last event of each license that these are about, where the log ends with `hash`. */
    before: Effect.fnUntraced(
      function*(
        hash: Uint8Array,
        events: ReadonlyArray<Parameters<typeof licenseOf>[0]>
      ): Effect.fn.Return<LicenseEnds> {
        if (end !== Hex.encode(hash)) ends.clear()
        const unknown = new Set<string>()
        for (const event of events) {
          const license = licenseOf(event)
          if (license !== undefined && !ends.has(license)) unknown.add(license)
        }
        if (unknown.size > 0) {
          const rows = yield* listLicenseEnds(sql, [...unknown])
          for (const { hash, license_id, sequence } of rows) ends.set(license_id, { sequence: Number(sequence), hash })
        }
        return ends
      }
    ),
    /** Keeps the last events of what was placed. */
    keep: ({ hashes, licenseEnds }: Pick<ChainExtension, "hashes" | "licenseEnds">): void => {
      end = hashes.at(-1)
      for (const [license, last] of licenseEnds) {
        // The latest are kept longest.
        ends.delete(license)
        ends.set(license, last)
      }
      for (const license of ends.keys()) {
        if (ends.size <= kept) return
        ends.delete(license)
      }
    }
  }
}

const batchLimit = 1000
/**
 * The intervals at which the sequencer looks while events wait for a running transaction, whose end nobody announces, in
 * milliseconds: often at first and then less so.
 */
const waitingPoll = 20
const longWaitingPoll = 100
const busyFor = 2_000
/** After so many looks in a row at events that wait, the sequencer looks whether they wait for another database. */
const looksBefore = 5
const retryAfterFailure = Schedule.spaced("500 millis")
const retryFillAfter = 60_000

const batchSize = fromStart(Metric.histogram("countersign_sequencer_batch_size", {
  description: "Events given their place in the feed by one transaction",
  boundaries: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
}))
const feedLag = fromStart(Metric.histogram("countersign_feed_lag_seconds", {
  description: "Time from the start of the transaction that appended an event until the event has its sequence number",
  boundaries: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]
}))

/** Events that are committed and have no place in the feed yet. Whoever measures the feed says how many. */
export const sequencerDepth = fromStart(Metric.gauge("countersign_sequencer_depth", {
  description: "Events without a sequence number; the count stops at 10,000."
}))

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
  /** Places batches forever: after every commit that is announced, and seldom for what nobody announces. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/log/Sequencer") {
  static readonly layer = Layer.effect(
    Sequencer,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const signal = yield* SequencerSignal
      const feed = yield* FeedSignal
      const tree = yield* makeMerkleLog
      const licenses = makeLicenseEnds(sql)
      let known: KnownEdge | undefined
      let lags = true
      /** Whether there may be events that could not be placed yet. */
      let waits = true

      const edgeAfter = (hash: Uint8Array, sequence: number): Effect.Effect<Edge> =>
        known?.hash === Hex.encode(hash) ? Effect.succeed(known.edge) : tree.edge(sequence)

      const readAny = listPending(sql, batchLimit)
      const readOwn = listOwnPending(sql, batchLimit)
      /** The looks in a row at events that waited, which those find that look at the transactions of this database alone. */
      let waited = 0

      const read = Effect.gen(function*() {
        const found = yield* (waited < looksBefore ? readAny : readOwn)
        const chain = found[0]
        if (chain === undefined) return yield* Effect.die(new Error("The event chain has no row"))
        waits = chain.waits ?? true
        if (chain.besides === null) waited = chain.waits === true ? waited + 1 : 0
        // They wait for this database, or for none: the cheaper look says so as well.
        else if (!chain.besides || chain.waits === true) waited = 0
        return { chain, found }
      })

      const batch = Effect.gen(function*() {
        const { chain, found } = yield* read
        lags = chain.tree_size !== chain.last_sequence
        if (chain.ordinal === null) return 0
        if (chain.last_hash === null) {
          return yield* Effect.die(new Error(`The event ${chain.last_sequence}, the last one, is not there`))
        }
        const rows = found as ReadonlyArray<PendingRow>
        const last = Number(chain.last_sequence)
        const linked = chain.linked_from !== null || chain.link_due
        const extension = extendChain(
          { sequence: last, hash: chain.last_hash },
          rows,
          environment,
          crypto.sha256,
          linked ? yield* licenses.before(chain.last_hash, rows) : undefined
        )
        const { sequence } = extension.end
        const grown = lags
          ? undefined
          : grow(yield* edgeAfter(chain.last_hash, last), last, extension.leaves, crypto.sha256)
        const [moved] = yield* placeEvents(sql, {
          chain,
          rows,
          extension,
          linkedFrom: linked ? chain.linked_from ?? BigInt(last + 1) : undefined,
          ...(grown === undefined ? {} : { tiles: grown.tiles })
        })
        if (moved === undefined || moved.placed === 0) return 0
        licenses.keep(extension)
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
          // Events whose announcement was lost.
          agenda.follow({
            name: "Looking for events",
            topic: "events",
            due: () => eventsDue(sql),
            look: signal.committedElsewhere,
            rest: "1 second",
            retry: "1 second"
          })
        ))
      })

      return Sequencer.of({ step, fill: tree.fill, run })
    })
  )
}
