import type { ServedEvent, Sha256 } from "./EventLeaf.ts"
import { genesisHash, nextHash, servedHash, servedLeafHash, unopenedCommitment } from "./EventLeaf.ts"

/** Where a verifier stands: the next sequence, and the hashes of the two events before it (64 hex digits). */
export interface ChainPosition {
  readonly sequence: number
  readonly previousHash: string
  /** The hash of the event before the last: by it an event that was put in is recognised. */
  readonly beforeHash?: string
}

/** The position before the first event of a feed. */
export const chainStart: ChainPosition = { sequence: 1, previousHash: genesisHash }

/**
 * The fault of the first bad event.
 * - `altered`: its hash does not follow from its content and the event before it
 * - `missing`: it is not there
 * - `reordered`: it is there, but only after a later one
 * - `inserted`: another event with its sequence came before
 * - `commitment_mismatch`: a personal value shown is not the one that was committed to
 */
export type ChainFault = "altered" | "missing" | "reordered" | "inserted" | "commitment_mismatch"

/** Either the position after the last event, or the first bad event: its sequence, the fault, and a sentence. */
export type ChainVerdict =
  | { readonly ok: true; readonly next: ChainPosition }
  | { readonly ok: false; readonly sequence: number; readonly fault: ChainFault; readonly detail: string }

/** The verdict on one event, with its leaf hash, 32 bytes, which is its leaf in the tree. */
export type LinkVerdict =
  | { readonly ok: true; readonly next: ChainPosition; readonly leafHash: Uint8Array }
  | Extract<ChainVerdict, { ok: false }>

/** The sequence of what should be an event. */
export const sequenceOf = (event: unknown): unknown =>
  typeof event === "object" && event !== null && "sequence" in event ? event.sequence : undefined

/** Whether the hash of an event follows from its content and from the `previous_hash` that it names. */
const isIntact = (event: ServedEvent, sha256: Sha256): boolean => {
  try {
    return servedHash(event, event.previous_hash, sha256) === event.hash
  } catch {
    return false
  }
}

/**
 * Checks one served event, as parsed from JSON, against the position where it must stand. When the event itself is
 * intact but names another predecessor than the one that stands before it, that one was changed, and it is reported.
 */
export const verifyLink = (event: unknown, position: ChainPosition, sha256: Sha256): LinkVerdict => {
  const expected = position.sequence
  const bad = (fault: ChainFault, detail: string, sequence = expected): LinkVerdict => ({
    ok: false,
    sequence,
    fault,
    detail
  })
  const sequence = sequenceOf(event)
  if (typeof sequence !== "number" || !Number.isSafeInteger(sequence)) {
    return bad("altered", "it is not an event with a sequence")
  }
  const follows = (event as Partial<ServedEvent>).previous_hash === position.previousHash
  // It names the right predecessor, so it belongs here: only its number was changed.
  if (sequence !== expected && follows) return bad("altered", `it is numbered ${sequence}`)
  if (sequence > expected) return bad("missing", `event ${sequence} stands in its place`)
  if (sequence < expected) return bad("inserted", `an event ${sequence} stands after event ${expected - 1}`, sequence)
  const served = event as ServedEvent
  let leafHash: Uint8Array
  let computed: string
  let unopened: string | undefined
  try {
    leafHash = servedLeafHash(served, sha256)
    computed = nextHash(position.previousHash, leafHash, sha256)
    unopened = unopenedCommitment(served, sha256)
  } catch (cause) {
    return bad("altered", cause instanceof Error ? cause.message : "it cannot be read")
  }
  if (!follows) {
    const before = expected - 1
    if (position.beforeHash !== undefined && served.previous_hash === position.beforeHash) {
      return bad("inserted", `event ${expected} follows the event before it`, before)
    }
    if (before > 0 && isIntact(served, sha256)) {
      return bad("altered", `event ${expected} follows another event than this one`, before)
    }
    return bad("altered", "previous_hash is not the hash of the event before it")
  }
  if (served.hash !== computed) return bad("altered", "hash does not follow from its content")
  if (unopened !== undefined) {
    return bad("commitment_mismatch", `the value or salt at ${unopened} does not open its commitment`)
  }
  const next = { sequence: expected + 1, previousHash: computed, beforeHash: position.previousHash }
  return { ok: true, next, leafHash }
}

/**
 * Checks served events in the order given, by default from the first event of the feed. Stops at the first bad one.
 * Events cut off at the end cannot be seen here: compare the position after the last one with a signed checkpoint.
 */
export const verifyChain = (
  events: Iterable<unknown>,
  options: { readonly sha256: Sha256; readonly from?: ChainPosition }
): ChainVerdict => {
  let position = options.from ?? chainStart
  let missing: Extract<ChainVerdict, { ok: false }> | undefined
  for (const event of events) {
    if (missing === undefined) {
      const verdict = verifyLink(event, position, options.sha256)
      if (verdict.ok) position = verdict.next
      else if (verdict.fault === "missing") missing = verdict
      else return verdict
    } else if (sequenceOf(event) === missing.sequence) {
      return { ...missing, fault: "reordered", detail: "it stands after a later event" }
    }
  }
  return missing ?? { ok: true, next: position }
}
