import { Context, Effect, Layer } from "effect"
import { Base64, Hex } from "effect/encoding"
import type { LogStart } from "../../../domain/evidence/transparency/LogArchive.ts"
import { nodesOf } from "../../../domain/evidence/transparency/MerkleTree.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { leafTextOfRow } from "../../../domain/log/LeafRow.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { readEpochStarts } from "../../log/LogEpochs.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import type { ArchivedEventRow, KeyRow } from "./LogDropSql.ts"
import { findCheckpointWithin, listArchivedEvents, listVerifierKeys } from "./LogDropSql.ts"

/** Events that one statement reads. */
const page = 1000

/** A key as a verifier needs it. */
interface VerifierKey {
  readonly kid: string
  readonly algorithm: string
  readonly public_key: string
}

// The canonical text of the leaf, with the hashes as further members: no value of the event is written anew.
const lineOf = (environment: EnvironmentName, { hash, previous_hash, ...row }: ArchivedEventRow): string =>
  `${leafTextOfRow(row, environment).slice(0, -1)},"hash":"${Hex.encode(hash)}","previous_hash":"${
    Hex.encode(previous_hash)
  }"}`

const keyOf = (row: KeyRow): VerifierKey => ({
  kid: row.id,
  algorithm: "Ed25519",
  public_key: Base64.encode(row.public_key)
})

/** A signed checkpoint as an archive keeps it. */
export interface ArchivedCheckpoint {
  readonly tree_size: number
  readonly note: string
}

/** The log as it is written to an archive: its events without the personal values, and what they are verified with. */
export class LogArchive extends Context.Service<LogArchive, {
  /** The end that an archive continues which begins with the oldest kept event. */
  readonly start: Effect.Effect<LogStart>
  /** The newest signed checkpoint over at most `size` events; undefined when there is none. */
  readonly checkpointWithin: (size: number) => Effect.Effect<ArchivedCheckpoint | undefined>
  /** The lines of the events `first` to `last`. Dies when one of them is missing. */
  readonly lines: (first: number, last: number) => Effect.Effect<ReadonlyArray<string>>
  /** The root over the first `size` events, 64 hex digits; `size` is not before the oldest event that is kept. */
  readonly root: (size: number) => Effect.Effect<string>
  /** The keys that checkpoints are verified with. */
  readonly keys: Effect.Effect<{
    readonly publicKeys: ReadonlyArray<VerifierKey>
    readonly revokedKeys: ReadonlyArray<VerifierKey & { readonly revoked_at: string }>
  }>
}>()("countersign/services/evidence/retention/LogArchive") {
  static readonly layer = Layer.effect(
    LogArchive,
    Effect.gen(function*() {
      const sql = yield* Database
      const environment = yield* CurrentEnvironment
      const tree = yield* makeMerkleLog

      const start = Effect.gen(function*() {
        const { hash, sequence } = yield* readDropped(sql)
        const subtrees = yield* tree.hashes(
          nodesOf([0, sequence]).map(({ index, level }) => [index * 2 ** level, (index + 1) * 2 ** level] as const)
        )
        const epochs = (yield* readEpochStarts(sql)).filter((epoch) => epoch.first_sequence <= sequence)
        return { sequence, hash: Hex.encode(hash), subtrees: subtrees.map((node) => Hex.encode(node)), epochs }
      })

      const checkpointWithin = (size: number) =>
        Effect.map(
          findCheckpointWithin(sql, size),
          ([row]) => row && { tree_size: Number(row.tree_size), note: row.note }
        )

      const lines = Effect.fnUntraced(function*(first: number, last: number) {
        const found: Array<string> = []
        for (let next = first; next <= last; next = first + found.length) {
          const rows = yield* listArchivedEvents(sql, next, Math.min(last, next + page - 1))
          for (const row of rows) {
            if (Number(row.sequence) !== first + found.length) break
            found.push(lineOf(environment, row))
          }
          if (first + found.length === next) return yield* Effect.die(new Error(`The event ${next} is not there`))
        }
        return found
      })

      const keys = Effect.map(listVerifierKeys(sql), (rows) => ({
        publicKeys: rows.filter(({ revoked_at }) => revoked_at === null).map(keyOf),
        revokedKeys: rows.flatMap((row) =>
          row.revoked_at === null ? [] : Object.assign(keyOf(row), { revoked_at: row.revoked_at.toISOString() })
        )
      }))

      return LogArchive.of({
        start,
        checkpointWithin,
        lines,
        root: (size) => Effect.map(tree.hashes([[0, size]]), ([root]) => Hex.encode(root!)),
        keys
      })
    })
  )
}
