/** Items that wait in lanes. The lanes take turns, one item each; the items of a lane keep their order. */
export interface Lanes<Item> {
  readonly add: (lane: string, item: Item) => void
  /** Takes the next item; undefined when none waits. */
  readonly next: () => Item | undefined
  /** Whether an item of this lane waits. */
  readonly has: (lane: string) => boolean
  /** The lanes with items, the next one first. */
  readonly names: () => Iterable<string>
  /** How many lanes have items. */
  readonly count: () => number
  /** How many items wait. */
  readonly size: () => number
}

/** Makes lanes, of which none has items. */
export const makeLanes = <Item>(): Lanes<Item> => {
  /** In the order of turns. */
  const lanes = new Map<string, Array<Item>>()
  let size = 0
  return {
    add: (lane, item) => {
      const queue = lanes.get(lane)
      if (queue === undefined) lanes.set(lane, [item])
      else queue.push(item)
      size += 1
    },
    next: () => {
      for (const [lane, queue] of lanes) {
        const item = queue.shift()
        size -= 1
        if (queue.length === 0 || lanes.size > 1) lanes.delete(lane)
        if (queue.length > 0) lanes.set(lane, queue)
        return item
      }
      return undefined
    },
    has: (lane) => lanes.has(lane),
    names: () => lanes.keys(),
    count: () => lanes.size,
    size: () => size
  }
}

/** For how long an address is taken to share the event loop with another one that was there, in milliseconds. */
const sharedFor = 1_000

/** The event loop as turns need it. */
export interface Loop {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Runs a function in the next turn of the event loop, after its sockets were read. */
  readonly soon: (task: () => void) => void
}

/** Work on the event loop that is done in turns. A task is short and does not throw. */
export interface LoopTurns {
  /** Adds a task to the lane of an address. */
  readonly add: (lane: string, task: () => void) => void
  /** Runs a task once, before the lanes have their next turn: what adds to them. */
  readonly before: (task: () => void) => void
  /** Runs a task once, after the lanes had their next turn: what takes together that which they left. */
  readonly after: (task: () => void) => void
  /** Whether a task of a lane waits. */
  readonly waits: (lane: string) => boolean
}

/**
 * Shares the event loop out among addresses. While several want it, each has one task done in a turn of the loop, and
 * then the sockets are read again: whoever asks for little waits for one task of each of the others, however much they
 * ask for. An address that has the loop to itself has all its tasks done at once, which costs less for each.
 */
export const makeLoopTurns = ({ now, soon }: Loop): LoopTurns => {
  const lanes = makeLanes<() => void>()
  let first: Array<() => void> = []
  let last: Array<() => void> = []
  let isArmed = false
  /** The lane that was added to last, and when it was another one than the one before. */
  let recent: string | undefined
  let changed = Number.NEGATIVE_INFINITY

  const arm = () => {
    if (isArmed) return
    isArmed = true
    soon(work)
  }

  const work = () => {
    isArmed = false
    const before = first
    first = []
    for (const task of before) task()
    const isShared = now() - changed < sharedFor
    for (let left = isShared ? lanes.count() : lanes.size(); left > 0; left--) lanes.next()?.()
    const after = last
    last = []
    for (const task of after) task()
    if (lanes.size() > 0) arm()
  }

  return {
    add: (lane, task) => {
      if (lane !== recent) {
        if (recent !== undefined) changed = now()
        recent = lane
      }
      lanes.add(lane, task)
      arm()
    },
    before: (task) => {
      first.push(task)
      arm()
    },
    after: (task) => {
      last.push(task)
      arm()
    },
    waits: lanes.has
  }
}
