import { Context, Effect } from "effect"
import type { Scope } from "effect"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"

/** Says when an attempt to deliver may begin. */
export interface DeliveryTurns {
  /**
   * Runs a step that begins an attempt: in an environment beside the live one when it is its turn, well under a second after
   * those before it. Answers what takes the step back, which does nothing once it has run.
   */
  readonly begin: (step: () => void) => () => void
}

const nothing = (): void => undefined

/** The turns of the deliveries of this environment; in the live one each begins at once. */
export const DeliveryTurns = Context.Reference<DeliveryTurns>(
  "countersign/services/ground/environments/DeliveryTurns",
  {
    defaultValue: () => ({
      begin: (step) => {
        step()
        return nothing
      }
    })
  }
)

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

/**
 * Empties the environment. It is asked for by a request and happens when that has left the environment, because nothing can
 * run in what is taken away. Undefined where an environment may not be emptied, as the live one.
 */
export const EnvironmentReset = Context.Reference<{ readonly ask: () => void } | undefined>(
  "countersign/services/platform/EnvironmentReset",
  { defaultValue: () => undefined }
)

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

/** The environment whose database the services work on. */
export const CurrentEnvironment = Context.Reference<EnvironmentName>(
  "countersign/services/platform/CurrentEnvironment",
  {
    defaultValue: () => "live"
  }
)
