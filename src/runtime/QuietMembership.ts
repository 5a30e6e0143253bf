import { Clock, Effect, Equal } from "effect"
import type { Scope } from "effect"
import type { Runner, RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"
import { Announcements, topics } from "../services/ground/agenda/Announcements.ts"

/** How long a node that is alone takes itself for alone without having looked, in milliseconds. A node that joins says so. */
const aloneFor = 30_000

/**
 * The interval at which a node that is alone renews its heartbeat and its locks, in milliseconds. The server ends the session of
 * the locks after 5 seconds without a statement, so that a machine that is lost gives them up as soon as in a larger cluster.
 */
const renewsAlone = 2_000

/** How long shards that were acquired take to be at work, in milliseconds. */
const settles = 100

/** The members as they were read, and when. */
interface Members {
  readonly runners: ReadonlyArray<readonly [runner: Runner.Runner, healthy: boolean]>
  readonly at: number
  /** How often nodes had announced themselves by then. */
  readonly joined: number
}

/** The locks that were renewed, by the names of their shards, and when. */
interface Renewed {
  readonly shards: ReadonlySet<string>
  readonly at: number
}

/**
 * The same storage, but a node that is alone asks it seldom: nobody else could have changed anything. A node that joins announces
 * itself, and from then on both look as often as the engine does. Where a node has gone, what it may have left undone is looked
 * for: it may have died before it announced its work.
 */
export const quietWhileAlone = (
  storage: RunnerStorage.RunnerStorage["Service"]
): Effect.Effect<RunnerStorage.RunnerStorage["Service"], never, Scope.Scope> =>
  Effect.gen(function*() {
    const announcements = yield* Announcements
    const clock = yield* Clock.Clock
    const scope = yield* Effect.scope
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const nodes = announcements.of("nodes")
    /** The address of this node, while it is a member. */
    let own: RunnerAddress.RunnerAddress | undefined
    let members: Members | undefined
    let renewed: Renewed | undefined

    /** The members, if this node is known to be the only one. Another one alone means that this one was taken for dead. */
    const knownAlone = () =>
      members !== undefined && own !== undefined && members.joined === nodes.count() &&
        now() - members.at < aloneFor && members.runners.length === 1 &&
        members.runners.every(([{ address }]) => Equal.equals(address, own))
        ? members
        : undefined

    const read = Effect.gen(function*() {
      const joined = nodes.count()
      const runners = yield* storage.getRunners
      const isOneGone = members !== undefined && members.runners.length > runners.length
      members = { runners, at: now(), joined }
      if (isOneGone) yield* announcements.hear(topics)
      return runners
    })

    const renew = (address: RunnerAddress.RunnerAddress, shards: ReadonlyArray<ShardId.ShardId>) =>
      Effect.tap(storage.refresh(address, shards), (held) =>
        Effect.sync(() => {
          renewed = held.length === shards.length
            ? { shards: new Set(shards.map(String)), at: now() }
            : undefined
        }))

    /** Whether these locks were renewed just now. Nobody takes them from a node that is alone. */
    const areRenewed = (shards: ReadonlyArray<ShardId.ShardId>) =>
      knownAlone() !== undefined && renewed !== undefined && shards.length > 0 &&
      now() - renewed.at < renewsAlone - settles && shards.every((shard) => renewed?.shards.has(String(shard)))

    return {
      ...storage,
      // The engine changes the list that it is given.
      getRunners: Effect.suspend(() => {
        const known = knownAlone()
        return known === undefined ? read : Effect.succeed([...known.runners])
      }),
      // A node that starts may be one that was killed before it announced what it had committed.
      register: (runner, healthy) =>
        Effect.tap(storage.register(runner, healthy), () => {
          own = runner.address
          return Effect.forEach(topics, announcements.announce, { discard: true })
        }),
      unregister: (address) =>
        Effect.suspend(() => {
          own = undefined
          return storage.unregister(address)
        }),
      refresh: (address, shardIds) =>
        Effect.suspend(() => {
          const shards = [...shardIds]
          return areRenewed(shards) ? Effect.succeed(shards) : renew(address, shards)
        }),
      acquire: (address, shardIds) =>
        Effect.tap(storage.acquire(address, shardIds), (acquired) =>
          acquired.length === 0
            ? Effect.void
            : Effect.forkIn(Effect.delay(announcements.hear(topics), settles), scope))
    } satisfies RunnerStorage.RunnerStorage["Service"]
  })
