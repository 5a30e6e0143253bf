import * as Result from "effect/Result"
import { readChargebee } from "./Chargebee.ts"
import type { Fact } from "./Fact.ts"
import { readFastSpring } from "./FastSpring.ts"
import { listAt } from "./JsonMembers.ts"
import { readLemonSqueezy } from "./LemonSqueezy.ts"
import { readPaddle } from "./Paddle.ts"
import type { Provider } from "./Provider.ts"
import { unreadable } from "./ProviderEvent.ts"
import type { EventReader, TellingEvent } from "./ProviderEvent.ts"
import type { SourceTime } from "./SourceTime.ts"
import { readStripe } from "./Stripe.ts"

const readers: Readonly<Record<Provider, EventReader>> = {
  stripe: readStripe,
  paddle: readPaddle,
  lemon_squeezy: readLemonSqueezy,
  fastspring: readFastSpring,
  chargebee: readChargebee
}

/**
 * Reads the events of a body whose signature was verified, or tells why they cannot be used. Types, statuses and members
 * that nobody knows are no reason: what is known of the event is read.
 */
export const readEvents = (provider: Provider, ...body: Parameters<EventReader>): ReturnType<EventReader> =>
  readers[provider](...body)

/**
 * Reads the events of a body for the live environment or the test one, and refuses those of the other: a card for tests buys
 * no license of a customer. A provider that does not say which they are has an account for each, and so a secret.
 */
export const readEventsFor = (
  isLive: boolean,
  provider: Provider,
  ...body: Parameters<EventReader>
): ReturnType<EventReader> => {
  const read = readEvents(provider, ...body)
  const isStray = Result.isSuccess(read) && read.success.some(({ live }) => live !== undefined && live !== isLive)
  if (!isStray) return read
  return isLive
    ? unreadable(
      "test_event",
      "The event is of the provider's test mode, and this connection is in the live environment: connect the test mode in " +
        "the test environment."
    )
    : unreadable(
      "live_event",
      "The event is of the provider's live mode, and this connection is in the test environment: connect the live mode in " +
        "the live environment."
    )
}

/** The bodies of the events of a body, where it holds several: each as if it had come alone. */
export const bodiesOf = (provider: Provider, json: unknown): ReadonlyArray<unknown> =>
  provider === "fastspring" ? listAt(json, "events").map((event) => ({ events: [event] })) : [json]

/**
 * An event as it is kept: with the body as it came, which is read anew by each version of the service, or later with what
 * was read of it once.
 */
export interface KeptEvent {
  readonly event_id: string
  readonly occurred_at: SourceTime
  readonly body: Uint8Array | null
  readonly facts: ReadonlyArray<Fact> | null
}

const text = new TextDecoder()

/** What a kept event tells; undefined where its body cannot be read any more. `digest` is the lower-case hex of SHA-256. */
export const tellingOf = (
  provider: Provider,
  { body, event_id, facts, occurred_at }: KeptEvent,
  digest: (body: Uint8Array) => string
): TellingEvent | undefined => {
  if (body === null) return { id: event_id, occurred_at, facts: facts ?? [] }
  const read = readEvents(provider, JSON.parse(text.decode(body)), digest(body))
  if (Result.isFailure(read)) return undefined
  // The identity of some is a digest of their body, which an erasure has written anew.
  const [only, ...others] = read.success
  return only !== undefined && others.length === 0
    ? { ...only, id: event_id }
    : read.success.find(({ id }) => id === event_id)
}
