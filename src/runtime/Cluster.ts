import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Clock, Context, Deferred, Effect, Equal, Layer, Option } from "effect"
import type { Scope } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlRunnerStorage
} from "effect/cluster"
import type { Runner, ShardId } from "effect/cluster"
import type { NetAddress } from "effect/net"
import { RpcSerialization } from "effect/rpc"
import { SocketServer } from "effect/socket"
import { Announcements, topics } from "../services/ground/agenda/Announcements.ts"

/** How long a shard that is ready waits for the others at a stop, in milliseconds. */
const patience = 200

/**
 * The same storage, but a stopping node releases the locks of all shards with one statement. The engine releases each
 * with two, so that a stop takes the database 300 statements. A shard whose actors take long to stop does not hold up
 * the others: after 200 ms the locks are released one by one.
 */
export const givingBackTogether = (storage: RunnerStorage.RunnerStorage["Service"]) => {
  /** The shards that this node has locked. */
  const held = new Set<string>()
  /** The locks of them that can be released. */
  const ready = new Set<string>()
  let isStopping = false
  const together = Deferred.makeUnsafe<void>()

  return {
    ...storage,
    acquire: (address, shardIds) =>
      Effect.tap(storage.acquire(address, shardIds), (acquired) =>
        Effect.sync(() => {
          for (const shard of acquired) held.add(shard.toString())
        })),
    releaseAll: (address) =>
      Effect.andThen(
        storage.releaseAll(address),
        Effect.sync(() => {
          held.clear()
          ready.clear()
        })
      ),
    // The first step of a stop; nothing is acquired after it.
    unregister: (address) =>
      Effect.andThen(
        Effect.sync(() => {
          isStopping = true
        }),
        storage.unregister(address)
      ),
    release: (address, shardId) => {
      const shard = shardId.toString()
      const alone = Effect.andThen(
        storage.release(address, shardId),
        Effect.sync(() => {
          held.delete(shard)
          ready.delete(shard)
        })
      )
      return Effect.suspend(() => {
        if (!isStopping) return alone
        ready.add(shard)
        if (ready.size >= held.size) {
          return Effect.andThen(storage.releaseAll(address), Deferred.succeed(together, undefined))
        }
        return Effect.timeoutOrElse(Deferred.await(together), { duration: patience, orElse: () => alone })
      })
    }
  } satisfies RunnerStorage.RunnerStorage["Service"]
}

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

/** Where this node listens for other nodes; undefined when it is alone. */
export class ClusterAddress extends Context.Service<
  ClusterAddress,
  { readonly bound: { readonly host: string; readonly port: number } | undefined }
>()(
  "countersign/runtime/ClusterAddress"
) {}

/** How a node takes part in the cluster. */
export interface ClusterOptions {
  /** `alone`: a single node. `shared`: nodes find each other in the database and share the work. */
  readonly mode: "alone" | "shared"
  /** The address under which other nodes reach this one. */
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** The address this node listens on, if it differs because traffic is forwarded. */
  readonly listen?: { readonly host: string; readonly port: number }
}

/** Detects a dead node and moves its shards within 5 to 8 seconds. The engine's defaults take half a minute. */
const tuning = {
  shardsPerGroup: 150,
  shardLockExpiration: "5 seconds",
  shardLockRefreshInterval: "1 second",
  refreshAssignmentsInterval: "1 second",
  entityMessagePollInterval: "1 second",
  entityMaxIdleTime: "5 seconds",
  entityTerminationTimeout: "6 seconds",
  maxResidentEntities: "unbounded",
  simulateRemoteSerialization: false
} as const

/** One node: no sockets, no tables, no queries. */
const layerAlone = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide([MessageStorage.layerNoop, RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  // No other node waits for the shards, so this node owns them until its actors have stopped.
  Layer.provide(ShardingConfig.layer({ ...tuning, preemptiveShutdown: false })),
  Layer.merge(Layer.succeed(ClusterAddress, { bound: undefined }))
)

const portOf = (address: NetAddress.SocketAddress): number => "port" in address ? address.port : 0

/** Membership and shard locks in the database. */
const layerRunnerStorage = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.flatMap(RunnerStorage.RunnerStorage, (storage) => quietWhileAlone(givingBackTogether(storage)))
).pipe(Layer.provide(Layer.orDie(SqlRunnerStorage.layerWith({ prefix: "node" }))))

/** Several nodes: membership and shard locks are in SQL, messages go over TCP. */
const layerShared = ({ host, listen, port }: ClusterOptions) =>
  Layer.unwrap(Effect.gen(function*() {
    // The node listens before it publishes its address, so that nobody else can take a port that was picked.
    const server = yield* NodeSocketServer.make(listen ?? { host, port })
    const bound = { host: listen?.host ?? host, port: portOf(server.address) }
    const config = {
      ...tuning,
      runnerAddress: Option.some(RunnerAddress.make(host, port === 0 ? bound.port : port)),
      runnerListenAddress: Option.some(RunnerAddress.make(bound.host, bound.port))
    }
    return SocketRunner.layer.pipe(
      Layer.provide([Layer.succeed(SocketServer.SocketServer, server), NodeClusterSocket.layerClientProtocol]),
      // A node is alive as long as it renews its heartbeat in the database, which all its work needs anyway. A check
      // over TCP would also take lanes from working nodes, whenever an address is wrong or two nodes cannot reach each
      // other.
      Layer.provide(RunnerHealth.layerNoop),
      Layer.provide([MessageStorage.layerNoop, layerRunnerStorage]),
      Layer.provide(ShardingConfig.layer(config)),
      Layer.provide(RpcSerialization.layerSchemaBinary()),
      Layer.merge(Layer.succeed(ClusterAddress, { bound }))
    )
  })).pipe(Layer.orDie)

/** The cluster engine for this node. */
export const clusterLayer = (options: ClusterOptions) => options.mode === "alone" ? layerAlone : layerShared(options)
