import { Context } from "effect"
import type { Effect } from "effect"

/**
 * The cryptography that services use; the runtime implements it.
 *
 * All of it but signing is synchronous: a one-shot hash or seal takes microseconds, and a hop through WebCrypto's
 * thread pool costs more than the work itself. Every function throws when a key, a nonce or a seed has the wrong
 * length, because that is a mistake in our code, never in a caller's input. Invalid input of callers (a public key or
 * signature to check, a text to decrypt) gives `false` or `undefined`.
 */
export class Cryptography extends Context.Service<Cryptography, {
  /** `length` bytes from the operating system's random generator. */
  readonly randomBytes: (length: number) => Uint8Array

  /** SHA-256 (FIPS 180-4) over the concatenated parts, 32 bytes. A string stands for its UTF-8 bytes. */
  readonly sha256: (...parts: ReadonlyArray<Uint8Array | string>) => Uint8Array

  /** SHA-256 of the UTF-8 bytes of a text, as 64 hexadecimal digits. */
  readonly sha256Hex: (text: string) => string

  /** SHA-256 over pieces as they arrive; `digest` ends it. */
  readonly sha256Stream: () => { readonly update: (piece: Uint8Array) => void; readonly digest: () => Uint8Array }

  /** HMAC-SHA-256 (RFC 2104), 32 bytes. A string stands for its UTF-8 bytes. */
  readonly hmacSha256: (key: Uint8Array | string, data: Uint8Array | string) => Uint8Array

  /** Compares in a time that depends only on the lengths. */
  readonly timingSafeEqual: (a: Uint8Array, b: Uint8Array) => boolean

  /** HKDF-SHA-256 (RFC 5869): `length` bytes, 8160 at most. */
  readonly hkdfSha256: (options: {
    readonly key: Uint8Array
    readonly salt: Uint8Array
    readonly info: Uint8Array | string
    readonly length: number
  }) => Uint8Array

  /** AES-256-GCM (NIST SP 800-38D): the ciphertext with its 16-byte tag appended. */
  readonly aes256GcmEncrypt: (options: {
    /** 32 bytes. */
    readonly key: Uint8Array
    /** 12 bytes, never used twice with one key. */
    readonly nonce: Uint8Array
    readonly plaintext: Uint8Array
    /** Authenticated, but not encrypted. */
    readonly aad: Uint8Array
  }) => Uint8Array

  /** Reverses `aes256GcmEncrypt`; `undefined` when the ciphertext, the tag or the `aad` does not match. */
  readonly aes256GcmDecrypt: (options: {
    readonly key: Uint8Array
    readonly nonce: Uint8Array
    readonly ciphertext: Uint8Array
    readonly aad: Uint8Array
  }) => Uint8Array | undefined

  /** A new Ed25519 key pair (RFC 8032): a 32-byte seed and the raw 32-byte public key. */
  readonly ed25519Generate: () => { readonly privateKey: Uint8Array; readonly publicKey: Uint8Array }

  /**
   * A signer for one key. Parsing the seed costs more than a signature, so keep the result. It signs bytes, or the
   * UTF-8 bytes of a text. A signature takes 35 us, the most expensive single step of a runtime answer, so it may be
   * made on another thread.
   */
  readonly ed25519Signer: (seed: Uint8Array) => (message: string | Uint8Array) => Effect.Effect<Uint8Array>

  /** Verifies `signature` (64 bytes) of `message` under a raw 32-byte public key. */
  readonly ed25519Verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean
}>()("countersign/services/ground/platform/Cryptography") {}
