import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { FairShareOptions, Share } from "../../../../src/services/ground/admission/FairShare.ts"
import { Crowded, CurrentShare, makeFairShare } from "../../../../src/services/ground/admission/FairShare.ts"

const options: FairShareOptions = {
  name: "transactions",
  capacity: 4,
  perAddress: 3,
  perLicense: 2,
  waiting: { all: 50, each: 20 },
  patience: 1000
}

/** Work that runs until it is let go, and a record of what was begun. */
const desk = (given: Partial<FairShareOptions> = {}) => {
  const share = makeFairShare({ ...options, ...given })
  const begun: Array<string> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
  const start = Effect.fnUntraced(function*(name: string, whose: Share | undefined) {
    const gate = yield* Deferred.make<void>()
    const fiber = yield* share.run(Effect.andThen(
      Effect.sync(() => {
        begun.push(name)
        gates.push(gate)
      }),
      Deferred.await(gate)
    )).pipe(Effect.provideService(CurrentShare, whose), Effect.exit, Effect.forkChild)
    yield* settle
    return fiber
  })
  /** Ends what has run for longest. */
  const finish = Effect.suspend(() => Effect.andThen(Deferred.succeed(gates.shift()!, undefined), settle))
  return { share, begun, start, finish, settle }
}

const of = (address: string, principal = address, license?: string): Share => ({ address, principal, license })

const isCrowded = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) =>
    reason._tag === "Fail" && (reason.error as { reason: { cause: unknown } }).reason.cause instanceof Crowded
  )

describe("a fair share", () => {
  it.effect("makes nobody wait while there is enough, and leaves something for another address", () =>
    Effect.gen(function*() {
      const { begun, finish, start } = desk()
      for (const name of ["a1", "a2", "a3", "a4"]) yield* start(name, of("a"))
      assert.deepStrictEqual(begun, ["a1", "a2", "a3"])
      yield* start("b1", of("b"))
      assert.deepStrictEqual(begun, ["a1", "a2", "a3", "b1"])
      yield* finish
      assert.deepStrictEqual(begun, ["a1", "a2", "a3", "b1", "a4"])
    }))

  it.effect("gives addresses turns, and the credentials of an address, however many wait", () =>
    Effect.gen(function*() {
      const { begun, finish, start } = desk({ capacity: 1, perAddress: 1 })
      yield* start("first", of("x"))
      for (let index = 1; index <= 5; index++) yield* start(`a${index}`, of("a"))
      yield* start("b1", of("b", "key 1"))
      yield* start("b2", of("b", "key 1"))
      yield* start("b3", of("b", "key 2"))
      for (let index = 0; index < 6; index++) yield* finish
      assert.deepStrictEqual(begun, ["first", "a1", "b1", "a2", "b3", "a3", "b2"])
    }))

  it.effect("lets two of a license run, and others past those that wait for it", () =>
    Effect.gen(function*() {
      const { begun, finish, start } = desk()
      for (const [index, address] of ["a", "b", "c", "d"].entries()) {
        yield* start(`full${index}`, of(address, address, "lic_full"))
      }
      yield* start("other", of("a", "a", "lic_other"))
      assert.deepStrictEqual(begun, ["full0", "full1", "other"])
      yield* finish
      assert.deepStrictEqual(begun, ["full0", "full1", "other", "full2"])
    }))

  it.effect("sheds who waits too long, who comes to a queue that is full, and who waits for a license that is held", () =>
    Effect.gen(function*() {
      const { begun, finish, share, start } = desk({ capacity: 1, waiting: { all: 3, each: 2 } })
      yield* start("first", of("a"))
      const patient = yield* start("a2", of("a"))
      yield* start("a3", of("a"))
      assert.isTrue(isCrowded(yield* Fiber.join(yield* start("a4", of("a")))))
      yield* TestClock.adjust(1000)
      assert.isTrue(isCrowded(yield* Fiber.join(patient)))
      const held = yield* start("h", of("b", "b", "lic_h"))
      yield* share.shed("lic_h")
      assert.isTrue(isCrowded(yield* Fiber.join(held)))
      yield* finish
      yield* start("next", of("c"))
      assert.deepStrictEqual(begun, ["first", "next"])
    }))

  it.effect("forgets who has gone, and never counts the service's own work", () =>
    Effect.gen(function*() {
      const { begun, finish, start } = desk({ capacity: 1 })
      const running = yield* start("a1", of("a"))
      const gone = yield* start("a2", of("a"))
      yield* start("own", undefined)
      yield* Fiber.interrupt(gone)
      yield* Fiber.interrupt(running)
      yield* start("a3", of("a"))
      yield* finish
      assert.deepStrictEqual(begun, ["a1", "own", "a3"])
    }))
})
