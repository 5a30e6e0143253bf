import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { relieve } from "../../../src/runtime/postgres/PoolRelief.ts"

const places = 12

interface Asked {
  asked: number
  moves: number
  readonly get: Effect.Effect<void>
}

/** A pool that wakes its borrowers only when more ask than its connections take, as one that counts a failed connection. */
const stuckPool = Effect.map(Deferred.make<void>(), (woken) => {
  const pool: Asked = {
    asked: 0,
    moves: 0,
    get: Effect.suspend(() => {
      pool.asked += 1
      const wake = pool.asked > places ? Deferred.succeed(woken, undefined) : Effect.void
      return Effect.andThen(wake, Deferred.await(woken))
    })
  }
  return pool
})

const relieved = (pool: Asked, mayGrow = true) =>
  relieve({ get: pool.get, waiting: () => pool.asked, mayGrow: () => mayGrow, moves: () => pool.moves, places })

describe("a pool whose borrowers wait while nothing is under way", () => {
  it.effect("is asked for more connections, which serves those that wait", () =>
    Effect.gen(function*() {
      const pool = yield* stuckPool
      yield* relieved(pool)
      const borrower = yield* Effect.forkChild(pool.get, { startImmediately: true })
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(borrower)
      assert.strictEqual(pool.asked, places + 1)
    }))

  it.effect("is left alone while connections are opened, or where it may open none", () =>
    Effect.gen(function*() {
      for (const mayGrow of [true, false]) {
        const pool = yield* stuckPool
        yield* relieved(pool, mayGrow)
        yield* Effect.forkChild(pool.get, { startImmediately: true })
        for (let look = 0; look < 3; look++) {
          yield* TestClock.adjust("3 seconds")
          if (mayGrow) pool.moves += 1
          yield* TestClock.adjust("3 seconds")
        }
        assert.strictEqual(pool.asked, 1)
      }
    }))
})
