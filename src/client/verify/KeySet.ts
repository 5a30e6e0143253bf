import type { PublicKey } from "../notes/signature.ts"
import { isToBeListed, isTrustedWay, learn, trustOf, verifyingKeys } from "./KeyTrust.ts"
import type { KeyTrust, LearnedKeys } from "./KeyTrust.ts"

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
