import { Context } from "effect"
import type { Effect, Scope } from "effect"

/**
 * The clock of an environment that may be moved, as this process follows it. The database's clock is what decides; what
 * waits in the process follows it.
 */
export interface MovableClock {
  /** How far the clock is ahead of real time, in milliseconds. */
  readonly ahead: () => number
  /** Real time, in Unix milliseconds. */
  readonly real: () => number
  /** Follows the clock of the database at once, instead of with the next look. */
  readonly follow: Effect.Effect<void>
  /**
   * Waits until no other move is on its way, on whichever node, and keeps others waiting until the scope closes. False: one
   * did not end in time.
   */
  readonly takeTurn: Effect.Effect<boolean, never, Scope.Scope>
  /** Tells every node, this one too, that a move has ended, so that what waits there begins its next round. */
  readonly announce: Effect.Effect<void>
}

/** The clock of this environment; undefined in the live one, whose clock is real time. */
export const MovableClock = Context.Reference<MovableClock | undefined>(
  "countersign/services/platform/MovableClock",
  { defaultValue: () => undefined }
)
