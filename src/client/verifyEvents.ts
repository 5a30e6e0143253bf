import * as Hex from "effect/encoding/Hex"
import { readCheckpointText } from "../domain/Checkpoint.ts"
import type { CheckpointBody } from "../domain/Checkpoint.ts"
import type { ChainFault, ChainPosition } from "../domain/EventChain.ts"
import { chainStart, sequenceOf, verifyLink } from "../domain/EventChain.ts"
import type { ServedEvent, Sha256 } from "../domain/EventRecord.ts"
import type { EpochStart } from "../domain/LogEpoch.ts"
import { Frontier } from "../domain/MerkleTree.ts"
import { claimsOf, readNote } from "../domain/SignedNote.ts"
import { logOf, makeEpochs } from "./epochs.ts"
import { rawKeyOf, verifies } from "./signature.ts"
import type { PublicKey } from "./signature.ts"

/**
 * What is wrong with an export, beside what a chain can tell.
 * - `truncated`: the checkpoint covers events that are not there
 * - `rewritten`: the events are chained, but they are not those that were signed
 * - `no_checkpoint`, `checkpoint_malformed`, `unknown_key`, `signature_mismatch`: nothing vouches for the events
 * - `other_log`: a checkpoint is of another log
 * - `lost_part`: all is well with the events, but a checkpoint covers others, which were lost when the log was restored
 */
export type EventsFault =
  | ChainFault
  | "truncated"
  | "rewritten"
  | "no_checkpoint"
  | "checkpoint_malformed"
  | "unknown_key"
  | "signature_mismatch"
  | "other_log"
  | "lost_part"

/** A checkpoint whose signature was verified. */
export interface VerifiedCheckpoint {
  readonly origin: string
  readonly size: number
  /** 64 hex digits. */
  readonly rootHash: string
  readonly kid: string
  /** When it was signed, ISO 8601; absent when no signature says so. */
  readonly time?: string
}

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
  }

export interface VerifyEventsOptions {
  /** The lines of an export, as text or parsed: events from the first on, and `{"checkpoint": {"note": "..."}}`. */
  readonly lines: Iterable<unknown> | AsyncIterable<unknown>
  /** `data` of `GET /api/v1/system/public-keys`. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** Notes of checkpoints that were kept from before: the events must agree with them too. */
  readonly notes?: ReadonlyArray<string>
  /** SHA-256. Default: that of Node.js, Deno or Bun; where there is none, for example in a browser, give one. */
  readonly sha256?: Sha256
}

type Failure = Extract<EventsVerdict, { ok: false }>
type Known = VerifiedCheckpoint & { readonly root: Uint8Array }

const failure = (fault: EventsFault, detail: string, sequence?: number): Failure => ({
  ok: false,
  fault,
  detail,
  ...(sequence === undefined ? {} : { sequence })
})

const isFailure = (value: Known | Failure): value is Failure => "ok" in value

const platformSha256 = (): Sha256 => {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: "node:crypto") => typeof import("node:crypto") }
  }
  const node = process?.getBuiltinModule?.("node:crypto")
  if (node === undefined) throw new TypeError("This platform has no synchronous SHA-256: give one as `sha256`")
  return (...parts) => {
    const hash = node.createHash("sha256")
    for (const part of parts) hash.update(part)
    return hash.digest()
  }
}

/** Reads and verifies the note of a checkpoint. */
const verifyNote = async (
  note: unknown,
  publicKeys: ReadonlyArray<PublicKey>,
  sha256: Sha256
): Promise<Known | Failure> => {
  const read = typeof note === "string" ? readNote(note) : undefined
  const body: CheckpointBody | undefined = read === undefined ? undefined : readCheckpointText(read.text)
  if (read === undefined || body === undefined) return failure("checkpoint_malformed", "The checkpoint cannot be read")
  for (const key of publicKeys) {
    const publicKey = rawKeyOf(key)
    if (publicKey === undefined) continue
    const claims = claimsOf(read, { name: body.origin, publicKey }, sha256)
    if (claims.length === 0) continue
    for (const { message, signature } of claims) {
      if (!await verifies(publicKey, message, signature)) {
        return failure("signature_mismatch", `The checkpoint of ${body.size} events is not what ${key.kid} signed`)
      }
    }
    const time = claims.find((claim) => claim.time !== undefined)?.time
    return {
      origin: body.origin,
      size: body.size,
      rootHash: Hex.encode(body.root),
      root: body.root,
      kid: key.kid,
      ...(time === undefined || time > 8.64e12 ? {} : { time: new Date(time * 1000).toISOString() })
    }
  }
  return failure("unknown_key", `The checkpoint of ${body.size} events is signed with none of the public keys`)
}

const erasedIn = (event: ServedEvent): number =>
  Object.keys(event.commitments ?? {}).length - Object.keys(event.salts ?? {}).length

const parsed = (line: unknown): unknown => {
  if (typeof line !== "string") return line
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const noteIn = (line: unknown): unknown =>
  typeof line === "object" && line !== null && "checkpoint" in line && !("sequence" in line)
    ? { note: (line.checkpoint as { readonly note?: unknown } | null)?.note }
    : undefined

/**
 * Checks an export of the event feed against nothing but the public keys: that every event follows from the one before
 * it (the hash chain), that together they are what was signed (the Merkle tree of RFC 6962 and its checkpoints), and
 * that personal values which are shown are those that were committed to. Memory does not grow with the events. Rejects
 * only when `lines` does; what is wrong with the export is in the verdict.
 */
export const verifyEvents = async (options: VerifyEventsOptions): Promise<EventsVerdict> => {
  const { lines, notes = [], publicKeys, sha256 = platformSha256() } = options
  const tree = new Frontier(sha256)
  const known: Array<Known> = []
  const epochs = makeEpochs()
  let position: ChainPosition = chainStart
  let erased = 0
  let agreed = 0
  let missing: Failure | undefined

  /** The checkpoints of the size that the tree has now agree with its root, or what is wrong. */
  const disagreement = (): Failure | undefined => {
    const here = known.filter((checkpoint) => checkpoint.size === tree.size && !epochs.isLost(checkpoint))
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

  const add = async (note: unknown): Promise<Failure | undefined> => {
    const checkpoint = await verifyNote(note, publicKeys, sha256)
    if (isFailure(checkpoint)) return checkpoint
    if (known.some(({ origin }) => logOf(origin) !== logOf(checkpoint.origin))) {
      return failure("other_log", `A checkpoint is of ${checkpoint.origin}, another of ${known[0]!.origin}`)
    }
    known.push(checkpoint)
    return undefined
  }

  for (const note of notes) {
    const wrong = await add(note)
    if (wrong !== undefined) return wrong
  }
  for await (const line of lines) {
    if (line === "") continue
    const value = parsed(line)
    const note = noteIn(value) as { readonly note: unknown } | undefined
    if (missing !== undefined) {
      if (sequenceOf(value) === missing.sequence) {
        return { ...missing, fault: "reordered", detail: "it stands after a later event" }
      }
    } else if (note !== undefined) {
      const wrong = await add(note.note)
      if (wrong !== undefined) return wrong
      const { size } = known.at(-1)!
      if (size < tree.size) {
        return failure("inserted", `the checkpoint after it covers ${size} events`, size + 1)
      }
      const disagrees = disagreement()
      if (disagrees !== undefined) return disagrees
    } else {
      const verdict = verifyLink(value, position, sha256)
      if (!verdict.ok) {
        const wrong = failure(verdict.fault, verdict.detail, verdict.sequence)
        if (verdict.fault !== "missing") return wrong
        missing = wrong
        continue
      }
      const event = value as ServedEvent
      position = verdict.next
      epochs.follow(event)
      erased += erasedIn(event)
      tree.append(verdict.leafHash)
      const disagrees = disagreement()
      if (disagrees !== undefined) return disagrees
    }
  }
  if (missing !== undefined) return missing
  const lost = known.find(epochs.isLost)
  const checkpoints = known.filter((checkpoint) => !epochs.isLost(checkpoint)).toSorted((a, b) => a.size - b.size)
    .map(({ root: _root, ...checkpoint }) => checkpoint)
  const last = checkpoints.at(-1)
  if (last === undefined) {
    return failure("no_checkpoint", "No checkpoint vouches for the events: the end may be missing")
  }
  if (last.size > tree.size) {
    return failure("truncated", `the checkpoint covers ${last.size} events, ${tree.size} are here`, tree.size + 1)
  }
  if (agreed < tree.size) {
    return failure("no_checkpoint", `No checkpoint covers the events from ${agreed + 1} on`, agreed + 1)
  }
  const unannounced = known.find(epochs.isUnannounced)
  if (unannounced !== undefined) {
    return failure("other_log", `A checkpoint is of ${unannounced.origin}, which no event of the log begins`)
  }
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
