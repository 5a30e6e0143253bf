import { receiptSchema } from "../../domain/evidence/receipts/ReceiptFormat.ts"
import { verifyInclusion, writeTlogProof } from "../../domain/evidence/transparency/MerkleTree.ts"
import type { TlogProof } from "../../domain/evidence/transparency/MerkleTree.ts"
import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { decodeHex } from "../../domain/ground/parsing/StrictBytes.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { leafHash } from "../../domain/log/EventLeaf.ts"
import { byWebCrypto, platformSha256 } from "../hashing/sha256.ts"
import { isRefused, verifyNote } from "../notes/checkpoint.ts"
import type { PublicKey, RevokedKey, VerifiedCheckpoint } from "../notes/checkpoint.ts"
import { EnvelopeError, malformed, parseAnswer, verifySigned } from "./verifyEnvelope.ts"

/** The longest path that is read: that of a tree of more events than any log has. */
const longestPath = 64

export interface VerifyReceiptOptions {
  /** The whole response of `GET /api/v1/license/receipt`, preferably as text: a member name twice is refused. */
  readonly receipt: unknown
  /** `data` of `GET /api/v1/system/public-keys`, from a source that is trusted. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** `revoked` of the same answer. A receipt that such a key signed is refused. */
  readonly revokedKeys?: ReadonlyArray<RevokedKey>
  /** The license, the use and the nonce that it must be of, as far as they are known. */
  readonly expected?: { readonly licenseId?: string; readonly eventId?: string; readonly nonce?: string }
  /** Whether what the test environment signed is taken too. Default: false. */
  readonly allowTest?: boolean | undefined
  /** SHA-256. Default: the platform's. */
  readonly sha256?: Sha256
}

/** A use that is in the log. */
export interface VerifiedReceipt {
  readonly licenseId: string
  /** Your ID of the usage event. */
  readonly eventId: string
  /** The leaf of the event: `sequence`, `created_at`, and in `data` the amount and the total after it. */
  readonly event: JsonMembers
  /** The checkpoint that covers it. */
  readonly checkpoint: VerifiedCheckpoint
  /** The note of the checkpoint, for who knows witnesses, or keeps it to compare it with later ones. */
  readonly note: string
}

const noteCodes = {
  checkpoint_malformed: "malformed",
  revoked_key: "unknown_key",
  signature_mismatch: "signature_mismatch",
  unknown_key: "unknown_key"
} as const

const textAt = (data: JsonMembers, name: string): string => {
  const value = data[name]
  if (typeof value !== "string") throw malformed(`The receipt has no ${name}`)
  return value
}

/** The leaf as its bytes say it: the usage event of this very license and `event_id`, and its place in the log. */
const leafIn = (data: JsonMembers): { readonly event: JsonMembers; readonly sequence: number } => {
  let event: JsonMembers
  try {
    event = membersOf(parseInternetJson(textAt(data, "leaf")))
  } catch (error) {
    throw error instanceof EnvelopeError ? error : malformed(`The leaf cannot be read: ${(error as Error).message}`)
  }
  const { event_id, feature_code } = membersOf(event["data"])
  const { event_type, resource_id, sequence } = event
  if (event_type !== "license.usage_recorded" || typeof sequence !== "number" || !Number.isSafeInteger(sequence)) {
    throw malformed("The leaf is not a usage event")
  }
  if (resource_id !== data["license_id"] || event_id !== data["event_id"] || feature_code !== data["feature_code"]) {
    throw malformed("The leaf is of another usage event than the receipt says")
  }
  return { event, sequence }
}

const hashesIn = ({ hashes }: JsonMembers): ReadonlyArray<Uint8Array> => {
  if (!Array.isArray(hashes) || hashes.length > longestPath) throw malformed("The receipt has no path")
  return hashes.map((hash) => decodeHex(hash, 32) ?? new Uint8Array())
}

/** The receipt must say alike what it says twice: `tlog_proof` is its leaf, path and note as one text. */
const checkTlogProof = (data: JsonMembers, proof: TlogProof): void => {
  if (data["tlog_proof"] !== writeTlogProof({ ...proof, leaf: textAt(data, "leaf") })) {
    throw malformed("The proof of the receipt is of something else than the receipt says")
  }
}

const checkExpected = (data: JsonMembers, { eventId, licenseId, nonce }: VerifyReceiptOptions["expected"] & {}) => {
  if (nonce !== undefined && data["nonce"] !== nonce) {
    throw new EnvelopeError("nonce_mismatch", "The receipt belongs to another request")
  }
  if (licenseId !== undefined && data["license_id"] !== licenseId) {
    throw new EnvelopeError("license_mismatch", "The receipt is of another license")
  }
  if (eventId !== undefined && data["event_id"] !== eventId) {
    throw new EnvelopeError("request_mismatch", "The receipt is of another usage event")
  }
}

/**
 * Verifies the receipt of a use: that the service signed it, that its checkpoint is signed, and that the leaf of this very use is in the
 * log that the checkpoint covers (RFC 6962, 2.1.1). Asks nobody, and runs wherever WebCrypto is. Rejects with an {@link EnvelopeError}:
 * `not_in_log` where the leaf does not lead to the signed root. Who has witnesses compares their lines in `note`.
 */
export const verifyReceipt = async (options: VerifyReceiptOptions): Promise<VerifiedReceipt> => {
  const { allowTest, expected = {}, publicKeys, receipt, revokedKeys = [] } = options
  const own = options.sha256 ?? platformSha256()
  const hashing = async <A>(run: (sha256: Sha256) => A): Promise<Awaited<A>> =>
    own === undefined ? byWebCrypto(run) : await run(own)
  const envelope = typeof receipt === "string" ? parseAnswer(receipt) : receipt
  const { data } = await verifySigned("receipt", envelope, [...publicKeys, ...revokedKeys], allowTest)
  if (data["schema"] !== receiptSchema) throw malformed("The signed data is not a receipt")
  checkExpected(data, expected)
  const [note, licenseId, eventId] = [textAt(data, "note"), textAt(data, "license_id"), textAt(data, "event_id")]
  const { event, sequence } = leafIn(data)
  const hashes = hashesIn(data)
  if (data["tlog_proof"] !== undefined) checkTlogProof(data, { index: sequence - 1, hashes, note })
  const checkpoint = await hashing((sha256) => verifyNote(note, { publicKeys, revokedKeys: [], sha256 }))
  if (isRefused(checkpoint)) {
    throw new EnvelopeError(noteCodes[checkpoint.fault], checkpoint.detail, checkpoint.revokedAt)
  }
  const isIn = await hashing((sha256) =>
    verifyInclusion({
      index: sequence - 1,
      size: checkpoint.size,
      leafHash: leafHash(textAt(data, "leaf"), sha256),
      hashes,
      root: decodeHex(checkpoint.rootHash, 32)!
    }, sha256)
  )
  if (!isIn) {
    throw new EnvelopeError("not_in_log", `The usage event is not among the ${checkpoint.size} events that were signed`)
  }
  return { licenseId, eventId, event, checkpoint, note }
}
