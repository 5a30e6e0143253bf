import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { MachineId, RunnerAddress, ShardId } from "effect/cluster"
import { TestClock } from "effect/testing"
import { givingBackTogether } from "../../src/runtime/Cluster.ts"

const address = RunnerAddress.make("127.0.0.1", 1)
const shards = Array.from({ length: 150 }, (_, index) => ShardId.make("default", index + 1))

/** A storage that says what it was asked for. */
const recorded = () => {
  const calls: Array<string> = []
  const say = (call: string) => Effect.sync(() => void calls.push(call))
  const storage = givingBackTogether({
    register: () => Effect.succeed(MachineId.make(1)),
    unregister: () => say("unregister"),
    getRunners: Effect.succeed([]),
    setRunnerHealth: () => Effect.void,
    acquire: (_, asked) => Effect.succeed([...asked]),
    refresh: (_, asked) => Effect.succeed([...asked]),
    release: (_, shard) => say(`release ${shard.toString()}`),
    releaseAll: () => say("release all")
  })
  return { calls, storage }
}

describe("the locks of a node's shards", () => {
  it.effect("are given back with one statement when it stops", () =>
    Effect.gen(function*() {
      const { calls, storage } = recorded()
      yield* storage.acquire(address, shards)
      yield* storage.unregister(address)
      yield* Effect.forEach(shards, (shard) => storage.release(address, shard), { concurrency: "unbounded" })
      assert.deepStrictEqual(calls, ["unregister", "release all"])
    }))

  it.effect("are given back one by one while it runs, and where one of them takes long", () =>
    Effect.gen(function*() {
      const { calls, storage } = recorded()
      const [first, second, slow] = shards
      yield* storage.acquire(address, [first!, second!, slow!])
      yield* storage.release(address, first!)
      assert.deepStrictEqual(calls, [`release ${first!.toString()}`])
      yield* storage.unregister(address)
      const waiting = yield* Effect.forkChild(storage.release(address, second!))
      yield* TestClock.adjust(200)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(calls.slice(1), ["unregister", `release ${second!.toString()}`])
      yield* storage.release(address, slow!)
      assert.strictEqual(calls.at(-1), "release all", "the last one holds nothing else")
    }))
})
