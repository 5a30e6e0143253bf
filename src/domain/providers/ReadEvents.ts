import * as Result from "effect/Result"
import { readChargebee } from "./Chargebee.ts"
import { readFastSpring } from "./FastSpring.ts"
import { listAt } from "./JsonMembers.ts"
import { readLemonSqueezy } from "./LemonSqueezy.ts"
import { readPaddle } from "./Paddle.ts"
import type { Provider } from "./Provider.ts"
import { unreadable } from "./ProviderEvent.ts"
import type { EventReader } from "./ProviderEvent.ts"
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
