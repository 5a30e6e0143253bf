import { Context, Layer } from "effect"
import { Hint } from "../../ground/platform/Supervised.ts"

/**
 * Tells the router of this process that events were received. What was not routed because its node died is found by a
 * sweep.
 */
export class InboxSignal extends Context.Service<InboxSignal, Hint>()(
  "countersign/services/sales/billing/InboxSignal"
) {
  static readonly layer = Layer.effect(InboxSignal, Hint.make)
}
