import * as Hex from "effect/encoding/Hex"
import type { EpochStart } from "../../domain/events/EpochPlace.ts"
import type { ChainFault, ChainPosition } from "../../domain/events/EventChain.ts"
import { chainStart, sequenceOf, verifyLink } from "../../domain/events/EventChain.ts"
import type { ServedEvent, Sha256 } from "../../domain/events/EventLeaf.ts"
import { parseInternetJson } from "../../domain/parsing/InternetJson.ts"
import { decodeHex } from "../../domain/parsing/StrictBytes.ts"
import { Frontier, nodesOf } from "../../domain/transparency/MerkleTree.ts"
import { isRefused, verifyNote } from "./checkpoint.ts"
import type { NoteFault, VerifiedCheckpoint } from "./checkpoint.ts"
import { logOf, makeEpochs } from "./epochs.ts"
import { platformSha256 } from "./sha256.ts"
import { isObject } from "./signature.ts"
import type { Members, PublicKey, RevokedKey } from "./signature.ts"

/**
 * What can be wrong with an export, beside the faults of the chain.
 * - `truncated`: the checkpoint covers events that are not there
 * - `rewritten`: the events are chained, but they are not those that were signed
 * - `no_checkpoint`, `checkpoint_malformed`, `unknown_key`, `signature_mismatch`: nothing vouches for the events
 * - `revoked_key`: the key of a checkpoint was revoked (`revokedAt` of the verdict), and the checkpoint is not given as kept from before
 * - `other_log`: a checkpoint is of another log
 * - `lost_part`: all is well with the events, but a checkpoint covers others, which were lost when the log was restored
 */
export type EventsFault =
  | ChainFault
  | "truncated"
  | "rewritten"
  | "no_checkpoint"
  | NoteFault
  | "other_log"
  | "lost_part"

/** Either what was verified, or the first thing that is wrong. */
export type EventsVerdict =
  | {
    readonly ok: true
    readonly events: number
    /** Personal values that were erased; their commitments are what is left of them. */
    readonly erased: number
    /** In order of size; the last one covers all events. */
    readonly checkpoints: ReadonlyArray<VerifiedCheckpoint>
    /** The epochs after the first that the log has begun, each where it was restored to an earlier state. */
    readonly epochs: ReadonlyArray<EpochStart>
  }
  | {
    readonly ok: false
    /** The first bad event; of `rewritten`, the first that may be; absent when no event is to blame. */
    readonly sequence?: number
    readonly fault: EventsFault
    readonly detail: string
    /** When the key that signed was revoked, ISO 8601; absent unless that is why. */
    readonly revokedAt?: string
  }

/** Where the events that are given begin, when those before are archived: `start` of an archive's `archive.json`. */
export interface LogStart {
  /** The last event before; 0 when there is none. */
  readonly sequence: number
  /** The hash of that event, 64 zeros when there is none. */
  readonly hash: string
  /** The roots of the complete subtrees over the events before, from left to right (the largest first), in hexadecimal. */
  readonly subtrees: ReadonlyArray<string>
  /** The epochs of the log, after the first, that began before. */
  readonly epochs: ReadonlyArray<EpochStart>
}

export interface VerifyEventsOptions {
  /**
   * The lines of an export without their line ends: events from the first on, and `{"checkpoint": {"note": "..."}}` as
   * the last one. An empty text after it, which splitting leaves, is passed over. Give texts: only a text shows that a
   * member name appears twice. A parsed line is taken as it is.
   */
  readonly lines: Iterable<unknown> | AsyncIterable<unknown>
  /** `data` of `GET /api/v1/system/public-keys`. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /**
   * `revoked` of the same answer. A checkpoint of such a key counts only when it is among `notes` and its signature
   * says a time before the revocation.
   */
  readonly revokedKeys?: ReadonlyArray<RevokedKey>
  /** Notes of checkpoints that were kept from before: the events must agree with them too. */
  readonly notes?: ReadonlyArray<string>
  /**
   * What the first line continues, when the events before it are elsewhere: `start` of an archive's manifest. The
   * checkpoints vouch for it, but for the hash that the chain goes on from.
   */
  readonly start?: LogStart
  /** SHA-256. Default: that of Node.js, Deno or Bun; where there is none, for example in a browser, give one. */
  readonly sha256?: Sha256
}

type Failure = Extract<EventsVerdict, { ok: false }>

const failure = (fault: EventsFault, detail: string, sequence?: number, revokedAt?: string): Failure => ({
  ok: false,
  fault,
  detail,
  ...(revokedAt === undefined ? {} : { revokedAt }),
  ...(sequence === undefined ? {} : { sequence })
})

const neededSha256 = (): Sha256 => {
  const sha256 = platformSha256()
  if (sha256 === undefined) throw new TypeError("This platform has no synchronous SHA-256: give one as `sha256`")
  return sha256
}

const erasedIn = (event: ServedEvent): number =>
  Object.keys(event.commitments ?? {}).length - Object.keys(event.salts ?? {}).length

/** The value of a line, or why there is none. */
const read = (line: unknown): { readonly value: unknown } | { readonly wrong: string } => {
  if (typeof line !== "string") return { value: line }
  try {
    return { value: parseInternetJson(line) }
  } catch (error) {
    return { wrong: `the line cannot be read: ${(error as Error).message}` }
  }
}

/** The checkpoint of the last line; undefined when the line is another one. */
const checkpointIn = (line: unknown): Members | undefined => {
  if (!isObject(line) || Object.keys(line).join() !== "checkpoint") return undefined
  return isObject(line["checkpoint"]) ? line["checkpoint"] : {}
}

/** The member beside a note that contradicts the note, if there is one. */
const contradiction = (beside: Members, said: VerifiedCheckpoint): string | undefined => {
  const { kid, origin, rootHash: root_hash, size: tree_size } = said
  return Object.entries({ kid, origin, root_hash, tree_size }).find(([name, value]) =>
    Object.hasOwn(beside, name) && beside[name] !== value
  )?.[0]
}

/** The tree over the events before the first line. Throws when `start` is none. */
const startedTree = (start: LogStart | undefined, sha256: Sha256): Frontier => {
  const tree = new Frontier(sha256)
  const nodes = nodesOf([0, start?.sequence ?? 0])
  const subtrees = start?.subtrees ?? []
  if (subtrees.length !== nodes.length) throw new RangeError("start does not have the subtrees of its sequence")
  for (const [index, { level }] of nodes.entries()) {
    const hash = decodeHex(subtrees[index], 32)
    if (hash === undefined) throw new RangeError("A subtree of start is no hash")
    tree.append(hash, level)
  }
  return tree
}

/**
 * Checks an export of the event feed against nothing but the public keys: that every event follows from the one before
 * it (the hash chain), that together they are what was signed (the Merkle tree of RFC 6962 and its checkpoints), and
 * that personal values which are shown are those that were committed to. Memory does not grow with the events. Rejects
 * only when `lines` does; what is wrong with the export is in the verdict.
 */
export const verifyEvents = async (options: VerifyEventsOptions): Promise<EventsVerdict> => {
  const { lines, notes = [], publicKeys, revokedKeys = [], sha256 = neededSha256(), start } = options
  const tree = startedTree(start, sha256)
  const kept: Array<VerifiedCheckpoint> = []
  let last: VerifiedCheckpoint | undefined
  const epochs = makeEpochs(start?.epochs)
  let position: ChainPosition = start === undefined
    ? chainStart
    : { sequence: start.sequence + 1, previousHash: start.hash }
  let erased = 0
  let agreed = 0
  let missing: Failure | undefined
  let ended = false

  /** Compares the checkpoints of the tree's present size and epoch with its root; answers the fault, if any. */
  const disagreement = (): Failure | undefined => {
    const here = [...kept, ...(last === undefined ? [] : [last])].filter((checkpoint) =>
      checkpoint.size === tree.size && !epochs.isLost(checkpoint) && !epochs.isUnannounced(checkpoint)
    )
    if (here.length === 0) return undefined
    const root = Hex.encode(tree.root())
    if (here.some(({ rootHash }) => rootHash !== root)) {
      return failure(
        "rewritten",
        `the events ${agreed + 1} to ${tree.size} are chained, but they are not those that were signed`,
        agreed + 1
      )
    }
    agreed = tree.size
    return undefined
  }

  const verified = async (note: unknown): Promise<VerifiedCheckpoint | Failure> => {
    const checkpoint = await verifyNote(note, { publicKeys, revokedKeys, sha256 })
    const other = isRefused(checkpoint)
      ? undefined
      : kept.find(({ origin }) => logOf(origin) !== logOf(checkpoint.origin))
    return isRefused(checkpoint) || other === undefined
      ? checkpoint
      : failure("other_log", `A checkpoint is of ${checkpoint.origin}, another of ${other.origin}`)
  }

  /** Takes the checkpoint of the last line, which covers the events before it. */
  const end = async (written: Members): Promise<Failure | undefined> => {
    const checkpoint = await verified(written["note"])
    if (isRefused(checkpoint)) return checkpoint
    const { kid, revokedAt, rootHash, size } = checkpoint
    const wrong = contradiction(written, checkpoint)
    if (wrong !== undefined) {
      return failure("checkpoint_malformed", `${wrong} of the checkpoint is not what its note says`)
    }
    if (revokedAt !== undefined && !kept.some((note) => note.size === size && note.rootHash === rootHash)) {
      return failure(
        "revoked_key",
        `The checkpoint of ${size} events is signed with ${kid}, which was revoked at ${revokedAt}: it counts only ` +
          "where it was kept from before",
        undefined,
        revokedAt
      )
    }
    last = checkpoint
    if (size < tree.size) return failure("inserted", `the checkpoint after it covers ${size} events`, size + 1)
    return disagreement()
  }

  for (const note of notes) {
    const checkpoint = await verified(note)
    if (isRefused(checkpoint)) return checkpoint
    if (checkpoint.size < tree.size) {
      return failure(
        "missing",
        `a checkpoint covers the events up to ${checkpoint.size}, and here they begin with ${tree.size + 1}`,
        1
      )
    }
    kept.push(checkpoint)
  }
  for await (const line of lines) {
    if (ended) return missing ?? failure("altered", "an empty line stands in the export", position.sequence)
    // What splitting a text leaves behind its last line end.
    if (line === "") {
      ended = true
      continue
    }
    if (last !== undefined) {
      return failure("checkpoint_malformed", "The checkpoint is not the last line, and the only one")
    }
    const found = read(line)
    if ("wrong" in found) {
      if (missing !== undefined) continue
      return failure("altered", found.wrong, position.sequence)
    }
    const { value } = found
    const checkpoint = checkpointIn(value)
    if (missing !== undefined) {
      if (sequenceOf(value) === missing.sequence) {
        return { ...missing, fault: "reordered", detail: "it stands after a later event" }
      }
    } else if (checkpoint !== undefined) {
      const wrong = await end(checkpoint)
      if (wrong !== undefined) return wrong
    } else {
      const verdict = verifyLink(value, position, sha256)
      if (!verdict.ok) {
        const wrong = failure(verdict.fault, verdict.detail, verdict.sequence)
        if (verdict.fault !== "missing") return wrong
        missing = wrong
        continue
      }
      position = verdict.next
      epochs.follow(value as ServedEvent)
      erased += erasedIn(value as ServedEvent)
      tree.append(verdict.leafHash)
      const disagrees = disagreement()
      if (disagrees !== undefined) return disagrees
    }
  }
  if (missing !== undefined) return missing
  const all = [...kept, ...(last === undefined ? [] : [last])]
  const checkpoints = all.filter((checkpoint) => !epochs.isLost(checkpoint)).toSorted((a, b) => a.size - b.size)
  const largest = checkpoints.at(-1)
  if (largest === undefined) {
    return failure("no_checkpoint", "No checkpoint vouches for the events: the end may be missing")
  }
  if (largest.size > tree.size) {
    return failure("truncated", `the checkpoint covers ${largest.size} events, ${tree.size} are here`, tree.size + 1)
  }
  const unannounced = all.find(epochs.isUnannounced)
  if (unannounced !== undefined) {
    return failure(
      "other_log",
      `A checkpoint over ${unannounced.size} events is of ${unannounced.origin}, which no event among them begins`
    )
  }
  if (agreed < tree.size) {
    return failure("no_checkpoint", `No checkpoint covers the events from ${agreed + 1} on`, agreed + 1)
  }
  const [lost] = all.filter(epochs.isLost).toSorted((a, b) => epochs.lostFrom(a) - epochs.lostFrom(b))
  if (lost !== undefined) {
    return failure(
      "lost_part",
      `the log was restored to an earlier state: what a checkpoint of ${lost.origin} over ${lost.size} events covers ` +
        "from this event on was lost, and other events have its sequences",
      epochs.lostFrom(lost)
    )
  }
  return { ok: true, events: tree.size, erased, checkpoints, epochs: epochs.starts }
}
