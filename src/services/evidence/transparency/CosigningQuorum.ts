import { Context, Effect, Schedule } from "effect"
import type { VerifierKey } from "../../../domain/evidence/transparency/VerifierKey.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { findQuorumLag, findQuorumSize } from "./CosignatureSql.ts"
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

/** How often it is looked whether enough witnesses have signed. */
const pause = "200 millis"

/** Seconds after which a checkpoint that too few witnesses have signed says that they are away. */
const patience = 5

/** The witnesses that must have signed a checkpoint, and how to wait for them. */
export const makeCosigningQuorum = Effect.gen(function*() {
  const sql = yield* Database
  const { all, quorum } = yield* Witnesses
  const least = { witnesses: all.map(({ id }) => id), least: quorum }

  /** The size of the newest checkpoint of at most so many events that enough witnesses have signed; 0 where there is none. */
  const sizeUpTo = (sequence: number): Effect.Effect<number> =>
    Effect.map(findQuorumSize(sql, least, sequence), ([of]) => Number(of?.tree_size ?? 0))

  /** Whether witnesses are away: enough of them should have signed a newer checkpoint seconds ago. Nobody waits for them then. */
  const areAway = Effect.gen(function*() {
    const [next] = yield* findQuorumLag(sql, yield* sizeUpTo(Number.MAX_SAFE_INTEGER))
    return next !== undefined && next.age > patience
  })

  /** Waits until enough witnesses have signed what covers so many events; answers false, at once, where they are away. */
  const covers = (size: number): Effect.Effect<boolean> =>
    Effect.gen(function*() {
      if ((yield* sizeUpTo(Number.MAX_SAFE_INTEGER)) >= size) return true
      return (yield* areAway) ? false : undefined
    }).pipe(
      Effect.repeat({ schedule: Schedule.spaced(pause), until: (answer) => answer !== undefined }),
      Effect.map((answer) => answer === true)
    )

  return { isRequired: quorum > 0, sizeUpTo, covers }
})
