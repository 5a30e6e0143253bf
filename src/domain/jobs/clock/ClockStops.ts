import { afterDuration, lastInstant } from "../../catalog/terms/Duration.ts"
import type { ClockMove } from "./ClockMove.ts"

/** Why a move makes no sense, as a finding of the body. */
export interface ClockFinding {
  readonly path: keyof ClockMove
  readonly message: string
}

/** The furthest that one move may go: ten years of what happens are settled before the call answers. */
const furthest = "P10Y"

/** The instant that a clock is moved to from `now`, in Unix milliseconds; or what is wrong with the move. */
export const clockTarget = (now: number, { advance, now: to }: ClockMove): number | ClockFinding => {
  if (to === undefined && advance === undefined) return { path: "now", message: "is required, or `advance` instead" }
  if (to !== undefined && advance !== undefined) {
    return { path: "advance", message: "must be omitted if `now` is given" }
  }
  const path = to === undefined ? "advance" : "now"
  const target = to === undefined ? afterDuration(now, advance!) ?? lastInstant + 1 : Date.parse(to)
  if (target < now) return { path, message: "must not be earlier than the clock, which only moves forward" }
  return target > afterDuration(now, furthest)!
    ? { path, message: "must be at most ten years ahead of the clock in one move" }
    : target
}

/** So many deadlines of one move are met at their own time; those after them in as many even shares of the way. */
export const exactSteps = 1000

/** What is due by itself as time passes. */
export const dueKinds = ["leases", "licenses", "containers", "warnings", "retries"] as const
export type DueKind = typeof dueKinds[number]

/** The next instants at which something of a kind is due, in Unix milliseconds; undefined where nothing is. */
export type Deadlines = Readonly<Record<DueKind, number | undefined>>

/** Where a clock stops on its way. */
export interface ClockStop {
  readonly at: number
  /** What is to be looked after there. */
  readonly due: ReadonlyArray<DueKind>
}

/**
 * The next instant at which a clock stops on its way, so that what is due then happens at its own time: the next deadline.
 * After {@link exactSteps} of them, deadlines within an even share of the way are taken together, so that the time that a
 * move takes is bounded. At the first stop and at the last everything is looked after, whatever was left over before.
 */
export const nextStop = (
  { deadlines, from, start, steps, target }: {
    readonly start: number
    /** How many stops there were before. */
    readonly steps: number
    readonly from: number
    readonly target: number
    /** The next deadlines after `from`. */
    readonly deadlines: Deadlines
  }
): ClockStop => {
  const next = dueKinds.reduce((first, kind) => Math.min(first, deadlines[kind] ?? target), target)
  const least = steps < exactSteps ? 1 : Math.ceil((target - start) / exactSteps)
  const at = Math.min(target, Math.max(next, from + least))
  const isAll = steps === 0 || at === target
  return { at, due: isAll ? dueKinds : dueKinds.filter((kind) => (deadlines[kind] ?? Infinity) <= at) }
}
