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
