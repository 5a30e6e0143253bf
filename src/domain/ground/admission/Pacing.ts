/** Of so many live requests begun in a second, work beside them rests once as long as it took. */
const requestsForOneRest = 10

/** With fewer live requests in a second there is no pace: one probe or poll must not have tests come one by one. */
const busyFrom = 10

/** Whether work beside the live environment gives way to it, by the requests that live began within the last second. */
export const isBusy = (begunLately: number): boolean => begunLately >= busyFrom

/** Live is busy enough for the longest rests: more requests make them no longer. */
const mostRests = 40

/**
 * How long work beside the live environment rests after it took so long, in milliseconds: the more requests live
 * began within the last second, the longer, so that a fortieth of the time is the share of what never ends.
 */
export const restAfter = (took: number, begunLately: number): number =>
  Math.max(0, took) * Math.min(mostRests, begunLately / requestsForOneRest)

/** The length of the span that is counted, in milliseconds. */
const span = 1_000

/**
 * Counts what happened within the last second, in two numbers: what is left of the second before is taken to be
 * spread evenly. Instants are milliseconds of any clock that never goes back.
 */
export const makeRecentCount = () => {
  let began = Number.NEGATIVE_INFINITY
  let before = 0
  let current = 0
  const roll = (now: number) => {
    if (now - began < span) return
    before = now - began < 2 * span ? current : 0
    current = 0
    began = now - began < 2 * span ? began + span : now
  }
  return {
    add: (now: number): void => {
      roll(now)
      current += 1
    },
    count: (now: number): number => {
      roll(now)
      return current + before * (1 - Math.min(1, (now - began) / span))
    }
  }
}
