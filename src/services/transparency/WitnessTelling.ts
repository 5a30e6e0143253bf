import { Effect } from "effect"
import { leafTextOfRow } from "../../domain/events/LeafRow.ts"
import { inclusionRanges } from "../../domain/transparency/MerkleTree.ts"
import { writeTlogProof } from "../../domain/transparency/TlogProof.ts"
import { CurrentEnvironment } from "../environment/CurrentEnvironment.ts"
import { readDropped } from "../events/DroppedEvents.ts"
import { makeMerkleLog } from "../events/MerkleLog.ts"
import { Database } from "../persistence/Database.ts"
import type { CheckpointRow } from "./CheckpointSql.ts"
import { findCoveringCheckpoint, listKeyEvents } from "./CheckpointSql.ts"
import { listLeavesAt } from "./LicenseEvidenceSql.ts"
import { makeAsking } from "./WitnessAsking.ts"
import type { CosigningWitness } from "./Witnesses.ts"

/** Events about the keys of the log that a witness is told at most, the newest ones. */
const mostKeyEvents = 16

/**
 * How witnesses are told which keys the log has: of each event about them the leaf and its proof, in the checkpoint that the witness has
 * just cosigned, and on its way there where it knows no key that signs the newest one. One that takes no such events is told by its
 * operator.
 */
export const makeTelling = Effect.gen(function*() {
  const sql = yield* Database
  const environment = yield* CurrentEnvironment
  const tree = yield* makeMerkleLog
  const ask = yield* makeAsking
  /** The last event that each witness was told, and the last one whose checkpoint it was shown on its way. */
  const told = new Map<string, number>()
  const shown = new Map<string, number>()

  /** The proof of an event in a checkpoint, with its leaf. */
  const proofOf = Effect.fnUntraced(function*(sequence: number, { note, tree_size }: CheckpointRow) {
    const [row] = yield* listLeavesAt(sql, [sequence])
    const hashes = yield* tree.hashes(inclusionRanges(sequence - 1, Number(tree_size)))
    return writeTlogProof({ leaf: leafTextOfRow(row!, environment), index: sequence - 1, hashes, note })
  })

  /** The places of the newest events about the keys after one. */
  const newsAfter = Effect.fnUntraced(function*(after: number | undefined) {
    const { sequence: dropped } = yield* readDropped(sql)
    const rows = yield* listKeyEvents(sql, Math.max(dropped, after ?? 0), mostKeyEvents)
    return rows.map(({ sequence }) => Number(sequence))
  })

  /** Tells a witness what it was not told yet and the checkpoint covers. It says nothing where it is behind: it is told the next time. */
  const tell = Effect.fnUntraced(
    function*(witness: CosigningWitness, checkpoint: CheckpointRow) {
      for (const sequence of yield* newsAfter(told.get(witness.id))) {
        if (sequence > checkpoint.tree_size) return
        const { status } = yield* witness.addKeyEvent(yield* proofOf(sequence, checkpoint))
        if (status === 409 || status >= 500) return
        told.set(witness.id, sequence)
      }
    },
    Effect.catchTag("WitnessUnavailable", () => Effect.void)
  )

  const cosigned = (witness: CosigningWitness, checkpoint: CheckpointRow) =>
    Effect.tap(
      ask(witness, checkpoint),
      ({ outcome }) => outcome === "cosigned" ? tell(witness, checkpoint) : Effect.void
    )

  /** Shows a witness the first checkpoint after each event about the keys: the key before has signed it. Whether there were any. */
  const lead = Effect.fnUntraced(function*(witness: CosigningWitness, { tree_size }: CheckpointRow) {
    const news = yield* newsAfter(shown.get(witness.id))
    for (const sequence of news) {
      const [way] = yield* findCoveringCheckpoint(sql, sequence)
      if (way === undefined || way.tree_size >= tree_size) break
      const { outcome } = yield* cosigned(witness, way)
      if (outcome === "unavailable") return false
      shown.set(witness.id, sequence)
    }
    return news.length > 0
  })

  return Effect.fnUntraced(function*(witness: CosigningWitness, checkpoint: CheckpointRow) {
    const asked = yield* cosigned(witness, checkpoint)
    if (asked.outcome !== "unknown_key") return asked
    return (yield* lead(witness, checkpoint)) ? yield* cosigned(witness, checkpoint) : asked
  })
})
