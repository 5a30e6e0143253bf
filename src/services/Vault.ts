import { Context, Data, Effect, Layer, Redacted } from "effect"
import { Cryptography } from "./Cryptography.ts"
import { Settings } from "./Settings.ts"

/** Version 1 of the envelope: version (1 byte), key id (8), nonce (12), ciphertext and tag. */
const version = 1
const keyIdEnd = 1 + 8
const headerLength = keyIdEnd + 12

/** What {@link Vault} dies with: nothing a caller did, but a wrong key or damaged bytes. */
export class VaultError extends Data.TaggedError("VaultError")<{ readonly message: string }> {}

/** Keeps what must be read back, such as signing keys and webhook secrets, encrypted under the master key. */
export class Vault extends Context.Service<Vault, {
  /**
   * Encrypts (AES-256-GCM). The purpose, for example `webhook-secret:<id of the row>`, must be given again to open the
   * envelope, so that one moved to another row or column does not open. Adds 37 bytes.
   */
  readonly seal: (purpose: string, plaintext: Uint8Array) => Uint8Array

  /** Reverses `seal`. Dies with a {@link VaultError} under another master key or when the bytes were changed. */
  readonly open: (purpose: string, sealed: Uint8Array) => Effect.Effect<Uint8Array>

  /**
   * HMAC-SHA-256 of a text under a key of this purpose, 32 bytes: for secrets that are looked up and never read back.
   * Purposes are a small fixed set, their keys are kept.
   */
  readonly keyedHash: (purpose: string, text: string) => Uint8Array

  /**
   * 16 bytes that tell nothing of the master key and differ for another one. Stored with the data, they let a start
   * with the wrong key fail before it writes anything.
   */
  readonly keyCheck: () => Uint8Array
}>()("countersign/services/Vault") {
  static readonly layer = Layer.effect(
    Vault,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const { masterKey } = yield* Settings
      const utf8 = new TextEncoder()

      const derive = (info: string, length: number) =>
        crypto.hkdfSha256({
          key: Redacted.value(masterKey),
          salt: new Uint8Array(0),
          info: `countersign/vault/v1/${info}`,
          length
        })

      const sealingKey = derive("seal", 32)
      const keyId = crypto.sha256(derive("key-id", 32)).subarray(0, 8)
      const check = derive("key-check", 16)
      const hashKeys = new Map<string, Uint8Array>()

      const hashKey = (purpose: string): Uint8Array => {
        const known = hashKeys.get(purpose)
        if (known !== undefined) return known
        const key = derive(`hash/${purpose}`, 32)
        hashKeys.set(purpose, key)
        return key
      }

      const associated = (sealed: Uint8Array, purpose: string): Uint8Array => {
        const text = utf8.encode(purpose)
        const aad = new Uint8Array(keyIdEnd + text.length)
        aad.set(sealed.subarray(0, keyIdEnd))
        aad.set(text, keyIdEnd)
        return aad
      }

      const broken = (purpose: string, problem: string) =>
        Effect.die(new VaultError({ message: `Cannot decrypt the stored value for ${purpose}: ${problem}` }))

      return Vault.of({
        seal: (purpose, plaintext) => {
          const header = new Uint8Array(headerLength)
          header[0] = version
          header.set(keyId, 1)
          header.set(crypto.randomBytes(headerLength - keyIdEnd), keyIdEnd)
          const ciphertext = crypto.aes256GcmEncrypt({
            key: sealingKey,
            nonce: header.subarray(keyIdEnd),
            plaintext,
            aad: associated(header, purpose)
          })
          const sealed = new Uint8Array(headerLength + ciphertext.length)
          sealed.set(header)
          sealed.set(ciphertext, headerLength)
          return sealed
        },

        open: (purpose, sealed) => {
          if (sealed.length < headerLength || sealed[0] !== version) {
            return broken(purpose, "it is no envelope that this version of the program wrote")
          }
          if (!crypto.timingSafeEqual(sealed.subarray(1, keyIdEnd), keyId)) {
            return broken(
              purpose,
              "it was encrypted under another master key. Set COUNTERSIGN_MASTER_KEY to the key that this database " +
                "was created with"
            )
          }
          const plaintext = crypto.aes256GcmDecrypt({
            key: sealingKey,
            nonce: sealed.subarray(keyIdEnd, headerLength),
            ciphertext: sealed.subarray(headerLength),
            aad: associated(sealed, purpose)
          })
          return plaintext === undefined
            ? broken(
              purpose,
              "COUNTERSIGN_MASTER_KEY is the right key, but the bytes were changed or belong to another purpose"
            )
            : Effect.succeed(plaintext)
        },

        keyedHash: (purpose, text) => crypto.hmacSha256(hashKey(purpose), text),

        keyCheck: () => check.slice()
      })
    })
  )
}
