import { Context } from "effect"
import type { Effect } from "effect"
import type { VerifierKey } from "../../../domain/evidence/transparency/VerifierKey.ts"
import type { WitnessUnavailable } from "./Witness.ts"

/** The answer of a witness to a request. */
export interface WitnessReply {
  readonly status: number
  readonly body: string
}

/** A witness that is asked to cosign checkpoints (C2SP tlog-witness). */
export interface CosigningWitness {
  /** Its name and the id of its key, `<name>+<key id>`. */
  readonly id: string
  readonly key: VerifierKey
  readonly add: (body: string) => Effect.Effect<WitnessReply, WitnessUnavailable>
  /** Tells it an event about the keys of the log (C2SP tlog-proof). Witnesses of other makers do not take that. */
  readonly addKeyEvent: (body: string) => Effect.Effect<WitnessReply, WitnessUnavailable>
  /** The checkpoint that it cosigned last of the log with this hash of its origin; undefined where it shows none. */
  readonly checkpoint: (originHash: string) => Effect.Effect<string | undefined, WitnessUnavailable>
}

/** The witnesses that are asked, and how many must have cosigned a checkpoint: 0 requires none. None unless configured. */
export const Witnesses = Context.Reference<{
  readonly all: ReadonlyArray<CosigningWitness>
  readonly quorum: number
}>("countersign/services/evidence/transparency/Witnesses", { defaultValue: () => ({ all: [], quorum: 0 }) })
