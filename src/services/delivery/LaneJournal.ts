import { Array as Arr, Context, Deferred, Effect, Latch, Layer, Schedule } from "effect"
import type { LaneChange } from "../../domain/delivery/LaneChange.ts"
import { Announcements } from "../ground/agenda/Announcements.ts"
import { Hint, supervised } from "../ground/platform/Supervised.ts"
import type { LanesWritten } from "./LaneStore.ts"
import { LaneStore } from "./LaneStore.ts"

/** The parts of a lane that the journal needs. */
export interface Journaled {
  /** Hands over what is to be written and starts anew; undefined when there is nothing. */
  readonly takeChange: () => LaneChange | undefined
  /** The changes that were handed over are written. */
  readonly changeWritten: (change: LaneChange, hopeless: boolean) => void
}

/**
 * How long a success may wait to be written, in milliseconds. A crash repeats what was delivered meanwhile, up to the
 * window of a lane; half as long costs twice the rows and commits of a lane that is never idle.
 */
const lingering = 250
const retryAfterFailure = Schedule.spaced("250 millis")
const lanesAtOnce = 500

/**
 * Writes what happens on the lanes of this node behind the attempts (write-behind), many lanes and deliveries in one
 * statement. A success may wait a moment, because losing it only repeats a delivery; a failure is written at once,
 * because its slot waits for that. A lane whose row is locked is set aside, and waits alone.
 */
export class LaneJournal extends Context.Service<LaneJournal, {
  /** Says that a lane has something to write. */
  readonly mark: (lane: Journaled, urgent: boolean) => void
  /** Waits until everything of a lane that was marked so far is written. */
  readonly flush: (lane: Journaled) => Effect.Effect<void>
  /** Writes successes at once while the effect runs, because somebody waits for their cursors. */
  readonly promptly: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits for a write since the last wait. */
  readonly written: Effect.Effect<void>
}>()("countersign/services/delivery/LaneJournal") {
  static readonly layer = Layer.effect(
    LaneJournal,
    Effect.gen(function*() {
      const announcements = yield* Announcements
      const store = yield* LaneStore
      const dirty = new Set<Journaled>()
      /** The changes that were handed over and are not written yet. */
      const taken = new Map<Journaled, LaneChange>()
      /** The lanes of {@link taken} whose rows another transaction has locked. */
      const held = new Set<Journaled>()
      const waiters = new Map<Journaled, Array<Deferred.Deferred<void>>>()
      const anything = Latch.makeUnsafe(false)
      const atOnce = Latch.makeUnsafe(false)
      const anyHeld = Latch.makeUnsafe(false)
      const written = yield* Hint.make
      /** How many wait for cursors. */
      let awaited = 0

      const hurry = () => {
        anything.openUnsafe()
        atOnce.openUnsafe()
      }

      /** Releases those who wait for a lane, once it has nothing left to write. */
      const release = (lane: Journaled) => {
        if (dirty.has(lane) || taken.has(lane)) return
        for (const waiter of waiters.get(lane) ?? []) Deferred.doneUnsafe(waiter, Effect.void)
        waiters.delete(lane)
      }

      /** Records the outcome of changes that were handed over. */
      const settle = (lanes: ReadonlyArray<Journaled>, outcome: LanesWritten) => {
        for (const lane of lanes) {
          const change = taken.get(lane)!
          if (outcome.held.includes(change.endpointId)) {
            held.add(lane)
            anyHeld.openUnsafe()
            continue
          }
          taken.delete(lane)
          held.delete(lane)
          lane.changeWritten(change, outcome.hopeless.includes(change.endpointId))
          release(lane)
        }
        written.wakeUnsafe()
        // Its retries are in their table now, and so is when they are due.
        announcements.of("lanes").call()
      }

      /** Takes over what the lanes have to write; what is set aside of a lane is written first. */
      const take = () => {
        for (const lane of dirty) {
          if (taken.has(lane)) continue
          dirty.delete(lane)
          const change = lane.takeChange()
          if (change === undefined) release(lane)
          else taken.set(lane, change)
        }
      }

      // Always in the same order, so that two nodes that hold the same lanes for a moment do not deadlock.
      const inOrder = () =>
        [...taken.keys()].filter((lane) => !held.has(lane))
          .toSorted((a, b) => taken.get(a)!.endpointId < taken.get(b)!.endpointId ? -1 : 1)

      const write = Effect.gen(function*() {
        yield* anything.await
        if (!atOnce.isOpen()) yield* Effect.timeoutOption(atOnce.await, lingering)
        anything.closeUnsafe()
        atOnce.closeUnsafe()
        take()
        for (const lanes of Arr.chunksOf(inOrder(), lanesAtOnce)) {
          const outcome = yield* store.write(lanes.map((lane) => taken.get(lane)!))
          settle(lanes, outcome)
          if (outcome.held.length > 0) yield* Effect.logWarning(`Webhook lanes are locked: ${outcome.held.join(" ")}`)
        }
      }).pipe(Effect.onError(() => Effect.sync(hurry)))

      const writeHeld = Effect.gen(function*() {
        yield* anyHeld.await
        for (const lane of held) {
          settle([lane], yield* store.writeFree([taken.get(lane)!]))
          if (dirty.has(lane) && !held.has(lane)) hurry()
        }
        if (held.size === 0) anyHeld.closeUnsafe()
      })

      const retry = retryAfterFailure
      yield* Effect.forkScoped(supervised("Writing lanes", write, Schedule.forever, { retry }))
      yield* Effect.forkScoped(supervised("Writing lanes that were locked", writeHeld, retry, { retry }))

      return LaneJournal.of({
        mark: (lane, urgent) => {
          dirty.add(lane)
          if (urgent || awaited > 0) hurry()
          else anything.openUnsafe()
        },
        flush: (lane) =>
          Effect.suspend(() => {
            if (!dirty.has(lane) && !taken.has(lane)) return Effect.void
            const done = Deferred.makeUnsafe<void>()
            waiters.set(lane, [...waiters.get(lane) ?? [], done])
            hurry()
            return Deferred.await(done)
          }),
        promptly: (effect) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              awaited += 1
              if (dirty.size > 0) hurry()
            }),
            () => effect,
            () =>
              Effect.sync(() => {
                awaited -= 1
              })
          ),
        written: written.await
      })
    })
  )
}
