import { Clock, Context, Effect, Latch, Layer, Random, Schedule } from "effect"
import type { LaneChange } from "../../domain/delivery/LaneChange.ts"
import { retriesInMemory } from "../../domain/delivery/LaneRetries.ts"
import { LaneState, outlookOf } from "../../domain/delivery/LaneState.ts"
import type { DisabledReason } from "../../domain/delivery/webhooks/Webhook.ts"
import { untilDone } from "../ground/platform/Supervised.ts"
import type { FeedEvent } from "./FeedBuffer.ts"
import { FeedBuffer } from "./FeedBuffer.ts"
import { LaneAttempts } from "./LaneAttempts.ts"
import { LaneJournal } from "./LaneJournal.ts"
import type { OpenLane } from "./LaneReads.ts"
import { Alarm, Errands, LaneReads } from "./LaneReads.ts"
import { LaneStore } from "./LaneStore.ts"
import type { DirectoryEntry } from "./webhooks/EndpointDirectory.ts"
import { EndpointDirectory } from "./webhooks/EndpointDirectory.ts"

/** A lane with nothing to do waits this long, in milliseconds, for more: that costs less than to stop and start. */
const idleMillis = 2_000

/** How long a lane that moves to another node waits for its attempts, and then for its last write. */
const drainFor = "5 seconds"

const retryDisabling = Schedule.spaced("500 millis")

/** The lane of an endpoint while it is active on this node. */
export interface EndpointLane {
  /** Hints that there may be work. `reload`: the retry table may hold rows that are not known here. */
  readonly wake: (reload: boolean) => void
  /** Works until there is nothing to do; returns at once when it is working already. */
  readonly run: Effect.Effect<void>
}

/** Whether attempts may be made: not once the lane has asked for its endpoint to be disabled. */
class Disabling {
  #requested: DisabledReason | undefined
  #begun: DirectoryEntry | undefined

  ask(reason: DisabledReason): void {
    this.#requested ??= reason
  }

  /** Answers the reason to disable the endpoint, once. From then on it is off, until its entry changes. */
  begin(entry: DirectoryEntry | undefined): DisabledReason | undefined {
    const reason = this.#requested
    this.#requested = undefined
    if (reason === undefined || !this.isOn(entry)) return undefined
    this.#begun = entry
    return reason
  }

  isOn(entry: DirectoryEntry | undefined): entry is DirectoryEntry {
    return entry !== undefined && entry.isActive && entry !== this.#begun
  }
}

/** The services and settings that a loop needs of its lane. */
interface LoopOfLane {
  /** Opened when the loop has to look again. */
  readonly signal: Latch.Latch
  readonly alarm: Alarm
  readonly errands: Errands
  /** Starts all that can be started now; answers whether there is anything left to wait for. */
  readonly pump: () => boolean
  /** The lane is idle, or given up: it leaves the queue for slots of the node, and ends what is under way. */
  readonly leave: () => void
  /** Waits until all that happened is written. */
  readonly flush: Effect.Effect<void>
  /** Says whether a hint is looked at: from the first turn until the last one, and not while the lane drains. */
  readonly takeHints: (lane: EndpointLane, isTaken: boolean) => void
}

/** Takes a turn whenever the lane is woken: once for all who woke it meanwhile. */
const loopOf = (
  { mark, now, state, wake }: OpenLane,
  { alarm, errands, flush, leave, pump, signal, takeHints }: LoopOfLane
): EndpointLane => {
  let isRunning = false
  // A lane that a sweep woke ends once it has nothing to do, and does not idle: the next actor reads its rows anew.
  let mayIdle = true

  const end = () => {
    takeHints(lane, false)
    isRunning = false
    leave()
  }

  const work = Effect.gen(function*() {
    let idleSince: number | undefined
    while (true) {
      signal.closeUnsafe()
      if (pump()) idleSince = undefined
      else if (!signal.isOpen()) {
        idleSince ??= now()
        const until = mayIdle ? idleSince + idleMillis : Number.NEGATIVE_INFINITY
        if (until <= now()) break
        alarm.set(until)
      }
      yield* errands.begin
      yield* signal.await
    }
    mark(false)
    // In the step that found nothing to do: a hint that comes later begins the next run.
    end()
  })

  /** The lane goes to another node, or this one stops: what is under way may end, nothing new starts. */
  const drain = Effect.gen(function*() {
    takeHints(lane, false)
    while (state.underWay > 0) {
      signal.closeUnsafe()
      yield* signal.await
    }
  }).pipe(
    Effect.timeoutOption(drainFor),
    Effect.andThen(Effect.timeoutOption(flush, drainFor))
  )

  const lane: EndpointLane = {
    wake: (reload) => {
      if (reload) state.retries.areAllKnown = false
      mayIdle = !reload
      wake()
    },
    // A lane that was begun ends, wherever it is interrupted.
    run: Effect.uninterruptibleMask((restore) => {
      if (isRunning) return Effect.void
      isRunning = true
      takeHints(lane, true)
      alarm.clear()
      return restore(work).pipe(
        Effect.onInterrupt(() => drain),
        Effect.onError(() => Effect.sync(end))
      )
    })
  }
  return lane
}

/** Makes lanes: each is a loop, its reads and its attempts. */
export class Lanes extends Context.Service<Lanes, {
  /** The lane of an endpoint, as it was left; undefined when there is no such endpoint. */
  readonly open: (endpointId: string) => Effect.Effect<EndpointLane | undefined>
  /** Wakes the lane that works here for an endpoint; answers false, and does nothing, when none does. */
  readonly wake: (endpointId: string, reload: boolean) => boolean
}>()("countersign/services/delivery/Lanes") {
  static readonly layer = Layer.effect(
    Lanes,
    Effect.gen(function*() {
      const directory = yield* EndpointDirectory
      const feed = yield* FeedBuffer
      const store = yield* LaneStore
      const journal = yield* LaneJournal
      const allReads = yield* LaneReads
      const allAttempts = yield* LaneAttempts
      /** The lanes that take hints. Two may be open for an endpoint, one of which drains: only the other is in it. */
      const working = new Map<string, EndpointLane>()

      /** The result of one turn of the loop. */
      const turnOf = (
        lane: OpenLane,
        { alarm, disabling, errands, flush, opened }: {
          readonly alarm: Alarm
          readonly disabling: Disabling
          readonly errands: Errands
          readonly flush: Effect.Effect<void>
          /** The endpoint as it was known before the lane was read. */
          readonly opened: DirectoryEntry | undefined
        }
      ) => {
        const { endpointId, now, state } = lane
        const reads = allReads.of(lane, errands)
        const attempts = allAttempts.of(lane)

        // The lane makes no attempts until this is done, so it is retried without end.
        const disable = (reason: DisabledReason) =>
          errands.start(
            "be disabled",
            Effect.andThen(
              flush,
              untilDone("Disabling a webhook endpoint", store.disable(endpointId, reason), { retry: retryDisabling })
            )
          )

        const isBusy = () => state.slots > 0 || errands.any

        let known = opened
        /** A change of the endpoint takes effect at once: nothing waits for what was learned under other settings. */
        const noticeChange = (entry: DirectoryEntry | undefined, at: number): void => {
          if (entry === known || entry === undefined) return
          if (known !== undefined) {
            state.changed(at, entry.url !== known.url)
            if (entry.skippedTo > known.skippedTo) state.skip(entry.skippedTo)
            lane.mark(false)
          }
          state.setInOrder(entry.isInOrder, at)
          known = entry
        }

        /** Whether there is anything left to wait for. What is due at a known time wakes the loop then. */
        const isWaiting = (at: number, isAllowed: boolean): boolean => {
          const outlook = outlookOf({
            now: at,
            isAllowed,
            opensAt: state.opensAt,
            retryAt: state.retries.first()?.due,
            isBusy: isBusy(),
            hasMore: state.window.hasWaiting || state.window.position < feed.tail()
          })
          if (outlook.wakeAt !== undefined) alarm.set(outlook.wakeAt)
          return outlook.isWaiting
        }

        /** Starts the attempts that can be made now; answers whether the lane waits for a slot of the node. */
        const deliver = (entry: DirectoryEntry, at: number): boolean => {
          reads.supply(entry, at)
          const credentials = reads.credentialsOf(entry)
          if (credentials === undefined || !directory.isFresh(at)) return false
          return attempts.start(entry, credentials, at)
        }

        const pump = (): boolean => {
          const at = now()
          const entry = directory.get(endpointId)
          noticeChange(entry, at)
          const reason = disabling.begin(entry)
          if (reason !== undefined) disable(reason)
          if (!disabling.isOn(entry)) {
            attempts.leave()
            return isBusy()
          }
          reads.know(entry, at)
          const isAllowed = state.allows(at)
          if (!isAllowed || !deliver(entry, at)) attempts.leave()
          return isWaiting(at, isAllowed)
        }

        return {
          pump,
          leave: () => {
            attempts.leave()
            attempts.abandon()
          }
        }
      }

      const open = Effect.fnUntraced(function*(endpointId: string) {
        const clock = yield* Clock.Clock
        const random = yield* Random.Random
        const now = () => clock.currentTimeMillisUnsafe()
        const opened = directory.get(endpointId)
        const stored = yield* store.load(endpointId)
        if (stored === undefined) return undefined
        const readAt = now()
        const isInOrder = opened?.isInOrder === true
        const known = yield* store.retries(endpointId, { isInOrder, limit: retriesInMemory })
        const state = new LaneState<FeedEvent>(endpointId, stored, known, readAt, isInOrder)

        const signal = Latch.makeUnsafe(false)
        const wake = () => void signal.openUnsafe()
        const disabling = new Disabling()
        const journaled = {
          takeChange: () => state.takeChange(now()),
          changeWritten: (change: LaneChange, hopeless: boolean) => {
            state.changeWritten(change)
            if (hopeless) disabling.ask("failing")
            wake()
          }
        }
        const lane: OpenLane = {
          endpointId,
          state,
          now,
          chance: () => random.nextDoubleUnsafe(),
          wake,
          mark: (urgent) => journal.mark(journaled, urgent),
          disable: (reason) => disabling.ask(reason)
        }
        const errands = new Errands(wake)
        const alarm = new Alarm(now, wake, errands)
        const flush = journal.flush(journaled)
        const turn = turnOf(lane, { alarm, disabling, errands, flush, opened })
        const takeHints = (lane: EndpointLane, isTaken: boolean) => {
          if (isTaken) working.set(endpointId, lane)
          else if (working.get(endpointId) === lane) working.delete(endpointId)
        }
        return loopOf(lane, { signal, alarm, errands, flush, takeHints, ...turn })
      })

      return Lanes.of({
        open,
        wake: (endpointId, reload) => {
          working.get(endpointId)?.wake(reload)
          return working.has(endpointId)
        }
      })
    })
  ).pipe(Layer.provide([LaneAttempts.layer, LaneReads.layer]))
}
