import { Effect } from "effect"
import { Database } from "../persistence/Database.ts"
import { findCheckpointOf, findLatestCheckpoint } from "../transparency/CheckpointSql.ts"
import { findQuorumSize } from "../transparency/CosignatureSql.ts"
import { Witnesses } from "../transparency/Witnesses.ts"
import { findCheckpointUpTo } from "./ExportSql.ts"

/** How often, and how far apart, it is looked whether enough witnesses have signed. */
const quorumTries = 25
const quorumPause = "200 millis"

/**
 * The checkpoint that an export names: the newest one up to its place in the feed, and where witnesses are required, the
 * newest that enough of them have signed.
 */
export const makeSealedCheckpoint = Effect.gen(function*() {
  const sql = yield* Database
  const { all, quorum } = yield* Witnesses
  const least = { witnesses: all.map(({ id }) => id), least: quorum }
  const sizeUpTo = (sequence: number) =>
    Effect.map(findQuorumSize(sql, least, sequence), ([of]) => Number(of?.tree_size ?? 0))

  const find = Effect.fnUntraced(function*(sequence: number) {
    if (quorum === 0) return (yield* findCheckpointUpTo(sql, sequence))[0]
    const size = yield* sizeUpTo(sequence)
    const [signed] = size === 0 ? [] : yield* findCheckpointOf(sql, size)
    return signed && { tree_size: signed.tree_size, root_hash: signed.root_hash }
  })

  /** Waits until enough witnesses have signed what is the newest checkpoint now; after some seconds goes on and says so. */
  const awaited = Effect.gen(function*() {
    if (quorum === 0) return
    const [latest] = yield* findLatestCheckpoint(sql)
    if (latest === undefined) return
    for (let tries = 1; (yield* sizeUpTo(Number.MAX_SAFE_INTEGER)) < Number(latest.tree_size); tries++) {
      if (tries === quorumTries) {
        return yield* Effect.logWarning(
          "Not enough witnesses have signed the newest checkpoint: the export names an older one that they have signed, or none"
        )
      }
      yield* Effect.sleep(quorumPause)
    }
  })

  return { find, awaited }
})
