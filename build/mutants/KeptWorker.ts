import { EventEmitter } from "node:events"
import { ForksPoolWorker } from "vitest/node"
import type { PoolOptions, PoolWorker, WorkerRequest } from "vitest/node"

/** The process that runs tests, which outlives a run: it has loaded the libraries, which takes longer than most tests. */
let kept: ForksPoolWorker | undefined

/** Ends the process, as after a mutant that never comes back. */
export const endKept = async (): Promise<void> => {
  const ending = kept
  kept = undefined
  await ending?.stop()
}

type Listener = (...args: Array<any>) => void

/** What Vitest believes to be a worker of its own for each run. */
class KeptWorker implements PoolWorker {
  readonly name = "kept"
  readonly cacheFs = false
  readonly #options: PoolOptions
  readonly #answers = new EventEmitter()
  readonly #listeners: Array<readonly [string, Listener]> = []
  #worker: ForksPoolWorker | undefined
  #isStarted = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener])
    if (event === "message") this.#answers.on(event, listener)
    this.#worker?.on(event, listener)
  }

  off(event: string, listener: Listener): void {
    if (event === "message") this.#answers.off(event, listener)
    if (this.#worker === kept) this.#worker?.off(event, listener)
  }

  send(message: WorkerRequest): void {
    if (message.type === "start" && this.#isStarted) this.#answer("started")
    else if (message.type === "stop") this.#answer("stopped")
    else this.#worker?.send(message)
  }

  #answer(type: "started" | "stopped"): void {
    setImmediate(() => this.#answers.emit("message", { type, __vitest_worker_response__: true }))
  }

  async start(): Promise<void> {
    this.#isStarted = kept !== undefined
    if (kept === undefined) {
      kept = new ForksPoolWorker(this.#options)
      await kept.start()
    }
    this.#worker = kept
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners.splice(0)) this.off(event, listener)
    await Promise.resolve()
  }

  deserialize(data: unknown): unknown {
    return data
  }
}

/** A pool of one process that stays from run to run. */
export const keptPool = {
  name: "kept",
  createPoolWorker: (options: PoolOptions): PoolWorker => new KeptWorker(options)
}
