import { encodeBase64 } from "../../ground/parsing/ByteTexts.ts"
import { decodeBase64 } from "../../ground/parsing/StrictBytes.ts"
import type { Sha256 } from "../../log/EventLeaf.ts"

/**
 * Signed notes (C2SP signed-note): a text, an empty line, and a line for each signature,
 * `— <key name> <base64(key id || signature)>`. Two kinds of signature are written and read: Ed25519 over the text, and
 * the timestamped Ed25519 of C2SP tlog-cosignature, which also says when it was made.
 */

/** The signature types of the format that are used here: Ed25519, and Ed25519 with a time. */
export const ed25519 = 1
export const timestamped = 4

/** A signature line as it was read; nothing of it is verified. */
interface NoteSignature {
  readonly name: string
  /** 4 bytes. */
  readonly keyId: Uint8Array
  /** The bytes after the key id. */
  readonly signature: Uint8Array
}

/** A note as it was read; nothing of it is verified. */
export interface SignedNote {
  /** With its last newline: these bytes are signed. */
  readonly text: string
  readonly signatures: ReadonlyArray<NoteSignature>
}

/** Signature lines that are read at most; the format asks for at least 16. */
const maximumSignatures = 64
const maximumLength = 64 * 1024

/** Whether a text can be the name of a key, in which no Unicode space and no plus may stand. */
export const isName = (name: string): boolean => name !== "" && !/[\s+]/u.test(name)

/** The id of an Ed25519 key under a name: the first 4 bytes of SHA-256(name || 0x0A || type || public key). */
export const keyIdOf = (name: string, type: number, publicKey: Uint8Array, sha256: Sha256): Uint8Array =>
  sha256(`${name}\n`, Uint8Array.of(type), publicKey).slice(0, 4)

/** The bytes that a timestamped signature covers: the time in Unix seconds and the text. */
export const timestampedText = (text: string, time: number): string => `cosignature/v1\ntime ${time}\n${text}`

const big64 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

/** A signature line of a note. */
const line = (name: string, keyId: Uint8Array, signature: ReadonlyArray<number>): string =>
  `\u2014 ${name} ${encodeBase64(Uint8Array.from([...keyId, ...signature]))}\n`

/** Two signatures of one key, `time` in Unix seconds: one over the text of a note, and one over {@link timestampedText}. */
interface KeySignatures {
  readonly name: string
  readonly publicKey: Uint8Array
  readonly signature: Uint8Array
  readonly time: number
  readonly timestampedSignature: Uint8Array
}

/** The lines of the signatures of one key. */
export const signatureLines = (
  { name, publicKey, signature, time, timestampedSignature }: KeySignatures,
  sha256: Sha256
): string =>
  line(name, keyIdOf(name, ed25519, publicKey, sha256), [...signature]) +
  timestampedLine({ name, publicKey, time, signature: timestampedSignature }, sha256)

/** The note of a text, which ends with a newline, from the signatures of one key. */
export const writeNote = (note: KeySignatures & { readonly text: string }, sha256: Sha256): string =>
  `${note.text}\n${signatureLines(note, sha256)}`

/** The line of a timestamped signature. `time` is in Unix seconds. */
export const timestampedLine = (
  signed: {
    readonly name: string
    readonly publicKey: Uint8Array
    readonly time: number
    readonly signature: Uint8Array
  },
  sha256: Sha256
): string =>
  line(signed.name, keyIdOf(signed.name, timestamped, signed.publicKey, sha256), [
    ...big64(signed.time),
    ...signed.signature
  ])

/** A note with those of its signature lines that are taken. */
export const withSignatures = (note: SignedNote, isTaken: (alone: SignedNote) => boolean): string =>
  [
    `${note.text}\n`,
    ...note.signatures.filter((signature) => isTaken({ text: note.text, signatures: [signature] }))
      .map(({ keyId, name, signature }) => line(name, keyId, [...signature]))
  ].join("")

/** Reads a note; undefined when it is none. */
export const readNote = (note: string): SignedNote | undefined => {
  // oxlint-disable-next-line no-control-regex -- the format forbids them by name
  if (note.length > maximumLength || !note.isWellFormed() || /[\0-\x09\x0b-\x1f]/.test(note)) return undefined
  const end = note.lastIndexOf("\n\n")
  if (end < 0 || !note.endsWith("\n")) return undefined
  const lines = note.slice(end + 2, -1).split("\n")
  if (lines.length > maximumSignatures) return undefined
  const signatures: Array<NoteSignature> = []
  for (const written of lines) {
    const [, name = "", encoded = ""] = /^\u2014 (\S+) (\S+)$/u.exec(written) ?? []
    const bytes = decodeBase64(encoded)
    if (!isName(name) || bytes === undefined || bytes.length < 5) return undefined
    signatures.push({ name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) })
  }
  return { text: note.slice(0, end + 1), signatures }
}

/** Signed bytes that a verifier must check with Ed25519, under a key whose name and id are those of the line. */
export interface NoteClaim {
  readonly message: string
  /** 64 bytes. */
  readonly signature: Uint8Array
  /** In Unix seconds, of a timestamped signature. */
  readonly time?: number
}

const same = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

/**
 * The signatures that a note claims for a key under a name; empty when there is none. Every claim must verify: one
 * that does not makes the whole note invalid.
 */
export const claimsOf = (
  note: SignedNote,
  key: { readonly name: string; readonly publicKey: Uint8Array },
  sha256: Sha256
): ReadonlyArray<NoteClaim> => {
  const plainId = keyIdOf(key.name, ed25519, key.publicKey, sha256)
  const timedId = keyIdOf(key.name, timestamped, key.publicKey, sha256)
  const claims: Array<NoteClaim> = []
  for (const { keyId, name, signature } of note.signatures) {
    if (name !== key.name) continue
    if (same(keyId, plainId)) claims.push({ message: note.text, signature })
    if (same(keyId, timedId)) {
      const time = signature.length === 72
        ? Number(new DataView(Uint8Array.from(signature).buffer).getBigUint64(0))
        : -1
      claims.push({ message: timestampedText(note.text, time), signature: signature.slice(8), time })
    }
  }
  return claims
}
