import { Context, Effect } from "effect"

/** Work in the background that goes on for long, cut into slices of about a millisecond. */
export interface Slices {
  /**
   * Runs a slice. In an environment beside the live one it may wait first, well under a second: never in a transaction that
   * has written or holds a lock.
   */
  readonly run: <A, E, R>(slice: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The slices of this environment; in the live one each is followed by other work of the event loop. */
export const Slices = Context.Reference<Slices>("countersign/services/ground/environments/Slices", {
  defaultValue: () => ({ run: (slice) => Effect.tap(slice, () => Effect.yieldNow) })
})
