import { Context } from "effect"
import type { Effect } from "effect"

/**
 * The verdict about the addresses of a host. `allowed`: it has some, and deliveries may connect to each; `refused`: to one
 * of them they may not; `nameless`: its name has none; `unknown`: the name is not resolved in time.
 */
export type AddressVerdict = "allowed" | "refused" | "nameless" | "unknown"

/** Judges where a webhook would be sent to, when its URL is written. */
export class ReceiverAddresses extends Context.Service<ReceiverAddresses, {
  /**
   * Judges every address that the host has now. A name without an address is no reason to refuse, because it may get one
   * later, and every connect is judged again.
   */
  readonly judge: (url: string) => Effect.Effect<AddressVerdict>
}>()("countersign/services/delivery/webhooks/ReceiverAddresses") {}
