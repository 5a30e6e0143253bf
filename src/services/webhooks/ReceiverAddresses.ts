import { Context } from "effect"
import type { Effect } from "effect"

/** Judges where a webhook would be sent to, when its URL is written. */
export class ReceiverAddresses extends Context.Service<ReceiverAddresses, {
  /**
   * Whether deliveries may connect to every address that the host has now. A name without an address passes, because it
   * may get one later, and every connect is judged again.
   */
  readonly areAllowed: (url: string) => Effect.Effect<boolean>
}>()("countersign/services/webhooks/ReceiverAddresses") {}
