import { Context } from "effect"
import type { Effect } from "effect"

/**
 * The clock of an environment that may be moved, as this process follows it. The database's clock is what decides; what
 * waits in the process follows it. In the live environment there is none.
 */
export const MovableClock = Context.Reference<
  {
    /** How far the clock is ahead of real time, in milliseconds. */
    readonly ahead: () => number
    /** Real time, in Unix milliseconds. */
    readonly real: () => number
    /** Follows the clock of the database at once, instead of with the next look. */
    readonly follow: Effect.Effect<void>
  } | undefined
>("countersign/services/platform/MovableClock", { defaultValue: () => undefined })
