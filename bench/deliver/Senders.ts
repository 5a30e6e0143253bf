import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { BenchError, nodeOptions } from "../harness/ServiceProcess.ts"
import type { SenderSetup } from "./DeliverySender.ts"

/** A sender to measure. */
export interface SenderChoice {
  readonly name: string
  /** The module that is its process, and what node is told. */
  readonly module: URL
  readonly nodeOptions: ReadonlyArray<string>
  readonly queues: SenderSetup["queues"]
  readonly store: "postgres" | "redis"
}

/** The service's own. It runs with what `npm start` tells node, the peers with node's defaults. */
export const ownSender: SenderChoice = {
  name: "Countersign",
  module: new URL("./senderCountersign.ts", import.meta.url),
  nodeOptions,
  queues: "each",
  store: "postgres"
}

/** A job queue that delivers the same; its package is one of bench/package.json. */
interface Peer {
  readonly packageName: string
  readonly module: URL
  readonly store: SenderChoice["store"]
}

const peers: ReadonlyArray<Peer> = [
  { packageName: "pg-boss", module: new URL("./peers/senderPgBoss.ts", import.meta.url), store: "postgres" },
  {
    packageName: "graphile-worker",
    module: new URL("./peers/senderGraphileWorker.ts", import.meta.url),
    store: "postgres"
  },
  { packageName: "bullmq", module: new URL("./peers/senderBullMq.ts", import.meta.url), store: "redis" }
]

// Found as a file: not every package exports its manifest.
const manifestOf = (name: string): URL => new URL(`../node_modules/${name}/package.json`, import.meta.url)

const versionOf = (name: string): string => JSON.parse(readFileSync(manifestOf(name), "utf8")).version

const choicesOf = ({ module, packageName, store }: Peer): ReadonlyArray<SenderChoice> =>
  (["one", "each"] as const).map((queues) => ({
    name: `${packageName} ${versionOf(packageName)}, ${queues === "one" ? "one queue" : "queue per endpoint"}`,
    module,
    nodeOptions: [],
    queues,
    store
  }))

/** The senders that `--sender` names, ours first. Fails when one of them is a job queue that is not installed. */
export const sendersOf = (chosen: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<SenderChoice>, BenchError> =>
  Effect.suspend(() => {
    const wanted = peers.filter(({ packageName }) => chosen.includes(packageName))
    const missing = wanted.filter(({ packageName }) => !existsSync(manifestOf(packageName)))
    if (missing.length > 0) {
      const names = missing.map(({ packageName }) => packageName).join(", ")
      return Effect.fail(
        new BenchError({
          message: `Not installed: ${names}. The job queues that delivery is measured beside have a package of their ` +
            "own: install them with `npm ci --prefix bench`, or measure the service alone with `--sender countersign`."
        })
      )
    }
    return Effect.succeed([...chosen.includes("countersign") ? [ownSender] : [], ...wanted.flatMap(choicesOf)])
  })
