import { Effect, Layer } from "effect"
import { fork } from "node:child_process"
import { setPriority } from "node:os"
import { fileURLToPath } from "node:url"
import type { Rendered, RenderRequest } from "../../services/exports/ExportRenderer.ts"
import { ExportRenderer, RenderingStalled, Unrenderable } from "../../services/exports/ExportRenderer.ts"
import { AppConfig } from "../config/Config.ts"
import type { Answer, Question } from "../rendering/renderProcess.ts"
import { renderSnapshot } from "../rendering/renderSnapshot.ts"

/** Beside this file in the source tree; in a bundle, where everything lies in one directory, an entry of its own. */
const entry = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../rendering/renderProcess.ts" : "./renderProcess.js", import.meta.url)
)

/**
 * What it is started with: the cache of compiled code, and a heap that stays small. Of the optimizing compiler for
 * WebAssembly a document of any size has no use, and while it compiles it takes 40 MB.
 */
const execArgv = [
  "--max-semi-space-size=1",
  "--max-old-space-size=96",
  "--heap-growing-percent=30",
  "--v8-pool-size=1",
  "--liftoff-only",
  ...process.execArgv.flatMap((argument, index, all) => argument === "--import" ? [argument, all[index + 1]!] : [])
]

/** How much less than the service it counts for: under load it gets about a tenth of a processor. */
const niceness = 10

/** Bytes of a snapshot that are rendered before the event loop is let go: less than a millisecond of work. */
const slice = 32 * 1024

/** Lines of text are made here, a slice at a time: a process would take more memory than the whole work. */
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

const startProcess = () => {
  const child = fork(entry, { execArgv, serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] })
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness)
  } catch {
    // It has ended, which its exit tells, or the system knows no priorities.
  }
  return child
}

/** `patience` is for how many seconds it may be silent with a piece in hand. */
const openProcess = (request: RenderRequest, patience: number) =>
  Effect.gen(function*() {
    let answer: (effect: Effect.Effect<Rendered, Unrenderable>) => void = () => {}
    let ended: Error | undefined
    const end = (error: Error) => {
      ended ??= error
      answer(Effect.die(ended))
    }
    const child = yield* Effect.acquireRelease(
      Effect.sync(startProcess),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    child.on("message", (message: Answer) =>
      answer("refused" in message ? Effect.fail(new Unrenderable(message.refused)) : Effect.succeed(message)))
    child.once("error", end)
    child.once("exit", (code, signal) =>
      end(new Error(`The rendering process ended with ${code ?? signal}`)))

    // Whether it could be sent is told by its exit.
    const send = (question: Question) =>
      child.send(question as object, () => undefined)

    /** Nothing is sent before the last piece was answered, so that no more than one is ever waiting. */
    const ask = (piece: Uint8Array | null): Effect.Effect<Rendered, Unrenderable> =>
      Effect.callback<Rendered, Unrenderable>((resume) => {
        if (ended !== undefined) return resume(Effect.die(ended))
        answer = resume
        send(piece)
      }).pipe(Effect.timeoutOrElse({
        duration: patience * 1000,
        // The scope kills it, and SIGKILL ends also what has been stopped.
        orElse: () => Effect.die(new RenderingStalled(`the process that renders it was silent for ${patience} s`))
      }))
    send(request)
    return { push: ask, end: ask(null) }
  })

/**
 * {@link ExportRenderer}. Documents are made by processes of their own: they take the processor for minutes, which the
 * event loop does not have, and a hundred megabytes, which a thread would not give back.
 */
export const layer = Layer.effect(
  ExportRenderer,
  Effect.map(AppConfig, ({ renderSeconds }) => ({
    open: (request) => request.format === "csv" ? openHere(request) : openProcess(request, renderSeconds)
  }))
)
