import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../../src/domain/ground/wire/Errors.ts"
import type { App } from "../../../src/http/ground/edge/Edge.ts"
import { EnvironmentAway } from "../../../src/runtime/environments/EnvironmentDatabase.ts"
import { atOnce, makeEnvironmentHost, mostWaiting } from "../../../src/runtime/environments/Environments.ts"
import { EnvironmentReset } from "../../../src/services/ground/environments/CurrentEnvironment.ts"

const request = HttpServerRequest.fromWeb(new Request("http://127.0.0.1/"))

/** An environment whose steps are noted, and whose requests do `work`. */
const makeHost = Effect.fnUntraced(function*(
  work: (events: { readonly gone: Effect.Effect<void> }) => Effect.Effect<void>,
  failing = 0,
  isKept = false
) {
  const steps: Array<string> = []
  let incarnation = 0
  let left = failing
  const { answer } = yield* makeEnvironmentHost({
    pace: { run: (work) => work },
    empty: (asked) =>
      isKept
        ? Effect.fail(new EnvironmentAway({ message: "kept" }))
        : Effect.sync(() => {
          if (asked !== String(incarnation)) return
          incarnation += 1
          steps.push("empty")
        }),
    make: (events) =>
      Effect.gen(function*() {
        steps.push("start")
        if (left-- > 0) return yield* new EnvironmentAway({ message: "away" })
        yield* Effect.addFinalizer(() => Effect.sync(() => steps.push("stop")))
        const app: App = Effect.as(work(events), HttpServerResponse.text(String(steps.length)))
        const own = incarnation
        return { app, incarnation: String(own), isCurrent: Effect.sync(() => own === incarnation) }
      })
  })
  return {
    steps,
    /** Another node empties it. */
    emptyElsewhere: () => void (incarnation += 1),
    ask: Effect.scoped(Effect.provideService(answer, HttpServerRequest.HttpServerRequest, request))
  }
})

describe("an environment beside the live one", () => {
  it.effect("starts once, with the first of many requests, whoever goes away meanwhile", () =>
    Effect.gen(function*() {
      const { ask, steps } = yield* makeHost(() => Effect.void)
      const first = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* Effect.all(Array.from({ length: 20 }, () => ask), { concurrency: "unbounded" })
      assert.deepStrictEqual(steps, ["start"])
    }))

  it.effect("is not tried again at once where it could not start", () =>
    Effect.gen(function*() {
      const { ask, steps } = yield* makeHost(() => Effect.void, 1)
      for (let request = 0; request < 3; request++) {
        const failure = yield* Effect.flip(ask)
        assert.strictEqual((failure as EnvironmentAway)._tag, "EnvironmentAway")
      }
      assert.deepStrictEqual(steps, ["start"])
    }))

  it.effect("keeps what one request asked for from others, and goes on after a reset that failed", () =>
    Effect.gen(function*() {
      let asks = true
      const { ask, steps } = yield* makeHost(
        () =>
          Effect.map(EnvironmentReset, (reset) => {
            if (asks) reset!.ask()
            asks = false
          }),
        0,
        true
      )
      assert.strictEqual((yield* Effect.flip(ask) as Effect.Effect<EnvironmentAway>)._tag, "EnvironmentAway")
      yield* ask
      yield* ask
      assert.deepStrictEqual(steps, ["start", "stop", "start"])
    }))

  it.effect("is emptied before the request that asked for it is answered, and begins anew", () =>
    Effect.gen(function*() {
      let asks = true
      const { ask, steps } = yield* makeHost(() =>
        Effect.map(EnvironmentReset, (reset) => {
          if (asks) reset!.ask()
          asks = false
        })
      )
      yield* ask
      assert.deepStrictEqual(steps, ["start", "stop", "empty"])
      yield* ask
      assert.deepStrictEqual(steps, ["start", "stop", "empty", "start"])
    }))

  it.effect("stops only when the requests in it have left", () =>
    Effect.gen(function*() {
      const entered = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const { ask, steps } = yield* makeHost(({ gone }) =>
        Effect.gen(function*() {
          yield* gone
          yield* Deferred.succeed(entered, undefined)
          yield* Deferred.await(release)
          steps.push("answered")
        })
      )
      const asked = yield* Effect.forkChild(ask)
      yield* Deferred.await(entered)
      yield* Effect.yieldNow
      assert.deepStrictEqual(steps, ["start"])
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(asked)
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => steps.length === 3 }))
      assert.deepStrictEqual(steps, ["start", "answered", "stop"])
    }))

  it.effect("is started anew, before a request is answered, once another node has emptied it", () =>
    Effect.gen(function*() {
      const { ask, emptyElsewhere, steps } = yield* makeHost(() => Effect.void)
      yield* ask
      emptyElsewhere()
      yield* Effect.all([ask, ask, ask], { concurrency: "unbounded" })
      assert.deepStrictEqual(steps, ["start", "stop", "start"])
    }))

  it.effect("is emptied once for all requests that ask for it at the same time", () =>
    Effect.gen(function*() {
      const all = yield* Deferred.make<void>()
      let asking = 0
      const { ask, steps } = yield* makeHost(() =>
        Effect.flatMap(EnvironmentReset, (reset) => {
          reset!.ask()
          asking += 1
          return asking === 3 ? Deferred.succeed(all, undefined) : Deferred.await(all)
        })
      )
      yield* Effect.all([ask, ask, ask], { concurrency: "unbounded" })
      assert.strictEqual(steps.filter((step) => step === "empty").length, 1)
    }))

  it.effect("answers requests that do not leave in time when it stops, though their work never ends", () =>
    Effect.gen(function*() {
      const stopping = yield* Deferred.make<void>()
      let left = 4
      const { ask, steps } = yield* makeHost(({ gone }) =>
        Effect.suspend(() => {
          if (left === 0) return Effect.void
          left -= 1
          const last = left === 0 ? Effect.andThen(gone, Deferred.succeed(stopping, undefined)) : Effect.void
          return Effect.uninterruptible(Effect.andThen(last, Effect.never))
        })
      )
      // Four have all turns, and the fifth waits for one.
      const asked = yield* Effect.forEach(
        [1, 2, 3, 4, 5],
        () => Effect.forkChild(Effect.flip(ask), { startImmediately: true })
      )
      yield* Deferred.await(stopping)
      yield* TestClock.adjust("6 seconds")
      for (const each of asked) assert.propertyVal(yield* Fiber.join(each), "_tag", "UNAVAILABLE")
      assert.deepStrictEqual(steps, ["start", "stop"])
      yield* ask
    }))

  it.effect("refuses requests beyond those that may wait, and says why; one that goes away leaves its place", () =>
    Effect.gen(function*() {
      const release = yield* Deferred.make<void>()
      const { ask } = yield* makeHost(() => Deferred.await(release))
      // Some are worked on, and the others wait.
      const asked = yield* Effect.forEach(
        Array.from({ length: atOnce + mostWaiting }),
        () => Effect.forkChild(ask, { startImmediately: true })
      )
      yield* Effect.yieldNow
      const refused = yield* Effect.flip(ask)
      assert.instanceOf(refused, Unavailable)
      assert.include(refused.error.message, "live goes first")
      yield* Fiber.interrupt(asked.pop()!)
      const last = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* Deferred.succeed(release, undefined)
      for (const each of [...asked, last]) yield* Fiber.join(each)
    }))
})
