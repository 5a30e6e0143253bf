import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import {
  empty,
  EnvironmentAway,
  fillingSession,
  prepare,
  vacate
} from "../../../src/runtime/environments/EnvironmentDatabase.ts"
import type { EnvironmentTarget } from "../../../src/runtime/environments/EnvironmentDatabase.ts"
import { database, session } from "../../fixtures/Session.ts"
import type { Session } from "../../fixtures/Session.ts"

const day = 86_400_000

/** An environment of its own, prepared, and a session with its database. */
const makeEnvironment = Effect.fnUntraced(function*() {
  const url = yield* Effect.promise(database)
  const target: EnvironmentTarget = {
    name: "test",
    url: Redacted.make(url),
    database: new URL(url).pathname.slice(1),
    beside: undefined
  }
  yield* prepare(target)
  return { target, look: () => Effect.promise(() => session(url)) }
})

/** How far the clock is ahead of real time, in milliseconds. */
const aheadOf = ({ query }: Session) =>
  Effect.map(
    Effect.promise(() => query("SELECT extract(epoch FROM ahead)::float8 * 1000 AS ahead FROM environment_clock")),
    ([row]) => Number(row.ahead)
  )

/** Moves the clock to so many milliseconds from real time. */
const move = ({ query }: Session, fromReal: number) =>
  Effect.promise(() =>
    query("SELECT environment_clock_moved(pg_catalog.clock_timestamp() + make_interval(secs => $1))", [fromReal / 1000])
  )

describe("the database of an environment that a command fills", () => {
  it.live("is emptied with a clock that begins in the past, and goes with real time once it has come to it", () =>
    Effect.gen(function*() {
      const { look, target } = yield* makeEnvironment()
      yield* empty(target, { now: new Date(Date.now() - 365 * day) })
      const sql = yield* look()
      assert.isBelow(yield* aheadOf(sql), -364 * day)
      const [{ behind }] = yield* Effect.promise(() =>
        sql.query("SELECT extract(epoch FROM pg_catalog.now() - now())::float8 AS behind")
      )
      assert.isAbove(Number(behind) * 1000, 364 * day)
      yield* move(sql, -2 * day)
      const before = yield* aheadOf(sql)
      assert.isAbove(before, -3 * day)
      assert.isBelow(before, -day)
      // Whoever waits for the last fraction of a second would never come to an end.
      yield* move(sql, -500)
      assert.strictEqual(yield* aheadOf(sql), 0)
      yield* move(sql, day)
      assert.isAbove(yield* aheadOf(sql), day / 2)
    }))

  it.live("begins at real time where no instant is given", () =>
    Effect.gen(function*() {
      const { look, target } = yield* makeEnvironment()
      const moved = yield* look()
      yield* move(moved, day)
      yield* empty(target)
      assert.strictEqual(yield* aheadOf(yield* look()), 0)
    }))

  it.live("is started and emptied by nobody but the command that fills it", () =>
    Effect.gen(function*() {
      const { target } = yield* makeEnvironment()
      const { name, url } = target
      yield* Effect.scoped(Effect.gen(function*() {
        yield* PgConnection.make({ url, applicationName: fillingSession })
        for (const refused of [prepare(target), empty(target)]) {
          const failure = yield* Effect.flip(refused)
          assert.instanceOf(failure, EnvironmentAway)
          assert.include(failure.message, `The ${name} environment is being filled with sample data`)
        }
        yield* prepare(target, true)
        yield* empty(target, { isFilling: true })
      }))
      yield* prepare(target)
    }))

  it.live("is left by the nodes that run it when a command asks for it, which waits for them", () =>
    Effect.gen(function*() {
      const { look, target } = yield* makeEnvironment()
      const node = yield* look()
      const incarnation = Effect.map(
        Effect.promise(() => node.query("SELECT incarnation FROM environment_clock")),
        ([row]) => String(row.incarnation)
      )
      const before = yield* incarnation
      const asked = yield* Effect.forkChild(vacate(target))
      yield* Effect.repeat(incarnation, { until: (now) => now !== before })
      assert.isUndefined(asked.pollUnsafe())
      yield* Effect.promise(node.close)
      yield* Fiber.join(asked)
    }))
})
