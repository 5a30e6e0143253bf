import { Effect } from "effect"
import { leafTextOfRow } from "../../../domain/log/LeafRow.ts"
import { inclusionRanges } from "../../../domain/evidence/transparency/MerkleTree.ts"
import { writeTlogProof } from "../../../domain/evidence/transparency/TlogProof.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import { Database } from "../../ground/persistence/Database.ts"
import type { CheckpointRow } from "./CheckpointSql.ts"
import { findCheckpointOf, findCoveringCheckpoint, listKeyEvents } from "./CheckpointSql.ts"
import { findCosignedSize } from "./CosignatureSql.ts"
import { listLeavesAt } from "./LicenseEvidenceSql.ts"
import { makeAsking } from "./WitnessAsking.ts"
import type { CosigningWitness } from "./Witnesses.ts"

/** Events about the keys of the log that a witness is told at most, the newest ones. */
const mostKeyEvents = 16

const originOf = ({ note }: CheckpointRow): string => note.slice(0, note.indexOf("\n"))

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
  /** The last event that each witness was told, and the last one that it was led to since it cosigned the newest checkpoint. */
  const told = new Map<string, number>()
  const led = new Map<string, number>()

  /** The proof of an event in a checkpoint, with its leaf; undefined where the event was dropped meanwhile. */
  const proofOf = Effect.fnUntraced(function*(sequence: number, { note, tree_size }: CheckpointRow) {
    const [row] = yield* listLeavesAt(sql, [sequence])
    if (row === undefined) return undefined
    const hashes = yield* tree.hashes(inclusionRanges(sequence - 1, Number(tree_size)))
    return writeTlogProof({ leaf: leafTextOfRow(row, environment), index: sequence - 1, hashes, note })
  })

  /** The places of the newest events about the keys after one. */
  const newsAfter = Effect.fnUntraced(function*(after: number | undefined) {
    const { sequence: dropped } = yield* readDropped(sql)
    const rows = yield* listKeyEvents(sql, Math.max(dropped, after ?? 0), mostKeyEvents)
    return rows.map(({ sequence }) => Number(sequence))
  })

  /**
   * Tells a witness what it was not told yet and the checkpoint covers. It is told the rest the next time, where it has cosigned another
   * checkpoint meanwhile or fails; a witness of another maker is told no more.
   */
  const tell = Effect.fnUntraced(
    function*(witness: CosigningWitness, checkpoint: CheckpointRow) {
      for (const sequence of yield* newsAfter(told.get(witness.id))) {
        if (sequence > checkpoint.tree_size) return
        const proof = yield* proofOf(sequence, checkpoint)
        const status = proof === undefined ? 0 : (yield* witness.addKeyEvent(proof)).status
        if (status === 409 || status >= 500) return
        told.set(witness.id, status === 404 || status === 405 ? Number(checkpoint.tree_size) : sequence)
        if (status === 404 || status === 405) return
      }
    },
    Effect.catchTag("WitnessUnavailable", () => Effect.void)
  )

  const cosigned = (witness: CosigningWitness, checkpoint: CheckpointRow) =>
    Effect.tap(
      ask(witness, checkpoint),
      ({ outcome }) => outcome === "cosigned" ? tell(witness, checkpoint) : Effect.void
    )

  /**
   * The checkpoints before the newest one by which a witness may follow the keys to it: the one that it cosigned last, and the first after
   * each event about them, which the key before has signed.
   */
  const waysTo = Effect.fnUntraced(
    function*(witness: CosigningWitness, newest: CheckpointRow, news: ReadonlyArray<number>) {
      const [known] = yield* findCosignedSize(sql, witness.id)
      const last = yield* findCheckpointOf(sql, known!.size)
      const first = yield* Effect.forEach(news, (sequence) => findCoveringCheckpoint(sql, sequence))
      const ways = new Map([...last, ...first.flat()].map((way) => [way.tree_size, way]))
      return [...ways.values()]
        .filter((way) => way.tree_size < newest.tree_size && originOf(way) === originOf(newest))
        .toSorted((a, b) => Number(a.tree_size - b.tree_size))
    }
  )

  /** Leads a witness that knows no key of the newest checkpoint to one. Whether there is news for it. */
  const lead = Effect.fnUntraced(function*(witness: CosigningWitness, newest: CheckpointRow) {
    const news = yield* newsAfter(led.get(witness.id))
    if (news.length === 0) return false
    // It may have been restored from an old disk, and have forgotten what it was told.
    told.delete(witness.id)
    for (const way of yield* waysTo(witness, newest, news)) {
      if ((yield* cosigned(witness, way)).outcome === "unavailable") return false
    }
    led.set(witness.id, news.at(-1)!)
    return true
  })

  return Effect.fnUntraced(function*(witness: CosigningWitness, checkpoint: CheckpointRow) {
    let asked = yield* cosigned(witness, checkpoint)
    if (asked.outcome === "unknown_key" && (yield* lead(witness, checkpoint))) {
      asked = yield* cosigned(witness, checkpoint)
    }
    if (asked.outcome === "cosigned") led.delete(witness.id)
    return asked
  })
})
