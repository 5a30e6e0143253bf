import { isObject } from "./signature.ts"
import type { PublicKey } from "./signature.ts"
import { malformed, parseAnswer } from "./verifyEnvelope.ts"

/** What was learned from the service's list of keys. */
export interface LearnedKeys {
  /** Keys that are not pinned. */
  readonly keys?: ReadonlyArray<PublicKey> | undefined
  /** The ids of keys that were revoked. */
  readonly revokedKids?: ReadonlyArray<string> | undefined
  /** When that was, RFC 3339, by id. */
  readonly revokedAt?: Readonly<Record<string, string>> | undefined
}

/**
 * The keys that an answer may be signed with: those that the program ships, and those that were fetched for a `kid` that it does
 * not ship. A fetched key never takes the place of a pinned one, and what was revoked verifies nothing.
 */
const trusted = (
  pinned: ReadonlyArray<PublicKey>,
  { keys = [], revokedKids = [] }: LearnedKeys
): ReadonlyArray<PublicKey> => [...pinned, ...keys].filter(({ kid }) => !revokedKids.includes(kid))

/**
 * What verifies by {@link trusted} keys is given: those, and a word about each revoked one, so that its signature is refused as
 * revoked on that date. The words have no bytes of a key, so that no verifier can take them for one.
 */
export const withRevoked = (pinned: ReadonlyArray<PublicKey>, learned: LearnedKeys): ReadonlyArray<PublicKey> => [
  ...trusted(pinned, learned),
  ...Object.entries(learned.revokedAt ?? {}).map(([kid, revoked_at]) => ({
    kid,
    algorithm: "none",
    public_key: "",
    status: "revoked",
    revoked_at
  }))
]

/**
 * Whether a verification failed for a key of which another list may say otherwise: it is unknown, or the list that was learned
 * says that it was revoked. That one may be of whoever stood between, so it is asked again; what the program ships stays.
 */
export const isToBeListed = (error: unknown, { revokedAt = {} }: LearnedKeys): boolean => {
  if (!(error instanceof Error && "code" in error && error.code === "unknown_key")) return false
  const at = (error as { readonly revokedAt?: string }).revokedAt
  return at === undefined || Object.values(revokedAt).includes(at)
}

/** Whether a list of keys from there may be believed: the way to it is TLS, or does not leave the machine. */
export const isTrustedWay = (baseUrl: string | URL): boolean => {
  const { hostname, protocol } = new URL(baseUrl)
  return protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

const isKey = (value: unknown): value is PublicKey =>
  isObject(value) && ["kid", "algorithm", "public_key"].every((name) => typeof value[name] === "string")

/**
 * What the body of `GET /api/v1/system/public-keys` teaches beside the pinned keys. Throws an {@link EnvelopeError} where it is
 * something else, as the page of a proxy: that teaches nothing, and what was learned stays.
 */
export const learn = (body: string, pinned: ReadonlyArray<PublicKey>): LearnedKeys => {
  const list = parseAnswer(body)
  const { data, revoked: gone = [] } = isObject(list) ? list : {}
  if (!Array.isArray(data) || !Array.isArray(gone)) throw malformed("What was answered is no list of keys")
  const revoked = gone.filter(isKey)
  return {
    keys: data.filter(isKey)
      .filter(({ kid }) => pinned.every((key) => key.kid !== kid))
      .map(({ algorithm, kid, public_key }) => ({ kid, algorithm, public_key })),
    revokedKids: revoked.map(({ kid }) => kid),
    revokedAt: Object.fromEntries(
      revoked.flatMap(({ kid, revoked_at }) => typeof revoked_at === "string" ? [[kid, revoked_at]] : [])
    )
  }
}

export interface KeySetOptions {
  /** The keys that your program ships: `data` of `GET /api/v1/system/public-keys`. */
  readonly pinned: ReadonlyArray<PublicKey>
  /**
   * Where the service lists its keys. Left out, the pinned keys alone are believed, so that a rotation needs a new version of
   * your program. Only https, or this machine: otherwise a TypeError is thrown.
   */
  readonly baseUrl?: string | URL
  /** What was learned at an earlier run, where your program keeps it. */
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
  /** The keys that are known, without those that were revoked. */
  readonly publicKeys: () => ReadonlyArray<PublicKey>
}

/** A {@link KeySet} of pinned keys, and where to learn of rotations. */
export const keySet = (options: KeySetOptions): KeySet => {
  const { baseUrl, minIntervalMs = 60_000, pinned } = options
  if (baseUrl !== undefined && !isTrustedWay(baseUrl)) {
    throw new TypeError("Keys are believed over https or from this machine only")
  }
  let learned: LearnedKeys = options.learned ?? {}
  let fetchedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined
  const publicKeys = () => trusted(pinned, learned)

  const fetchKeys = async (base: string | URL): Promise<void> => {
    fetchedAt = performance.now()
    const send = options.fetch ?? fetch
    const answer = await send(`${String(base).replace(/\/+$/, "")}/api/v1/system/public-keys`)
    if (!answer.ok) return
    learned = learn(await answer.text(), pinned)
    options.onLearned?.(learned)
  }

  return {
    publicKeys,
    verify: async (run) => {
      try {
        return await run(withRevoked(pinned, learned))
      } catch (error) {
        if (!isToBeListed(error, learned) || baseUrl === undefined) throw error
        if (fetching === undefined && performance.now() - fetchedAt < minIntervalMs) throw error
        fetching ??= fetchKeys(baseUrl).finally(() => {
          fetching = undefined
        })
        // Where the list cannot be had, the key is unknown.
        await fetching.catch(() => undefined)
        return run(withRevoked(pinned, learned))
      }
    }
  }
}
