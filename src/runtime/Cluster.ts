import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Context, Effect, Layer, Option } from "effect"
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
import type { NetAddress } from "effect/net"
import { RpcSerialization } from "effect/rpc"
import { SocketServer } from "effect/socket"
import { givingBackTogether } from "./LocksGivenBack.ts"
import { quietWhileAlone } from "./QuietMembership.ts"

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
