import { Context } from "effect"
import type { Effect } from "effect"

/**
 * The cryptography that services use; runtime implements it.
 *
 * It is synchronous, but for signatures, because a one-shot hash or seal costs microseconds, and a hop through the
 * thread pool of WebCrypto costs more than the work itself. Every function throws when a key, a nonce or a seed has
 * the wrong length: that is a mistake in our code, never in a caller's input. Input of callers (a public key or a
 * signature to check, a text to decrypt) is answered with `false` or `undefined`.
 */
export class Cryptography extends Context.Service<Cryptography, {
  /** `length` bytes from the operating system's generator. */
  readonly randomBytes: (length: number) => Uint8Array

  /** SHA-256 (FIPS 180-4) over the parts one after another, 32 bytes. A string stands for its UTF-8 bytes. */
  readonly sha256: (...parts: ReadonlyArray<Uint8Array | string>) => Uint8Array

  /** SHA-256 over what comes piece by piece; `digest` ends it. */
  readonly sha256Stream: () => { readonly update: (piece: Uint8Array) => void; readonly digest: () => Uint8Array }

  /** HMAC-SHA-256 (RFC 2104), 32 bytes. A string stands for its UTF-8 bytes. */
  readonly hmacSha256: (key: Uint8Array | string, data: Uint8Array | string) => Uint8Array

  /** Whether both are equal, in a time that depends on their lengths alone. */
  readonly timingSafeEqual: (a: Uint8Array, b: Uint8Array) => boolean

  /** HKDF-SHA-256 (RFC 5869): `length` bytes, 8160 at most. */
  readonly hkdfSha256: (options: {
    readonly key: Uint8Array
    readonly salt: Uint8Array
    readonly info: Uint8Array | string
    readonly length: number
  }) => Uint8Array

  /** AES-256-GCM (NIST SP 800-38D): the ciphertext and the tag of 16 bytes appended. */
  readonly aes256GcmEncrypt: (options: {
    /** 32 bytes. */
    readonly key: Uint8Array
    /** 12 bytes, never used twice with one key. */
    readonly nonce: Uint8Array
    readonly plaintext: Uint8Array
    /** Authenticated, not encrypted. */
    readonly aad: Uint8Array
  }) => Uint8Array

  /** Reverses `aes256GcmEncrypt`; `undefined` when the text, the tag or the `aad` is not what was sealed. */
  readonly aes256GcmDecrypt: (options: {
    readonly key: Uint8Array
    readonly nonce: Uint8Array
    readonly ciphertext: Uint8Array
    readonly aad: Uint8Array
  }) => Uint8Array | undefined

  /** A new Ed25519 key pair (RFC 8032): the seed of 32 bytes and the raw public key of 32 bytes. */
  readonly ed25519Generate: () => { readonly privateKey: Uint8Array; readonly publicKey: Uint8Array }

  /**
   * A signer for one key: parsing the seed costs more than a signature, so keep what this returns. It signs bytes, or
   * the UTF-8 bytes of a text. A signature may be made on another thread: at 35 us it is the largest single piece of a
   * runtime answer.
   */
  readonly ed25519Signer: (seed: Uint8Array) => (message: string | Uint8Array) => Effect.Effect<Uint8Array>

  /** Whether `signature` (64 bytes) is the one of `message` under a raw public key of 32 bytes. */
  readonly ed25519Verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean
}>()("countersign/services/platform/Cryptography") {}
