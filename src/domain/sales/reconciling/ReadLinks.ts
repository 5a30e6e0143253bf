import type { Link, ObjectName } from "../providers/Fact.ts"

/** The most links that are kept: of twenty thousand purchases. What only a later one leads to is not found then. */
const mostLinks = 100_000

/** Links that were read and are not stored. */
export interface ReadLinks {
  readonly add: (links: ReadonlyArray<Link>) => void
  /** The links that lead on from objects, whatever the number of steps. */
  readonly from: (objects: ReadonlyArray<ObjectName>) => ReadonlyArray<Link>
}

/** Keeps links by what they lead from. */
export const readLinks = (): ReadLinks => {
  const byAbout = new Map<ObjectName, Array<Link>>()
  let size = 0
  return {
    add: (links) => {
      for (const link of links) {
        const known = byAbout.get(link.about) ?? []
        if (size >= mostLinks || known.some(({ to }) => to === link.to)) continue
        known.push(link)
        byAbout.set(link.about, known)
        size++
      }
    },
    from: (objects) => {
      const found: Array<Link> = []
      const reached = new Set(objects)
      // A set that grows while it is walked is walked to its end.
      for (const object of reached) {
        for (const link of byAbout.get(object) ?? []) {
          found.push(link)
          reached.add(link.to)
        }
      }
      return found
    }
  }
}
