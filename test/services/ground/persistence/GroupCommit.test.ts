import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { makeGroupCommit } from "../../../../src/services/ground/persistence/GroupCommit.ts"

interface Item {
  readonly key: string
  readonly value: number
}

/** A group commit whose commits wait until they are let go, one by one. */
const gated = Effect.fnUntraced(function*(
  options: { readonly maximum: number; readonly concurrency: number }
) {
  const groups: Array<ReadonlyArray<Item>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  let most = 0
  let running = 0
  const submit = yield* makeGroupCommit<Item, number, string>({
    maximum: options.maximum,
    concurrency: options.concurrency,
    stopped: Exit.fail("stopped"),
    keyOf: ({ key }) => key,
    commit: Effect.fnUntraced(function*(items) {
      const gate = yield* Deferred.make<void>()
      groups.push(items)
      gates.push(gate)
      running++
      most = Math.max(most, running)
      yield* Deferred.await(gate)
      running--
      if (items.some(({ value }) => value < 0)) return yield* Effect.die("broken")
      return items.map(({ value }) => value % 2 === 0 ? Exit.succeed(value * 10) : Exit.fail(`odd ${value}`))
    })
  })
  /** Lets the fibers run until nothing moves any more. */
  const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
  const letGo = (index: number) => Effect.andThen(Deferred.succeed(gates[index]!, undefined), settle)
  const submitAll = (items: ReadonlyArray<Item>) =>
    Effect.forEach(items, (item) => Effect.forkChild(Effect.exit(submit(item)))).pipe(Effect.tap(settle))
  return { groups, settle, letGo, submitAll, most: () => most }
})

const items = (key: string, ...values: ReadonlyArray<number>): ReadonlyArray<Item> =>
  values.map((value) => ({ key, value }))

describe("group commit", () => {
  it.effect("commits what waits for a key together, and gives each its own answer", () =>
    Effect.scoped(Effect.gen(function*() {
      const { groups, letGo, submitAll } = yield* gated({ maximum: 10, concurrency: 4 })
      const first = yield* submitAll(items("a", 2))
      const rest = yield* submitAll(items("a", 4, 5, 6))
      assert.deepStrictEqual(groups, [items("a", 2)])
      yield* letGo(0)
      assert.deepStrictEqual(groups, [items("a", 2), items("a", 4, 5, 6)])
      yield* letGo(1)
      const exits = yield* Effect.forEach([...first, ...rest], Fiber.join)
      assert.deepStrictEqual(exits, [Exit.succeed(20), Exit.succeed(40), Exit.fail("odd 5"), Exit.succeed(60)])
    })))

  it.effect("never has two commits for one key, and no more at once than it may", () =>
    Effect.scoped(Effect.gen(function*() {
      const { groups, letGo, most, submitAll } = yield* gated({ maximum: 10, concurrency: 2 })
      yield* submitAll(items("a", 2))
      yield* submitAll(items("b", 2))
      yield* submitAll([...items("a", 4), ...items("c", 2)])
      assert.deepStrictEqual(groups, [items("a", 2), items("b", 2)])
      yield* letGo(1)
      assert.deepStrictEqual(groups[2], items("c", 2))
      yield* letGo(0)
      assert.deepStrictEqual(groups[3], items("a", 4))
      yield* letGo(2)
      yield* letGo(3)
      assert.strictEqual(most(), 2)
      // All workers have gone home: what comes next finds one.
      const last = yield* submitAll(items("c", 8))
      yield* letGo(4)
      assert.deepStrictEqual(yield* Fiber.join(last[0]!), Exit.succeed(80))
    })))

  it.effect("lets what somebody outside holds wait alone, and nobody else with it", () =>
    Effect.scoped(Effect.gen(function*() {
      const groups: Array<readonly [waits: boolean, keys: ReadonlyArray<string>]> = []
      const gate = yield* Deferred.make<void>()
      const settled: Array<string> = []
      const submit = yield* makeGroupCommit<Item, number, string>({
        keyOf: ({ key }) => key,
        maximum: 10,
        concurrency: 1,
        stopped: Exit.fail("stopped"),
        commit: Effect.fnUntraced(function*(items, { wait }) {
          groups.push([wait, items.map(({ key }) => key)])
          if (wait) yield* Deferred.await(gate)
          if (wait && items.some(({ value }) => value === 0)) return yield* Effect.die("held too long")
          return items.map(({ key, value }) => key === "held" && !wait ? undefined : Exit.succeed(value))
        })
      })
      const ask = (key: string, value: number) =>
        Effect.forkChild(Effect.exit(submit({ key, value }, () => settled.push(`${key} ${value}`))))
      const turns = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
      const first = yield* ask("held", 1)
      const beside = yield* ask("a", 2)
      yield* turns
      const later = yield* ask("held", 3)
      const free = yield* ask("b", 4)
      assert.deepStrictEqual(yield* Fiber.join(beside), Exit.succeed(2))
      assert.deepStrictEqual(yield* Fiber.join(free), Exit.succeed(4))
      assert.deepStrictEqual(settled, ["a 2", "b 4"])
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(first), Exit.succeed(1))
      assert.deepStrictEqual(yield* Fiber.join(later), Exit.succeed(3))
      assert.deepStrictEqual(groups, [
        [false, ["held", "a"]],
        [true, ["held"]],
        [false, ["b"]],
        [true, ["held"]]
      ])
      // Once nobody holds it, it goes with the others again.
      yield* ask("held", 5)
      yield* turns
      assert.deepStrictEqual(groups.at(-2), [false, ["held"]])
    })))

  it.effect("answers what it cannot carry out any more when its scope closes", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { settle, submitAll } = yield* gated({ maximum: 1, concurrency: 1 }).pipe(Scope.provide(scope))
      const waiting = yield* submitAll([...items("a", 2), ...items("a", 4), ...items("b", 6)])
      yield* settle
      yield* Scope.close(scope, Exit.void)
      const exits = yield* Effect.forEach(waiting, Fiber.join)
      assert.deepStrictEqual(exits, [Exit.fail("stopped"), Exit.fail("stopped"), Exit.fail("stopped")])
    }))

  it.effect("answers what is submitted after its scope closed, and says that it is settled", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const groups: Array<ReadonlyArray<Item>> = []
      const submit = yield* makeGroupCommit<Item, number, string>({
        maximum: 1,
        concurrency: 1,
        stopped: Exit.fail("stopped"),
        keyOf: ({ key }) => key,
        commit: (items) =>
          Effect.sync(() => {
            groups.push(items)
            return items.map(({ value }) => Exit.succeed(value))
          })
      }).pipe(Scope.provide(scope))
      yield* Scope.close(scope, Exit.void)
      let settled = 0
      assert.deepStrictEqual(
        yield* Effect.exit(submit({ key: "a", value: 2 }, () => void settled++)),
        Exit.fail("stopped")
      )
      assert.strictEqual(settled, 1)
      assert.deepStrictEqual(groups, [])
    }))

  it.effect("splits what is larger than a group", () =>
    Effect.scoped(Effect.gen(function*() {
      const { groups, letGo, submitAll } = yield* gated({ maximum: 3, concurrency: 2 })
      const fibers = yield* submitAll(items("a", 2, 4, 6, 8, 10, 12, 14))
      for (let index = 0; index < 3; index++) yield* letGo(index)
      assert.deepStrictEqual(groups.map(({ length }) => length), [3, 3, 1])
      const exits = yield* Effect.forEach(fibers, Fiber.join)
      assert.isTrue(exits.every(Exit.isSuccess))
    })))

  it.effect("fails a group that broke, and goes on with the next", () =>
    Effect.scoped(Effect.gen(function*() {
      const { letGo, submitAll } = yield* gated({ maximum: 10, concurrency: 1 })
      const broken = yield* submitAll(items("a", 2, -1))
      const next = yield* submitAll(items("a", 4))
      yield* letGo(0)
      yield* letGo(1)
      const exits = yield* Effect.forEach([...broken, ...next], Fiber.join)
      assert.deepStrictEqual(exits, [Exit.die("broken"), Exit.die("broken"), Exit.succeed(40)])
    })))
})
