import { parseInternetJson } from "../../ground/parsing/InternetJson.ts"
import { membersOf } from "../../ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../ground/parsing/JsonMembers.ts"
import { decodeBase64 } from "../../ground/parsing/StrictBytes.ts"
import { canonicalJson } from "../../ground/wire/CanonicalJson.ts"
import type { Sha256 } from "../../log/EventLeaf.ts"
import { leafHash } from "../../log/EventLeaf.ts"
import { readCheckpointText, readTlogProof, verifyInclusion } from "./MerkleTree.ts"
import type { CheckpointBody } from "./MerkleTree.ts"
import type { NoteClaim, SignedNote } from "./SignedNote.ts"
import { claimsOf, ed25519, readNote } from "./SignedNote.ts"
import { readVerifierKey } from "./VerifierKey.ts"

/**
 * The keys of a log, as the log itself says them. A key that takes over is introduced by an event, in a tree whose checkpoint the key before
 * signs too; a key that was revoked is named by one. Whoever knows a key of the log follows both from proofs (C2SP tlog-proof) whose
 * extra data is the leaf of the event.
 */

/** The event that introduces a key, and the one that revokes one. */
export const introducing = "log.key_introduced"
export const revoking = "signing_key.revoked"

/** A public key of 32 bytes, and its ID. */
export interface NamedKey {
  readonly kid: string
  readonly publicKey: Uint8Array
}

/** A key that signs the checkpoints of a log. */
interface LogKey extends NamedKey {
  /** A checkpoint over fewer events that it signed proves nothing; 0 of a key that was given. */
  readonly since: number
}

/** The keys of a log as a follower knows them. */
export interface KnownKeys {
  readonly trusted: ReadonlyArray<LogKey>
  readonly revoked: ReadonlyArray<NamedKey>
}

/** A change of the keys of a log, as an event says it. */
type KeyChange =
  | { readonly kind: "introduced"; readonly key: NamedKey; readonly by: NamedKey }
  | { readonly kind: "revoked"; readonly key: NamedKey; readonly at: string }

/** The reason why a proof changes nothing of what is known. */
export type KeyChangeFault = "malformed" | "not_in_log" | "unknown_key" | "revoked_key"

/** A change of the keys that is in the tree of a checkpoint. Who signed that is to be judged. */
export interface LoggedKeyChange {
  readonly change: KeyChange
  /** The place of the event in the feed. */
  readonly sequence: number
  readonly checkpoint: CheckpointBody
  readonly note: SignedNote
}

/** The signatures of one key on a note, all of which must verify. */
interface KeyClaims {
  readonly publicKey: Uint8Array
  readonly claims: ReadonlyArray<NoteClaim>
}

/** Whether two keys are one, under whatever IDs. */
export const isSameKey = (a: Pick<NamedKey, "publicKey">, b: Pick<NamedKey, "publicKey">): boolean =>
  a.publicKey.length === b.publicKey.length && a.publicKey.every((byte, index) => byte === b.publicKey[index])

const isAmong = (key: NamedKey, keys: ReadonlyArray<NamedKey>): boolean => keys.some((one) => isSameKey(one, key))

/** A key as the event that introduces it says it: for checkpoints of this very log. */
const verifierKeyIn = ({ kid, verifier_key }: JsonMembers, origin: string, sha256: Sha256): NamedKey | undefined => {
  const key = typeof verifier_key === "string" ? readVerifierKey(verifier_key, sha256) : undefined
  return typeof kid !== "string" || key?.name !== origin || key.type !== ed25519
    ? undefined
    : { kid, publicKey: key.publicKey }
}

const introductionIn = (data: JsonMembers, origin: string, sha256: Sha256): KeyChange | undefined => {
  const key = verifierKeyIn(data, origin, sha256)
  const by = verifierKeyIn(membersOf(data["introduced_by"]), origin, sha256)
  const isOne = key !== undefined && by !== undefined && data["origin"] === origin && !isSameKey(key, by)
  return isOne ? { kind: "introduced", key, by } : undefined
}

const revocationIn = ({ kid, public_key, revoked_at, status }: JsonMembers): KeyChange | undefined => {
  const publicKey = decodeBase64(public_key, 32)
  return publicKey === undefined || typeof kid !== "string" || status !== "revoked" || typeof revoked_at !== "string"
    ? undefined
    : { kind: "revoked", key: { kid, publicKey }, at: revoked_at }
}

/** The members of a leaf; none where its bytes are not the one form that a leaf has. */
const leafIn = (text: string): JsonMembers => {
  try {
    const leaf = membersOf(parseInternetJson(text))
    return canonicalJson(leaf) === text ? leaf : {}
  } catch {
    return {}
  }
}

const changeIn = (leaf: JsonMembers, origin: string, sha256: Sha256): KeyChange | undefined => {
  const { data, event_type, resource_id, resource_type } = leaf
  if (event_type === introducing && resource_type === "log" && resource_id === origin) {
    return introductionIn(membersOf(data), origin, sha256)
  }
  return event_type === revoking && resource_type === "signing_key" ? revocationIn(membersOf(data)) : undefined
}

/** Reads the proof of a change of the keys, and verifies that the event is in the tree of its checkpoint. */
export const readKeyChange = (text: string, sha256: Sha256): LoggedKeyChange | KeyChangeFault => {
  const { hashes = [], index = 0, leaf = "", note: signed = "" } = readTlogProof(text) ?? {}
  const note = readNote(signed)
  const checkpoint = note && readCheckpointText(note.text)
  if (note === undefined || checkpoint === undefined) return "malformed"
  const members = leafIn(leaf)
  const change = changeIn(members, checkpoint.origin, sha256)
  const sequence = index + 1
  if (change === undefined || members["sequence"] !== sequence) return "malformed"
  const { root, size } = checkpoint
  return verifyInclusion({ leafHash: leafHash(leaf, sha256), index, size, root, hashes }, sha256)
    ? { change, sequence, checkpoint, note }
    : "not_in_log"
}

/** The keys whose signatures count on a checkpoint over so many events. */
const keysAt = ({ revoked, trusted }: KnownKeys, size: number): ReadonlyArray<LogKey> =>
  trusted.filter((key) => key.since <= size && !isAmong(key, revoked))

/** The keys that are known after a change that was accepted. */
export const withChange = (
  known: KnownKeys,
  { change, sequence }: Pick<LoggedKeyChange, "change" | "sequence">
): KnownKeys => {
  if (change.kind === "revoked") return { ...known, revoked: [...known.revoked, change.key] }
  return { ...known, trusted: [...known.trusted, { ...change.key, since: sequence }] }
}

/** Whether a change is no news: the key is known, or known to be revoked. */
export const isKnownChange = ({ revoked, trusted }: KnownKeys, { change: { key, kind } }: LoggedKeyChange): boolean =>
  isAmong(key, revoked) || (kind === "introduced" && isAmong(key, trusted))

/**
 * The signatures that must all verify for a change to be accepted. A key is introduced by the very key that the event names, which must be
 * trusted and must have signed the checkpoint; the signature of the new key counts for nothing here. A key is revoked by any other
 * trusted key. A revoked key changes nothing.
 */
export const claimsOfChange = (
  { change, checkpoint: { origin, size }, note }: LoggedKeyChange,
  known: KnownKeys,
  sha256: Sha256
): ReadonlyArray<KeyClaims> | KeyChangeFault => {
  if (change.kind === "introduced" && isAmong(change.by, known.revoked)) return "revoked_key"
  const signers = keysAt(known, size).filter((key) =>
    change.kind === "introduced" ? isSameKey(key, change.by) : !isSameKey(key, change.key)
  )
  const claims = signers.map(({ publicKey }) => ({
    publicKey,
    claims: claimsOf(note, { name: origin, publicKey }, sha256)
  }))
  return claims.every((one) => one.claims.length === 0) ? "unknown_key" : claims
}
