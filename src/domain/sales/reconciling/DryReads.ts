import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { Link, ObjectName, PurchaseName } from "../providers/Fact.ts"

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

/** The most objects of a provider that are kept: of ten thousand purchases with their bills and customers. What is beyond is not foreseen by. */
const mostBodies = 50_000

/** An object as it was read, what it is about, and where that leads. */
export interface ToldBody {
  readonly body: JsonObject
  readonly objects: ReadonlyArray<ObjectName>
  readonly links: ReadonlyArray<Link>
}

/** What a dry run has read and does not store: what becomes of a purchase is foreseen once all of it is known. */
export interface DryReads extends Pick<ReadLinks, "from"> {
  readonly add: (told: ReadonlyArray<ToldBody>) => void
  /** The objects that concern a purchase, by all links, whatever the number of steps. */
  readonly about: (purchase: PurchaseName) => ReadonlyArray<JsonObject>
  /** The purchases that are not known here. */
  readonly missing: Set<PurchaseName>
}

/** Keeps what is read, by what it is about. */
export const dryReads = (): DryReads => {
  const links = readLinks()
  const bodies = new Map<ObjectName, Array<JsonObject>>()
  const leading = new Map<ObjectName, Set<ObjectName>>()
  let size = 0

  const add = (told: ReadonlyArray<ToldBody>): void => {
    for (const { body, links: own, objects } of told) {
      links.add(own)
      if (size++ >= mostBodies) continue
      for (const { about, to } of own) leading.set(to, (leading.get(to) ?? new Set()).add(about))
      for (const object of objects) {
        const known = bodies.get(object) ?? []
        known.push(body)
        bodies.set(object, known)
      }
    }
  }

  const about = (purchase: PurchaseName): ReadonlyArray<JsonObject> => {
    const reached = new Set<ObjectName>([purchase])
    // A set that grows while it is walked is walked to its end.
    for (const object of reached) for (const other of leading.get(object) ?? []) reached.add(other)
    return [...new Set([...reached].flatMap((object) => bodies.get(object) ?? []))]
  }

  return { add, about, from: links.from, missing: new Set() }
}
