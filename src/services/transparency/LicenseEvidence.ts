import { Array as Arr, Effect, Schedule } from "effect"
import { Base64, Hex } from "effect/encoding"
import { leafHash } from "../../domain/events/EventLeaf.ts"
import { leafTextOfRow } from "../../domain/events/LeafRow.ts"
import { evidentSequences, statementEvidenceSchema } from "../../domain/exports/StatementEvidence.ts"
import { joined } from "../../domain/transparency/MerkleTiles.ts"
import type { Range } from "../../domain/transparency/MerkleTree.ts"
import { multiProofRanges, multiProofRoot } from "../../domain/transparency/MultiProof.ts"
import { CurrentEnvironment } from "../environment/CurrentEnvironment.ts"
import { readDropped } from "../events/DroppedEvents.ts"
import { makeMerkleLog } from "../events/MerkleLog.ts"
import { Database } from "../persistence/Database.ts"
import { Compression } from "../platform/Compression.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Checkpoints } from "./Checkpoints.ts"
import { findBegunBy, listLeavesAt, listStated, listStatedFeatures } from "./LicenseEvidenceSql.ts"
import type { EvidenceScope } from "./LicenseEvidenceSql.ts"
import { Witnesses } from "./Witnesses.ts"

/** The most events that a statement has evidence of: what they take is held in memory while it is frozen. */
const mostEvents = 20_000

/** The most events that are read to find those: beyond, a statement would take seconds for them. */
const mostStated = 100_000

/** How often, and how far apart, it is looked whether a checkpoint covers the statement. */
const coveringTries = Schedule.max([Schedule.spaced("200 millis"), Schedule.recurs(50)])

/** Leaves, and ranges of hashes, that are read at once. */
const batch = 500

/** A window of time, half-open, in RFC 3339. */
interface Window {
  readonly from: string
  readonly to: string
}

/**
 * The evidence of a statement: the events that its figures follow from, and one proof that they are in the log, up to a checkpoint
 * that enough witnesses have signed, or the service alone where none are required. Absent where there are more events than it
 * holds, where a part of the log was dropped that it would need, and where no checkpoint covers the statement in time.
 */
export const makeLicenseEvidence = Effect.gen(function*() {
  const sql = yield* Database
  const checkpoints = yield* Checkpoints
  const compression = yield* Compression
  const environment = yield* CurrentEnvironment
  const { sha256 } = yield* Cryptography
  const { quorum } = yield* Witnesses
  const tree = yield* makeMerkleLog

  const own = (sequence: number) => checkpoints.covering(sequence).pipe(Effect.retry(coveringTries))

  // Witnesses that are away do not keep a statement from its evidence: the note says who has signed it.
  const covering = (sequence: number) =>
    quorum === 0 ? own(sequence) : checkpoints.cosigned(sequence).pipe(
      Effect.retry(coveringTries),
      Effect.catchTag("NOT_FOUND", () => own(sequence))
    )

  const leavesAt = Effect.fnUntraced(function*(sequences: ReadonlyArray<number>) {
    const texts: Array<string> = []
    for (const some of Arr.chunksOf(sequences, batch)) {
      const rows = yield* listLeavesAt(sql, some)
      for (const row of rows) {
        texts.push(leafTextOfRow(row, environment))
      }
    }
    return texts
  })

  const hashesOf = Effect.fnUntraced(function*(ranges: ReadonlyArray<Range>) {
    const found: Array<ReadonlyArray<Uint8Array>> = []
    for (const some of Arr.chunksOf(ranges, batch)) found.push(yield* tree.hashes(some))
    return found.flat()
  })

  return Effect.fn("LicenseEvidence")(
    function*(scope: EvidenceScope, { from, to }: Window) {
      const { until } = yield* readDropped(sql)
      // A running total, and a grant, may go back to the beginning of the license.
      if (until !== undefined && (yield* findBegunBy(sql, scope, until))[0]?.has_begun === true) return undefined
      const rows = yield* listStated(sql, scope, mostStated + 1)
      if (rows.length > mostStated) return undefined
      const features = yield* listStatedFeatures(sql, [...new Set(rows.map(({ feature_id }) => feature_id))], scope)
      const shown = new Set(features.map(({ id }) => id))
      const stated = rows.filter(({ feature_id }) => shown.has(feature_id)).map((row) => ({
        sequence: Number(row.sequence),
        kind: row.kind,
        licenseId: row.license_id,
        featureId: row.feature_id,
        at: row.at.getTime(),
        movesGrants: row.moves_grants
      }))
      const sequences = evidentSequences(stated, Date.parse(from), Date.parse(to))
      if (sequences.length > mostEvents) return undefined
      const { note, root_hash, tree_size: size } = yield* covering(Math.max(1, scope.lastSequence))
      const leaves = yield* leavesAt(sequences)
      const indexes = sequences.map((sequence) => sequence - 1)
      const hashes = yield* hashesOf(multiProofRanges({ indexes, size }))
      const root = multiProofRoot(
        { indexes, size, hashes, leafHashes: leaves.map((leaf) => leafHash(leaf, sha256)) },
        sha256
      )
      if (root === undefined || Hex.encode(root) !== root_hash) {
        return yield* Effect.die(new Error("The evidence of a statement does not lead to the root of its checkpoint"))
      }
      const packed = yield* compression.compressOnce(new TextEncoder().encode(leaves.join("\n")), "gzip")
      return {
        schema: statementEvidenceSchema,
        note,
        features,
        events: Base64.encode(packed),
        hashes: Base64.encode(joined(hashes))
      } as const
    },
    Effect.catchTag("NOT_FOUND", () =>
      Effect.as(
        Effect.logWarning("No checkpoint covers the statement yet: it is frozen without its evidence"),
        undefined
      ))
  )
})
