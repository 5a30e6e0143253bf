/**
 * Admission control: how much load a node takes on. Requests queue for the event loop and for connections to the
 * database, and overload is a standing queue (CoDel, RFC 8289). Its length is how late the event loop is, and how long
 * the median question takes; where few are asked, how long the quickest request takes, because one that is slow for a
 * reason of its own, such as a lock, has quick ones beside it. While the queue stands, no more requests are in flight
 * than are answered within the target delay (Little's law), and while load is shed the queue is kept at a fraction of
 * it. When it is gone, the limit grows again step by step.
 */

/** What a request is for. Management is shed first, the questions of apps last. */
export type LoadKind = "management" | "runtime" | "question"

/** Up to which share of the limit each kind of request is let in. */
const shares: Readonly<Record<LoadKind, number>> = { management: 1, runtime: 1.5, question: 2 }

/** This many management requests are let in during any overload: an operator must be able to end it. */
const reserved = 2

/** The smallest limit, in requests in flight: with less the service would stand idle. */
const leastRoom = 64

/**
 * The share of the target delay that the queue may have while load is shed. Who is refused has to come again in any
 * case, and with a hundred requests in flight a node answers a tenth more than with four hundred.
 */
const tight = 0.3

/** The length of a measurement window, in milliseconds. */
const window = 200

/** A queue must stand for this many windows in a row before it counts as a standing queue. */
const patience = 2

/**
 * From this many questions in a window on, their median stands for all requests: each question costs a node the same.
 * The quickest alone would mislead, because requests overtake each other.
 */
const enough = 4

/** After how long, in milliseconds, shedding counts as overload, and how long without shedding ends it. */
const overloadedAfter = 1_000
const overAfter = 5_000

export interface LoadControlOptions {
  /** The most management requests at once. */
  readonly room: number
  /** The target delay: how long requests may queue, in milliseconds. */
  readonly target: number
}

/** The state of one node. Instants are milliseconds of any clock that never goes back. */
export interface LoadControl {
  /** Whether a request is let in; it is in flight from {@link begin} on. */
  readonly admits: (kind: LoadKind, now: number) => boolean
  readonly begin: (kind: LoadKind) => void
  /** A request ended after `took` milliseconds. Only successful ones measure the queue. */
  readonly end: (kind: LoadKind, took: number, succeeded: boolean, now: number) => void
  /** How many management requests may be in flight at once, as it stands. */
  readonly room: () => number
  readonly inFlight: () => number
  /** Whether requests should be sent to another node, if there is one. */
  readonly overloaded: (now: number) => boolean
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** `lag` answers by how many milliseconds the event loop was late, since it was last asked. */
export const makeLoadControl = (options: LoadControlOptions, lag: () => number, start: number): LoadControl => {
  const least = Math.min(leastRoom, options.room)
  let room = options.room
  let inFlight = 0
  let management = 0
  // State of the present window.
  let begun = start
  let peak = 0
  let answered = 0
  let questions: Array<number> = []
  let quickest: number | undefined
  // State that lasts over windows.
  let standing = 0
  let shedSince = Number.NaN
  let shedLast = Number.NEGATIVE_INFINITY
  let isOverloaded = false

  const judge = (now: number) => {
    const length = now - begun
    const line = lag() + (questions.length >= enough ? median(questions) : quickest ?? 0)
    // A measurement that is older says nothing about now: no request has come since.
    const stands = peak > least && length < 5 * window && line > (standing >= patience ? tight : 1) * options.target
    standing = stands ? standing + 1 : 0
    if (standing >= patience) {
      room = Math.max(least, Math.min(room * 0.9, answered / length * options.target))
    } else if (!stands) {
      // After windows without any request the limit may grow faster.
      const idle = Math.min(20, Math.trunc(length / window) - 1)
      room = Math.min(options.room, room * 1.1 * 1.5 ** idle + 1)
    }
    begun = now
    peak = inFlight
    answered = 0
    questions = []
    quickest = undefined
  }

  const roll = (now: number) => {
    if (now - begun >= window) judge(now)
  }

  const shed = (kind: LoadKind, now: number) => {
    // Management that is refused while apps are still let in is intended, and no sign of overload: whoever sends all
    // requests to another node then would only spread it.
    if (kind === "management" && inFlight < room * shares.runtime) return
    if (now - shedLast > 2 * overloadedAfter) shedSince = now
    shedLast = now
    if (now - shedSince >= overloadedAfter) isOverloaded = true
  }

  return {
    admits: (kind, now) => {
      roll(now)
      if (inFlight < room * shares[kind]) return true
      if (kind === "management" && management < reserved) return true
      shed(kind, now)
      return false
    },
    begin: (kind) => {
      inFlight += 1
      if (kind === "management") management += 1
      if (inFlight > peak) peak = inFlight
    },
    end: (kind, took, succeeded, now) => {
      inFlight -= 1
      if (kind === "management") management -= 1
      if (succeeded) {
        answered += 1
        quickest = Math.min(quickest ?? took, took)
        if (kind === "question") questions.push(took)
      }
      roll(now)
    },
    room: () => Math.floor(room),
    inFlight: () => inFlight,
    overloaded: (now) => {
      if (isOverloaded && now - shedLast >= overAfter) isOverloaded = false
      return isOverloaded
    }
  }
}
