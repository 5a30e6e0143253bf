import { Array as Arr, Effect, Schedule } from "effect"
import { Base64, Hex } from "effect/encoding"
import {
  chainEnd,
  evidentSequences,
  statementEvidenceSchemas
} from "../../../domain/evidence/exports/StatementEvidence.ts"
import type { ChainState } from "../../../domain/evidence/exports/StatementEvidence.ts"
import type { Range } from "../../../domain/evidence/transparency/MerkleTree.ts"
import { multiProofRanges, multiProofRoot } from "../../../domain/evidence/transparency/MultiProof.ts"
import { joinedBytes } from "../../../domain/ground/parsing/ByteTexts.ts"
import { leafHash } from "../../../domain/log/EventLeaf.ts"
import { leafTextOfRow } from "../../../domain/log/LicenseChain.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Compression } from "../../ground/platform/Ports.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import { Checkpoints } from "./Checkpoints.ts"
import {
  findBegunBy,
  findChainBounds,
  listChained,
  listLeavesAt,
  listStated,
  listStatedFeatures
} from "./LicenseEvidenceSql.ts"
import type { EvidenceScope } from "./LicenseEvidenceSql.ts"
import { makeCosigningQuorum } from "./WitnessKeeper.ts"

/** The most events that a statement has evidence of: what they take is held in memory while it is frozen. */
export const mostEvents = 20_000

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

/** A leaf of the evidence. */
interface EvidentLeaf {
  readonly sequence: number
  readonly text: string
  /** 32 bytes. */
  readonly hash: Uint8Array
}

/** The chain of the licenses as far as it is evidence. */
interface Chain {
  readonly state: ChainState
  readonly sequences: ReadonlyArray<number>
}

/** The events of a statement as one snapshot of the database has them. */
interface GatheredEvidence {
  /** The place of the feed that a checkpoint must cover. */
  readonly lastSequence: number
  readonly chain: ChainState
  readonly features: ReadonlyArray<{ readonly id: string; readonly product_id: string; readonly code: string }>
  readonly leaves: ReadonlyArray<EvidentLeaf>
}

/**
 * The evidence of a statement: the events that its figures follow from, and one proof that they are in the log, up to a checkpoint
 * that enough witnesses have signed, or the service alone where none are required; and beside them all events of its licenses from
 * before the window to after it, so that one that was left out is missed. Absent where there are more events than it
 * holds, where a part of the log was dropped that it would need, and where no checkpoint covers the statement in time.
 *
 * `gather` reads the events in the snapshot of the statement. `prove` waits for a checkpoint that covers them, which a snapshot
 * would never see: it is called when that has ended, and holds no connection while it waits.
 */
export const makeLicenseEvidence = Effect.gen(function*() {
  const sql = yield* Database
  const checkpoints = yield* Checkpoints
  const compression = yield* Compression
  const environment = yield* CurrentEnvironment
  const { sha256 } = yield* Cryptography
  const quorum = yield* makeCosigningQuorum
  const tree = yield* makeMerkleLog

  // Witnesses that are away do not keep a statement from its evidence: the note says who has signed it.
  const covering = Effect.fnUntraced(function*(sequence: number) {
    const signed = yield* checkpoints.covering(sequence).pipe(Effect.retry(coveringTries))
    return quorum.isRequired && (yield* quorum.covers(signed.tree_size))
      ? yield* checkpoints.cosigned(sequence)
      : signed
  })

  const leavesAt = Effect.fnUntraced(function*(sequences: ReadonlyArray<number>) {
    const leaves: Array<EvidentLeaf> = []
    for (const some of Arr.chunksOf(sequences, batch)) {
      for (const row of yield* listLeavesAt(sql, some)) {
        const text = leafTextOfRow(row, environment)
        leaves.push({ sequence: Number(row.sequence), text, hash: leafHash(text, sha256) })
      }
    }
    return leaves
  })

  const hashesOf = Effect.fnUntraced(function*(ranges: ReadonlyArray<Range>) {
    const found: Array<ReadonlyArray<Uint8Array>> = []
    for (const some of Arr.chunksOf(ranges, batch)) found.push(yield* tree.hashes(some))
    return found.flat()
  })

  /** The hashes by which all leaves lead to a root. */
  const proofOf = Effect.fnUntraced(function*(leaves: ReadonlyArray<EvidentLeaf>, size: number, rootHash: string) {
    const indexes = leaves.map(({ sequence }) => sequence - 1)
    const hashes = yield* hashesOf(multiProofRanges({ indexes, size }))
    const root = multiProofRoot({ indexes, size, hashes, leafHashes: leaves.map(({ hash }) => hash) }, sha256)
    if (root === undefined || Hex.encode(root) !== rootHash) {
      return yield* Effect.die(new Error("The evidence of a statement does not lead to the root of its checkpoint"))
    }
    return Base64.encode(joinedBytes(hashes))
  })

  /** The events that the figures follow from, and the features that they name; undefined where there are too many. */
  const statedOf = Effect.fnUntraced(function*(scope: EvidenceScope, { from, to }: Window) {
    const rows = yield* listStated(sql, scope, mostStated + 1)
    if (rows.length > mostStated) return undefined
    const ids = new Set(rows.map(({ feature_id }) => feature_id))
    const features = yield* listStatedFeatures(sql, [...ids], scope)
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
    return sequences.length > mostEvents ? undefined : { features, sequences, isFiltered: shown.size < ids.size }
  })

  /** All events of the licenses around a window, or why they are left out. */
  const chainOf = Effect.fnUntraced(
    function*(scope: EvidenceScope, { from, to }: Window, isFiltered: boolean): Effect.fn.Return<Chain> {
      if (isFiltered || scope.featureCode !== undefined) return { state: "filtered", sequences: [] }
      const around = { from: new Date(from), to: new Date(chainEnd(Date.parse(to))) }
      const [found] = yield* findChainBounds(sql, around, scope.lastSequence)
      const bounds = { low: Number(found!.low), high: Number(found!.high) }
      const rows = yield* listChained(sql, scope, bounds, mostEvents + 1)
      if (rows.length > mostEvents) return { state: "too_large", sequences: [] }
      return rows.every(({ is_linked, sequence }) => is_linked || sequence <= bounds.low)
        ? { state: "complete", sequences: rows.map(({ sequence }) => Number(sequence)) }
        : { state: "unlinked", sequences: [] }
    }
  )

  const gather = Effect.fn("LicenseEvidence.gather")(function*(scope: EvidenceScope, window: Window) {
    const { until } = yield* readDropped(sql)
    // A running total, and a grant, may go back to the beginning of the license.
    if (until !== undefined && (yield* findBegunBy(sql, scope, until))[0]?.has_begun === true) return undefined
    const stated = yield* statedOf(scope, window)
    if (stated === undefined) return undefined
    const chain = yield* chainOf(scope, window, stated.isFiltered)
    const all = new Set([...stated.sequences, ...chain.sequences])
    const [state, chosen] = all.size > mostEvents
      ? ["too_large" as const, stated.sequences]
      : [chain.state, [...all].toSorted((a, b) => a - b)]
    const { lastSequence } = scope
    return { lastSequence, chain: state, features: stated.features, leaves: yield* leavesAt(chosen) }
  })

  const prove = Effect.fn("LicenseEvidence.prove")(
    function*({ chain, features, lastSequence, leaves }: GatheredEvidence) {
      const { note, root_hash, tree_size: size } = yield* covering(Math.max(1, lastSequence))
      const hashes = yield* proofOf(leaves, size, root_hash)
      const lines = leaves.map(({ text }) => text).join("\n")
      const packed = yield* compression.compressOnce(new TextEncoder().encode(lines), "gzip")
      return {
        schema: statementEvidenceSchemas.chained,
        chain,
        note,
        features,
        events: Base64.encode(packed),
        hashes
      } as const
    },
    Effect.catchTag("NOT_FOUND", () =>
      Effect.as(
        Effect.logWarning("No checkpoint covers the statement yet: it is frozen without its evidence"),
        undefined
      ))
  )

  return { gather, prove }
})
