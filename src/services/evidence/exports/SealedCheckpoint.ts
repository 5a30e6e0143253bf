import { Effect } from "effect"
import { Database } from "../../ground/persistence/Database.ts"
import { findCheckpointOf, findLatestCheckpoint } from "../transparency/CheckpointSql.ts"
import { makeCosigningQuorum } from "../transparency/CosigningQuorum.ts"
import { findCheckpointUpTo } from "./ExportSql.ts"

/**
 * The checkpoint that an export names: the newest one up to its place in the feed, and where witnesses are required, the
 * newest that enough of them have signed.
 */
export const makeSealedCheckpoint = Effect.gen(function*() {
  const sql = yield* Database
  const quorum = yield* makeCosigningQuorum

  const find = Effect.fnUntraced(function*(sequence: number) {
    if (!quorum.isRequired) return (yield* findCheckpointUpTo(sql, sequence))[0]
    const size = yield* quorum.sizeUpTo(sequence)
    const [signed] = size === 0 ? [] : yield* findCheckpointOf(sql, size)
    return signed && { tree_size: signed.tree_size, root_hash: signed.root_hash }
  })

  /** Waits until enough witnesses have signed what is the newest checkpoint now; where they are away, goes on and says so. */
  const awaited = Effect.gen(function*() {
    const [latest] = quorum.isRequired ? yield* findLatestCheckpoint(sql) : []
    if (latest === undefined || (yield* quorum.covers(Number(latest.tree_size)))) return
    yield* Effect.logWarning(
      "Not enough witnesses have signed the newest checkpoint: the export names an older one that they have signed, or none"
    )
  })

  return { find, awaited }
})
