import { assert, describe, it } from "@effect/vitest"
import { Clock, Data, Effect, Fiber, Logger, References, Schedule } from "effect"
import { TestClock } from "effect/testing"
import {
  doublingPauses,
  EarlyRounds,
  makeEarlyRounds,
  supervised,
  toItsEnd,
  untilDone,
  writeBehind
} from "../../../../src/services/ground/platform/Supervised.ts"
import { dice } from "../../../fixtures/Dice.ts"

class Broken extends Data.TaggedError("Broken")<{ readonly at: number }> {}

/** What is logged, each as its level and its first message. */
const listening = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel}: ${Array.isArray(message) ? message[0] : message}`)
  })
  return { lines, layer: Logger.layer([logger]) }
}

const everySecond = Schedule.spaced("1 second")

describe("a supervised loop", () => {
  it.effect("steps at once, and then after each pause of its schedule", () =>
    Effect.gen(function*() {
      let steps = 0
      yield* Effect.forkChild(supervised("Counting", Effect.sync(() => ++steps), everySecond))
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(steps, 1)
      yield* TestClock.adjust("10001 millis")
      assert.strictEqual(steps, 12)
    }))

  it.effect("gives the schedule what the step answered", () =>
    Effect.gen(function*() {
      let steps = 0
      const growing = Schedule.spaced(0).pipe(
        Schedule.setInputType<number>(),
        Schedule.modifyDelay(({ input }) => Effect.succeed(input * 1000))
      )
      yield* Effect.forkChild(supervised("Counting", Effect.sync(() => ++steps), growing))
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(steps, 4)
    }))

  it.effect("begins its next round at once when one is called for, also by a call that came during a step", () =>
    Effect.gen(function*() {
      const rounds = makeEarlyRounds()
      let steps = 0
      const step = Effect.suspend(() => {
        steps += 1
        if (steps === 2) rounds.call()
        return Effect.void
      })
      yield* supervised("Counting", step, everySecond).pipe(
        Effect.provideService(EarlyRounds, rounds),
        Effect.forkChild
      )
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(steps, 1)
      rounds.call()
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(steps, 3)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(steps, 4)
    }))

  it.effect("sleeps in a step for as long as it says, whatever is called for", () =>
    Effect.gen(function*() {
      const rounds = makeEarlyRounds()
      let steps = 0
      const step = Effect.andThen(Effect.sleep("5 seconds"), Effect.sync(() => ++steps))
      yield* supervised("Sleeping", step, everySecond).pipe(
        Effect.provideService(EarlyRounds, rounds),
        Effect.forkChild
      )
      yield* TestClock.adjust("1 second")
      rounds.call()
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(steps, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(steps, 1)
    }))

  const throwing = (): Effect.Effect<never> => {
    throw new TypeError("a statement that cannot be built")
  }
  const failures: Readonly<Record<string, Effect.Effect<never, Broken>>> = {
    "a failure": Effect.fail(new Broken({ at: 1 })),
    "a defect": Effect.die(new Error("a defect")),
    "a throw inside a generator": Effect.gen(function*() {
      yield* Effect.void
      return yield* throwing()
    }),
    "a throw before there is an effect": Effect.suspend(throwing),
    "an interrupted fiber that it waits for": Effect.flatMap(Effect.forkChild(Effect.interrupt), Fiber.join)
  }
  for (const [what, failing] of Object.entries(failures)) {
    it.effect(`logs ${what} of a step and goes on`, () =>
      Effect.gen(function*() {
        const { layer, lines } = listening()
        let steps = 0
        const step = Effect.suspend((): Effect.Effect<void, Broken> => {
          steps += 1
          return steps === 2 ? failing : Effect.void
        })
        yield* Effect.forkChild(Effect.provide(supervised("The work", step, everySecond), layer))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(lines, ["Warn: The work failed and is tried again"])
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(steps, 12)
        assert.strictEqual(lines.length, 1)
      }))
  }

  it.effect("pauses longer from failure to failure, and starts anew after a success", () =>
    Effect.gen(function*() {
      const { layer, lines } = listening()
      const at: Array<number> = []
      const step = Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<void, Broken> => {
        at.push(now / 1000)
        return at.length === 4 ? Effect.void : Effect.fail(new Broken({ at: now }))
      })
      const retry = Schedule.exponential("1 second")
      yield* Effect.forkChild(
        supervised("The work", step, Schedule.spaced("10 seconds"), { level: "Debug", retry }).pipe(
          Effect.provide(layer),
          Effect.provideService(References.MinimumLogLevel, "Debug")
        )
      )
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(at, [0, 1, 3, 7, 17, 18, 20])
      assert.deepStrictEqual(lines, Array(6).fill("Debug: The work failed and is tried again"))
    }))

  it.effect("ends when it is interrupted, in a step and in a pause, and logs nothing", () =>
    Effect.gen(function*() {
      const { layer, lines } = listening()
      let released = 0
      const working = yield* Effect.never.pipe(
        Effect.onInterrupt(() => Effect.sync(() => released++)),
        (step) => Effect.forkChild(Effect.provide(supervised("The work", step, everySecond), layer))
      )
      let steps = 0
      const pausing = yield* Effect.forkChild(
        Effect.provide(supervised("The work", Effect.sync(() => ++steps), everySecond), layer)
      )
      const failing = yield* Effect.forkChild(supervised("The work", Effect.die("always"), everySecond))
      yield* TestClock.adjust("500 millis")
      for (const fiber of [working, pausing, failing]) {
        yield* Fiber.interrupt(fiber)
        assert.isTrue(fiber.pollUnsafe() !== undefined)
      }
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([released, steps], [1, 1])
      assert.deepStrictEqual(lines, [])
    }))

  it.effect("begins a schedule anew that has ended", () =>
    Effect.gen(function*() {
      let steps = 0
      const loop = yield* Effect.forkChild(
        supervised("The work", Effect.andThen(Effect.sleep(10), Effect.sync(() => ++steps)), Schedule.recurs(2))
      )
      yield* TestClock.adjust(100)
      assert.strictEqual(steps, 10)
      yield* Fiber.interrupt(loop)
    }))
})

describe("work that is done until it succeeds", () => {
  it.effect("answers what it came to", () =>
    Effect.gen(function*() {
      const { layer, lines } = listening()
      let tries = 0
      const work = Effect.suspend(() => ++tries < 4 ? Effect.die(new Error("not yet")) : Effect.succeed(tries))
      const waiting = yield* Effect.forkChild(
        Effect.provide(untilDone("The work", work, { retry: Schedule.recurs(1) }), layer)
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(waiting), 4)
      assert.strictEqual(lines.length, 3)
    }))
})

describe("what is written behind", () => {
  it.effect("is written each second while some waits, in batches, without one that fails, and once more at the end", () =>
    Effect.gen(function*() {
      const { layer, lines } = listening()
      let waiting = Array.from({ length: 1_001 }, (_, index) => index)
      const written: Array<ReadonlyArray<number>> = []
      yield* Effect.scoped(Effect.gen(function*() {
        let takes = 0
        const someWait = yield* writeBehind({
          name: "Counting",
          lost: "Numbers were lost",
          take: () => {
            takes += 1
            const all = waiting
            waiting = []
            return all
          },
          write: (batch) =>
            batch[0] === 500 ? Effect.fail(new Broken({ at: 500 })) : Effect.sync(() => written.push(batch))
        })
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(takes, 0)
        someWait()
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(written.map((batch) => [batch[0], batch.length]), [[0, 500], [1_000, 1]])
        waiting = [7]
        someWait()
        yield* TestClock.adjust("998 millis")
        assert.strictEqual(written.length, 2)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual([written.length, takes], [3, 2])
        waiting = [8]
      })).pipe(Effect.provide(layer))
      assert.deepStrictEqual(written.slice(2), [[7], [8]])
      assert.deepStrictEqual(lines, ["Warn: Numbers were lost"])
    }))
})

describe("work that is done to its end", () => {
  /** Interrupts work that takes so many seconds after one of them; answers how it ended, and when that was known. */
  const interrupted = Effect.fnUntraced(function*(seconds: number) {
    let ended = "never"
    const work = Effect.sleep(seconds * 1000).pipe(
      Effect.andThen(Effect.sync(() => (ended = "done"))),
      Effect.onInterrupt(() => Effect.sync(() => (ended = "given up")))
    )
    const fiber = yield* Effect.forkChild(toItsEnd(work), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    const begun = yield* Clock.currentTimeMillis
    const interrupting = yield* Effect.forkChild(
      Effect.andThen(Fiber.interrupt(fiber), Clock.currentTimeMillis),
      { startImmediately: true }
    )
    yield* TestClock.adjust("1 minute")
    return [ended, (yield* Fiber.join(interrupting)) - begun] as const
  })

  it.effect("goes on when it is interrupted, which waits for it, and is given up after five seconds", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* interrupted(3), ["done", 2000])
      const [ended, waited] = yield* interrupted(30)
      assert.deepStrictEqual([ended, waited], ["given up", 5000])
    }))

  it.effect("answers and fails as the work does", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* toItsEnd(Effect.succeed(1)), 1)
      const failure = new Broken({ at: 1 })
      assert.strictEqual(yield* Effect.flip(toItsEnd(Effect.fail(failure))), failure)
    }))
})

const seed = 7

/** Something that is away until an instant, and when it was tried. */
const awayUntil = (back: () => number) => {
  const tried: Array<number> = []
  const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    tried.push(now)
    return now < back() ? Effect.fail("away" as const) : Effect.void
  })
  return { attempt, tried }
}

describe("pauses that double", () => {
  it.effect("end within the longest once it would succeed, however long that took", () =>
    Effect.gen(function*() {
      const roll = dice(seed)
      for (let round = 0; round < 40; round++) {
        const begun = yield* Clock.currentTimeMillis
        const back = begun + roll(2 ** roll(24))
        const { attempt, tried } = awayUntil(() => back)
        const fiber = yield* Effect.forkChild(Effect.retry(attempt, doublingPauses("1 second", "30 seconds")))
        yield* TestClock.adjust(back - begun + 30_000)
        assert.isDefined(fiber.pollUnsafe(), `seed ${seed}: away for ${back - begun} ms`)
        yield* Fiber.join(fiber)
        const pauses = tried.slice(1).map((at, index) => at - tried[index]!)
        assert.deepStrictEqual(pauses, pauses.map((_, index) => Math.min(1_000 * 2 ** index, 30_000)))
      }
    }))

  it.effect("begin anew after a success", () =>
    Effect.gen(function*() {
      let back = 600_000
      const { attempt, tried } = awayUntil(() => back)
      const retry = doublingPauses("1 second", "30 seconds")
      yield* Effect.forkChild(
        supervised("Asking", Effect.asVoid(attempt), Schedule.spaced("1 second"), { retry, level: "Debug" })
      )
      yield* TestClock.adjust("10 minutes")
      yield* TestClock.adjust("40 seconds")
      tried.length = 0
      back = Number.POSITIVE_INFINITY
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(tried.slice(1).map((at, index) => at - tried[index]!), [1_000, 2_000])
    }))

  it.effect("are a second each where nothing else is said", () =>
    Effect.gen(function*() {
      const { attempt, tried } = awayUntil(() => 3_600_000)
      yield* Effect.forkChild(untilDone("Asking", attempt, { level: "Debug" }))
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(tried, 3_601)
    }))
})
