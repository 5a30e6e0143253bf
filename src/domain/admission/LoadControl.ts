/**
 * Which load a node takes on. Requests stand in lines (for the event loop, for a connection of the database), and a line
 * that does not end is all that overload is; how long it is shows in how long the quickest request takes (CoDel, RFC
 * 8289): one that is slow for a reason of its own, a lock say, has others beside it that are not. While there is such a
 * line, no more requests are let in at once than are answered in the time that is allowed (Little's law); when it is
 * gone, room is given back little by little.
 */

/** What a request is for. Management is shed first, the questions of apps last. */
export type LoadKind = "management" | "runtime" | "question"

/** How many may be in flight when one is let in, in shares of the room there is. */
const shares: Readonly<Record<LoadKind, number>> = { management: 1, runtime: 1.5, question: 2 }

/** So many management requests find room in any overload: somebody must be able to end it. */
const reserved = 2

/** The least room, in requests at once: with fewer the service itself would stand idle. */
const leastRoom = 64

/** How long a window of judgement is, in milliseconds. */
const window = 200

/** The line must stand for so many windows before it is taken for one that does not end. */
const patience = 2

/**
 * So many questions in a window speak for all requests, by their median: what they ask of a node is always the same. The
 * quickest alone would not do, because requests overtake each other.
 */
const enough = 4

/** Shedding for so long, in milliseconds, is overload; so long without it, and it is over. */
const overloadedAfter = 1_000
const overAfter = 5_000

export interface LoadControlOptions {
  /** The most management requests at once. */
  readonly room: number
  /** How long a line may be, in milliseconds. */
  readonly target: number
}

/** The state of one node. Instants are milliseconds of any clock that never goes back. */
export interface LoadControl {
  /** Whether a request is let in; it is in flight from {@link begin} on. */
  readonly admits: (kind: LoadKind, now: number) => boolean
  readonly begin: (kind: LoadKind) => void
  /** A request that was in flight ended after `took` milliseconds. Only what succeeded says how long a line is. */
  readonly end: (kind: LoadKind, took: number, succeeded: boolean, now: number) => void
  /** How many management requests may be in flight at once, as it stands. */
  readonly room: () => number
  readonly inFlight: () => number
  /** Whether requests should be sent to another node, if there is one. */
  readonly overloaded: (now: number) => boolean
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** `lag` answers how late the event loop has been since it was last asked, in milliseconds. */
export const makeLoadControl = (options: LoadControlOptions, lag: () => number, start: number): LoadControl => {
  const least = Math.min(leastRoom, options.room)
  let room = options.room
  let inFlight = 0
  let management = 0
  // Of the window under way.
  let begun = start
  let peak = 0
  let answered = 0
  let questions: Array<number> = []
  let quickest = Number.POSITIVE_INFINITY
  // Over windows.
  let standing = 0
  let shedSince = Number.NaN
  let shedLast = Number.NEGATIVE_INFINITY
  let isOverloaded = false

  const judge = (now: number) => {
    const length = now - begun
    const line = questions.length >= enough ? median(questions) : quickest
    const late = lag()
    // What was seen so long ago says nothing of now: nobody has come since.
    const stands = peak > least && length < 5 * window &&
      late + (line === Number.POSITIVE_INFINITY ? 0 : line) > options.target
    standing = stands ? standing + 1 : 0
    if (standing >= patience) {
      room = Math.max(least, Math.min(room * 0.9, answered / length * options.target))
    } else if (!stands) {
      // After windows without a request there is nothing to be careful about.
      const idle = Math.min(20, Math.trunc(length / window) - 1)
      room = Math.min(options.room, room * 1.1 * 1.5 ** idle + 1)
    }
    begun = now
    peak = inFlight
    answered = 0
    questions = []
    quickest = Number.POSITIVE_INFINITY
  }

  const roll = (now: number) => {
    if (now - begun >= window) judge(now)
  }

  const shed = (kind: LoadKind, now: number) => {
    // That management waits while apps are answered is what is meant to happen.
    if (kind === "management" && inFlight < room) return
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
        if (took < quickest) quickest = took
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
