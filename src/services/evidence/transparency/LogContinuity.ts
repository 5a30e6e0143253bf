import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { readCheckpointText } from "../../../domain/evidence/transparency/CheckpointText.ts"
import type { Continuity } from "../../../domain/evidence/transparency/Continuity.ts"
import { readNote } from "../../../domain/evidence/transparency/SignedNote.ts"
import { commonUpTo, currentEpoch, readOrigin } from "../../../domain/log/EpochPlace.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { logName, readEpochStarts } from "../../log/LogEpochs.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import { findTreeSize } from "./CheckpointSql.ts"

/**
 * Compares the log with the note of a checkpoint. The signature is not verified, because the log may no longer know the
 * key. A forged note can only stop the log, and anyone who can write the note could do that anyway.
 */
export const makeLogContinuity = Effect.gen(function*() {
  const sql = yield* Database
  const tree = yield* makeMerkleLog
  const log = yield* logName

  return Effect.fn("LogContinuity")(function*(note: string): Effect.fn.Return<Continuity> {
    const read = readNote(note)
    const kept = read === undefined ? undefined : readCheckpointText(read.text)
    if (kept === undefined) return { state: "unreadable" }
    const origin = readOrigin(kept.origin)
    const starts = yield* readEpochStarts(sql)
    const [chain] = yield* findTreeSize(sql)
    const size = Number(chain!.tree_size)
    const compared = { kept, keptEpoch: origin.epoch, epoch: currentEpoch(starts), size, log }
    if (origin.log !== log) return { ...compared, state: "other_log" }
    const common = commonUpTo(starts, origin.epoch)
    if (common === undefined) {
      return { ...compared, state: origin.epoch > compared.epoch ? "behind" : "superseded" }
    }
    if (kept.size > common) return { ...compared, state: "superseded" }
    if (kept.size > size) return { ...compared, state: "behind" }
    if (kept.size === 0) return { ...compared, state: "continues" }
    if (kept.size < (yield* readDropped(sql)).sequence) return { ...compared, state: "dropped" }
    const [root] = yield* tree.hashes([[0, kept.size]])
    return { ...compared, state: Hex.encode(root!) === Hex.encode(kept.root) ? "continues" : "forked" }
  })
})
