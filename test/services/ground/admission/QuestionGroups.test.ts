import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { makeLoopTurns } from "../../../../src/domain/ground/admission/LoopTurns.ts"
import { CurrentShare, FairShares, makeFairShare } from "../../../../src/services/ground/admission/FairShare.ts"
import { EventLoopTurns, makeQuestionGroups } from "../../../../src/services/ground/admission/QuestionGroups.ts"
import { manualLoop } from "../../../fixtures/ManualLoop.ts"

const plenty = makeFairShare({
  name: "questions",
  capacity: 1000,
  perAddress: 1000,
  perLicense: Infinity,
  waiting: { all: 1000, each: 1000 },
  patience: 1000
})

/** Groups of questions whose statements are answered when they are let go, on a loop whose turns go on by hand. */
const desk = Effect.gen(function*() {
  const { loop, turn } = manualLoop()
  const turns = makeLoopTurns(loop)
  const asked: Array<ReadonlyArray<string>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const ask = yield* makeQuestionGroups<string, string>(Effect.fnUntraced(function*(questions) {
    const gate = yield* Deferred.make<void>()
    asked.push(questions)
    gates.push(gate)
    yield* Deferred.await(gate)
    if (questions.includes("broken")) return yield* Effect.die("broken")
    return questions.map((question) => Exit.succeed(`${question}!`))
  })).pipe(
    Effect.provideService(EventLoopTurns, turns),
    Effect.provideService(FairShares, FairShares.of({ transactions: plenty, questions: plenty, reads: plenty }))
  )
  const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
  const goOn = Effect.andThen(Effect.sync(turn), settle)
  /** As many turns as a question waits for others while its address has a statement under way, and the one in which it leaves. */
  const gather = Effect.repeat(goOn, { times: 2 })
  const submit = (address: string, ...questions: ReadonlyArray<string>) =>
    Effect.forEach(
      questions,
      (question) =>
        Effect.forkChild(Effect.exit(Effect.provideService(ask(question), CurrentShare, {
          address,
          principal: address,
          license: undefined
        })))
    ).pipe(Effect.tap(settle))
  const letGo = (index: number) => Effect.andThen(Deferred.succeed(gates[index]!, undefined), settle)
  /** What they were answered, in order, after the turns that it takes. */
  const answers = (fibers: ReadonlyArray<Fiber.Fiber<Exit.Exit<string>>>) =>
    Effect.gen(function*() {
      for (let turns = 0; turns < 100; turns++) yield* goOn
      return yield* Effect.forEach(fibers, Fiber.join)
    })
  return { answers, asked, gather, goOn, letGo, submit, turns }
})

const many = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index}`)

describe("groups of questions", () => {
  it.effect("what is asked in one turn shares a statement, and two are under way at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { answers, asked, gather, goOn, letGo, submit } = yield* desk
      const first = yield* submit("a", "a1", "a2")
      yield* goOn
      assert.deepStrictEqual(asked, [["a1", "a2"]])
      const second = yield* submit("a", "a3")
      yield* gather
      const rest = yield* submit("a", ...many("b", 70))
      yield* goOn
      assert.deepStrictEqual(asked.slice(1), [["a3"]])
      yield* letGo(1)
      yield* goOn
      assert.deepStrictEqual(asked.slice(2), [many("b", 70).slice(0, 64)], "no more than one statement can hold")
      yield* letGo(0)
      yield* gather
      assert.deepStrictEqual(asked.slice(3), [many("b", 70).slice(64)])
      yield* letGo(2)
      yield* letGo(3)
      assert.deepStrictEqual(
        yield* answers([...first, ...second, ...rest]),
        ["a1", "a2", "a3", ...many("b", 70)].map((question) => Exit.succeed(`${question}!`))
      )
    })))

  it.effect("a question of another address does not wait for the statements and the questions of a busy one", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked, gather, goOn, letGo, submit } = yield* desk
      yield* submit("busy", "x1")
      yield* goOn
      yield* submit("busy", "x2")
      yield* gather
      yield* submit("busy", ...many("x", 10))
      yield* submit("other", "o1")
      yield* goOn
      assert.deepStrictEqual(asked.slice(2), [["x0", "o1", "x1", "x2"]], "few of the busy one go along")
      yield* submit("other", "o2")
      yield* goOn
      assert.strictEqual(asked.length, 3, "the other one has a statement under way")
      yield* letGo(0)
      yield* letGo(1)
      yield* gather
      assert.strictEqual(asked.length, 4)
    })))

  it.effect("questions of an address that has a statement under way gather for two turns", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked, goOn, submit } = yield* desk
      yield* submit("a", "a1")
      yield* goOn
      yield* submit("a", "a2")
      yield* goOn
      yield* submit("a", "a3")
      yield* goOn
      assert.deepStrictEqual(asked, [["a1"]])
      yield* submit("a", "a4")
      yield* goOn
      assert.deepStrictEqual(asked.slice(1), [["a2", "a3", "a4"]])
    })))

  it.effect("questions of an address wait for those that its requests are still to ask", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked, goOn, submit, turns } = yield* desk
      turns.add("other", () => {})
      for (let task = 0; task < 3; task++) turns.add("busy", () => {})
      yield* submit("busy", "x1")
      yield* goOn
      yield* goOn
      assert.deepStrictEqual(asked, [])
      yield* submit("busy", "x2")
      yield* goOn
      assert.deepStrictEqual(asked, [["x1", "x2"]])
      for (let task = 0; task < 3; task++) turns.add("busy", () => {})
      yield* submit("busy", ...many("y", 16))
      yield* goOn
      assert.deepStrictEqual(asked.slice(1), [many("y", 16)], "not where there are enough")
    })))

  it.effect("a statement that fails fails its own questions alone", () =>
    Effect.scoped(Effect.gen(function*() {
      const { answers, gather, goOn, letGo, submit } = yield* desk
      const [broken] = yield* submit("a", "broken")
      yield* goOn
      const [whole] = yield* submit("a", "a1")
      yield* gather
      yield* letGo(0)
      yield* letGo(1)
      const [one, other] = yield* answers([broken!, whole!])
      assert.deepStrictEqual([Exit.isFailure(one!), other], [true, Exit.succeed("a1!")])
    })))

  it.effect("what cannot be answered any more is refused when the scope closes", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { answers, goOn, submit } = yield* Scope.provide(desk, scope)
      const underWay = yield* submit("a", "a1")
      yield* goOn
      const waiting = yield* submit("a", "a2")
      yield* Scope.close(scope, Exit.void)
      const exits = yield* answers([...underWay, ...waiting])
      assert.isTrue(
        exits.every((exit) => Exit.isFailure(exit) && String(exit.cause).includes("shutting down")),
        `${exits}`
      )
    }))

  it.effect("a question departs although its address never stops having work to come", () =>
    Effect.gen(function*() {
      const { asked, goOn, letGo, submit, turns } = yield* desk
      const busy = () => turns.add("a", busy)
      busy()
      turns.add("b", () => {})
      const [fiber] = yield* submit("a", "a0")
      for (let turn = 0; turn < 40 && asked.length === 0; turn++) yield* goOn
      assert.deepStrictEqual(asked, [["a0"]])
      yield* letGo(0)
      for (let turn = 0; turn < 10; turn++) yield* goOn
      assert.deepStrictEqual(yield* Fiber.join(fiber!), Exit.succeed("a0!"))
    }))

  it.effect("a question that comes after the stop is answered with it", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { submit } = yield* Scope.provide(desk, scope)
      yield* Scope.close(scope, Exit.void)
      const [fiber] = yield* submit("a", "late")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(fiber!)))
    }))
})
