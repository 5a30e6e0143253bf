import type { ClockMoveRequest } from "../../../client/api/index.ts"

/** The moves of a clock that are offered, as the service takes them, and the one to a date of one's own. */
export const clockMoves: ReadonlyArray<readonly [value: string, name: string]> = [
  ["P1D", "1 day"],
  ["P1M", "1 month"],
  ["P1Y", "1 year"],
  ["date", "to a date"]
]

/** A move as it is entered: how far, and the date where it is to one, as `YYYY-MM-DD`. */
export interface EnteredMove {
  readonly by: string
  readonly date: string
}

/** A move as its dialog shows it, and as it is sent. */
interface ClockMoveView {
  readonly asksDate: boolean
  /** The reason why the date is refused. */
  readonly wrong?: string
  /** Undefined while something is missing or wrong. */
  readonly request?: ClockMoveRequest
}

/** A move, relative to the clock, which can only go forward. */
export const clockMoveView = ({ by, date }: EnteredMove, now: string): ClockMoveView => {
  if (by !== "date") return { asksDate: false, request: { advance: by } }
  const instant = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(instant)) return { asksDate: true }
  return instant <= Date.parse(now)
    ? { asksDate: true, wrong: "Enter a date after the time of the clock" }
    : { asksDate: true, request: { now: new Date(instant).toISOString() } }
}
