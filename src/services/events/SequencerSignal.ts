import { Context, Layer } from "effect"
import { Hint } from "../platform/Hint.ts"

/** Tells the sequencer of this process that events were committed. It finds the commits of other nodes by polling. */
export class SequencerSignal extends Context.Service<SequencerSignal, Hint>()(
  "countersign/services/events/SequencerSignal"
) {
  static readonly layer = Layer.effect(SequencerSignal, Hint.make)
}
