import { verifyInclusion } from "../../domain/evidence/transparency/MerkleTree.ts"
import { decodeHex } from "../../domain/ground/parsing/StrictBytes.ts"
import { servedLeafHash } from "../../domain/log/EventLeaf.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { verifyLicenseEvents } from "../../domain/log/LicenseChainVerdict.ts"
import type { LicenseFault } from "../../domain/log/LicenseChainVerdict.ts"
import type { LicenseLink } from "../../domain/log/LicenseLink.ts"
import { neededSha256 } from "../hashing/sha256.ts"
import { isRefused, verifyNote } from "../notes/checkpoint.ts"
import type { NoteFault, PublicKey, RevokedKey, VerifiedCheckpoint } from "../notes/checkpoint.ts"
import { isToBeListed, isTrustedWay, learn, trustOf, verifyingKeys } from "./KeyTrust.ts"
import type { KeyTrust, LearnedKeys } from "./KeyTrust.ts"

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

export interface KeySetOptions {
  /**
   * The keys that your program ships: `data` of `GET /api/v1/system/public-keys`, whole. Where one of them `endorses`, or once a
   * list was had that they signed, no other list is believed. None: the first list is believed, and then those that follow from it.
   */
  readonly pinned: ReadonlyArray<PublicKey>
  /**
   * Where the service lists its keys. Left out, the pinned keys alone are believed, so that a rotation needs a new version of
   * your program. Only https, or this machine: otherwise a TypeError is thrown.
   */
  readonly baseUrl?: string | URL
  /** The keys learned in an earlier run, where your program keeps them. */
  readonly learned?: LearnedKeys
  /** Told what to keep. */
  readonly onLearned?: (learned: LearnedKeys) => void
  /** How long the list is not fetched again, in milliseconds, however many unknown keys are seen. Default: 1 minute. */
  readonly minIntervalMs?: number
  readonly fetch?: typeof fetch
}

/** The keys that a program believes, which follow the service's rotations. */
export interface KeySet {
  /**
   * Runs a verification with the keys that are known. One that refuses because its key is unknown, or was said to be revoked, is
   * run again with the list of the service as it is by now, in which revoked ones verify nothing: `keys.verify((publicKeys) => verifyEnvelope({ body, publicKeys }))`.
   */
  readonly verify: <A>(run: (publicKeys: ReadonlyArray<PublicKey>) => Promise<A>) => Promise<A>
  /** The keys that the last verification knew, without those that were revoked; before it, those that are pinned. */
  readonly publicKeys: () => ReadonlyArray<PublicKey>
}

/** A {@link KeySet} of pinned keys, and where to learn of rotations. */
export const keySet = (options: KeySetOptions): KeySet => {
  const { baseUrl, minIntervalMs = 60_000, pinned } = options
  if (baseUrl !== undefined && !isTrustedWay(baseUrl)) {
    throw new TypeError("Keys are believed over https or from this machine only")
  }
  let learned: LearnedKeys = options.learned ?? {}
  let trust: Promise<KeyTrust> | undefined
  let publicKeys = pinned
  let fetchedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined
  const known = () =>
    trust ??= trustOf(pinned, learned).then((found) => {
      publicKeys = verifyingKeys(found)
      return found
    })

  const fetchKeys = async (base: string | URL): Promise<void> => {
    fetchedAt = performance.now()
    const send = options.fetch ?? fetch
    const answer = await send(`${String(base).replace(/\/+$/, "")}/api/v1/system/public-keys`)
    if (!answer.ok) return
    learned = await learn(await answer.text(), pinned, learned)
    trust = undefined
    options.onLearned?.(learned)
  }

  return {
    publicKeys: () => publicKeys,
    verify: async (run) => {
      const before = await known()
      try {
        return await run(before.keys)
      } catch (error) {
        if (!isToBeListed(error, before) || baseUrl === undefined) throw error
        if (fetching === undefined && performance.now() - fetchedAt < minIntervalMs) throw error
        fetching ??= fetchKeys(baseUrl).finally(() => {
          fetching = undefined
        })
        // Where the list cannot be had, the key is unknown.
        await fetching.catch(() => undefined)
        return run((await known()).keys)
      }
    }
  }
}
