import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeGroupCommit } from "../persistence/GroupCommit.ts"
import { crowded, FairShares } from "./FairShare.ts"

/** The most questions that one statement answers. */
const askedAtOnce = 64

/**
 * Gathers the questions of one turn of the event loop, so that `answer` can put them into one statement: for a validate
 * that costs the server a third, and this process a fifth less. Nothing is kept: each is answered after it was asked.
 * `answer` must not wait for locks, since all callers of a group wait for it.
 */
export const makeQuestionGroups = Effect.fnUntraced(function*<Question, Answer>(
  answer: (asked: ReadonlyArray<Question>) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, SqlError>>>
) {
  const shares = yield* FairShares
  const submit = yield* makeGroupCommit<Question, Answer, SqlError>({
    maximum: askedAtOnce,
    concurrency: 2,
    stopped: Exit.fail(crowded("The service is shutting down.")),
    commit: answer
  })
  return (question: Question): Effect.Effect<Answer> => Effect.orDie(shares.questions.run(submit(question)))
})
