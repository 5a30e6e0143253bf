import type { Cryptography } from "../platform/Cryptography.ts"

/** A data key as it is stored: 32 bytes that only a master key can read. */
export interface DataKeyName {
  /** 8 random bytes. */
  readonly id: Uint8Array
  readonly purpose: string
  /** The month in which it seals, as `2026-11`; empty for a key that is used for ever. */
  readonly period: string
}

const nonceLength = 12

/** What one master key can do: wrap data keys (AES-256-GCM) and unwrap what it wrapped. */
export interface KeyWrapping {
  /** 8 bytes that tell nothing of the master key and differ for another one. */
  readonly masterKeyId: Uint8Array
  /** Binds the key to its name, so that a row under another name does not open. Adds 28 bytes. */
  readonly wrap: (name: DataKeyName, key: Uint8Array) => Uint8Array
  /** Reverses `wrap`; `undefined` under another master key, another name, or when the bytes were changed. */
  readonly unwrap: (name: DataKeyName, wrapped: Uint8Array) => Uint8Array | undefined
}

/** {@link KeyWrapping} with a master key of 32 bytes. */
export const keyWrapping = (crypto: Cryptography["Service"], masterKey: Uint8Array): KeyWrapping => {
  const derive = (info: string) =>
    crypto.hkdfSha256({ key: masterKey, salt: new Uint8Array(0), info: `countersign/vault/v2/${info}`, length: 32 })
  const wrappingKey = derive("wrap")
  const named = ({ id, period, purpose }: DataKeyName) => {
    const text = new TextEncoder().encode(`${purpose}/${period}`)
    const bytes = new Uint8Array(id.length + text.length)
    bytes.set(id)
    bytes.set(text, id.length)
    return bytes
  }
  return {
    masterKeyId: crypto.sha256(derive("key-id")).slice(0, 8),
    wrap: (name, key) => {
      const nonce = crypto.randomBytes(nonceLength)
      const sealed = crypto.aes256GcmEncrypt({ key: wrappingKey, nonce, plaintext: key, aad: named(name) })
      const wrapped = new Uint8Array(nonceLength + sealed.length)
      wrapped.set(nonce)
      wrapped.set(sealed, nonceLength)
      return wrapped
    },
    unwrap: (name, wrapped) =>
      crypto.aes256GcmDecrypt({
        key: wrappingKey,
        nonce: wrapped.subarray(0, nonceLength),
        ciphertext: wrapped.subarray(nonceLength),
        aad: named(name)
      })
  }
}
