import { Duration, Effect } from "effect"
import type { MovableClock } from "../../services/ground/environments/MovableClock.ts"

/**
 * How far the clock moves until the work that looks for itself takes its next round, in milliseconds. What has a deadline is
 * done at each move in any case; a round is 17 statements, and of 365 rounds nearly none finds anything.
 */
const roundsEvery = Duration.toMillis("7 days")

/** The clock of an environment that a command has for itself: no other node moves it, or has to be told of a move. */
export const movedAlone = (movable: MovableClock, callRound: () => void): MovableClock => {
  let calledAt = movable.ahead()
  return {
    ...movable,
    takeTurn: Effect.succeed(true),
    announce: Effect.sync(() => {
      if (movable.ahead() < calledAt + roundsEvery) return
      calledAt = movable.ahead()
      callRound()
    })
  }
}
