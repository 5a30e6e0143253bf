import { PgPool } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Duplex } from "node:stream"
import { makeRelievedPool } from "../../../src/runtime/postgres/PoolMetrics.ts"
import { database } from "../../fixtures/Session.ts"

/** A stream to a server that never says anything. */
const silence = () => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })

/** A pool whose first connections never come; those of the pools after it do. */
const stuckPool = Effect.fnUntraced(function*(options: { readonly mayGrow: boolean; readonly moves: () => number }) {
  const url = yield* Effect.promise(database)
  let made = 0
  let waiting = 0
  const pool = yield* makeRelievedPool({
    ...options,
    make: Effect.suspend(() => {
      made += 1
      return PgPool.make({
        url: Redacted.make(url),
        ...(made === 1 ? { stream: silence, connectTimeout: "1 hour" } : {})
      })
    }),
    waiting: () => waiting,
    mayGrow: () => options.mayGrow
  })
  const counted = <A, E, R>(borrow: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      waiting += 1
      return Effect.ensuring(borrow, Effect.sync(() => (waiting -= 1)))
    })
  return { pool, counted, made: () => made }
})

describe("a pool whose borrowers wait while nothing is under way", () => {
  it.effect("is replaced, and those that wait are served by the new one", () =>
    Effect.gen(function*() {
      const { counted, made, pool } = yield* stuckPool({ mayGrow: true, moves: () => 0 })
      let works = 0
      const borrowers = yield* Effect.forEach(
        [
          Effect.scoped(Effect.flatMap(pool.get, ({ query }) => query("SELECT 1 AS one", [], false))),
          Effect.scoped(Effect.flatMap(pool.reserve, ({ query }) => query("SELECT 1 AS one", [], false))),
          pool.use(({ query }) => {
            works += 1
            return query("SELECT 1 AS one", [], false)
          })
        ],
        (borrower) => Effect.forkChild(counted(borrower), { startImmediately: true })
      )
      yield* TestClock.adjust("6 seconds")
      for (const { rows } of yield* Effect.forEach(borrowers, Fiber.join)) assert.deepStrictEqual(rows, [{ one: 1 }])
      assert.strictEqual(works, 1)
      yield* TestClock.adjust("12 seconds")
      assert.strictEqual(made(), 2)
    }))

  it.effect("interrupts work that has its connection no second time", () =>
    Effect.gen(function*() {
      const { counted, pool } = yield* stuckPool({ mayGrow: true, moves: () => 0 })
      const borrower = yield* Effect.forkChild(counted(pool.get), { startImmediately: true })
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(borrower)
      let works = 0
      const cause = yield* Effect.flip(Effect.sandbox(pool.use(() => {
        works += 1
        return Effect.interrupt
      })))
      assert.isTrue(cause.reasons.length > 0)
      assert.strictEqual(works, 1)
    }))

  it.effect("is left alone while connections are opened, or where it may open none", () =>
    Effect.gen(function*() {
      for (const mayGrow of [true, false]) {
        let moves = 0
        const { counted, made, pool } = yield* stuckPool({ mayGrow, moves: () => moves })
        const borrower = yield* Effect.forkChild(counted(Effect.scoped(pool.get)), { startImmediately: true })
        for (let look = 0; look < 3; look++) {
          yield* TestClock.adjust("3 seconds")
          if (mayGrow) moves += 1
          yield* TestClock.adjust("3 seconds")
        }
        assert.strictEqual(made(), 1)
        yield* Fiber.interrupt(borrower)
      }
    }))
})
