import { encodeBase64, encodeHex } from "../../ground/parsing/ByteTexts.ts"
import { decodeBase64 } from "../../ground/parsing/StrictBytes.ts"
import type { Sha256 } from "../../log/EventLeaf.ts"
import { ed25519, isName, keyIdOf, timestamped } from "./SignedNote.ts"

/** The signature type of cosignatures by ML-DSA-44 (C2SP signed-note), which are not verified here: no browser can. */
export const mlDsa44 = 6

/** The signature types whose signatures are verified, with the length of their keys in bytes. */
const verified: ReadonlyMap<number, number> = new Map([[ed25519, 32], [timestamped, 32]])
/** The same and those whose keys are read, to say whose signature it is that cannot be verified. */
const known: ReadonlyMap<number, number> = new Map([...verified, [mlDsa44, 1312]])

/** A public key that verifies notes, under its name (C2SP signed-note, "Verifier keys"). */
export interface VerifierKey {
  readonly name: string
  readonly type: number
  /** 32 bytes, of Ed25519; 1,312 of ML-DSA-44. */
  readonly publicKey: Uint8Array
}

/** The key as the text `<name>+<key id>+<base64(type || public key)>`. */
export const writeVerifierKey = ({ name, publicKey, type }: VerifierKey, sha256: Sha256): string =>
  [
    name,
    encodeHex(keyIdOf(name, type, publicKey, sha256)),
    encodeBase64(Uint8Array.of(type, ...publicKey))
  ].join("+")

const readKey = (text: string, sha256: Sha256, lengths: ReadonlyMap<number, number>): VerifierKey | undefined => {
  const [name = "", id = "", ...encoded] = text.split("+")
  const bytes = decodeBase64(encoded.join("+"))
  const type = bytes?.[0]
  if (bytes === undefined || type === undefined || !isName(name)) return undefined
  const key = { name, type, publicKey: bytes.slice(1) }
  if (lengths.get(type) !== key.publicKey.length) return undefined
  return encodeHex(keyIdOf(name, type, key.publicKey, sha256)) === id ? key : undefined
}

/** Reads {@link writeVerifierKey}; undefined when the text is none, its id is another, or its type is not Ed25519. */
export const readVerifierKey = (text: string, sha256: Sha256): VerifierKey | undefined =>
  readKey(text, sha256, verified)

/** The same, and of keys whose signatures cannot be verified here: {@link isVerifiable} tells them apart. */
export const readKnownKey = (text: string, sha256: Sha256): VerifierKey | undefined => readKey(text, sha256, known)

/** Whether signatures of a key can be verified. One that cannot be counts for nothing. */
export const isVerifiable = ({ type }: VerifierKey): boolean => verified.has(type)
