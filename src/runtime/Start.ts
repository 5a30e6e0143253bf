import { Effect, Layer, Result } from "effect"
import { AppConfig } from "./config/Config.ts"
import { table } from "./config/ConfigTable.ts"
import * as EmbeddedPostgres from "./postgres/EmbeddedPostgres.ts"
import { child } from "./processes/Child.ts"
import { untilStopped } from "./Program.ts"
import { drainsFor } from "./StopRequest.ts"
import * as Telemetry from "./Telemetry.ts"

/** The number of processes that is configured; 1 if none is set, or an invalid one. */
const requestedProcesses = (): number => {
  const text = (process.env[table.processes.name] ?? "").trim()
  return text === "" ? table.processes.default : Result.getOrElse(table.processes.parse(text), () => 1)
}

const service = Effect.gen(function*() {
  const count = child === undefined ? requestedProcesses() : 1
  if (count > 1) {
    const parent = yield* Effect.promise(() => import("./processes/Parent.ts"))
    return yield* parent.run(count)
  }
  const server = yield* Effect.promise(() => import("./Server.ts"))
  return yield* server.run
})

/**
 * Runs the service until it is stopped: in this process, or in as many as configured. An embedded database is created
 * and started while the service is loaded, which takes about as long.
 */
export const run = Effect.gen(function*() {
  yield* untilStopped
  const { databaseUrl, dataDirectory, drainSeconds } = yield* AppConfig
  yield* drainsFor(drainSeconds)
  if (databaseUrl !== undefined) return yield* service
  const begun = yield* EmbeddedPostgres.begin({ directory: dataDirectory })
  return yield* Effect.provideService(service, EmbeddedPostgres.BegunPostgres, begun)
}).pipe(
  Effect.scoped,
  // The last line of a stop, which began with the line before.
  Effect.onInterrupt(() => Effect.logInfo("stopped")),
  Effect.provide(Telemetry.layerLogger.pipe(Layer.provideMerge(AppConfig.layer)))
)
