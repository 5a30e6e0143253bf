import { Clock, Effect, Schedule } from "effect"
import type { Scope } from "effect"

/** The stream of the bar: standard error, so that results can be piped. */
export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/** Shorter work shows no bar, in milliseconds. */
const patience = 2_000
const redrawn = "125 millis"

/** The progress of a command. */
export interface Progress {
  /** Counts further units as done. */
  readonly advance: (units?: number) => void
  /** Sets how many are done in all; out of how many, once that is known; and the label, if that changes. */
  readonly reach: (done: number, total?: number, label?: string) => void
  /** Erases the bar until it is drawn again: before a line is printed, which would start at the end of the bar. */
  readonly erase: () => void
}

const clockTime = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.ceil(seconds % 60)} s`

/**
 * One line of a bar, at most `columns` wide: done, total, rate and remaining time. Without a total there is neither a
 * bar nor a remaining time.
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
 * Shows the progress of a command that takes more than two seconds, on a terminal only; the bar is erased when the
 * scope closes. `total` is in units; undefined if it is not known.
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
    // A terminal without a known size has 0 columns.
    const line = progressLine(state.label, { ...state, seconds: (now - begun) / 1000 }, (screen.columns || 80) - 1)
    screen.write(`\r\u001B[2K${line}`)
  })
  yield* Effect.addFinalizer(() => Effect.sync(progress.erase))
  yield* draw.pipe(Effect.repeat(Schedule.spaced(redrawn)), Effect.delay(patience), Effect.forkScoped)
  return progress
})

/** The elements, each counted as done when the next one is requested. */
export async function* counting<A>(elements: AsyncIterable<A>, progress: Progress): AsyncGenerator<A, void> {
  for await (const element of elements) {
    yield element
    progress.advance()
  }
}
