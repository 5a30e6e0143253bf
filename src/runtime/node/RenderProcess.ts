import { Effect, Layer } from "effect"
import { fork } from "node:child_process"
import { setPriority } from "node:os"
import { fileURLToPath } from "node:url"
import type { Rendered, RenderRequest } from "../../services/evidence/exports/ExportRenderer.ts"
import { ExportRenderer, RenderingStalled, Unrenderable } from "../../services/evidence/exports/ExportRenderer.ts"
import { AppConfig } from "../config/Config.ts"
import type { Answer, Question } from "../rendering/renderProcess.ts"
import { renderSnapshot } from "../rendering/renderSnapshot.ts"

/** Next to this file in the source tree; an entry of its own in a bundle, where all files share one directory. */
const entry = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../rendering/renderProcess.ts" : "./renderProcess.js", import.meta.url)
)

/**
 * Options of the process: a compile cache, and a small heap. The optimizing WebAssembly compiler is off: it takes 40 MB
 * and helps no document, whatever its size.
 */
const execArgv = [
  "--max-semi-space-size=1",
  "--max-old-space-size=96",
  "--heap-growing-percent=30",
  "--v8-pool-size=1",
  "--liftoff-only",
  ...process.execArgv.flatMap((argument, index, all) => argument === "--import" ? [argument, all[index + 1]!] : [])
]

/** The niceness of the process: under load it gets about a tenth of a processor. */
const niceness = 10

/** Bytes of a snapshot rendered before yielding to the event loop: less than a millisecond of work. */
const slice = 32 * 1024

/**
 * Waits for the next turn of the event loop, in which all requests that arrived meanwhile are served. A promise alone
 * would yield only to other promises, and a timer waits for a whole millisecond.
 */
const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Renders CSV in this process, slice by slice: a process of its own would take more memory than the work itself. */
const openHere = (request: RenderRequest) =>
  Effect.map(Effect.promise(() => renderSnapshot(request)), (rendering) => ({
    push: Effect.fnUntraced(function*(piece: Uint8Array) {
      const pieces: Array<Uint8Array> = []
      let rows = 0
      for (let at = 0; at < piece.length; at += slice) {
        const rendered = yield* Effect.promise(() => rendering.push(piece.subarray(at, at + slice)))
        for (const bytes of rendered.pieces) pieces.push(bytes)
        rows = rendered.rows
        yield* nextTurn
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
    // The process has already ended, which its exit reports, or the system has no priorities.
  }
  return child
}

/** Renders in a process. `patience` is the longest silence of the process while it works on a piece, in seconds. */
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

    // A failed send shows in the exit of the process.
    const send = (question: Question) =>
      child.send(question as object, () => undefined)

    /** Sends one piece at a time, after the answer to the last one, so that at most one is queued (backpressure). */
    const ask = (piece: Uint8Array | null): Effect.Effect<Rendered, Unrenderable> =>
      Effect.callback<Rendered, Unrenderable>((resume) => {
        if (ended !== undefined) return resume(Effect.die(ended))
        answer = resume
        send(piece)
      }).pipe(Effect.timeoutOrElse({
        duration: patience * 1000,
        // The scope kills the process; SIGKILL also ends a process that was stopped.
        orElse: () => Effect.die(new RenderingStalled(`the process that renders it was silent for ${patience} s`))
      }))
    send(request)
    return { push: ask, end: ask(null) }
  })

/**
 * {@link ExportRenderer}. Documents are rendered in separate processes: they take the processor for minutes, which
 * would block the event loop, and a hundred megabytes, which a thread would not return.
 */
export const layer = Layer.effect(
  ExportRenderer,
  Effect.map(AppConfig, ({ renderSeconds }) => ({
    open: (request) => request.format === "csv" ? openHere(request) : openProcess(request, renderSeconds)
  }))
)
