import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { MachineId, Runner, RunnerAddress, ShardId } from "effect/cluster"
import { TestClock } from "effect/testing"
import { quietWhileAlone } from "../../src/runtime/Cluster.ts"
import { Announcements, makeAnnouncements, topics } from "../../src/services/ground/agenda/Announcements.ts"

const address = RunnerAddress.make("127.0.0.1", 1)
const nodeAt = (at: RunnerAddress.RunnerAddress) => Runner.make({ address: at, groups: ["default"], weight: 1 })
const own = nodeAt(address)
const other = nodeAt(RunnerAddress.make("127.0.0.1", 2))
const shards = [1, 2, 3].map((index) => ShardId.make("default", index))

/** A node that has joined, on a storage that counts what it is asked. */
const joined = Effect.gen(function*() {
  const asked = { members: 0, locks: 0 }
  const announcements = makeAnnouncements()
  let runners: ReadonlyArray<Runner.Runner> = [own]
  let held: ReadonlyArray<ShardId.ShardId> = shards
  const storage = yield* quietWhileAlone({
    register: () => Effect.succeed(MachineId.make(1)),
    unregister: () => Effect.void,
    getRunners: Effect.sync(() => {
      asked.members += 1
      return runners.map((runner) => [runner, true] as const)
    }),
    setRunnerHealth: () => Effect.void,
    acquire: (_, wanted) => Effect.succeed([...wanted]),
    refresh: (_, wanted) =>
      Effect.sync(() => {
        asked.locks += 1
        return [...wanted].filter((shard) => held.includes(shard))
      }),
    release: () => Effect.void,
    releaseAll: () => Effect.void
  }).pipe(Effect.provideService(Announcements, announcements))
  yield* storage.register(own, true)
  const round = Effect.gen(function*() {
    const members = yield* storage.getRunners
    const locks = yield* storage.refresh(address, shards)
    return { members: members.length, locks: locks.length }
  })
  return {
    announcements,
    asked,
    storage,
    /** What the engine does each second, for so many seconds; answers what it sees at last. */
    during: (seconds: number) =>
      Effect.gen(function*() {
        let seen = { members: 0, locks: 0 }
        for (let second = 0; second < seconds; second++) {
          seen = yield* round
          yield* TestClock.adjust("1 second")
        }
        return seen
      }),
    setMembers: (members: ReadonlyArray<Runner.Runner>) => {
      runners = members
    },
    setLocks: (locks: ReadonlyArray<ShardId.ShardId>) => {
      held = locks
    },
    /** How often each kind of work was called for. */
    calls: () => topics.map((topic) => announcements.of(topic).count())
  }
})

/** What another node tells this one. */
const hears = ({ announcements }: Effect.Success<typeof joined>, ...heard: ReadonlyArray<"nodes">) =>
  announcements.hear(heard)

describe("membership of a node", () => {
  it.effect("is asked for twice a minute while it is alone, and its locks each two seconds", () =>
    Effect.gen(function*() {
      const node = yield* joined
      yield* node.during(120)
      assert.deepStrictEqual(node.asked, { members: 4, locks: 60 })
    }))

  it.effect("is asked for each second as soon as another node announces itself", () =>
    Effect.gen(function*() {
      const node = yield* joined
      yield* node.during(10)
      node.setMembers([own, other])
      yield* hears(node, "nodes")
      assert.deepStrictEqual(yield* node.during(1), { members: 2, locks: 3 })
      const { locks, members } = node.asked
      yield* node.during(10)
      assert.deepStrictEqual(node.asked, { members: members + 10, locks: locks + 10 })
    }))

  it.effect("is found within half a minute where the other node was not heard", () =>
    Effect.gen(function*() {
      const node = yield* joined
      yield* node.during(10)
      node.setMembers([own, other])
      assert.deepStrictEqual(yield* node.during(21), { members: 2, locks: 3 })
    }))

  it.effect("is asked for each second while only another node is a member, which took this one for dead", () =>
    Effect.gen(function*() {
      const node = yield* joined
      node.setMembers([other])
      yield* node.during(10)
      assert.deepStrictEqual(node.asked, { members: 10, locks: 10 })
      node.setMembers([own, other])
      assert.deepStrictEqual(yield* node.during(1), { members: 2, locks: 3 })
    }))

  it.effect("does not hide a lock that was lost", () =>
    Effect.gen(function*() {
      const node = yield* joined
      yield* node.during(1)
      node.setLocks(shards.slice(1))
      assert.deepStrictEqual(yield* node.during(2), { members: 1, locks: 2 })
      const { locks } = node.asked
      yield* node.during(5)
      assert.strictEqual(node.asked.locks, locks + 5)
    }))

  it.effect("takes no lock for renewed that was not among those renewed just now", () =>
    Effect.gen(function*() {
      const { asked, storage } = yield* joined
      yield* storage.getRunners
      yield* storage.refresh(address, [shards[0]!])
      yield* storage.refresh(address, [shards[0]!])
      assert.strictEqual(asked.locks, 1)
      yield* storage.refresh(address, [shards[1]!])
      assert.strictEqual(asked.locks, 2)
    }))

  it.effect("is asked for again once it has ended", () =>
    Effect.gen(function*() {
      const { asked, during, storage } = yield* joined
      yield* during(1)
      yield* storage.unregister(address)
      yield* during(3)
      assert.deepStrictEqual(asked, { members: 4, locks: 4 })
    }))
})

describe("work that a node may have left undone", () => {
  it.effect("is announced by a node that starts, which may be one that was killed", () =>
    Effect.gen(function*() {
      const { announcements } = yield* joined
      assert.sameMembers([...yield* announcements.takeUntold], [...topics])
    }))

  it.effect("is looked for when a node has gone, and is not told to others", () =>
    Effect.gen(function*() {
      const node = yield* joined
      yield* node.announcements.takeUntold
      node.setMembers([own, other])
      yield* node.during(2)
      const before = node.calls()
      node.setMembers([own])
      yield* node.during(1)
      assert.deepStrictEqual(node.calls(), before.map((count) => count + 1))
      const untold = yield* Effect.forkChild(node.announcements.takeUntold)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(untold.pollUnsafe())
      yield* Fiber.interrupt(untold)
    }))

  it.effect("is looked for when shards were taken over, once they are at work", () =>
    Effect.gen(function*() {
      const { calls, storage } = yield* joined
      const before = calls()
      yield* storage.acquire(address, [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(calls(), before)
      yield* storage.acquire(address, shards)
      assert.deepStrictEqual(calls(), before)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(calls(), before.map((count) => count + 1))
    }))
})
