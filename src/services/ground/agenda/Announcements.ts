import { Context, Effect } from "effect"
import { Hint, makeEarlyRounds } from "../platform/Supervised.ts"
import type { EarlyRounds } from "../platform/Supervised.ts"

/**
 * The kinds of work that are announced. Their order is that of the bits by which nodes tell each other, so a new one comes
 * last.
 */
export const topics = [
  "events",
  "lanes",
  "licenses",
  "leases",
  "mails",
  "approvals",
  "jobs",
  "purchases",
  "exports",
  "reconciliations",
  "checkpoints",
  "nodes",
  "notices",
  "warnings"
] as const

/** A kind of work. */
export type Topic = (typeof topics)[number]

/** The channel of PostgreSQL by which nodes tell each other of work, and that the feed has grown. */
export const feedChannel = "countersign_feed"

/**
 * Kinds of work as a payload: a bit for each, below zero. Nodes of an earlier release take it for a feed that is shorter than
 * the one they know, and do nothing.
 */
export const payloadOf = (announced: ReadonlyArray<Topic>): number =>
  -announced.reduce((bits, topic) => bits + 2 ** topics.indexOf(topic), 0)

/** The kinds of work that a payload below zero announces; those of a later release are nobody's here. */
export const announcedIn = (payload: number): ReadonlyArray<Topic> =>
  topics.filter((_, bit) => Math.floor(-payload / 2 ** bit) % 2 === 1)

/**
 * Work announces itself: whoever commits some says so, and those who do it look at once. An announcement is only a hint. One
 * that is lost, as with the node that was about to make it, is made up for by the seldom look of the agenda.
 */
export interface Announcements {
  /** Announces work of this node to all nodes. */
  readonly announce: (topic: Topic) => Effect.Effect<void>
  /** Takes over what another node has announced, or what may have been announced while nobody could hear it. */
  readonly hear: (heard: ReadonlyArray<Topic>) => Effect.Effect<void>
  /** The announcements of one kind of work, of all nodes. */
  readonly of: (topic: Topic) => EarlyRounds & { readonly call: () => void }
  /** Waits for announcements that other nodes were not told yet, and takes them. */
  readonly takeUntold: Effect.Effect<ReadonlyArray<Topic>>
}

/** {@link Announcements} of one application. */
export const makeAnnouncements = (): Announcements => {
  const signals = new Map(topics.map((topic) => [topic, makeEarlyRounds()]))
  const untold = new Set<Topic>()
  const anyUntold = new Hint()
  const of: Announcements["of"] = (topic) => signals.get(topic)!
  return {
    announce: (topic) =>
      Effect.sync(() => {
        untold.add(topic)
        anyUntold.wakeUnsafe()
        of(topic).call()
      }),
    hear: (heard) => Effect.sync(() => heard.forEach((topic) => of(topic).call())),
    of,
    takeUntold: Effect.map(anyUntold.await, () => {
      const taken = [...untold]
      untold.clear()
      return taken
    })
  }
}

/** The announcements of this application; without one of its own, of the process. */
export const Announcements = Context.Reference<Announcements>("countersign/services/ground/agenda/Announcements", {
  defaultValue: makeAnnouncements
})
