import type { Cryptography } from "../../ground/platform/Cryptography.ts"

/** The name of a stored data key, whose 32 bytes only a master key can open. */
export interface DataKeyName {
  /** 8 random bytes. */
  readonly id: Uint8Array
  readonly purpose: string
  /** The month in which the key seals, such as `2026-11`; empty for the key without an end. */
  readonly period: string
}

const nonceLength = 12

/** The operations of one master key: it wraps data keys (AES-256-GCM) and unwraps what it wrapped. */
export interface KeyWrapping {
  /** 8 bytes that identify the master key without revealing anything about it. */
  readonly masterKeyId: Uint8Array
  /** Wraps a key, bound to its name: a row moved to another name does not open. Adds 28 bytes. */
  readonly wrap: (name: DataKeyName, key: Uint8Array) => Uint8Array
  /** Reverses `wrap`; `undefined` for another master key, another name, or changed bytes. */
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
