import { readFileSync } from "node:fs"
import type { SenderSetup } from "./DeliverySender.ts"
import { nodeOptions } from "./ServiceProcess.ts"

/** A sender to measure. */
export interface SenderChoice {
  /** What `--sender` calls it. */
  readonly key: string
  readonly name: string
  /** The module of this directory that is its process, and what node is told. */
  readonly module: string
  readonly nodeOptions: ReadonlyArray<string>
  readonly queues: SenderSetup["queues"]
  readonly store: "postgres" | "redis"
}

const version = (name: string): string => {
  // Read as a file: not every package exports its manifest.
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return `${name} ${JSON.parse(readFileSync(file, "utf8")).version}`
}

const peer = (key: string, packageName: string, module: string, store: SenderChoice["store"]) =>
  (["one", "each"] as const).map((queues): SenderChoice => ({
    key,
    name: `${version(packageName)}, ${queues === "one" ? "one queue" : "queue per endpoint"}`,
    module,
    nodeOptions: [],
    queues,
    store
  }))

/** Ours first. The service runs with what `npm start` tells node, the peers with node's defaults. */
export const senders: ReadonlyArray<SenderChoice> = [
  {
    key: "countersign",
    name: "Countersign",
    module: "./senderCountersign.ts",
    nodeOptions,
    queues: "each",
    store: "postgres"
  },
  ...peer("pg-boss", "pg-boss", "./senderPgBoss.ts", "postgres"),
  ...peer("graphile-worker", "graphile-worker", "./senderGraphileWorker.ts", "postgres"),
  ...peer("bullmq", "bullmq", "./senderBullMq.ts", "redis")
]
