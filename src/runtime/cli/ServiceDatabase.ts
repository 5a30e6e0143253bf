import { Effect, Layer, Schedule } from "effect"
import { AppConfig } from "../config/Config.ts"
import * as Database from "../postgres/Database.ts"
import { DatabaseTarget } from "../postgres/Database.ts"
import * as DataDirectory from "../postgres/DataDirectory.ts"
import * as EmbeddedPostgres from "../postgres/EmbeddedPostgres.ts"
import { Away } from "../terminal/ExitCode.ts"

/** How often to look, every 100 ms, for a server that another process is starting. */
const attempts = 100

/**
 * The database of the service, whether or not the service runs: a running embedded server is shared, and a stopped one
 * is started for the duration of the command. It never creates one: a command on the wrong directory should fail.
 */
const target = Effect.gen(function*() {
  const { databaseUrl, dataDirectory } = yield* AppConfig
  if (databaseUrl !== undefined) return { url: databaseUrl }
  if (!DataDirectory.hasDatabase(dataDirectory)) {
    return yield* new Away({
      message: `There is no database in ${dataDirectory} yet. Start the service once (npm start), or set ` +
        "COUNTERSIGN_DATA_DIR or DATABASE_URL to what it runs with, for example COUNTERSIGN_DATA_DIR=/var/lib/countersign"
    })
  }
  const running = yield* EmbeddedPostgres.attach(dataDirectory)
  if (running !== undefined) return { url: running }
  return yield* EmbeddedPostgres.start({ directory: dataDirectory }).pipe(
    Effect.map(({ url }) => ({ url })),
    // The service that holds the directory is starting or stopping: soon its server runs, or the service is gone.
    Effect.catchTag("DataDirectoryError", (held) =>
      EmbeddedPostgres.attach(dataDirectory).pipe(
        Effect.repeat({
          schedule: Schedule.spaced("100 millis"),
          until: (url) => url !== undefined,
          times: attempts
        }),
        Effect.flatMap((url) => url === undefined ? Effect.fail(held) : Effect.succeed({ url }))
      ))
  )
})

/** The settings of a command, and the database it works on directly instead of through the API. */
export const layer = Layer.effect(DatabaseTarget, target).pipe(Layer.provideMerge(AppConfig.layerOfCommand))

/** The same, with connections to it, after the server was found to be there and usable. */
export const layerConnected = Database.layerTarget.pipe(Layer.provideMerge(layer))
