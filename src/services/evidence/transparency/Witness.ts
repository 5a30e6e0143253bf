import { Context, Data } from "effect"
import type { Effect } from "effect"

/** The witness cannot be read or written now. The message says which and why, without any secret of its address. */
export class WitnessUnavailable extends Data.TaggedError("WitnessUnavailable")<{ readonly message: string }> {}

/** A place outside the database that keeps one text. */
export interface WitnessPlace {
  /** The name for people. */
  readonly name: string
  /** Returns the text kept last; undefined when there is none yet. */
  readonly read: Effect.Effect<string | undefined, WitnessUnavailable>
  /** Replaces the text atomically: a concurrent reader gets the old or the new one. */
  readonly replace: (note: string) => Effect.Effect<void, WitnessUnavailable>
}

/** The place that keeps the latest checkpoint, out of reach of a database restore; undefined unless configured. */
export class Witness extends Context.Service<Witness, {
  readonly place: WitnessPlace | undefined
}>()("countersign/services/evidence/transparency/Witness") {}
