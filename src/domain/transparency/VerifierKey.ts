import type { Sha256 } from "../events/EventLeaf.ts"
import { encodeBase64, encodeHex } from "../parsing/ByteTexts.ts"
import { decodeBase64 } from "../parsing/StrictBytes.ts"
import { ed25519, isName, keyIdOf, timestamped } from "./SignedNote.ts"

/** The signature types whose keys are read: Ed25519 over a note, and Ed25519 cosignatures. */
const types: ReadonlySet<number> = new Set([ed25519, timestamped])

/** A public key that verifies notes, under its name (C2SP signed-note, "Verifier keys"). */
export interface VerifierKey {
  readonly name: string
  readonly type: number
  /** 32 bytes. */
  readonly publicKey: Uint8Array
}

/** The key as the text `<name>+<key id>+<base64(type || public key)>`. */
export const writeVerifierKey = ({ name, publicKey, type }: VerifierKey, sha256: Sha256): string =>
  [
    name,
    encodeHex(keyIdOf(name, type, publicKey, sha256)),
    encodeBase64(Uint8Array.of(type, ...publicKey))
  ].join("+")

/** Reads {@link writeVerifierKey}; undefined when the text is none, its id is another, or its type is not Ed25519. */
export const readVerifierKey = (text: string, sha256: Sha256): VerifierKey | undefined => {
  const [name = "", id = "", ...encoded] = text.split("+")
  const bytes = decodeBase64(encoded.join("+"), 33)
  if (bytes === undefined || !isName(name)) return undefined
  const key = { name, type: bytes[0]!, publicKey: bytes.slice(1) }
  return types.has(key.type) && encodeHex(keyIdOf(name, key.type, key.publicKey, sha256)) === id ? key : undefined
}
