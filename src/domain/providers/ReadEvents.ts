import { readChargebee } from "./Chargebee.ts"
import { readFastSpring } from "./FastSpring.ts"
import { readLemonSqueezy } from "./LemonSqueezy.ts"
import { readPaddle } from "./Paddle.ts"
import type { Provider } from "./Provider.ts"
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
