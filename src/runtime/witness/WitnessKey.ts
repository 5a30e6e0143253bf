import { Effect } from "effect"
import { Hex } from "effect/encoding"
import * as Base64 from "effect/encoding/Base64"
import * as Fs from "node:fs"
import { decodeBase64 } from "../../domain/ground/parsing/StrictBytes.ts"
import { isName, keyIdOf, timestamped } from "../../domain/evidence/transparency/SignedNote.ts"
import type { VerifierKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { replaceFile } from "../archive/replaceFile.ts"
import { readSecretFile } from "../config/SecretFile.ts"
import { ed25519PublicKey } from "../node/NodeCryptography.ts"
import { WrongUsage } from "../terminal/ExitCode.ts"

/** The key of a witness. */
export interface WitnessKey {
  readonly verifier: VerifierKey
  /** 32 bytes. */
  readonly seed: Uint8Array
  /** Whether this call made the file. */
  readonly isNew: boolean
}

const unusable = (message: string) => new WrongUsage({ message })

const verifierOf = (name: string, seed: Uint8Array): VerifierKey => ({
  name,
  type: timestamped,
  publicKey: ed25519PublicKey(seed)
})

/**
 * Opens the file with the key of a witness, `PRIVATE+KEY+<name>+<key id>+<base64(type || seed)>` as other tools for signed
 * notes write it; makes the file where there is none, which takes a name.
 */
export const openWitnessKey = Effect.fnUntraced(function*(path: string, name: string | undefined) {
  const { randomBytes, sha256 } = yield* Cryptography
  const idOf = ({ name, publicKey, type }: VerifierKey) => Hex.encode(keyIdOf(name, type, publicKey, sha256))
  if (Fs.existsSync(path)) {
    const text = yield* Effect.try({
      try: () => readSecretFile(path),
      catch: (cause) => unusable(`--key cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
    })
    const [, kept = "", id = "", encoded = ""] = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? []
    const bytes = decodeBase64(encoded, 33)
    if (bytes === undefined || bytes[0] !== timestamped || !isName(kept)) {
      return yield* unusable(`${path} holds no key of a witness`)
    }
    const key: WitnessKey = { seed: bytes.slice(1), verifier: verifierOf(kept, bytes.slice(1)), isNew: false }
    if (idOf(key.verifier) !== id) return yield* unusable(`${path} holds a key with a wrong id: it was changed`)
    if (name !== undefined && name !== kept) return yield* unusable(`${path} holds the key of ${kept}, not of ${name}`)
    return key
  }
  if (name === undefined) return yield* unusable(`${path} is not there: give --name, under which a new key is made`)
  if (!isName(name)) return yield* unusable("--name must have no spaces and no plus: as witness.example.com/acme")
  const seed = randomBytes(32)
  const verifier = verifierOf(name, seed)
  const text = `PRIVATE+KEY+${name}+${idOf(verifier)}+${Base64.encode(Uint8Array.of(timestamped, ...seed))}\n`
  yield* Effect.tryPromise({
    try: () => replaceFile(path, (part) => Fs.promises.writeFile(part, text, { flag: "w", mode: 0o600 })),
    catch: (cause) => unusable(`--key cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  return { seed, verifier, isNew: true } satisfies WitnessKey
})
