import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { leafTextOfRow } from "../../../domain/log/LeafRow.ts"
import { inclusionRanges } from "../../../domain/evidence/transparency/MerkleTree.ts"
import { writeTlogProof } from "../../../domain/evidence/transparency/TlogProof.ts"
import { failing, NotFound, Unavailable } from "../../../domain/ground/wire/Errors.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Checkpoints } from "../transparency/Checkpoints.ts"
import { listLeavesAt } from "../transparency/LicenseEvidenceSql.ts"
import { Witnesses } from "../transparency/Witnesses.ts"
import type { UseRow } from "./ReceiptSql.ts"

const archived = failing(NotFound, "The event is in the archive that the operator keeps.", { detail: "archived" })
const notCovered = failing(Unavailable, "No checkpoint covers the usage event yet. Try again in a second.", {
  detail: "no_checkpoint"
})

/** Makes what proves the leaves of uses, up to the newest checkpoint: one that enough witnesses have signed, where they are required. */
export const makeLeafProofs = Effect.gen(function*() {
  const sql = yield* Database
  const checkpoints = yield* Checkpoints
  const environment = yield* CurrentEnvironment
  const tree = yield* makeMerkleLog
  const { quorum } = yield* Witnesses
  const newest = quorum === 0 ? checkpoints.latest : checkpoints.cosigned(undefined)

  /** The place of a use in the feed. */
  const placeOf = Effect.fnUntraced(function*({ created_at, sequence }: UseRow) {
    const { sequence: dropped, until } = yield* readDropped(sql)
    if (sequence === null) return yield* until !== undefined && created_at <= until ? archived : notCovered
    return Number(sequence) <= dropped ? yield* archived : Number(sequence)
  })

  /** The leaf at a place, its path, and the note that it leads to. */
  const prove = Effect.fnUntraced(function*(sequence: number) {
    const { note, tree_size } = yield* Effect.catchTag(newest, "NOT_FOUND", () => notCovered)
    if (tree_size < sequence) return yield* notCovered
    const [row] = yield* listLeavesAt(sql, [sequence])
    const hashes = yield* tree.hashes(inclusionRanges(sequence - 1, tree_size))
    const leaf = leafTextOfRow(row!, environment)
    return {
      leaf,
      hashes: hashes.map((hash) => Hex.encode(hash)),
      note,
      tlog_proof: writeTlogProof({ leaf, index: sequence - 1, hashes, note })
    }
  })

  return { placeOf, prove }
})
