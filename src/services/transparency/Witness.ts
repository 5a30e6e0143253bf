import { Context, Data } from "effect"
import type { Effect } from "effect"

/** The witness cannot be read or written now. The message says which and why, and names no secret of its address. */
export class WitnessUnavailable extends Data.TaggedError("WitnessUnavailable")<{ readonly message: string }> {}

/** A place outside of the database that keeps one text. */
export interface WitnessPlace {
  /** For people. */
  readonly name: string
  /** What was kept last; undefined when nothing was yet. */
  readonly read: Effect.Effect<string | undefined, WitnessUnavailable>
  /** Replaces it: whoever reads meanwhile gets one of the two, whole. */
  readonly replace: (note: string) => Effect.Effect<void, WitnessUnavailable>
}

/** Keeps the latest checkpoint of the log where a restore of the database does not reach; none unless configured. */
export class Witness extends Context.Service<Witness, {
  readonly place: WitnessPlace | undefined
}>()("countersign/services/transparency/Witness") {}
