import { verifyConsistency } from "../../domain/evidence/transparency/MerkleTree.ts"
import { decodeHex } from "../../domain/ground/parsing/StrictBytes.ts"
import { readOrigin } from "../../domain/log/EpochPlace.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { byWebCrypto, platformSha256 } from "../hashing/sha256.ts"
import { isRefused, verifyNote } from "../notes/checkpoint.ts"
import type { NoteFault, VerifiedCheckpoint } from "../notes/checkpoint.ts"
import type { PublicKey, RevokedKey } from "../notes/signature.ts"

/**
 * The faults of a checkpoint, beside those of its note.
 * - `other_log`: the one that was kept is of another log
 * - `truncated`: it covers fewer events than the one that was kept
 * - `rewritten`: its events do not begin with those that the kept one covers
 * - `lost_part`: the log was restored to an earlier state since, and events that the kept one covers were lost
 */
export type CheckpointFault = NoteFault | "other_log" | "truncated" | "rewritten" | "lost_part"

/** Either the checkpoint that was verified, or what is wrong. */
export type CheckpointVerdict =
  | {
    readonly ok: true
    readonly checkpoint: VerifiedCheckpoint
    /** The one that was kept, which this one continues; absent when none was given. */
    readonly since?: VerifiedCheckpoint
  }
  | {
    readonly ok: false
    readonly fault: CheckpointFault
    readonly detail: string
    /** When the key that signed was revoked, ISO 8601; absent unless that is why. */
    readonly revokedAt?: string
  }

export interface VerifyCheckpointOptions {
  /** `note` of `GET /api/v1/events/checkpoint`; whatever else that answer says is read from the note anew. */
  readonly note: string
  /** `data` of `GET /api/v1/system/public-keys`, from a source that is trusted. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** `revoked` of the same answer. Such a key vouches only for the checkpoint that was kept. */
  readonly revokedKeys?: ReadonlyArray<RevokedKey>
  /** A checkpoint that was kept from before: the log must continue it. */
  readonly since?: {
    readonly note: string
    /**
     * Asks for the proof that it does: `(from, to) => client.events.getConsistency({ from, to })`. Called where the sizes
     * differ; what it rejects with, the verification rejects with.
     */
    readonly prove: (from: number, to: number) => PromiseLike<{ readonly hashes: ReadonlyArray<string> }>
  }
  /** SHA-256. Default: the platform's. */
  readonly sha256?: Sha256
}

/**
 * Verifies a checkpoint of the event log without the events: that its note is signed by one of the public keys (Ed25519;
 * C2SP tlog-checkpoint), and that the log continues what a checkpoint covers that was kept from before (the consistency
 * proof of RFC 6962, 2.1.2): nothing that was signed then was changed, taken out or put in since. Runs wherever WebCrypto
 * is, in browsers too. Rejects only when `prove` does, or where the platform has no Ed25519; what is wrong is in the verdict.
 */
export const verifyCheckpoint = async (options: VerifyCheckpointOptions): Promise<CheckpointVerdict> => {
  const { note, publicKeys, revokedKeys = [], since } = options
  const own = options.sha256 ?? platformSha256()
  const hashing = async <A>(run: (sha256: Sha256) => A): Promise<Awaited<A>> =>
    own === undefined ? byWebCrypto(run) : await run(own)
  const verified = (text: string) => hashing((sha256) => verifyNote(text, { publicKeys, revokedKeys, sha256 }))
  const wrong = (fault: CheckpointFault, detail: string): CheckpointVerdict => ({ ok: false, fault, detail })

  const checkpoint = await verified(note)
  if (isRefused(checkpoint)) return checkpoint
  const { kid, origin, revokedAt, rootHash, size } = checkpoint
  const isKept = note === since?.note
  if (revokedAt !== undefined && !isKept) {
    const detail = `The checkpoint of ${size} events is signed with ${kid}, which was revoked at ${revokedAt}`
    return { ok: false, fault: "revoked_key", detail, revokedAt }
  }
  if (since === undefined) return { ok: true, checkpoint }
  if (isKept) return { ok: true, checkpoint, since: checkpoint }

  const kept = await verified(since.note)
  if (isRefused(kept)) return { ...kept, detail: `Of the one that was kept: ${kept.detail}` }
  const [now, then] = [readOrigin(origin), readOrigin(kept.origin)]
  if (now.log !== then.log) {
    return wrong("other_log", `The checkpoint is of ${origin}, the one that was kept is of ${kept.origin}`)
  }
  const fault = now.epoch > then.epoch ? "lost_part" : "rewritten"
  if (size < kept.size || now.epoch < then.epoch) {
    return wrong(
      fault === "lost_part" ? fault : "truncated",
      `The checkpoint of ${origin} covers ${size} events, the one of ${kept.origin} that was kept ${kept.size}`
    )
  }
  const proof = size === kept.size || kept.size === 0 ? [] : (await since.prove(kept.size, size)).hashes
  const hashes = proof.map((hash) => decodeHex(hash, 32) ?? new Uint8Array())
  const continues = kept.size === 0 || await hashing((sha256) =>
    verifyConsistency({
      first: kept.size,
      firstRoot: decodeHex(kept.rootHash, 32)!,
      second: size,
      secondRoot: decodeHex(rootHash, 32)!,
      hashes
    }, sha256)
  )
  return continues
    ? { ok: true, checkpoint, since: kept }
    : wrong(fault, `The ${size} events do not begin with the ${kept.size} that the kept checkpoint covers`)
}
