import { Frontier, nodesOf } from "../../domain/evidence/transparency/MerkleTree.ts"
import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { decodeHex } from "../../domain/ground/parsing/StrictBytes.ts"
import type { EpochStart } from "../../domain/log/EpochPlace.ts"
import { chainStart, sequenceOf, verifyLink } from "../../domain/log/EventChain.ts"
import type { ChainFault, ChainPosition } from "../../domain/log/EventChain.ts"
import type { ServedEvent, Sha256 } from "../../domain/log/EventLeaf.ts"
import { neededSha256 } from "../hashing/sha256.ts"
import { isRefused, logOf, makeEpochs, verifyNote } from "../notes/checkpoint.ts"
import type { NoteFault, PublicKey, RevokedKey, VerifiedCheckpoint } from "../notes/checkpoint.ts"

/**
 * The faults of an export, beside those of the chain.
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
    /** `test` where the events are of the test environment, in which no license is sold; absent for the live one. */
    readonly environment?: string
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

/** The first thing that is wrong. */
type EventsFailure = Extract<EventsVerdict, { ok: false }>

/** A failure, with the event and the revocation where there are some. */
const failure = (fault: EventsFault, detail: string, sequence?: number, revokedAt?: string): EventsFailure => ({
  ok: false,
  fault,
  detail,
  ...(revokedAt === undefined ? {} : { revokedAt }),
  ...(sequence === undefined ? {} : { sequence })
})

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
   * The place that the first line continues, when the events before it are elsewhere: `start` of an archive's manifest. The
   * checkpoints vouch for it, but for the hash that the chain goes on from.
   */
  readonly start?: LogStart
  /** SHA-256. Default: that of Node.js, Deno or Bun; where there is none, for example in a browser, give one. */
  readonly sha256?: Sha256
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
const checkpointIn = (line: unknown): JsonMembers | undefined => {
  if (!isMembers(line) || Object.keys(line).join() !== "checkpoint") return undefined
  return isMembers(line["checkpoint"]) ? line["checkpoint"] : {}
}

/** The member beside a note that contradicts the note, if there is one. */
const contradiction = (beside: JsonMembers, said: VerifiedCheckpoint): string | undefined => {
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

/** A verification under way, line by line. Each step answers the first thing that is wrong, if anything is. */
class EventsVerifier {
  readonly #options: Required<Pick<VerifyEventsOptions, "publicKeys" | "revokedKeys" | "sha256">>
  readonly #tree: Frontier
  readonly #epochs: ReturnType<typeof makeEpochs>
  /** The checkpoints that were kept from before, and that of the last line. */
  readonly #kept: Array<VerifiedCheckpoint> = []
  #last: VerifiedCheckpoint | undefined
  #position: ChainPosition
  #erased = 0
  #named: { readonly environment?: string } = {}
  /** How many events a checkpoint has vouched for. */
  #agreed = 0
  /** An event is missing, or stands later: the rest of the lines tells which. */
  #missing: EventsFailure | undefined
  #hasEnded = false
  constructor({ publicKeys, revokedKeys = [], sha256 = neededSha256(), start }: VerifyEventsOptions) {
    this.#options = { publicKeys, revokedKeys, sha256 }
    this.#tree = startedTree(start, sha256)
    this.#epochs = makeEpochs(start?.epochs)
    this.#position = start === undefined ? chainStart : { sequence: start.sequence + 1, previousHash: start.hash }
  }

  /** Takes the note of a checkpoint that was kept from before. */
  async keep(note: string): Promise<EventsFailure | undefined> {
    const checkpoint = await this.#verifyNote(note)
    if (isRefused(checkpoint)) return checkpoint
    if (checkpoint.size < this.#tree.size) {
      return failure(
        "missing",
        `a checkpoint covers the events up to ${checkpoint.size}, and here they begin with ${this.#tree.size + 1}`,
        1
      )
    }
    this.#kept.push(checkpoint)
    return undefined
  }

  /** Takes the next line. Only that of a checkpoint takes a promise: there may be millions of events. */
  take(line: unknown): EventsFailure | undefined | Promise<EventsFailure | undefined> {
    if (this.#hasEnded) {
      return this.#missing ?? failure("altered", "the export has an empty line", this.#position.sequence)
    }
    // Splitting a text leaves this behind its last line end.
    if (line === "") {
      this.#hasEnded = true
      return undefined
    }
    if (this.#last !== undefined) {
      return failure("checkpoint_malformed", "The checkpoint is not the last line, and the only one")
    }
    const found = read(line)
    if (this.#missing !== undefined) return this.#reordered(found, this.#missing)
    if ("wrong" in found) return failure("altered", found.wrong, this.#position.sequence)
    const checkpoint = checkpointIn(found.value)
    return checkpoint === undefined ? this.#takeEvent(found.value) : this.#takeCheckpoint(checkpoint)
  }

  /** The verdict on all lines. */
  verdict(): EventsVerdict {
    if (this.#missing !== undefined) return this.#missing
    const all = this.#checkpoints
    const checkpoints = all.filter((checkpoint) => !this.#epochs.isLost(checkpoint)).toSorted((a, b) => a.size - b.size)
    const found = { checkpoints, epochs: this.#epochs.starts, ...this.#named }
    return this.#uncovered(checkpoints.at(-1)) ?? this.#lost() ??
      { ok: true, events: this.#tree.size, erased: this.#erased, ...found }
  }

  get #checkpoints(): ReadonlyArray<VerifiedCheckpoint> {
    return this.#last === undefined ? this.#kept : [...this.#kept, this.#last]
  }

  /** Compares the checkpoints of the tree's present size and epoch with its root. */
  #disagreement(): EventsFailure | undefined {
    const here = this.#checkpoints.filter((checkpoint) =>
      checkpoint.size === this.#tree.size && !this.#epochs.isLost(checkpoint) && !this.#epochs.isUnannounced(checkpoint)
    )
    if (here.length === 0) return undefined
    const root = encodeHex(this.#tree.root())
    if (here.some(({ rootHash }) => rootHash !== root)) {
      return failure(
        "rewritten",
        `the events ${this.#agreed + 1} to ${this.#tree.size} are chained, but they are not those that were signed`,
        this.#agreed + 1
      )
    }
    this.#agreed = this.#tree.size
    return undefined
  }

  async #verifyNote(note: unknown): Promise<VerifiedCheckpoint | EventsFailure> {
    const checkpoint = await verifyNote(note, this.#options)
    if (isRefused(checkpoint)) return checkpoint
    const other = this.#kept.find(({ origin }) => logOf(origin) !== logOf(checkpoint.origin))
    return other === undefined
      ? checkpoint
      : failure("other_log", `A checkpoint is of ${checkpoint.origin}, another of ${other.origin}`)
  }

  /** Takes the checkpoint of the last line, which covers the events before it. */
  async #takeCheckpoint(written: JsonMembers): Promise<EventsFailure | undefined> {
    const checkpoint = await this.#verifyNote(written["note"])
    if (isRefused(checkpoint)) return checkpoint
    const { kid, revokedAt, rootHash, size } = checkpoint
    const wrong = contradiction(written, checkpoint)
    if (wrong !== undefined) {
      return failure("checkpoint_malformed", `${wrong} of the checkpoint is not what its note says`)
    }
    if (revokedAt !== undefined && !this.#kept.some((note) => note.size === size && note.rootHash === rootHash)) {
      return failure(
        "revoked_key",
        `The checkpoint of ${size} events is signed with ${kid}, which was revoked at ${revokedAt}: it counts only ` +
          "where it was kept from before",
        undefined,
        revokedAt
      )
    }
    this.#last = checkpoint
    if (size < this.#tree.size) return failure("inserted", `the checkpoint after it covers ${size} events`, size + 1)
    return this.#disagreement()
  }

  #takeEvent(value: unknown): EventsFailure | undefined {
    const verdict = verifyLink(value, this.#position, this.#options.sha256)
    if (!verdict.ok) {
      const wrong = failure(verdict.fault, verdict.detail, verdict.sequence)
      if (verdict.fault !== "missing") return wrong
      this.#missing = wrong
      return undefined
    }
    this.#position = verdict.next
    this.#epochs.follow(value as ServedEvent)
    this.#erased += erasedIn(value as ServedEvent)
    const { environment } = value as ServedEvent
    if (environment !== undefined) this.#named = { environment }
    this.#tree.append(verdict.leafHash)
    return this.#disagreement()
  }

  /** Looks for the event that is missing in a line after its place. */
  #reordered(found: ReturnType<typeof read>, missing: EventsFailure): EventsFailure | undefined {
    return "value" in found && sequenceOf(found.value) === missing.sequence
      ? { ...missing, fault: "reordered", detail: "it stands after a later event" }
      : undefined
  }

  /** Which events no checkpoint vouches for; `largest` is the largest of those that count. */
  #uncovered(largest: VerifiedCheckpoint | undefined): EventsFailure | undefined {
    const { size } = this.#tree
    if (largest === undefined) {
      return failure("no_checkpoint", "No checkpoint vouches for the events: the end may be missing")
    }
    if (largest.size > size) {
      return failure("truncated", `the checkpoint covers ${largest.size} events, ${size} are here`, size + 1)
    }
    const unannounced = this.#checkpoints.find(this.#epochs.isUnannounced)
    if (unannounced !== undefined) {
      return failure(
        "other_log",
        `A checkpoint over ${unannounced.size} events is of ${unannounced.origin}, which no event among them begins`
      )
    }
    return this.#agreed < size
      ? failure("no_checkpoint", `No checkpoint covers the events from ${this.#agreed + 1} on`, this.#agreed + 1)
      : undefined
  }

  /** The events of a checkpoint that were lost in a restore. */
  #lost(): EventsFailure | undefined {
    const { isLost, lostFrom } = this.#epochs
    const [lost] = this.#checkpoints.filter(isLost).toSorted((a, b) => lostFrom(a) - lostFrom(b))
    return lost === undefined
      ? undefined
      : failure(
        "lost_part",
        `the log was restored to an earlier state: what a checkpoint of ${lost.origin} over ${lost.size} events covers ` +
          "from this event on was lost, and other events have its sequences",
        lostFrom(lost)
      )
  }
}

/**
 * Checks an export of the event feed against nothing but the public keys: that every event follows from the one before
 * it (the hash chain), that together they are what was signed (the Merkle tree of RFC 6962 and its checkpoints), and
 * that personal values which are shown are those that were committed to. Memory does not grow with the events. Rejects
 * only when `lines` does; what is wrong with the export is in the verdict.
 */
export const verifyEvents = async (options: VerifyEventsOptions): Promise<EventsVerdict> => {
  const verifier = new EventsVerifier(options)
  for (const note of options.notes ?? []) {
    const wrong = await verifier.keep(note)
    if (wrong !== undefined) return wrong
  }
  for await (const line of options.lines) {
    const taken = verifier.take(line)
    const wrong = taken instanceof Promise ? await taken : taken
    if (wrong !== undefined) return wrong
  }
  return verifier.verdict()
}
