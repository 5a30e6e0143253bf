import { Effect, Semaphore } from "effect"
import { EventLoopTurns } from "./EventLoopTurns.ts"

/** The lane of the event loop in which those go on who have shared a look: all strangers together take no more of it than one caller. */
const lane = "shared looks"

/**
 * A look into the database whose answer all share who asked before it began: one runs at a time, and who comes meanwhile shares the next,
 * so that nobody is answered by what was there before they asked. They go on in turns with everything else on the event loop: a
 * hundred who were waiting would otherwise all be answered before the next caller is read.
 */
export const makeSharedLook = <A, E, R>(look: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E, R>> =>
  Effect.map(Effect.zip(Semaphore.make(1), EventLoopTurns), ([alone, turns]) => {
    let next: Effect.Effect<A, E, R> | undefined
    const begun = Effect.suspend(() => {
      next = undefined
      return look
    })
    // Uninterruptible, because the first caller may hang up while others wait for the result.
    const announced = Effect.map(Effect.cached(Effect.uninterruptible(alone.withPermits(1)(begun))), (shared) => {
      next = shared
      return shared
    })
    const turn = Effect.callback<void>((resume) => turns.add(lane, () => resume(Effect.void)))
    return Effect.tap(Effect.suspend(() => next ?? Effect.flatten(announced)), () => turn)
  })
