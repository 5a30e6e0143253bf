import { readCheckpointText } from "../../domain/evidence/transparency/CheckpointText.ts"
import type { CheckpointBody } from "../../domain/evidence/transparency/CheckpointText.ts"
import { claimsOf, readNote } from "../../domain/evidence/transparency/SignedNote.ts"
import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import type { EpochStart } from "../../domain/log/EpochPlace.ts"
import { commonUpTo, currentEpoch, epochAt, readOrigin } from "../../domain/log/EpochPlace.ts"
import type { ServedEvent, Sha256 } from "../../domain/log/EventLeaf.ts"
import { onDay, rawKeyOf, verifies } from "./signature.ts"
import type { PublicKey, RevokedKey } from "./signature.ts"

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
