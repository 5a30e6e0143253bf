import { zlibSync } from "fflate"
import { Worker } from "node:worker_threads"
import { compression } from "./pdfText.ts"

/** How many streams are compressed here: to start a thread takes as long. */
const shortDocument = 32

/** The program beside this one: an entry of its own in a bundle, where all files share one directory. */
const threadProgram = new URL(
  import.meta.url.endsWith(".ts") ? "./compressionThread.mjs" : "./compressionThread.js",
  import.meta.url
)

/** The heap of the thread, in MiB: beside it there are a stream and what is made of it. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, codeRangeSizeMb: 4 }

/** Bytes that are compressed: now, or when the thread is done with them. */
export type Compressed = Uint8Array | Promise<Uint8Array>

const ended = () => new Error("The thread that compresses has ended")

interface Waiting {
  readonly resolve: (data: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/**
 * Compresses the streams of a document, in JavaScript, so that the bytes do not depend on the zlib of the machine. Those
 * of a long document are compressed in a thread while the next pages are laid out: it is half of the work.
 */
export class StreamCompressor {
  private readonly waiting: Array<Waiting> = []
  private count = 0
  private worker: Worker | undefined
  /** Why nothing more is compressed in the thread: it has ended, and takes no messages. */
  private failure: Error | undefined
  private readonly program: URL

  constructor(program = threadProgram) {
    this.program = program
  }

  /** Compresses bytes, which the caller may change afterwards. */
  compress(bytes: Uint8Array): Compressed {
    this.count += 1
    if (this.count <= shortDocument) return zlibSync(bytes, compression)
    // Who waits for the stream learns of it, as of a failure while it is compressed.
    if (this.failure !== undefined) return Promise.reject(this.failure)
    const worker = this.worker ??= this.start()
    const copy = new Uint8Array(bytes)
    worker.ref()
    worker.postMessage(copy, [copy.buffer])
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }))
  }

  /** Ends the thread. What is asked for afterwards, beyond a short document, fails. */
  close(): void {
    this.failure ??= ended()
    void this.worker?.terminate()
    this.worker = undefined
  }

  private start(): Worker {
    const worker = new Worker(this.program, { execArgv: [], resourceLimits, workerData: compression })
    const fail = (error: Error): void => {
      this.failure ??= error
      for (const { reject } of this.waiting.splice(0)) reject(error)
    }
    worker.on("message", (data: Uint8Array) => {
      this.waiting.shift()?.resolve(data)
      // A document that is given up keeps no process alive.
      if (this.waiting.length === 0) worker.unref()
    })
    worker.once("error", fail)
    worker.once("exit", () => fail(ended()))
    return worker
  }
}
