import { readTlogProof, verifyInclusion, writeTlogProof } from "../../domain/evidence/transparency/MerkleTree.ts"
import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { decodeHex } from "../../domain/ground/parsing/StrictBytes.ts"
import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import type { ServedEvent, Sha256 } from "../../domain/log/EventLeaf.ts"
import { leafHash, servedLeafText } from "../../domain/log/EventLeaf.ts"
import { byWebCrypto, platformSha256 } from "../hashing/sha256.ts"
import { isRefused, verifyNote } from "./checkpoint.ts"
import type { NoteFault, PublicKey, RevokedKey, VerifiedCheckpoint } from "./checkpoint.ts"

export interface VerifyTlogProofOptions {
  /** The text of the proof (C2SP tlog-proof). */
  readonly proof: string
  /** The leaf that it is of, where the proof does not have it, or to be compared with the one that it has. */
  readonly leaf?: string
  /** `data` of `GET /api/v1/system/public-keys`, from a source that is trusted. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** `revoked` of the same answer. What such a key signed proves nothing. */
  readonly revokedKeys?: ReadonlyArray<RevokedKey>
  /** SHA-256. Default: the platform's. */
  readonly sha256?: Sha256
}

/**
 * The faults of a proof, beside those of its note.
 * - `malformed`: the text is no proof of an event
 * - `other_event`: it is of another event than the one that was given
 * - `not_in_log`: the event does not lead to the signed root
 */
export type TlogProofFault = NoteFault | "malformed" | "other_event" | "not_in_log"

/** The event that is in the log, or what is wrong. */
export type TlogProofVerdict =
  | {
    readonly ok: true
    readonly sequence: number
    /** The leaf as its bytes say it: personal values are commitments. */
    readonly event: JsonMembers
    readonly checkpoint: VerifiedCheckpoint
    /** The note of the checkpoint, for who knows witnesses. */
    readonly note: string
  }
  | {
    readonly ok: false
    readonly fault: TlogProofFault
    readonly detail: string
    readonly revokedAt?: string
  }

const wrong = (fault: TlogProofFault, detail: string) => ({ ok: false, fault, detail } as const)

/** The members of the leaf at a place of the feed; undefined where the text is not the one form of it. */
const eventIn = (leaf: string, sequence: number): JsonMembers | undefined => {
  try {
    const event = parseInternetJson(leaf)
    return isMembers(event) && event["sequence"] === sequence && canonicalJson(event) === leaf ? event : undefined
  } catch {
    return undefined
  }
}

/**
 * Verifies the proof that an event is in the log (C2SP tlog-proof): its checkpoint is signed by one of the public keys, and the leaf leads
 * to the root that was signed (RFC 6962, 2.1.1). Asks nobody, and runs wherever WebCrypto is. What is wrong is in the verdict.
 */
export const verifyTlogProof = async (options: VerifyTlogProofOptions): Promise<TlogProofVerdict> => {
  const { publicKeys, revokedKeys = [] } = options
  const own = options.sha256 ?? platformSha256()
  const hashing = async <A>(run: (sha256: Sha256) => A): Promise<Awaited<A>> =>
    own === undefined ? byWebCrypto(run) : await run(own)
  const proof = readTlogProof(options.proof)
  if (proof === undefined) return wrong("malformed", "The text is no proof")
  const { hashes, index, leaf = options.leaf, note } = proof
  if (leaf === undefined) return wrong("malformed", "The proof does not have its event, and none was given")
  if (options.leaf !== undefined && options.leaf !== leaf) return wrong("other_event", "The proof is of another event")
  const event = eventIn(leaf, index + 1)
  if (event === undefined) return wrong("malformed", `The proof is not of an event with the sequence ${index + 1}`)
  const checkpoint = await hashing((sha256) => verifyNote(note, { publicKeys, revokedKeys, sha256 }))
  if (isRefused(checkpoint)) return checkpoint
  const { kid, revokedAt, rootHash, size } = checkpoint
  if (revokedAt !== undefined) {
    return { ...wrong("revoked_key", `The checkpoint is signed with ${kid}, which was revoked`), revokedAt }
  }
  const root = decodeHex(rootHash, 32)!
  const isIn = await hashing((sha256) =>
    verifyInclusion({ leafHash: leafHash(leaf, sha256), index, size, root, hashes }, sha256)
  )
  return isIn
    ? { ok: true, sequence: index + 1, event, checkpoint, note }
    : wrong("not_in_log", `The event is not among the ${size} events that were signed`)
}

/**
 * The proof of an event as the text of C2SP tlog-proof, from what the service answers: a served event or its leaf as a text, its audit path
 * (`hashes`, of `GET /api/v1/events/{id}/proof`, `/chain`, or a receipt), and the note that it leads to. Verifies nothing. Throws a TypeError
 * where a hash or the event is none.
 */
export const tlogProofOf = (
  { event, hashes, note }: {
    readonly event: ServedEvent | string
    readonly hashes: ReadonlyArray<string>
    readonly note: string
  }
): string => {
  const leaf = typeof event === "string" ? event : servedLeafText(event)
  const read: unknown = JSON.parse(leaf)
  const sequence = isMembers(read) ? read["sequence"] : undefined
  if (typeof sequence !== "number" || !Number.isSafeInteger(sequence) || sequence < 1) {
    throw new TypeError("The event has no sequence")
  }
  const path = hashes.map((hash) => decodeHex(hash, 32))
  if (path.includes(undefined)) throw new TypeError("A hash is not 64 hexadecimal digits")
  return writeTlogProof({ leaf, index: sequence - 1, hashes: path.flatMap((hash) => hash ?? []), note })
}
