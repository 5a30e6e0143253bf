import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { App } from "../../../src/http/edge/Edge.ts"
import { EnvironmentAway } from "../../../src/runtime/environments/EnvironmentDatabase.ts"
import { makeEnvironmentHost } from "../../../src/runtime/environments/EnvironmentHost.ts"
import { EnvironmentReset } from "../../../src/services/environment/EnvironmentReset.ts"

const request = HttpServerRequest.fromWeb(new Request("http://127.0.0.1/"))

/** An environment whose steps are noted, and whose requests do `work`. */
const makeHost = Effect.fnUntraced(function*(
  work: (events: { readonly gone: Effect.Effect<void> }) => Effect.Effect<void>,
  failing = 0,
  isKept = false
) {
  const steps: Array<string> = []
  let left = failing
  const { answer } = yield* makeEnvironmentHost({
    isLiveBusy: () => false,
    empty: isKept
      ? Effect.fail(new EnvironmentAway({ message: "kept" }))
      : Effect.sync(() => void steps.push("empty")),
    make: (events) =>
      Effect.gen(function*() {
        steps.push("start")
        if (left-- > 0) return yield* new EnvironmentAway({ message: "away" })
        yield* Effect.addFinalizer(() => Effect.sync(() => steps.push("stop")))
        const app: App = Effect.as(work(events), HttpServerResponse.text(String(steps.length)))
        return { app }
      })
  })
  return { steps, ask: Effect.scoped(Effect.provideService(answer, HttpServerRequest.HttpServerRequest, request)) }
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
})
