import { verifyInclusion } from "../../domain/evidence/transparency/MerkleTree.ts"
import { decodeHex } from "../../domain/ground/parsing/StrictBytes.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { servedLeafHash } from "../../domain/log/EventLeaf.ts"
import type { LicenseFault } from "../../domain/log/LicenseChainVerdict.ts"
import { verifyLicenseEvents } from "../../domain/log/LicenseChainVerdict.ts"
import type { LicenseLink } from "../../domain/log/LicenseLink.ts"
import { neededSha256 } from "../hashing/sha256.ts"
import { isRefused, verifyNote } from "../notes/checkpoint.ts"
import type { NoteFault, VerifiedCheckpoint } from "../notes/checkpoint.ts"
import type { PublicKey, RevokedKey } from "../notes/signature.ts"

/** The faults of a license's chain: those of its events and of the note, and `not_in_log`, an event that the note does not cover. */
export type LicenseChainFault = LicenseFault | NoteFault | "not_in_log"

/** Either what was verified, or what is wrong. */
export type VerifiedLicenseChain =
  | {
    readonly ok: true
    readonly events: number
    /** The event of the license before the first one, sequence 0 where they begin with it; undefined where no event says it. */
    readonly after: LicenseLink | undefined
    /** The last one, which the next event of the license names: `after` of the next verification. */
    readonly last: LicenseLink | undefined
    readonly checkpoint: VerifiedCheckpoint
  }
  | {
    readonly ok: false
    readonly fault: LicenseChainFault
    readonly detail: string
    /** The event that is wrong or missing; absent where the note is. */
    readonly sequence?: number
  }

export interface VerifyLicenseChainOptions {
  readonly licenseId: string
  /** `events` of all pages of `GET /api/v1/events/chain` of one `tree_size`, in their order. */
  readonly events: ReadonlyArray<{ readonly event: unknown; readonly hashes: ReadonlyArray<string> }>
  /** `note` of the checkpoint of that size. */
  readonly note: string
  /** `data` of `GET /api/v1/system/public-keys`, from a source that is trusted. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** `revoked` of the same answer. */
  readonly revokedKeys?: ReadonlyArray<RevokedKey>
  /** The event of the license before the first one given, null for its beginning. Default: the first one says what it follows. */
  readonly after?: LicenseLink | null
  /** SHA-256. Default: that of Node.js, Deno or Bun; where there is none, for example in a browser, give one. */
  readonly sha256?: Sha256
}

/**
 * Verifies the events of one license without the others: that each is in the log that was signed (RFC 6962, 2.1.1), is as its
 * hash says, and names the one before it, so that none between the first and the last was left out, moved, changed or doubled. Events
 * after the last one cannot be seen to be missing. What is wrong is in the verdict.
 */
export const verifyLicenseChain = async (options: VerifyLicenseChainOptions): Promise<VerifiedLicenseChain> => {
  const { after, events, licenseId, note, publicKeys, revokedKeys = [] } = options
  const sha256 = options.sha256 ?? neededSha256()
  const checkpoint = await verifyNote(note, { publicKeys, revokedKeys, sha256 })
  if (isRefused(checkpoint)) return checkpoint
  if (checkpoint.revokedAt !== undefined) {
    const detail = `The checkpoint is signed with ${checkpoint.kid}, which was revoked at ${checkpoint.revokedAt}`
    return { ok: false, fault: "revoked_key", detail }
  }
  const verdict = verifyLicenseEvents(events.map(({ event }) => event), { after, license: licenseId, sha256 })
  if (!verdict.ok) return verdict
  for (const { event, hashes } of events) {
    const served = event as Parameters<typeof servedLeafHash>[0]
    const isIn = verifyInclusion({
      index: served.sequence - 1,
      size: checkpoint.size,
      leafHash: servedLeafHash(served, sha256),
      hashes: hashes.map((hash) => decodeHex(hash, 32) ?? new Uint8Array()),
      root: decodeHex(checkpoint.rootHash, 32)!
    }, sha256)
    if (!isIn) {
      const detail = `it is not among the ${checkpoint.size} events that were signed`
      return { ok: false, fault: "not_in_log", sequence: served.sequence, detail }
    }
  }
  return { ok: true, events: events.length, after: verdict.after, last: verdict.last, checkpoint }
}
