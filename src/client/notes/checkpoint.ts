import { readCheckpointText } from "../../domain/evidence/transparency/MerkleTree.ts"
import type { CheckpointBody } from "../../domain/evidence/transparency/MerkleTree.ts"
import { claimsOf, readNote } from "../../domain/evidence/transparency/SignedNote.ts"
import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { decodeBase64 } from "../../domain/ground/parsing/StrictBytes.ts"
import { commonUpTo, currentEpoch, epochAt, readOrigin } from "../../domain/log/EpochPlace.ts"
import type { EpochStart } from "../../domain/log/EpochPlace.ts"
import type { ServedEvent, Sha256 } from "../../domain/log/EventLeaf.ts"

/** A key as `GET /api/v1/system/public-keys` lists it. Ship the list with the app, or fetch it over TLS. */
export interface PublicKey {
  readonly kid: string
  readonly algorithm: string
  /** Standard base64 of the 32 raw bytes. */
  readonly public_key: string
  /** A key that is said to be revoked verifies nothing. */
  readonly status?: string
  /** RFC 3339; of a key that was revoked. */
  readonly revoked_at?: string
  /** The log that introduced the key (`followLogKeys`), and by which event: it counts for checkpoints of this log that cover it. */
  readonly introduced?: { readonly origin: string; readonly size: number }
  /** Whether it signs the service's list of keys, as it is listed: no other list is believed by a program that ships it so. */
  readonly endorses?: boolean
}

/** A key that was revoked, as `revoked` of the same answer lists it. Its signatures prove nothing any more. */
export interface RevokedKey extends PublicKey {
  /** RFC 3339. */
  readonly revoked_at: string
}

/** The SHA-256 of the UTF-8 bytes of a text, in hex. */
export const sha256Hex = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** The 32 bytes of an Ed25519 key; undefined of any other key. */
export const rawKeyOf = ({ algorithm, public_key }: PublicKey): Uint8Array | undefined =>
  algorithm === "Ed25519" ? decodeBase64(public_key, 32) : undefined

/** Whether a key signed the UTF-8 bytes of a text (Ed25519, RFC 8032). */
export const verifies = async (rawKey: Uint8Array, text: string, signature: Uint8Array): Promise<boolean> => {
  if (signature.length !== 64) return false
  const key = await crypto.subtle.importKey("raw", Uint8Array.from(rawKey), "Ed25519", false, ["verify"])
  return crypto.subtle.verify("Ed25519", key, Uint8Array.from(signature), new TextEncoder().encode(text))
}

/** Whether a key is said to be revoked. */
const isRevoked = ({ revoked_at, status }: PublicKey): boolean => status === "revoked" || typeof revoked_at === "string"

/** The day on which a key was revoked, for messages; empty where the key does not say. */
const onDay = ({ revoked_at }: PublicKey): string => revoked_at === undefined ? "" : ` on ${revoked_at.slice(0, 10)}`

/**
 * The reason why a signature was refused. A revoked key is `unknown_key` like any other that verifies nothing: callers fetch the list of
 * keys again on that code, and refuse. What tells the two apart is `revokedAt` of the error.
 */
export type SignatureErrorCode = "malformed" | "unsupported_algorithm" | "unknown_key" | "signature_mismatch"

/**
 * The likely reason why no key fits, where something says of itself that it is of the test environment. Nobody has verified
 * that.
 */
const likelyReason = (claimed: unknown): string =>
  claimed === "test" ? ": it says that it is of the test environment, which signs with other keys" : ""

/**
 * Verifies a signature `{alg, kid, value}`, in which `alg` may be called `algorithm`: the algorithm must be exactly
 * Ed25519, the key must be among the public keys, and the signature must cover the text. Answers the text and the id of
 * the key. Otherwise throws the error that `refuse` makes from a code and a message, and of a revoked key from when that
 * was (RFC 3339); `what` names what was signed. A key that is said to be revoked anywhere in the list verifies nothing, and an entry that is no key stops no other.
 */
export const checkSignature = async (options: {
  readonly what: string
  readonly signature: unknown
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly text: () => string
  /** The member `environment` of what was signed, which nobody has verified. */
  readonly claimedEnvironment?: unknown
  readonly refuse: (code: SignatureErrorCode, message: string, revokedAt?: string) => Error
}): Promise<{ readonly kid: string; readonly text: string }> => {
  const { publicKeys, refuse, what } = options
  if (!isMembers(options.signature)) throw refuse("malformed", `The ${what} has no signature`)
  const { alg, algorithm = alg, kid, value } = options.signature
  if (alg !== "Ed25519" || algorithm !== "Ed25519") {
    throw refuse("unsupported_algorithm", `The ${what} is not signed with Ed25519`)
  }
  const named = publicKeys.filter((key) => isMembers(key) && key.kid === kid)
  const revoked = named.find(isRevoked)
  if (revoked !== undefined) {
    throw refuse(
      "unknown_key",
      `The ${what} is signed by a key that was revoked${onDay(revoked)}`,
      revoked.revoked_at
    )
  }
  // A list may have entries that are none of ours, also under the same id; the first that is a key counts.
  const published = named.find((key) => rawKeyOf(key) !== undefined)
  const rawKey = published && rawKeyOf(published)
  if (published === undefined || rawKey === undefined) {
    throw refuse(
      "unknown_key",
      `The ${what} is signed with a key that is not among the public keys${likelyReason(options.claimedEnvironment)}`
    )
  }
  const signature = decodeBase64(value, 64)
  if (signature === undefined) throw refuse("malformed", `The signature of the ${what} is not 64 bytes of base64`)
  const text = options.text()
  if (!await verifies(rawKey, text, signature)) {
    throw refuse("signature_mismatch", `The signature does not cover this ${what}`)
  }
  return { kid: published.kid, text }
}

/** A checkpoint whose signature was verified. */
export interface VerifiedCheckpoint {
  readonly origin: string
  readonly size: number
  /** 64 hex digits. */
  readonly rootHash: string
  readonly kid: string
  /** When it was signed, ISO 8601; absent when no signature says so. */
  readonly time?: string
  /**
   * When the key was revoked, ISO 8601. Whoever has a stolen key can write any earlier time into a note, so such a
   * checkpoint proves only as much as you know about where it was kept.
   */
  readonly revokedAt?: string
}

/** The reason why the note of a checkpoint proves nothing. */
export type NoteFault = "checkpoint_malformed" | "unknown_key" | "signature_mismatch" | "revoked_key"

/** A note that vouches for nothing, as a verdict. */
export interface RefusedNote {
  readonly ok: false
  readonly fault: NoteFault
  readonly detail: string
  /** When the key that signed was revoked, ISO 8601; absent unless that is why. */
  readonly revokedAt?: string
}

/** Whether a verdict stands where a checkpoint was hoped for. */
export const isRefused = <Refused extends { readonly ok: false }>(
  value: VerifiedCheckpoint | Refused
): value is Refused => "ok" in value

const refused = (fault: NoteFault, detail: string, revokedAt?: string): RefusedNote => ({
  ok: false,
  fault,
  detail,
  ...(revokedAt === undefined ? {} : { revokedAt })
})

/** Whether a key counts for a checkpoint: one that the log introduced does where the checkpoint covers the introduction. */
const countsFor = ({ introduced }: PublicKey, { origin, size }: CheckpointBody): boolean =>
  introduced === undefined || (introduced.origin === origin && introduced.size <= size)

/**
 * Reads a note (C2SP signed-note, tlog-checkpoint) and verifies its signatures. One of a key that was revoked is verified
 * where it says a time before that; its `revokedAt` tells so, and whoever asked judges what it is worth.
 */
export const verifyNote = async (
  note: unknown,
  { publicKeys, revokedKeys, sha256 }: {
    readonly publicKeys: ReadonlyArray<PublicKey>
    readonly revokedKeys: ReadonlyArray<RevokedKey>
    readonly sha256: Sha256
  }
): Promise<VerifiedCheckpoint | RefusedNote> => {
  const read = typeof note === "string" ? readNote(note) : undefined
  const body: CheckpointBody | undefined = read === undefined ? undefined : readCheckpointText(read.text)
  if (read === undefined || body === undefined) return refused("checkpoint_malformed", "The checkpoint cannot be read")
  const keys: ReadonlyArray<PublicKey & Partial<RevokedKey>> = [
    ...publicKeys.filter(({ kid, status }) =>
      status !== "revoked" && !revokedKeys.some((revoked) => revoked.kid === kid)
    ),
    ...revokedKeys
  ]
  for (const key of keys) {
    const publicKey = rawKeyOf(key)
    if (publicKey === undefined || !countsFor(key, body)) continue
    const claims = claimsOf(read, { name: body.origin, publicKey }, sha256)
    if (claims.length === 0) continue
    for (const { message, signature } of claims) {
      if (!await verifies(publicKey, message, signature)) {
        return refused("signature_mismatch", `The checkpoint of ${body.size} events is not what ${key.kid} signed`)
      }
    }
    const seconds = claims.find((claim) => claim.time !== undefined)?.time
    const time = seconds === undefined || seconds > 8.64e12 ? undefined : new Date(seconds * 1000).toISOString()
    // Negated, so that a missing or unreadable instant is refused.
    if (key.revoked_at !== undefined && !(Date.parse(time ?? "") < Date.parse(key.revoked_at))) {
      return refused(
        "revoked_key",
        `The checkpoint of ${body.size} events does not say that ${key.kid} signed it before it was revoked at ` +
          key.revoked_at,
        key.revoked_at
      )
    }
    return {
      origin: body.origin,
      size: body.size,
      rootHash: encodeHex(body.root),
      kid: key.kid,
      ...(time === undefined ? {} : { time }),
      ...(key.revoked_at === undefined ? {} : { revokedAt: new Date(key.revoked_at).toISOString() })
    }
  }
  const revoked = publicKeys.find((key) => {
    const publicKey = rawKeyOf(key)
    return publicKey !== undefined && countsFor(key, body) &&
      claimsOf(read, { name: body.origin, publicKey }, sha256).length > 0
  })
  return revoked === undefined
    ? refused(
      "unknown_key",
      `The checkpoint of ${body.size} events of ${body.origin} is signed with none of the public keys`
    )
    : refused(
      "unknown_key",
      `The checkpoint of ${body.size} events is signed by a key that was revoked${onDay(revoked)}`,
      revoked.revoked_at
    )
}

/** The log that an origin names, without its epoch. */
export const logOf = (origin: string): string => readOrigin(origin).log

/** The part of a checkpoint that tells its epoch. */
interface Signed {
  readonly origin: string
  readonly size: number
}

/** The epochs of a log as its own events tell of them. */
interface Epochs {
  readonly starts: ReadonlyArray<EpochStart>
  /** Learns of an event that begins an epoch. Call it in the order of the feed, for verified events only. */
  readonly follow: (event: ServedEvent) => void
  /**
   * Whether a checkpoint covers events that were lost in a restore: its epoch is earlier than that of its events here,
   * or this log skipped its epoch (which is known only after the last event). Ask after the events up to its size.
   */
  readonly isLost: (checkpoint: Signed) => boolean
  /** Whether a checkpoint is of a later epoch than its events are here, so that no event began that epoch. */
  readonly isUnannounced: (checkpoint: Signed) => boolean
  /** The first event under a checkpoint of a lost part that differs from the one here; 1 when that is unknown. */
  readonly lostFrom: (checkpoint: Signed) => number
}

/** Tracks the epochs of a log from its first event on, or from where those of `before` had begun. */
export const makeEpochs = (before: ReadonlyArray<EpochStart> = []): Epochs => {
  const starts: Array<EpochStart> = [...before]
  const epochOf = ({ origin }: Signed) => readOrigin(origin).epoch
  const isLost = (checkpoint: Signed) => {
    const epoch = epochOf(checkpoint)
    return epoch < epochAt(starts, checkpoint.size) ||
      (epoch < currentEpoch(starts) && commonUpTo(starts, epoch) === undefined)
  }
  return {
    starts,
    follow: ({ data, event_type, sequence }) => {
      if (event_type !== "log.epoch_started") return
      const { epoch, first_sequence, restored_sequence } = data
      if (typeof epoch !== "number" || typeof restored_sequence !== "number" || first_sequence !== sequence) return
      if (epoch > (starts.at(-1)?.epoch ?? 1)) starts.push({ epoch, first_sequence, restored_sequence })
    },
    isLost,
    isUnannounced: (checkpoint) => epochOf(checkpoint) > epochAt(starts, checkpoint.size) && !isLost(checkpoint),
    lostFrom: (checkpoint) => (commonUpTo(starts, epochOf(checkpoint)) ?? 0) + 1
  }
}
