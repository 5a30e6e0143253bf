import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { LoadKind } from "../../../../src/domain/ground/admission/LoadControl.ts"
import { environmentNames } from "../../../../src/domain/ground/environments/EnvironmentName.ts"
import type { EnvironmentName } from "../../../../src/domain/ground/environments/EnvironmentName.ts"
import { Admission, EventLoop } from "../../../../src/services/ground/admission/Admission.ts"

/** Admission on a clock that the test turns. */
const makeAdmission = Effect.fnUntraced(function*(room = 200) {
  let at = 0
  let asked = 0
  const loop = Layer.succeed(EventLoop, {
    lag: () => {
      asked += 1
      return 0
    },
    now: () => at
  })
  const options = { room, target: 100, largeAnswers: 3, largeAnswersPerAddress: 2 }
  const admission = yield* Effect.provide(Admission, Layer.provide(Admission.layer(options), loop))
  /** Requests in flight of an environment, as many of those asked for as are admitted. */
  const enter = (environment: EnvironmentName, count: number, kind: LoadKind = "management") => {
    const entered: Array<object> = []
    for (let n = 0; n < count; n++) {
      const request = {}
      const ticket = admission.admit(request, kind, environment)
      if (ticket === undefined) continue
      admission.begin(ticket)
      entered.push(request)
    }
    return entered
  }
  const leave = (requests: ReadonlyArray<object>) => {
    for (const request of requests) admission.leave(request, 200)
  }
  const pass = (millis: number) => void (at += millis)
  return { admission, enter, leave, pass, asked: () => asked }
})

describe("admission to an environment", () => {
  it.effect("leaves the others their places, whichever is full", () =>
    Effect.gen(function*() {
      for (const full of environmentNames) {
        const { admission, enter } = yield* makeAdmission()
        const entered = enter(full, 1_000).length
        assert.strictEqual(entered, full === "live" ? 200 : 64)
        assert.strictEqual(admission.open(full), entered)
        for (const other of environmentNames.filter((name) => name !== full)) {
          assert.strictEqual(admission.open(other), 0)
          assert.lengthOf(enter(other, 20), 20)
          assert.strictEqual(admission.open(other), 20)
        }
        assert.strictEqual(admission.open(), entered + 20)
      }
    }))

  it.effect("gives no environment more places than the operator gave the live one", () =>
    Effect.gen(function*() {
      const { enter } = yield* makeAdmission(3)
      assert.lengthOf(enter("test", 10), 3)
    }))

  it.effect("gives back the place in the environment that the request was admitted to", () =>
    Effect.gen(function*() {
      const { admission, enter, leave } = yield* makeAdmission(3)
      const inTest = enter("test", 3)
      enter("live", 3)
      leave(inTest)
      leave(inTest)
      assert.deepStrictEqual([admission.open("test"), admission.open("live")], [0, 3])
      assert.lengthOf(enter("live", 1), 0)
      assert.lengthOf(enter("test", 5), 3)
    }))

  it.effect("measures how long its own requests take, and nothing of those of others", () =>
    Effect.gen(function*() {
      const slow = Effect.fnUntraced(function*(environment: EnvironmentName) {
        const { admission, asked, enter, leave, pass } = yield* makeAdmission()
        const standing = enter(environment, 100)
        // Each is answered ten times as late as requests may be, in many windows of the measurement.
        for (let window = 0; window < 40; window++) {
          leave(standing.splice(0, 20))
          pass(250)
          standing.push(...enter(environment, 20, "question"))
        }
        enter("live", 1_000)
        return { room: admission.open("live") - (environment === "live" ? standing.length : 0), asked: asked() }
      })
      assert.deepStrictEqual(yield* slow("test"), { room: 200, asked: 1 })
      assert.isBelow((yield* slow("live")).room, 200 - 100)
    }))

  it.effect("has places of its own for large answers", () =>
    Effect.gen(function*() {
      const { admission } = yield* makeAdmission()
      const taken = ["a", "a", "b"].map((network) => admission.large(network, "test"))
      for (const release of taken) assert.isDefined(release)
      assert.isFalse(admission.hasPlace("c", "test"))
      assert.isUndefined(admission.large("c", "test"))
      assert.isTrue(admission.hasPlace("a", "live"))
      assert.isDefined(admission.large("a", "live"))
      taken[0]!()
      taken[0]!()
      assert.isTrue(admission.hasPlace("a", "test"))
      assert.isDefined(admission.large("a", "test"))
      assert.isFalse(admission.hasPlace("a", "test"))
    }))

  it.effect("counts the requests of each that began within the last second, not those whose body has not come", () =>
    Effect.gen(function*() {
      const { admission, enter, pass } = yield* makeAdmission()
      enter("live", 20)
      admission.admit({}, "question", "live")
      assert.deepStrictEqual([admission.begunLately("live"), admission.begunLately("test")], [20, 0])
      pass(2_000)
      assert.strictEqual(admission.begunLately("live"), 0)
    }))

  it.effect("is quiet once the last of its requests is answered, but for large answers", () =>
    Effect.gen(function*() {
      const { admission, enter, leave } = yield* makeAdmission()
      yield* admission.quiet("live")
      const [first, second, download] = enter("live", 3)
      enter("test", 1)
      const release = admission.large("a", "live")!
      let isQuiet = false
      const waiting = yield* Effect.forkChild(
        Effect.andThen(admission.quiet("live"), Effect.sync(() => void (isQuiet = true))),
        { startImmediately: true }
      )
      const gone = yield* Effect.forkChild(admission.quiet("live"), { startImmediately: true })
      yield* Fiber.interrupt(gone)
      leave([first!])
      yield* Effect.yieldNow
      assert.isFalse(isQuiet)
      leave([second!])
      yield* Fiber.join(waiting)
      release()
      leave([download!])
      yield* admission.quiet("live")
    }))
})
