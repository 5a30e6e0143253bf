import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { followClock, makeShiftedClock } from "../../../src/runtime/environments/EnvironmentApp.ts"
import {
  empty,
  isIncarnation,
  prepare,
  targetOf,
  vacate
} from "../../../src/runtime/environments/EnvironmentDatabase.ts"
import { smallPools } from "../../../src/runtime/environments/EnvironmentSettings.ts"
import * as NodeCryptography from "../../../src/runtime/node/NodeCryptography.ts"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { DatabasePools } from "../../../src/runtime/postgres/DatabaseServer.ts"
import { Identifiers } from "../../../src/services/ground/persistence/Identifiers.ts"
import { makeEarlyRounds } from "../../../src/services/ground/platform/Supervised.ts"
import { database, session } from "../../fixtures/Session.ts"

const hour = 3_600_000

const makeTarget = Effect.gen(function*() {
  const named = Redacted.make(yield* Effect.promise(database))
  const target = targetOf("test", named, named)
  yield* prepare(target)
  return target
})

/** A node that follows the clock of an environment until the scope closes. */
const makeNode = Effect.fnUntraced(function*(target: Effect.Success<typeof makeTarget>) {
  const incarnation = yield* prepare(target)
  const pools = { ...smallPools, question: isIncarnation(incarnation) }
  const context = yield* Layer.build(
    Layer.merge(Database.layerOf(target.url), Identifiers.layer).pipe(
      Layer.provide(Layer.merge(Layer.succeed(DatabasePools, pools), NodeCryptography.layer))
    )
  )
  const clock = makeShiftedClock(yield* Clock.Clock)
  const rounds = makeEarlyRounds()
  const gone = yield* Deferred.make<void>()
  const following = { clock, rounds, incarnation, url: target.url }
  const events = { gone: Effect.asVoid(Deferred.succeed(gone, undefined)) }
  const followed = yield* Effect.provideContext(followClock(following, events), context)
  return { ...followed, clock, rounds, gone: Deferred.await(gone) }
})

describe("the clock of an environment", () => {
  // The time of these tests stands still, so no look of a node comes by itself.
  it.effect("is what the next look says, whichever node has moved it, and what waits begins its next round", () =>
    Effect.gen(function*() {
      const target = yield* makeTarget
      const other = yield* Effect.promise(() => session(Redacted.value(target.url)))
      const { clock, isCurrent, movable, rounds } = yield* makeNode(target)
      for (const hours of [1, 2, 30]) {
        yield* Effect.promise(() =>
          other.query("SELECT environment_clock_moved(pg_catalog.clock_timestamp() + $1 * interval '1 hour')", [hours])
        )
        const called = rounds.count()
        assert.isTrue(yield* isCurrent)
        assert.strictEqual(Math.round(clock.ahead() / hour), hours)
        yield* movable.announce
        yield* rounds.after(called)
      }
    }))

  it.live("is that of an emptied database no more, which a node of before learns with its next look", () =>
    Effect.gen(function*() {
      const target = yield* makeTarget
      const { gone, isCurrent } = yield* makeNode(target)
      yield* empty(target)
      assert.isFalse(yield* isCurrent)
      yield* gone
      const anew = yield* makeNode(target)
      assert.isTrue(yield* anew.isCurrent)
    }))

  it.effect("is left by a node that is asked to, without waiting for its next look", () =>
    Effect.gen(function*() {
      const target = yield* makeTarget
      const scope = yield* Scope.make()
      const { gone, rounds } = yield* Scope.provide(makeNode(target), scope)
      // It listens from its first round on.
      yield* rounds.after(0)
      const vacated = yield* Effect.forkChild(vacate(target))
      yield* gone
      yield* Fiber.interrupt(vacated)
    }))

  it.live("is moved by one at a time, and by the next once that one is done or gone", () =>
    Effect.gen(function*() {
      const target = yield* makeTarget
      const one = yield* makeNode(target)
      const other = yield* makeNode(target)
      const turn = yield* Scope.make()
      assert.isTrue(yield* Scope.provide(one.movable.takeTurn, turn))
      const waiting = yield* Effect.forkChild(Effect.scoped(other.movable.takeTurn))
      const { query } = yield* Effect.promise(() => session(Redacted.value(target.url)))
      // Every session of the first node ends, as when it dies.
      yield* Effect.promise(() =>
        query(`SELECT pg_terminate_backend(pid) FROM pg_locks
          WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
      )
      assert.isTrue(yield* Fiber.join(waiting))
      yield* Scope.close(turn, Exit.void)
    }))
})

describe("a reset", () => {
  it.effect("is done once for all who ask for it at the same time, on whichever node", () =>
    Effect.gen(function*() {
      const target = yield* makeTarget
      const before = yield* prepare(target)
      yield* Effect.all([empty(target, { incarnation: before }), empty(target, { incarnation: before })], {
        concurrency: "unbounded"
      })
      const after = yield* prepare(target)
      assert.notStrictEqual(after, before)
      const { query } = yield* Effect.promise(() => session(Redacted.value(target.url)))
      yield* Effect.promise(() => query("CREATE TABLE kept ()"))
      yield* empty(target, { incarnation: before })
      const [{ kept }] = yield* Effect.promise(() => query("SELECT to_regclass('kept') IS NOT NULL AS kept"))
      assert.isTrue(kept)
      assert.strictEqual(yield* prepare(target), after)
      yield* empty(target, { incarnation: after })
      assert.notStrictEqual(yield* prepare(target), after)
    }))

  it.effect("is done for an environment that nodes were only asked to leave", () =>
    Effect.gen(function*() {
      const target = yield* makeTarget
      const before = yield* prepare(target)
      yield* vacate(target)
      yield* empty(target, { incarnation: before })
      assert.notStrictEqual((yield* prepare(target)).split(".")[0], before)
    }))
})
