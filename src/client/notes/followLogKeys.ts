import type { KeyChangeFault, KnownKeys, LoggedKeyChange } from "../../domain/evidence/transparency/LogKeys.ts"
import { claimsOfChange, isKnownChange, readKeyChange } from "../../domain/evidence/transparency/LogKeys.ts"
import { encodeBase64 } from "../../domain/ground/parsing/ByteTexts.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { byWebCrypto, platformSha256 } from "../hashing/sha256.ts"
import { rawKeyOf, verifies } from "./checkpoint.ts"
import type { PublicKey, RevokedKey } from "./checkpoint.ts"

export interface FollowLogKeysOptions {
  /**
   * Proofs of events about the keys of the log, in the order of the feed: `tlog_proof` of `GET /api/v1/events/{id}/proof` for each
   * `log.key_introduced` and `signing_key.revoked`. Of an introduction, up to a checkpoint that the key before has signed: the first
   * that covers the event.
   */
  readonly proofs: ReadonlyArray<string>
  /** The keys that are trusted. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** The keys that are known to be revoked. */
  readonly revokedKeys?: ReadonlyArray<RevokedKey>
  /** SHA-256. Default: the platform's. */
  readonly sha256?: Sha256
}

/**
 * The reason why a proof is refused.
 * - `malformed`: it is no proof of an event about the keys of a log
 * - `not_in_log`: the event is not in the tree of the checkpoint
 * - `unknown_key`: no key that is trusted introduces the key, and has signed the checkpoint
 * - `revoked_key`: the key that introduces it was revoked
 * - `signature_mismatch`: a signature on the checkpoint is wrong
 */
export type LogKeyFault = KeyChangeFault | "signature_mismatch"

/** The keys of a log as its own events say them, or the first proof that is refused. */
export type FollowedLogKeys =
  | {
    readonly ok: true
    /** The keys that were introduced, the newest one first, and those that were given, without those that were revoked. */
    readonly publicKeys: ReadonlyArray<PublicKey>
    readonly revokedKeys: ReadonlyArray<RevokedKey>
  }
  | {
    readonly ok: false
    readonly fault: LogKeyFault
    /** The index of the proof in `proofs`. */
    readonly proof: number
  }

const knownOf = (publicKeys: ReadonlyArray<PublicKey>, revokedKeys: ReadonlyArray<RevokedKey>): KnownKeys => {
  const revoked = [...revokedKeys, ...publicKeys.filter(({ status }) => status === "revoked")]
  const named = (keys: ReadonlyArray<PublicKey>) =>
    keys.flatMap((key) => {
      const publicKey = rawKeyOf(key)
      return publicKey === undefined ? [] : [{ kid: key.kid, publicKey, since: key.introduced?.size ?? 0 }]
    })
  return { trusted: named(publicKeys), revoked: named(revoked) }
}

/** The keys that count in the log of a checkpoint: one that another log introduced does not. */
const ofLog = (keys: ReadonlyArray<PublicKey>, origin: string): ReadonlyArray<PublicKey> =>
  keys.filter(({ introduced }) => introduced === undefined || introduced.origin === origin)

const introducedKey = (
  { change: { key: { kid, publicKey } }, checkpoint: { origin }, sequence }: LoggedKeyChange
): PublicKey => ({
  kid,
  algorithm: "Ed25519",
  public_key: encodeBase64(publicKey),
  introduced: { origin, size: sequence }
})

const revokedKey = (
  { at, key: { kid, publicKey } }: LoggedKeyChange["change"] & { readonly kind: "revoked" }
): RevokedKey => ({
  kid,
  algorithm: "Ed25519",
  public_key: encodeBase64(publicKey),
  revoked_at: at
})

/**
 * Follows the keys of a log from keys that are trusted: a key that was rotated introduces the next one by an event, in a tree whose
 * checkpoint it has signed. What nothing but the new key vouches for is refused, and so is what a revoked key says. The keys that are
 * answered are for the other verifications of this package. Runs wherever WebCrypto is.
 */
export const followLogKeys = async (options: FollowLogKeysOptions): Promise<FollowedLogKeys> => {
  const own = options.sha256 ?? platformSha256()
  const hashing = <A>(run: (sha256: Sha256) => A): Promise<Awaited<A>> =>
    own === undefined ? byWebCrypto(run) : Promise.resolve(run(own))
  const publicKeys = [...options.publicKeys]
  const revokedKeys = [...options.revokedKeys ?? []]
  for (const [proof, text] of options.proofs.entries()) {
    const read = await hashing((sha256) => readKeyChange(text, sha256))
    if (typeof read === "string") return { ok: false, fault: read, proof }
    const { change, checkpoint: { origin } } = read
    const known = knownOf(ofLog(publicKeys, origin), revokedKeys)
    if (isKnownChange(known, read)) continue
    const claims = await hashing((sha256) => claimsOfChange(read, known, sha256))
    if (typeof claims === "string") return { ok: false, fault: claims, proof }
    for (const { claims: made, publicKey } of claims) {
      for (const { message, signature } of made) {
        if (!await verifies(publicKey, message, signature)) return { ok: false, fault: "signature_mismatch", proof }
      }
    }
    // The newest one is the first: a checkpoint that several have signed is that of the newest.
    if (change.kind === "introduced") publicKeys.unshift(introducedKey(read))
    else revokedKeys.push(revokedKey(change))
  }
  const isRevoked = ({ public_key }: PublicKey) => revokedKeys.some((key) => key.public_key === public_key)
  return { ok: true, publicKeys: publicKeys.filter((key) => !isRevoked(key)), revokedKeys }
}
