import { Clock, Context, Effect, Layer, Metric } from "effect"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { fromStartBy } from "../../ground/platform/SeriesFromStart.ts"
import { doublingPauses } from "../../ground/platform/Supervised.ts"
import type { CheckpointRow } from "./CheckpointSql.ts"
import { checkpointsDue, findLatestCheckpoint } from "./CheckpointSql.ts"
import type { Asked, Outcome } from "./WitnessAsking.ts"
import { outcomes } from "./WitnessAsking.ts"
import type { CosigningWitness } from "./Witnesses.ts"
import { Witnesses } from "./Witnesses.ts"
import { makeTelling } from "./WitnessTelling.ts"

/** The least pause between checks for a newer checkpoint. */
const rest = "1 second"
/** The pauses after an answer that was no cosignature. */
const retryAway = doublingPauses("1 second", "30 seconds")
/** All witnesses sign the same checkpoint: one that has no quorum is given up for a newer one after this time. */
const targetMillis = 10_000
/** Milliseconds after which the same failure of a witness is logged again. */
const remindAfterMillis = 600_000

const requests = fromStartBy(outcomes, (outcome) =>
  Metric.withAttributes(
    Metric.counter("countersign_witness_requests_total", {
      description: "Checkpoints that witnesses were asked to cosign, by what came of it",
      incremental: true
    }),
    { outcome }
  ))

const says: Readonly<Record<Exclude<Outcome, "cosigned" | "unavailable">, string>> = {
  unknown_log: "it does not know this log. Give it the verifier key of the latest checkpoint",
  unknown_key: "it knows no key that signed the checkpoint. Give it the verifier key of the latest checkpoint",
  inconsistent:
    "it says that the log does not continue what it cosigned before, and shows nothing that this log signed",
  ahead: "it says that it cosigned more events than this log has, and shows nothing that this log signed",
  discontinued: "it shows a checkpoint that this log signed and does not continue",
  archived: "it cosigned last what was archived and dropped since, from where nothing can be proven",
  invalid: "its response is no cosignature by its key"
}

/**
 * Asks witnesses to cosign checkpoints. Each is asked by a fiber of its own, and appending waits for none: one that is
 * slow, away or wrong costs the others nothing. All are asked for the same checkpoint, so that signatures of several meet
 * on one; a newer one is taken once a quorum has signed, or after some seconds.
 */
export class Cosignatures extends Context.Service<Cosignatures, {
  /** Asks one witness for the checkpoint that is due, unless it has signed that; answers what came of it. */
  readonly step: (witness: CosigningWitness) => Effect.Effect<Outcome | undefined>
  readonly run: Effect.Effect<void>
}>()("countersign/services/evidence/transparency/Cosignatures") {
  static readonly layer = Layer.effect(
    Cosignatures,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const { all, quorum } = yield* Witnesses
      const ask = yield* makeTelling
      const said = new Map<string, { readonly outcome: Outcome; readonly at: number }>()
      let target: CheckpointRow | undefined
      let since = 0
      const signers = new Set<string>()

      const due = Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const isOpen = target !== undefined && signers.size < Math.max(1, quorum) && now - since < targetMillis
        if (isOpen) return target
        const [latest] = yield* findLatestCheckpoint(sql)
        if (latest !== undefined && latest.tree_size !== target?.tree_size) {
          target = latest
          since = now
          signers.clear()
        }
        return target
      })

      /** Says what a witness answered when it changes, and now and then while it does not. */
      const tell = Effect.fnUntraced(function*(witness: CosigningWitness, { detail, outcome }: Asked) {
        yield* Metric.update(requests[outcome], 1)
        const now = yield* Clock.currentTimeMillis
        const before = said.get(witness.id)
        if (before?.outcome === outcome && (outcome === "cosigned" || now - before.at < remindAfterMillis)) return
        said.set(witness.id, { outcome, at: now })
        if (outcome === "cosigned") return yield* Effect.logInfo(`The witness ${witness.id} cosigns the checkpoints`)
        const why = outcome === "unavailable"
          ? detail
          : detail === undefined
          ? says[outcome]
          : `${says[outcome]} (${detail})`
        const log = outcome === "discontinued" ? Effect.logError : Effect.logWarning
        yield* log(`The witness ${witness.id} does not cosign: ${why}. The service keeps running and asks again`)
      })

      const step = Effect.fnUntraced(function*(witness: CosigningWitness) {
        const checkpoint = yield* due
        if (checkpoint === undefined || signers.has(witness.id)) return undefined
        const asked = yield* ask(witness, checkpoint)
        if (asked.outcome === "cosigned" && checkpoint === target) signers.add(witness.id)
        yield* tell(witness, asked)
        return asked.outcome
      })

      const isFailure = (outcome: Outcome | undefined) => outcome !== undefined && outcome !== "cosigned"
      const asking = (witness: CosigningWitness) =>
        agenda.follow({
          name: `Asking the witness ${witness.id}`,
          topic: "checkpoints",
          due: () => checkpointsDue(sql),
          look: Effect.repeat(step(witness), { schedule: retryAway, while: isFailure }),
          rest,
          retry: rest
        })

      return Cosignatures.of({
        step,
        run: Effect.forEach(all, asking, { concurrency: "unbounded", discard: true })
      })
    })
  )
}
