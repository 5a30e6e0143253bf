import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Effect, Layer, Option } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SqlRunnerStorage
} from "effect/cluster"
import { createServer } from "node:net"

/** How a node takes part in the cluster. */
export interface ClusterOptions {
  /** `alone`: this node is all there is. `shared`: nodes find each other in the database and share the work. */
  readonly mode: "alone" | "shared"
  /** Where other nodes reach this one. */
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
}

/**
 * A node that is gone is noticed, and its shards are elsewhere, within 4 to 6 seconds. The engine's defaults need half
 * a minute.
 */
const tuning = {
  shardsPerGroup: 150,
  shardLockExpiration: "6 seconds",
  shardLockRefreshInterval: "2 seconds",
  refreshAssignmentsInterval: "1 second",
  runnerHealthCheckInterval: "2 seconds",
  entityMessagePollInterval: "1 second",
  entityMaxIdleTime: "5 seconds",
  entityTerminationTimeout: "12 seconds",
  maxResidentEntities: "unbounded",
  simulateRemoteSerialization: false
} as const

/** One node: no sockets, no tables, no queries. */
const layerAlone = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide([MessageStorage.layerNoop, RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  // Nobody waits for this node's shards, so it stays their owner until its actors have stopped.
  Layer.provide(ShardingConfig.layer({ ...tuning, preemptiveShutdown: false }))
)

const freePort = (host: string): Effect.Effect<number> =>
  Effect.callback<number>((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.die(error)))
    server.listen(0, host, () => {
      const address = server.address()
      server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
    })
  })

/** Several nodes: membership and shard locks are in SQL, messages go over TCP. */
const layerShared = ({ host, port }: ClusterOptions) =>
  Layer.unwrap(Effect.gen(function*() {
    const address = RunnerAddress.make(host, port === 0 ? yield* freePort(host) : port)
    const config = { ...tuning, runnerAddress: Option.some(address), runnerListenAddress: Option.some(address) }
    return NodeClusterSocket.layer({ storage: "byo", shardingConfig: config }).pipe(
      Layer.provide([MessageStorage.layerNoop, Layer.orDie(SqlRunnerStorage.layerWith({ prefix: "node" }))]),
      Layer.provide(ShardingConfig.layer(config)),
      Layer.orDie
    )
  }))

/** The cluster engine for this node. */
export const clusterLayer = (options: ClusterOptions) => options.mode === "alone" ? layerAlone : layerShared(options)
