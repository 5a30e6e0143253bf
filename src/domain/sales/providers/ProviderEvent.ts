import * as Result from "effect/Result"
import type { Fact, Link, ObjectName, PurchaseName } from "./Fact.ts"
import type { SourceTime } from "./SourceTime.ts"

/**
 * An event of a provider, read. It is read again from its stored body whenever its purchase is looked at, for as long as
 * that is kept, so nothing of it but `id`, `type`, `occurred_at` and the body need be stored.
 */
export interface ProviderEvent {
  /** Unique for a connection: a repeat has the same one, whatever the provider names its repeats. */
  readonly id: string
  /** The type in the provider's words. */
  readonly type: string
  readonly occurred_at: SourceTime
  /** Whether it is about real money; undefined where the provider does not say: the connection knows. */
  readonly live: boolean | undefined
  /** The version of the provider's API that formed it, to be shown. */
  readonly api_version?: string | undefined
  /** Warnings about the event for whoever looks at it, such as an API version that nobody knows. */
  readonly warnings?: ReadonlyArray<string> | undefined
  /** None where the event says nothing of a purchase. */
  readonly facts: ReadonlyArray<Fact>
}

/** What of an event a purchase is folded from. */
export type TellingEvent = Pick<ProviderEvent, "id" | "occurred_at" | "facts">

/** Why a body that was signed well is no event that can be used. */
export interface Unreadable {
  readonly code: "not_an_event" | "thin_payload" | "not_expanded" | "connected_account" | "test_event" | "live_event"
  /** For the vendor, with the cure. */
  readonly message: string
}

/**
 * How bodies are read: the parsed JSON, and the lower-case hex of the SHA-256 of the raw bytes, which is the identity of
 * an event whose provider gives it none. One body may hold several events.
 */
export type EventReader = (json: unknown, sha256: string) => Result.Result<ReadonlyArray<ProviderEvent>, Unreadable>

/** The refusal of a body. */
export const unreadable = (code: Unreadable["code"], message: string): Result.Result<never, Unreadable> =>
  Result.fail({ code, message })

/** The objects that facts of this event are about, its links included. */
export const objectsOf = ({ facts }: TellingEvent): ReadonlyArray<ObjectName> => [
  ...new Set(facts.map(({ about }) => about))
]

/** The links that this event tells. */
export const linksOf = ({ facts }: TellingEvent): ReadonlyArray<Link> => facts.filter((fact) => fact.kind === "link")

const isPurchase = (name: ObjectName): name is PurchaseName =>
  name.startsWith("subscription/") || name.startsWith("order/")

/** Whether this is an order that only begins another purchase, by all links that are known. */
export const isBeginning = (name: ObjectName, links: ReadonlyArray<Link>): name is PurchaseName =>
  isPurchase(name) && links.some(({ about, to }) => about === name && isPurchase(to))

/** Everything that can be reached from these objects. */
const reached = (
  from: Iterable<ObjectName>,
  links: ReadonlyArray<Link>,
  start: "about" | "to",
  end: "about" | "to"
): ReadonlySet<ObjectName> => {
  const next = Map.groupBy(links, (link) => link[start])
  const found = new Set(from)
  // A set that grows while it is walked is walked to its end.
  for (const name of found) for (const link of next.get(name) ?? []) found.add(link[end])
  return found
}

/**
 * The purchases that facts about an object concern, by all links that are known. None as long as a link is missing: the
 * event waits for it. An order that is linked to a subscription is no purchase of its own.
 */
export const purchasesOf = (name: ObjectName, links: ReadonlyArray<Link>): ReadonlyArray<PurchaseName> => {
  return [...reached([name], links, "about", "to")].filter(isPurchase).filter((purchase) =>
    !isBeginning(purchase, links)
  )
}

/** Whether what objects say concerns one purchase and no other, by all links that are known. */
export const isOnlyAbout = (
  purchase: PurchaseName,
  objects: ReadonlyArray<ObjectName>,
  links: ReadonlyArray<Link>
): boolean => objects.every((object) => purchasesOf(object, links).every((other) => other === purchase))

/** The objects whose facts concern a purchase, itself included, by all links that are known. */
export const objectsAbout = (purchase: PurchaseName, links: ReadonlyArray<Link>): ReadonlySet<ObjectName> =>
  reached([purchase], links, "to", "about")

/** Objects that an object stands for, itself first: a charge its payment, a payment its invoice. */
const upwards = (name: ObjectName, links: ReadonlyMap<ObjectName, ReadonlyArray<Link>>): ReadonlySet<ObjectName> => {
  const found = new Set([name])
  for (const next of found) for (const { to } of links.get(next) ?? []) found.add(to)
  return found
}

/** Whether an object has bills of its own beside it. An order is its one bill, whatever tells of it. */
const hasBills = (name: ObjectName): boolean => name.startsWith("subscription/")

/** The bill of an object: the furthest that it stands for and that is no purchase. */
export const billOf = (name: ObjectName, links: ReadonlyMap<ObjectName, ReadonlyArray<Link>>): ObjectName => {
  // Most objects lead to their purchase at once.
  if ((links.get(name) ?? []).every(({ to }) => hasBills(to))) return name
  const up = [...upwards(name, links)].filter((other) => other === name || !hasBills(other))
  const ends = up.filter((other) => (links.get(other) ?? []).every(({ to }) => hasBills(to)))
  return ends.toSorted()[0] ?? name
}

/** A charge and its payment are one: what both say is counted together. */
export const paymentOf = (name: ObjectName, links: ReadonlyMap<ObjectName, ReadonlyArray<Link>>): ObjectName =>
  [...upwards(name, links)].find((other) => other.startsWith("payment/")) ?? name
