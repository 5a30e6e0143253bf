import { parseInstant } from "../../domain/ground/parsing/Instant.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { serviceUrl } from "../../domain/ground/parsing/ServiceUrl.ts"
import { decodeBase64 } from "../../domain/ground/parsing/StrictBytes.ts"
import { keyListType, longestKeyList, mostListedKeys } from "../../domain/keys/security/KeyListFormat.ts"
import { checkSignature } from "../notes/checkpoint.ts"
import type { PublicKey } from "../notes/checkpoint.ts"
import { EnvelopeError, malformed, parseAnswer, signedText } from "./verifyEnvelope.ts"

/** The keys learned from the service's list. */
export interface LearnedKeys {
  /** The list as the keys signed it (`endorsement`), as text. Where there is one, nothing else that was learned counts. */
  readonly endorsement?: string | undefined
  /** Keys that are not pinned, of a list that nobody signed. */
  readonly keys?: ReadonlyArray<PublicKey> | undefined
  /** The ids of keys that were revoked. */
  readonly revokedKids?: ReadonlyArray<string> | undefined
  /** When that was, RFC 3339, by id. */
  readonly revokedAt?: Readonly<Record<string, string>> | undefined
}

/** A list that one of the keys signed which a program trusts. */
interface EndorsedList {
  readonly issuedAt: number
  readonly keys: ReadonlyArray<PublicKey>
  readonly revoked: ReadonlyArray<PublicKey>
}

/** The keys that a program verifies with. */
export interface KeyTrust {
  /**
   * The keys that verify, and a word about each revoked one, so that its signature is refused as revoked on that date. The words
   * have no bytes of a key, so that no verifier can take them for one.
   */
  readonly keys: ReadonlyArray<PublicKey>
  /** The signed list that was learned; undefined where there is none. */
  readonly endorsed: EndorsedList | undefined
  /** Whether keys are taken over from a signed list only. */
  readonly isStrict: boolean
  /** The dates of revocations for which nobody vouched: another list may say otherwise. */
  readonly doubtful: ReadonlyArray<string>
}

const isKey = (value: unknown): value is PublicKey =>
  isMembers(value) && ["kid", "algorithm", "public_key"].every((name) => typeof value[name] === "string")

const bare = ({ algorithm, kid, public_key }: PublicKey): PublicKey => ({ kid, algorithm, public_key })

/** A word that a key was revoked. */
const word = (kid: string, revoked_at: string | undefined): PublicKey => ({
  kid,
  algorithm: "none",
  public_key: "",
  status: "revoked",
  ...(revoked_at === undefined ? {} : { revoked_at })
})

/** The keys that a signed list names, whoever signed it; undefined where it is none. */
const listOf = (data: unknown): EndorsedList | undefined => {
  if (!isMembers(data) || data["type"] !== keyListType) return undefined
  const { keys, revoked } = data
  const issuedAt = parseInstant(data["issued_at"])
  if (issuedAt === undefined || !Array.isArray(keys) || !Array.isArray(revoked)) return undefined
  return {
    issuedAt,
    keys: keys.filter(isKey).map(bare),
    revoked: revoked.filter(isKey).map(({ kid, revoked_at }) => word(kid, revoked_at))
  }
}

/** A list as keys signed it, whoever they are. */
interface Endorsement {
  readonly list: EndorsedList
  readonly text: string
  /** One signature of each key. */
  readonly signatures: ReadonlyArray<JsonMembers>
}

const countOf = (...parts: ReadonlyArray<unknown>): number =>
  parts.reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0)

/** The first signature of each key that has the form of one: what more there is would be work for nothing. */
const signaturesOf = (signatures: ReadonlyArray<unknown>): ReadonlyArray<JsonMembers> => {
  const found = new Map<unknown, JsonMembers>()
  for (const signature of signatures) {
    if (!isMembers(signature) || found.has(signature["kid"])) continue
    if (signature["alg"] === "Ed25519" && decodeBase64(signature["value"], 64) !== undefined) {
      found.set(signature["kid"], signature)
    }
  }
  return [...found.values()]
}

/** Reads an endorsement; undefined where it is none. Throws an {@link EnvelopeError} where it is larger than any is. */
const readEndorsement = (endorsement: unknown): Endorsement | undefined => {
  if (!isMembers(endorsement)) return undefined
  const { data, signatures } = endorsement
  const list = listOf(data)
  if (list === undefined || !isMembers(data) || !Array.isArray(signatures)) return undefined
  const { keys, revoked } = data
  if (countOf(keys, revoked) > mostListedKeys || countOf(signatures) > mostListedKeys) throw tooMany()
  return { list, text: signedText(data), signatures: signaturesOf(signatures) }
}

const tooMany = () => malformed(`The list of keys has more than ${mostListedKeys} keys or signatures`)

/** The list of an endorsement that one of the keys signed; undefined where none did. */
const listSignedBy = async (
  endorsement: Endorsement | undefined,
  publicKeys: ReadonlyArray<PublicKey>
): Promise<EndorsedList | undefined> => {
  if (endorsement === undefined) return undefined
  const { list, signatures, text } = endorsement
  const kids = new Set<unknown>(publicKeys.map(({ kid }) => kid))
  for (const signature of signatures) {
    if (!kids.has(signature["kid"])) continue
    try {
      const refuse = (...reason: ConstructorParameters<typeof EnvelopeError>) => new EnvelopeError(...reason)
      await checkSignature({ what: "list of keys", signature, publicKeys, text: () => text, refuse })
      return list
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error
    }
  }
  return undefined
}

/** The kept copy of a signed list; undefined where it is none. */
const keptEndorsement = ({ endorsement }: LearnedKeys): Endorsement | undefined => {
  try {
    return endorsement === undefined ? undefined : readEndorsement(parseAnswer(endorsement))
  } catch {
    return undefined
  }
}

/** By which keys a list is believed that was kept: those that are pinned; where none is, its own, as it was had first. */
const rootsOf = (endorsement: Endorsement | undefined, pinned: ReadonlyArray<PublicKey>): ReadonlyArray<PublicKey> =>
  pinned.length > 0 ? pinned : endorsement?.list.keys ?? []

/**
 * Whether a list takes the place of another: it is later, or of the same instant and says of no revoked key that it is none. By
 * the same instant alone whoever kept the list of before a revocation could bring it back.
 */
const isNoEarlier = (list: EndorsedList, before: EndorsedList): boolean => {
  if (list.issuedAt !== before.issuedAt) return list.issuedAt > before.issuedAt
  const revoked = new Set(list.revoked.map(({ kid }) => kid))
  return before.revoked.every(({ kid }) => revoked.has(kid))
}

/**
 * The keys of a program that ships some and learned others. A learned key never takes the place of a pinned one,
 * and what was revoked verifies nothing.
 */
export const trustOf = async (pinned: ReadonlyArray<PublicKey>, learned: LearnedKeys): Promise<KeyTrust> => {
  const kept = keptEndorsement(learned)
  const endorsed = await listSignedBy(kept, rootsOf(kept, pinned))
  const beside = (keys: ReadonlyArray<PublicKey>) => keys.filter(({ kid }) => pinned.every((key) => key.kid !== kid))
  if (endorsed !== undefined) {
    const keys = [...pinned, ...beside(endorsed.keys), ...endorsed.revoked]
    return { keys, endorsed, isStrict: true, doubtful: [] }
  }
  if (pinned.some(({ endorses }) => endorses === true)) {
    return { keys: pinned, endorsed: undefined, isStrict: true, doubtful: [] }
  }
  const { keys = [], revokedAt = {}, revokedKids = [] } = learned
  const revoked = revokedKids.map((kid) => word(kid, Object.hasOwn(revokedAt, kid) ? revokedAt[kid] : undefined))
  return {
    keys: [...pinned, ...beside(keys), ...revoked],
    endorsed: undefined,
    isStrict: false,
    doubtful: Object.values(revokedAt)
  }
}

/** The keys that verify, without the words about others. */
export const verifyingKeys = ({ keys }: KeyTrust): ReadonlyArray<PublicKey> => {
  const revoked = new Set(keys.filter(({ status }) => status === "revoked").map(({ kid }) => kid))
  return keys.filter(({ kid }) => !revoked.has(kid))
}

/**
 * Whether a verification failed for a key of which another list may say otherwise: it is unknown, or was said to be revoked by
 * whoever it was. What the program ships stays, and what a signed list said.
 */
export const isToBeListed = (error: unknown, { doubtful }: KeyTrust): boolean => {
  if (!(error instanceof Error && "code" in error && error.code === "unknown_key")) return false
  const at = (error as { readonly revokedAt?: string }).revokedAt
  return at === undefined || doubtful.includes(at)
}

/** Whether a list of keys from there may be believed: the way to it is TLS, or does not leave the machine. */
export const isTrustedWay = (baseUrl: string | URL): boolean => {
  const { hostname, protocol } = serviceUrl(baseUrl)
  return protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** A list that teaches nothing: which key signed an answer stays unknown. */
const unendorsed = (message: string) => new EnvelopeError("unknown_key", message)

/**
 * Learns from the body of `GET /api/v1/system/public-keys`, beside the pinned keys and what was learned before. Throws an
 * {@link EnvelopeError} where it is something else, as the page of a proxy, or larger than any list is, or where it must be signed by a key that is trusted
 * and is not: that teaches nothing, and what was learned stays.
 */
export const learn = async (
  body: string,
  pinned: ReadonlyArray<PublicKey>,
  learned: LearnedKeys
): Promise<LearnedKeys> => {
  if (body.length > longestKeyList) throw malformed(`The list of keys is longer than ${longestKeyList} characters`)
  const list = parseAnswer(body)
  const { data, endorsement, revoked: gone = [] } = isMembers(list) ? list : {}
  if (!Array.isArray(data) || !Array.isArray(gone)) throw malformed("The response is not a list of keys")
  if (countOf(data, gone) > mostListedKeys) throw tooMany()
  const trust = await trustOf(pinned, learned)
  const before = trust.endorsed
  const signed = readEndorsement(endorsement)
  const next = await listSignedBy(
    signed,
    // A program that ships no keys believes the list that it has first, signed or not.
    before === undefined
      ? rootsOf(signed, [pinned, learned.keys ?? []].find(({ length }) => length > 0) ?? [])
      : verifyingKeys(trust)
  )
  // A pinned key must have signed it too, be it a revoked one: by that it is verified when the program starts again.
  if (next !== undefined && await listSignedBy(signed, rootsOf(signed, pinned)) !== undefined) {
    if (before !== undefined && !isNoEarlier(next, before)) {
      throw unendorsed("The list of keys is older than the one that was had before")
    }
    return { endorsement: JSON.stringify(endorsement), keys: [], revokedKids: [], revokedAt: {} }
  }
  if (trust.isStrict) throw unendorsed("The list of keys is signed by no key that is trusted")
  const revoked = gone.filter(isKey)
  return {
    keys: data.filter(isKey).filter(({ kid }) => pinned.every((key) => key.kid !== kid)).map(bare),
    revokedKids: revoked.map(({ kid }) => kid),
    revokedAt: Object.fromEntries(
      revoked.flatMap(({ kid, revoked_at }) => typeof revoked_at === "string" ? [[kid, revoked_at]] : [])
    )
  }
}

/**
 * Joins the kept keys with the learned ones, whichever window had them: of two signed lists the later one. A kept list counts where it
 * verifies by the pinned keys, and what was learned must then be signed by a key that it lists.
 */
export const withLearned = async <Kept extends LearnedKeys>(
  pinned: ReadonlyArray<PublicKey>,
  kept: Kept,
  learned: LearnedKeys
): Promise<Kept> => {
  const trust = await trustOf(pinned, kept)
  if (trust.endorsed === undefined) return { ...kept, ...learned }
  const next = await listSignedBy(keptEndorsement(learned), verifyingKeys(trust))
  return next !== undefined && isNoEarlier(next, trust.endorsed) ? { ...kept, ...learned } : kept
}
