import { Context, Layer } from "effect"
import { Hint } from "../platform/Hint.ts"

/** Tells the export worker of this process that an export was asked for. Those of other nodes are found by its polling. */
export class ExportSignal extends Context.Service<ExportSignal, Hint>()(
  "countersign/services/exports/ExportSignal"
) {
  static readonly layer = Layer.effect(ExportSignal, Hint.make)
}
