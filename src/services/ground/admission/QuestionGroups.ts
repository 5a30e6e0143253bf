import { Context, Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeLanes, makeLoopTurns } from "../../../domain/ground/admission/LoopTurns.ts"
import type { LoopTurns } from "../../../domain/ground/admission/LoopTurns.ts"
import { crowded, CurrentShare, FairShares } from "./FairShare.ts"

/** The turns on the event loop of this process, of which there is one. */
export const EventLoopTurns = Context.Reference<LoopTurns>("countersign/services/ground/admission/EventLoopTurns", {
  defaultValue: () => makeLoopTurns({ now: () => performance.now(), soon: (task) => void setImmediate(task) })
})

/** The lane of the event loop in which those go on who have shared a look: all strangers together take no more of it than one caller. */
const lane = "shared looks"

/**
 * A look into the database whose answer all share who asked before it began: one runs at a time, and who comes meanwhile shares the next,
 * so that nobody is answered by what was there before they asked. They go on in turns with everything else on the event loop: a
 * hundred who were waiting would otherwise all be answered before the next caller is read.
 */
export const makeSharedLook = <A, E, R>(look: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E, R>> =>
  Effect.map(Effect.zip(Semaphore.make(1), EventLoopTurns), ([alone, turns]) => {
    let next: Effect.Effect<A, E, R> | undefined
    const begun = Effect.suspend(() => {
      next = undefined
      return look
    })
    // Uninterruptible, because the first caller may hang up while others wait for the result.
    const announced = Effect.map(Effect.cached(Effect.uninterruptible(alone.withPermits(1)(begun))), (shared) => {
      next = shared
      return shared
    })
    const turn = Effect.callback<void>((resume) => turns.add(lane, () => resume(Effect.void)))
    return Effect.tap(Effect.suspend(() => next ?? Effect.flatten(announced)), () => turn)
  })

/** The most questions that one statement answers. */
const questionsAtOnce = 64

/** From how many questions on a statement does not wait for more of an address that has more to come. */
const enough = 16

/** How many questions of an address go along with one that need not wait for more. */
const alongside = 2

/** The statements under way at once, and those when one has a question of an address that has none under way. */
const underWay = { usual: 2, most: 3 } as const

/** How many turns of the event loop a question waits for others of its address at most, whatever else it has to come. */
const patientTurns = 32

/**
 * How many turns a question waits for others while its address has a statement under way: callers that were answered together ask
 * again in several turns.
 */
const gatheringTurns = 2

/** The service's own questions, which nobody asked from anywhere. */
const ownLane = ""

interface PendingQuestion<Question, Answer> {
  readonly question: Question
  readonly lane: string
  readonly context: Context.Context<never>
  readonly resume: (exit: Exit.Exit<Answer, SqlError>) => void
}

/**
 * Gathers the questions of one turn of the event loop, so that `answer` can put them into one statement: for a validate
 * that costs the server a third, and this process a fifth less. Nothing is kept: each is answered after it was asked.
 * `answer` must not wait for locks, since all callers of a group wait for it.
 *
 * Addresses take turns. While an address has requests on the event loop whose questions are still to come, those that it
 * has asked wait for them, and no other address waits with them.
 */
export const makeQuestionGroups = Effect.fnUntraced(function*<Question, Answer>(
  answer: (questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, SqlError>>>
) {
  type Entry = PendingQuestion<Question, Answer>
  const shares = yield* FairShares
  const turns = yield* EventLoopTurns
  const scope = yield* Scope.Scope
  const stopped = Exit.fail(crowded("The service is shutting down."))
  const waiting = makeLanes<Entry>()
  /** The addresses of each statement under way. */
  const flights = new Set<ReadonlySet<string>>()
  let isDeparting = false
  let isStopped = false
  /** The turns in which nothing departed, because every address had more to come. */
  let held = 0

  const isUnderWay = (lane: string): boolean => {
    for (const lanes of flights) if (lanes.has(lane)) return true
    return false
  }

  /** Takes the group of a statement: all that waits, or a little of each address for those that need not wait. */
  const take = (isEnough: boolean): ReadonlyArray<Entry> => {
    const most = isEnough || waiting.count() === 1
      ? questionsAtOnce
      : Math.min(questionsAtOnce, alongside * waiting.count())
    return Array.from({ length: Math.min(most, waiting.size()) }, () => waiting.next()!)
  }

  const settle = (group: ReadonlyArray<Entry>, exit: Exit.Exit<ReadonlyArray<Exit.Exit<Answer, SqlError>>>) => {
    for (const [index, { lane, resume }] of group.entries()) {
      const outcome = Exit.isSuccess(exit)
        ? exit.value[index]!
        : Exit.hasInterrupts(exit)
        ? stopped
        : Exit.failCause(exit.cause)
      turns.add(lane, () => resume(outcome))
    }
  }

  const fly = (group: ReadonlyArray<Entry>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const lanes = new Set(group.map(({ lane }) => lane))
      flights.add(lanes)
      return Effect.onExit(answer(group.map(({ question }) => question)), (exit) =>
        Effect.sync(() => {
          flights.delete(lanes)
          settle(group, exit)
          departSoon()
        }))
    }).pipe(Effect.exit, Effect.asVoid)

  const depart = () => {
    isDeparting = false
    while (waiting.size() > 0) {
      // It was answered when the service stopped.
      if (isStopped) return
      const isEnough = waiting.size() >= enough
      const complete = [...waiting.names()].filter((lane) => !turns.waits(lane))
      const isFirst = complete.some((lane) => !isUnderWay(lane))
      if (flights.size >= (isFirst ? underWay.most : underWay.usual)) return
      // Their requests have turns to come, after which this is looked at again.
      const patience = complete.length === 0 ? patientTurns : isFirst ? 0 : gatheringTurns
      if (!isEnough && held++ < patience) return departSoon()
      held = 0
      const group = take(isEnough)
      Effect.runForkWith(group[0]!.context)(Effect.forkIn(fly(group), scope, { startImmediately: true }))
    }
  }

  const departSoon = () => {
    if (isDeparting || waiting.size() === 0) return
    isDeparting = true
    turns.after(depart)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isStopped = true
      for (let entry = waiting.next(); entry !== undefined; entry = waiting.next()) entry.resume(stopped)
    })
  )

  const submit = (question: Question): Effect.Effect<Answer, SqlError> =>
    Effect.withFiber((fiber) =>
      Effect.callback((resume) => {
        if (isStopped) return resume(stopped)
        const lane = fiber.getRef(CurrentShare)?.address ?? ownLane
        waiting.add(lane, { question, lane, context: fiber.context, resume })
        departSoon()
      })
    )

  return (question: Question): Effect.Effect<Answer> => Effect.orDie(shares.questions.run(submit(question)))
})
