import { Context, Deferred, Effect, Latch, Layer } from "effect"
import type { LaneChange } from "../domain/LaneChange.ts"
import { LaneStore } from "./LaneStore.ts"

/** What the journal needs of a lane. */
export interface Journaled {
  /** Hands over what is to be written and starts anew; undefined when there is nothing. */
  readonly takeChange: () => LaneChange | undefined
  /** What was handed over is written. */
  readonly changeWritten: (change: LaneChange, hopeless: boolean) => void
}

const lingering = 50
const retryAfterFailure = 250
const lanesAtOnce = 500

/**
 * Writes what happens on the lanes of this node, many lanes and many deliveries in one statement. A success may wait a
 * moment, because all it can cost is a repetition; a failure is written at once, because its slot waits for that.
 */
export class LaneJournal extends Context.Service<LaneJournal, {
  /** Says that a lane has something to write. */
  readonly mark: (lane: Journaled, urgent: boolean) => void
  /** Waits until everything marked so far is written. */
  readonly flush: Effect.Effect<void>
}>()("countersign/services/LaneJournal") {
  static readonly layer = Layer.effect(
    LaneJournal,
    Effect.gen(function*() {
      const store = yield* LaneStore
      const dirty = new Set<Journaled>()
      const anything = Latch.makeUnsafe(false)
      const atOnce = Latch.makeUnsafe(false)
      let waiters: Array<Deferred.Deferred<void>> = []

      const write = Effect.fnUntraced(function*() {
        const served = waiters
        waiters = []
        anything.closeUnsafe()
        atOnce.closeUnsafe()
        const taken: Array<readonly [Journaled, LaneChange]> = []
        for (const lane of dirty) {
          const change = lane.takeChange()
          if (change !== undefined) taken.push([lane, change])
        }
        dirty.clear()
        // Always in the same order, so that two nodes that hold the same lanes for a moment do not deadlock.
        taken.sort(([, a], [, b]) => a.endpointId < b.endpointId ? -1 : 1)
        for (let from = 0; from < taken.length; from += lanesAtOnce) {
          const part = taken.slice(from, from + lanesAtOnce)
          const hopeless = yield* store.write(part.map(([, change]) => change)).pipe(
            Effect.tapCause((cause) => Effect.logWarning("Lanes could not be written; trying again", cause)),
            Effect.catchCause((cause) => Effect.andThen(Effect.sleep(retryAfterFailure), Effect.failCause(cause))),
            Effect.sandbox,
            Effect.eventually
          )
          for (const [lane, change] of part) lane.changeWritten(change, hopeless.includes(change.endpointId))
        }
        for (const waiter of served) Deferred.doneUnsafe(waiter, Effect.void)
      }, Effect.withTracerEnabled(false))

      yield* Effect.gen(function*() {
        while (true) {
          yield* anything.await
          if (!atOnce.isOpen()) yield* Effect.timeoutOption(atOnce.await, lingering)
          yield* write()
        }
      }).pipe(Effect.forkScoped)

      const hurry = () => {
        anything.openUnsafe()
        atOnce.openUnsafe()
      }

      return LaneJournal.of({
        mark: (lane, urgent) => {
          dirty.add(lane)
          if (urgent) hurry()
          else anything.openUnsafe()
        },
        flush: Effect.suspend(() => {
          const written = Deferred.makeUnsafe<void>()
          waiters.push(written)
          hurry()
          return Deferred.await(written)
        })
      })
    })
  )
}
