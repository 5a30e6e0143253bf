import { Effect, Layer } from "effect"
import { Worker } from "node:worker_threads"
import type { Rendered, RenderRequest } from "../services/ExportRenderer.ts"
import { ExportRenderer, Unrenderable } from "../services/ExportRenderer.ts"
import { renderSnapshot } from "./rendering/renderSnapshot.ts"
import type { Answer } from "./rendering/renderThread.ts"

/** Beside this file in the source tree; in a bundle, where everything lies in one directory, an entry of its own. */
const entry = new URL(
  import.meta.url.endsWith(".ts") ? "./rendering/renderThread.ts" : "./renderThread.js",
  import.meta.url
)

/** What the program was started with that goes for threads too: the cache of compiled code. */
const execArgv = process.execArgv.flatMap((argument, index, all) =>
  argument === "--import" ? [argument, all[index + 1]!] : []
)

/** Bytes of a snapshot that are rendered before the event loop is let go: less than a millisecond of work. */
const slice = 32 * 1024

/** Lines of text are made here, a slice at a time: a thread would take more memory than the whole work. */
const openHere = (request: RenderRequest) =>
  Effect.map(Effect.promise(() => renderSnapshot(request)), (rendering) => ({
    push: Effect.fnUntraced(function*(piece: Uint8Array) {
      const pieces: Array<Uint8Array> = []
      let rows = 0
      for (let at = 0; at < piece.length; at += slice) {
        const rendered = yield* Effect.promise(() => rendering.push(piece.subarray(at, at + slice)))
        pieces.push(...rendered.pieces)
        rows = rendered.rows
        // A promise alone gives way to nothing but other promises.
        yield* Effect.sleep(0)
      }
      return { pieces, rows } satisfies Rendered
    }),
    end: Effect.promise(() => rendering.end())
  }))

const openThread = (request: RenderRequest) =>
  Effect.gen(function*() {
    let answer: (effect: Effect.Effect<Rendered, Unrenderable>) => void = () => {}
    const worker = new Worker(entry, {
      workerData: request,
      execArgv,
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 96 }
    })
    worker.on("message", (message: Answer) =>
      answer("refused" in message ? Effect.fail(new Unrenderable(message.refused)) : Effect.succeed(message)))
    worker.on("error", (error) =>
      answer(Effect.die(error)))
    worker.on("exit", (code) =>
      answer(Effect.die(new Error(`The rendering thread ended with ${code}`))))
    yield* Effect.addFinalizer(() => Effect.promise(() => worker.terminate()))

    /** Nothing is sent before the last piece was answered, so that no more than one is ever waiting. */
    const ask = (piece: Uint8Array | null): Effect.Effect<Rendered, Unrenderable> =>
      Effect.callback((resume) => {
        answer = resume
        worker.postMessage(piece)
      })
    return { push: ask, end: ask(null) }
  })

/**
 * {@link ExportRenderer}. Documents are made on threads of their own, because they take the processor for seconds, which
 * the event loop does not have.
 */
export const layer = Layer.succeed(ExportRenderer, {
  open: (request) => request.format === "csv" ? openHere(request) : openThread(request)
})
