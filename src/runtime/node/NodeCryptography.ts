import { Effect, Layer } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  sign,
  timingSafeEqual,
  verify
} from "node:crypto"
import type { KeyObject } from "node:crypto"
import { Worker } from "node:worker_threads"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"

type Message = string | Uint8Array

/** Messages of one turn of the event loop, under one key. */
interface Batch {
  readonly key: KeyObject
  readonly messages: Array<Message>
  readonly resume: Array<(signature: Uint8Array) => void>
}

/** A message to the thread: a new key is sent once and then named by its number. */
interface Question {
  readonly key: KeyObject | number
  readonly messages: ReadonlyArray<Message>
}

/** The size of a signature, in bytes. */
const size = 64

/** Large enough to be worth sending to the thread, small enough that the thread starts while the turn goes on. */
const maximumBatch = 8

const signHere = ({ key, messages, resume }: Batch): void =>
  messages.forEach((message, index) => {
    resume[index]!(sign(null, typeof message === "string" ? Buffer.from(message) : message, key))
  })

/**
 * The code of the thread. It is passed as text, so that a bundle of one file can start it; it must not use anything
 * from its surroundings.
 */
const thread = () => {
  const { sign } = process.getBuiltinModule("node:crypto")
  const { parentPort } = process.getBuiltinModule("node:worker_threads")
  const keys: Array<KeyObject> = []
  parentPort!.on("message", ({ key, messages }: Question) => {
    if (typeof key !== "number") keys.push(key)
    const signer = typeof key === "number" ? keys[key]! : key
    const signatures = new Uint8Array(messages.length * 64)
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index]!
      signatures.set(sign(null, typeof message === "string" ? Buffer.from(message) : message, signer), index * 64)
    }
    parentPort!.postMessage(signatures)
  })
  parentPort!.postMessage("ready")
}

/**
 * Signs with Ed25519 (RFC 8032), batching the messages of one turn of the event loop. A single message is signed at
 * once, because handing it over would cost as much. Several go to a dedicated thread, which leaves the event loop to
 * requests under load: a signature is a sixth of the cost of a validate. Node's thread pool does not help, because it
 * wakes a thread for each signature. When the thread is missing or ends, messages are signed here.
 */
export const makeSigner = (): (key: KeyObject, message: Message) => Effect.Effect<Uint8Array> => {
  let waiting: Array<Batch> = []
  let handed: Array<Batch> = []
  let known: Array<KeyObject> = []
  let worker: Worker | undefined
  let isReady = false

  const end = (): void => {
    const left = handed
    worker = undefined
    isReady = false
    handed = []
    known = []
    left.forEach(signHere)
  }

  const start = (): void => {
    const started = new Worker(`(${thread.toString()})()`, {
      eval: true,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, codeRangeSizeMb: 4 }
    })
    worker = started
    started.on("message", (signatures: Uint8Array | "ready") => {
      if (signatures === "ready") {
        isReady = true
        return
      }
      const { resume } = handed.shift()!
      resume.forEach((resume, index) => resume(signatures.subarray(index * size, (index + 1) * size)))
      if (handed.length === 0) started.unref()
    })
    // An error is followed by the exit, which is handled below.
    started.once("error", () => undefined)
    started.once("exit", end)
    // A listener keeps the process alive, so it is unreferenced; it keeps the process alive only while signatures are
    // due.
    started.unref()
  }

  const hand = (batch: Batch): void => {
    const number = known.indexOf(batch.key)
    if (number === -1) known.push(batch.key)
    handed.push(batch)
    worker!.ref()
    worker!.postMessage(
      { key: number === -1 ? batch.key : number, messages: batch.messages } satisfies Question
    )
  }

  const flush = (): void => {
    const batches = waiting
    waiting = []
    for (const batch of batches) {
      if (batch.messages.length === 1) {
        signHere(batch)
      } else if (isReady) {
        hand(batch)
      } else {
        if (worker === undefined) start()
        signHere(batch)
      }
    }
  }

  return (key, message) =>
    Effect.callback((resume) => {
      if (waiting.length === 0) queueMicrotask(flush)
      let batch = waiting.find((batch) => batch.key === key)
      if (batch === undefined) waiting.push(batch = { key, messages: [], resume: [] })
      batch.messages.push(message)
      batch.resume.push((signature) => resume(Effect.succeed(signature)))
      if (batch.messages.length === maximumBatch) flush()
    })
}

const tagLength = 16

/** The same bytes as a plain Uint8Array: a Buffer prints, compares and serialises differently. */
const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)

/** RFC 8410: the DER prefix of the 32 bytes of an Ed25519 private (PKCS #8) or public key (SPKI). */
const privateKeyPrefix = Buffer.from("302e020100300506032b657004220420", "hex")
const publicKeyPrefix = Buffer.from("302a300506032b6570032100", "hex")

const privateKeyOf = (seed: Uint8Array): KeyObject => {
  if (seed.length !== 32) throw new RangeError(`An Ed25519 seed has 32 bytes, not ${seed.length}`)
  return createPrivateKey({ key: Buffer.concat([privateKeyPrefix, seed]), format: "der", type: "pkcs8" })
}

/** The public key of an Ed25519 seed, 32 bytes. */
export const ed25519PublicKey = (seed: Uint8Array): Uint8Array => {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: "der", type: "spki" })
  return plain(spki.subarray(publicKeyPrefix.length))
}

/** Imported keys by their bytes, which are never changed in place: importing costs more than a hash. */
const secretKeys = new WeakMap<Uint8Array, KeyObject>()
const secretKeyOf = (key: Uint8Array): KeyObject => {
  const known = secretKeys.get(key)
  if (known !== undefined) return known
  const made = createSecretKey(key)
  secretKeys.set(key, made)
  return made
}

const bytesOf = (data: string | Uint8Array): Uint8Array => typeof data === "string" ? Buffer.from(data) : data

const signTogether = makeSigner()

const cryptography = Cryptography.of({
  randomBytes: (length) => plain(randomBytes(length)),

  sha256: (...parts) =>
    plain(hash("sha256", parts.length === 1 ? parts[0]! : Buffer.concat(parts.map(bytesOf)), "buffer")),

  sha256Hex: (text) => hash("sha256", text, "hex"),

  sha256Stream: () => {
    const sum = createHash("sha256")
    return { update: (piece) => void sum.update(piece), digest: () => plain(sum.digest()) }
  },

  hmacSha256: (key, data) =>
    plain(createHmac("sha256", typeof key === "string" ? key : secretKeyOf(key)).update(data).digest()),

  timingSafeEqual: (a, b) => a.length === b.length && timingSafeEqual(a, b),

  hkdfSha256: ({ key, salt, info, length }) => new Uint8Array(hkdfSync("sha256", key, salt, info, length)),

  aes256GcmEncrypt: ({ key, nonce, plaintext, aad }) => {
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength }).setAAD(aad)
    return plain(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]))
  },

  aes256GcmDecrypt: ({ key, nonce, ciphertext, aad }) => {
    const end = ciphertext.length - tagLength
    if (end < 0) return undefined
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength })
      .setAAD(aad)
      .setAuthTag(ciphertext.subarray(end))
    const text = decipher.update(ciphertext.subarray(0, end))
    try {
      return plain(Buffer.concat([text, decipher.final()]))
    } catch {
      return undefined
    }
  },

  ed25519Generate: () => {
    const seed = randomBytes(32)
    return { privateKey: plain(seed), publicKey: ed25519PublicKey(seed) }
  },

  ed25519Signer: (seed) => {
    const key = privateKeyOf(seed)
    return (message) => signTogether(key, message)
  },

  ed25519Verify: (publicKey, message, signature) => {
    if (publicKey.length !== 32 || signature.length !== 64) return false
    const key = createPublicKey({ key: Buffer.concat([publicKeyPrefix, publicKey]), format: "der", type: "spki" })
    return verify(null, message, key, signature)
  }
})

/** {@link Cryptography} on node:crypto. */
export const layer: Layer.Layer<Cryptography> = Layer.succeed(Cryptography, cryptography)
