import { Effect } from "effect"
import { sign } from "node:crypto"
import type { KeyObject } from "node:crypto"
import { Worker } from "node:worker_threads"

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
