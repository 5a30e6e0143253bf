import { Effect } from "effect"
import type { Scope } from "effect"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"

/** A process of the benchmark's own, answering one question at a time. */
export interface Worker<Question, Answer> {
  readonly pid: number
  readonly ask: (question: Question) => Effect.Effect<Answer>
}

interface Reply<Answer> {
  readonly answer?: Answer
  readonly failure?: string
}

/** Starts a module as a process, with options for node, and ends it with the scope. */
export const startWorker = <Question, Answer>(
  module: URL,
  execArgv: ReadonlyArray<string> = []
): Effect.Effect<Worker<Question, Answer>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        fork(fileURLToPath(module), {
          cwd: fileURLToPath(new URL("../..", import.meta.url)),
          execArgv: [...execArgv],
          serialization: "advanced"
        })
      ),
      (child) =>
        Effect.callback<void>((resume) => {
          if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
          child.once("exit", () => resume(Effect.void))
          child.kill("SIGKILL")
        })
    ),
    (child) => ({
      pid: child.pid!,
      ask: (question) =>
        Effect.callback<Answer>((resume) => {
          const ended = () => resume(Effect.die(new Error(`${module.pathname} ended`)))
          child.once("exit", ended)
          child.once("message", (reply: Reply<Answer>) => {
            child.off("exit", ended)
            resume(
              reply.failure === undefined
                ? Effect.succeed(reply.answer as Answer)
                : Effect.die(new Error(`${module.pathname}: ${reply.failure}`))
            )
          })
          child.send(question as object)
        })
    })
  )

/** The other side: answers every question, and ends with the process that asks. */
export const answerQuestions = <Question, Answer>(answer: (question: Question) => Promise<Answer>): void => {
  process.on("disconnect", () => process.exit())
  process.on("message", (question: Question) => {
    answer(question).then(
      (answer) => process.send!({ answer } satisfies Reply<Answer>),
      (cause: unknown) => process.send!({ failure: cause instanceof Error ? cause.stack ?? "" : String(cause) })
    )
  })
}
