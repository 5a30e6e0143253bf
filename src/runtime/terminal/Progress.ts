import { Clock, Effect, Schedule } from "effect"
import type { Scope } from "effect"

/** Where a bar is drawn; standard error, so that results can be piped away from it. */
export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/** Work that takes less, in milliseconds, shows nothing. */
const patience = 2_000
const redrawn = "125 millis"

/** How far a command has come. */
export interface Progress {
  /** Counts further units as done. */
  readonly advance: (units?: number) => void
  /** Says how many are done in all; and out of how many, once that is known; and at what, where that changes. */
  readonly reach: (done: number, total?: number, label?: string) => void
  /** Erases what is drawn, until it is drawn again: before a line is printed, which would begin at the end of the bar. */
  readonly erase: () => void
}

const clockTime = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.ceil(seconds % 60)} s`

/**
 * One line of a bar, no wider than `columns`: what is done, of how much, how fast and for how long still. Without a
 * total there is neither a bar nor an end.
 */
export const progressLine = (
  label: string,
  { done, seconds, total }: { readonly done: number; readonly seconds: number; readonly total: number | undefined },
  columns: number
): string => {
  const rate = seconds > 0 ? done / seconds : 0
  const count = Math.floor(done).toLocaleString("en-US")
  const speed = `${Math.round(rate).toLocaleString("en-US")}/s`
  if (total === undefined) return `${label}  ${count}  ${speed}`.slice(0, columns)
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const left = rate > 0 && share < 1 ? `, ${clockTime((total - done) / rate)} left` : ""
  const figures = `${Math.floor(share * 100)} %  ${count} of ${total.toLocaleString("en-US")}  ${speed}${left}`
  const width = Math.min(30, columns - label.length - figures.length - 6)
  const bar = width < 5 ? "" : `[${"=".repeat(Math.floor(width * share)).padEnd(width)}]  `
  return `${label}  ${bar}${figures}`.slice(0, columns)
}

/**
 * Shows how far a command has come, from two seconds after its start on, on a terminal only; what was drawn is erased
 * when the scope closes. `total` in units; undefined where it is not known.
 */
export const makeProgress = Effect.fnUntraced(function*(
  label: string,
  total?: number,
  screen: Screen = process.stderr
): Effect.fn.Return<Progress, never, Scope.Scope> {
  const state = { done: 0, total, label }
  let isDrawn = false
  const progress: Progress = {
    advance: (units = 1) => void (state.done += units),
    reach: (done, total = state.total, label = state.label) => void Object.assign(state, { done, total, label }),
    erase: () => {
      if (isDrawn) screen.write("\r\u001B[2K")
      isDrawn = false
    }
  }
  if (screen.isTTY !== true) return progress
  const begun = yield* Clock.currentTimeMillis
  const draw = Effect.map(Clock.currentTimeMillis, (now) => {
    isDrawn = true
    // A terminal whose size nobody has set has 0 columns.
    const line = progressLine(state.label, { ...state, seconds: (now - begun) / 1000 }, (screen.columns || 80) - 1)
    screen.write(`\r\u001B[2K${line}`)
  })
  yield* Effect.addFinalizer(() => Effect.sync(progress.erase))
  yield* draw.pipe(Effect.repeat(Schedule.spaced(redrawn)), Effect.delay(patience), Effect.forkScoped)
  return progress
})

/** The elements as they come, each counted as done when it is asked for the next one. */
export async function* counting<A>(elements: AsyncIterable<A>, progress: Progress): AsyncGenerator<A, void> {
  for await (const element of elements) {
    yield element
    progress.advance()
  }
}
