import { Effect } from "effect"
import type { Scope } from "effect"
import { runSql, temporaryDirectory } from "../harness/Database.ts"
import { benchDatabase } from "../harness/Database.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import type { Worker } from "../harness/Worker.ts"
import { startWorker } from "../harness/Worker.ts"
import type { DeliveryCost } from "./DeliveryCost.ts"
import { databaseCost, redisCost } from "./DeliveryCost.ts"
import type { SenderEndpoint, SenderQuestion } from "./DeliverySender.ts"
import type { ReceiverAnswer, ReceiverQuestion } from "./receiver.ts"
import { startRedis } from "./RedisServer.ts"
import type { RedisServer } from "./RedisServer.ts"
import type { SenderChoice } from "./Senders.ts"

/** What all senders of a run share: one PostgreSQL, one Redis where it is installed, one receiver. */
export interface DeliveryStage {
  readonly databaseUrl: string
  readonly redis: RedisServer | undefined
  readonly receiver: Worker<ReceiverQuestion, ReceiverAnswer>
}

/** Starts what all senders share. */
export const openStage: Effect.Effect<DeliveryStage, BenchError, Scope.Scope> = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  return {
    databaseUrl: yield* benchDatabase(directory),
    redis: yield* startRedis(directory),
    receiver: yield* startWorker<ReceiverQuestion, ReceiverAnswer>(new URL("./receiver.ts", import.meta.url))
  }
})

/** A sender that is ready, with endpoints at the receiver. */
export interface StagedSender {
  readonly databaseUrl: string
  readonly ask: Worker<SenderQuestion, number>["ask"]
  readonly receiver: DeliveryStage["receiver"]
  readonly cost: Effect.Effect<DeliveryCost, BenchError>
  /** Numbers for so many new events; answers the first. */
  readonly number: (events: number) => number
}

/** In flight to an endpoint at most, and to all of them: what the service has. */
const inFlight = { endpoint: 10, node: 512 }

let databases = 0

/** A database of a sender's own, dropped with the scope. */
const ownDatabase = Effect.fnUntraced(function*(databaseUrl: string) {
  const name = `bench_${process.pid}_${databases++}`
  yield* Effect.acquireRelease(
    // What the one before left to be written is written now.
    runSql(databaseUrl, [["CHECKPOINT", []], [`CREATE DATABASE ${name}`, []]]),
    () => Effect.orDie(runSql(databaseUrl, [[`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, []]]))
  )
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return url.href
})

/** An endpoint of the receiver: its path, the kind of event it takes, and whether it is on the port that may die. */
export interface StagedEndpoint extends Pick<SenderEndpoint, "kind"> {
  readonly path: string
  readonly mortal: boolean
}

/** Starts a sender on a database of its own; undefined when its store is not installed. */
export const stageSender = (
  { databaseUrl, receiver, redis }: DeliveryStage,
  { module, nodeOptions, queues, store }: SenderChoice,
  endpoints: ReadonlyArray<StagedEndpoint>
): Effect.Effect<StagedSender | undefined, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    if (store === "redis" && redis === undefined) return undefined
    const { mortalPort, port } = yield* receiver.ask({ ask: "listen" })
    const own = yield* ownDatabase(databaseUrl)
    if (redis !== undefined && store === "redis") {
      yield* Effect.addFinalizer(() => redis.clear)
    }
    const worker = yield* startWorker<SenderQuestion, number>(module, nodeOptions)
    yield* worker.ask({
      ask: "prepare",
      setup: {
        databaseUrl: own,
        redisSocket: redis?.socket ?? "",
        queues,
        endpoints: endpoints.map(({ kind, mortal, path }) => ({
          url: `http://127.0.0.1:${mortal ? mortalPort : port}${path}`,
          kind
        })),
        inFlight: {
          endpoint: inFlight.endpoint,
          all: Math.min(inFlight.node, inFlight.endpoint * endpoints.length)
        }
      }
    })
    let next = 0
    return {
      databaseUrl: own,
      ask: worker.ask,
      receiver,
      cost: store === "redis" && redis !== undefined
        ? Effect.sync(() => redisCost(redis.pid, worker.pid))
        : databaseCost(own, worker.pid),
      number: (events) => {
        next += events
        return next - events
      }
    }
  })
