import { Context, Layer } from "effect"
import { Hint } from "../platform/Hint.ts"

/** Tells the worker of this process that a reconciliation was asked for. Those of other nodes are found by its polling. */
export class ReconciliationSignal extends Context.Service<ReconciliationSignal, Hint>()(
  "countersign/services/reconciling/ReconciliationSignal"
) {
  static readonly layer = Layer.effect(ReconciliationSignal, Hint.make)
}
