import { Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { decodeBase64 } from "../../ground/parsing/StrictBytes.ts"
import type { Sha256 } from "../../log/EventLeaf.ts"
import { readCheckpointText, readSize, verifyConsistency } from "../transparency/MerkleTree.ts"
import type { CheckpointBody } from "../transparency/MerkleTree.ts"
import { claimsOf, readNote, withSignatures } from "../transparency/SignedNote.ts"
import type { SignedNote } from "../transparency/SignedNote.ts"
import type { VerifierKey } from "../transparency/VerifierKey.ts"

/** Hashes of a consistency proof at most (C2SP tlog-witness). */
const maximumHashes = 63
/** The largest body that is read, in bytes: a proof, and a note of 64 KiB. */
export const longestRequest = 72 * 1024

/** The request to a witness for a cosignature (C2SP tlog-witness, `add-checkpoint`). */
interface AddCheckpoint {
  /** The size of the tree that the witness cosigned last; 0 before the first. */
  readonly old: number
  /** The consistency proof from there, 32 bytes each. */
  readonly hashes: ReadonlyArray<Uint8Array>
  /** The signed checkpoint. */
  readonly note: string
}

/** The body of the request. */
export const writeAddCheckpoint = ({ hashes, note, old }: AddCheckpoint): string =>
  [`old ${old}`, ...hashes.map((hash) => Base64.encode(hash)), "", note].join("\n")

/** Reads the body of a request; undefined when it is none. */
export const readAddCheckpoint = (body: string): AddCheckpoint | undefined => {
  const end = body.indexOf("\n\n")
  if (end < 0) return undefined
  const [first = "", ...lines] = body.slice(0, end).split("\n")
  const old = readSize(/^old (\S+)$/.exec(first)?.[1] ?? "")
  const hashes = lines.flatMap((line) => decodeBase64(line, 32) ?? [])
  if (old === undefined || hashes.length < lines.length || hashes.length > maximumHashes) return undefined
  return { old, hashes, note: body.slice(end + 2) }
}

/** A log that a witness knows: the first line of its checkpoints, and a key that signs them. */
export interface KnownLog {
  readonly origin: string
  readonly key: VerifierKey
  /** Checkpoints over fewer events that it signed prove nothing: the log has the key since then. Default: 0. */
  readonly since?: number
}

/** The checkpoint of a log that a witness cosigned last. */
export type Cosigned = Pick<CheckpointBody, "root" | "size">

/** A refusal of a witness: the status of its response and the text beside it. */
export interface NotCosigned {
  readonly status: 400 | 403 | 404 | 409 | 422
  readonly says: string
}

/** The primitives that judging needs. */
export interface NoteCryptography {
  readonly sha256: Sha256
  readonly ed25519Verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean
}

const utf8 = new TextEncoder()

/** Whether one of the keys signed a note, and none of their signatures on it is wrong. */
const isSignedBy = (
  note: SignedNote,
  keys: ReadonlyArray<VerifierKey>,
  { ed25519Verify, sha256 }: NoteCryptography
): boolean => {
  const claims = keys.flatMap(({ name, publicKey }) =>
    claimsOf(note, { name, publicKey }, sha256).map(({ message, signature }) => ({ message, publicKey, signature }))
  )
  return claims.length > 0 &&
    claims.every(({ message, publicKey, signature }) => ed25519Verify(publicKey, utf8.encode(message), signature))
}

/** The cosignature of a witness among the lines that it answered, with its time; undefined where none is by its key. */
export const cosignatureIn = (
  note: string,
  lines: string,
  { name, publicKey }: VerifierKey,
  { ed25519Verify, sha256 }: NoteCryptography
): { readonly line: string; readonly time: number } | undefined => {
  const text = readNote(note)?.text
  for (const line of lines.split("\n")) {
    const read = readNote(`${text}\n${line}\n`)
    const claims = read === undefined ? [] : claimsOf(read, { name, publicKey }, sha256)
    for (const { message, signature, time = 0 } of claims) {
      if (time > 0 && ed25519Verify(publicKey, utf8.encode(message), signature)) return { line: `${line}\n`, time }
    }
  }
  return undefined
}

const refused = (status: NotCosigned["status"], says: string) => Result.fail<NotCosigned>({ status, says })

/** A checkpoint that may be cosigned, with the text that is signed. */
export interface Cosignable {
  readonly checkpoint: CheckpointBody
  readonly text: string
  /** The note with the lines that were verified. Whoever sends it may add others, which nobody vouches for. */
  readonly note: string
}

/** The checkpoint of a request, which a key of its log signed; or why it is nothing to look at. */
export const signedCheckpoint = (
  note: string,
  logs: ReadonlyArray<KnownLog>,
  crypto: NoteCryptography
): Result.Result<Cosignable, NotCosigned> => {
  const read = readNote(note)
  const checkpoint = read && readCheckpointText(read.text)
  if (read === undefined || checkpoint === undefined) return refused(400, "This is not a signed checkpoint.")
  const ofLog = logs.filter(({ origin }) => origin === checkpoint.origin)
  if (ofLog.length === 0) return refused(404, "This witness does not know the log.")
  const keys = ofLog.filter(({ since = 0 }) => since <= checkpoint.size).map(({ key }) => key)
  if (!isSignedBy(read, keys, crypto)) return refused(403, "No known key of the log signed this checkpoint.")
  const isVerified = (alone: SignedNote) => keys.some((key) => claimsOf(alone, key, crypto.sha256).length > 0)
  return Result.succeed({ checkpoint, text: read.text, note: withSignatures(read, isVerified) })
}

/** Whether a witness cosigns a checkpoint (C2SP tlog-witness), after what it cosigned of this log last. */
export const continued = (
  { hashes, old }: Omit<AddCheckpoint, "note">,
  { root, size }: CheckpointBody,
  last: Cosigned | undefined,
  sha256: Sha256
): Result.Result<void, NotCosigned> => {
  if (old > size) return refused(400, "The old size is larger than the checkpoint.")
  if (old !== (last?.size ?? 0)) return refused(409, String(last?.size ?? 0))
  const proof = { first: old, firstRoot: last?.root ?? sha256(""), second: size, secondRoot: root, hashes }
  const follows = old === 0
    ? hashes.length === 0 && (size > 0 || equal(root, sha256("")))
    : verifyConsistency(proof, sha256)
  return follows ? Result.void : refused(422, "The checkpoint does not continue what was cosigned before.")
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, index) => byte === b[index])
