import { Data, Effect, Layer, Schedule } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { AppConfig } from "../config/Config.ts"
import { DatabaseTarget } from "../postgres/Database.ts"
import * as EmbeddedPostgres from "../postgres/EmbeddedPostgres.ts"

/** There is no database to work on. The message says where it was looked for. */
class NoDatabase extends Data.TaggedError("NoDatabase")<{ readonly message: string }> {}

/** How often, every 100 ms, a server is looked for that another process is just starting. */
const attempts = 100

/**
 * The database of the service, whether or not the service runs: a running embedded server is shared, one that is
 * stopped is started for the time of the command. Creates none: a command on a wrong directory should say so.
 */
const target = Effect.gen(function*() {
  const { databaseUrl, dataDirectory } = yield* AppConfig
  if (databaseUrl !== undefined) return { url: databaseUrl }
  if (!Fs.existsSync(Path.join(dataDirectory, "postgres", "PG_VERSION"))) {
    return yield* new NoDatabase({
      message: `There is no database in ${dataDirectory} yet. Start the service once (npm start), or set ` +
        "COUNTERSIGN_DATA_DIR or DATABASE_URL to what it runs with, for example COUNTERSIGN_DATA_DIR=/var/lib/countersign"
    })
  }
  const running = yield* EmbeddedPostgres.attach(dataDirectory)
  if (running !== undefined) return { url: running }
  return yield* EmbeddedPostgres.start({ directory: dataDirectory }).pipe(
    Effect.map(({ url }) => ({ url })),
    // A service that holds the directory is starting, or has begun to stop: soon it runs a server, or is gone.
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

/** The database that commands work on directly, and not through the API of the service. */
export const layer = Layer.effect(DatabaseTarget, target)
