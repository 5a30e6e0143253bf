import { Effect, Layer, Redacted, Schedule } from "effect"
import type { NamedEnvironment } from "../../../domain/ground/environments/EnvironmentName.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { AppConfig } from "../../config/Config.ts"
import { prepare, targetOf } from "../../environments/EnvironmentDatabase.ts"
import { secretsOf, turnedOff } from "../../environments/EnvironmentSettings.ts"
import * as Database from "../../postgres/Database.ts"
import { DatabaseTarget } from "../../postgres/Database.ts"
import * as DataDirectory from "../../postgres/DataDirectory.ts"
import * as EmbeddedPostgres from "../../postgres/EmbeddedPostgres.ts"
import { Away } from "../../terminal/ExitCode.ts"

/** How often to look, every 100 ms, for a server that another process is starting. */
const attempts = 100

/** Where the database of the current environment is. */
const targetBeside = Effect.fnUntraced(function*(live: Redacted.Redacted) {
  const { testDatabaseUrl } = yield* AppConfig
  return targetOf(yield* CurrentEnvironment, live, testDatabaseUrl)
})

/** The URL of the database of the current environment, beside the live one. */
export const urlBeside = Effect.fnUntraced(function*(live: Redacted.Redacted) {
  return (yield* CurrentEnvironment) === "live" ? live : (yield* targetBeside(live)).url
})

/** The settings of the service in the current environment. `live` are those that this machine gives the service. */
export const layerConfigOf = <E>(live: Layer.Layer<AppConfig, E>): Layer.Layer<AppConfig, Away | E> =>
  Layer.effect(
    AppConfig,
    Effect.gen(function*() {
      const name = yield* CurrentEnvironment
      const config = yield* AppConfig
      if (name === "live") return config
      if (config.testEnvironment === "off") return yield* new Away({ message: turnedOff })
      return secretsOf(config)
    })
  ).pipe(Layer.provide(live))

/** The settings of a command in the current environment. It creates no secrets if there is no service. */
export const layerConfig = layerConfigOf(AppConfig.layerOfCommand)

/**
 * The live database of the service, whether or not the service runs: a running embedded server is shared, and a stopped one
 * is started for the duration of the command. It never creates one: a command on the wrong directory should fail.
 */
const liveUrl = Effect.gen(function*() {
  const { databaseUrl, dataDirectory } = yield* AppConfig
  if (databaseUrl !== undefined) return databaseUrl
  if (!DataDirectory.hasDatabase(dataDirectory)) {
    return yield* new Away({
      message: `There is no database in ${dataDirectory} yet. Start the service once (npm start), or set ` +
        "COUNTERSIGN_DATA_DIR or DATABASE_URL to what it runs with, for example COUNTERSIGN_DATA_DIR=/var/lib/countersign"
    })
  }
  const running = yield* EmbeddedPostgres.attach(dataDirectory)
  if (running !== undefined) return running
  return yield* EmbeddedPostgres.start({ directory: dataDirectory }).pipe(
    Effect.map(({ url }) => url),
    // The service that holds the directory is starting or stopping: soon its server runs, or the service has ended.
    Effect.catchTag("DataDirectoryError", (held) =>
      EmbeddedPostgres.attach(dataDirectory).pipe(
        Effect.repeat({
          schedule: Schedule.spaced("100 millis"),
          until: (url) => url !== undefined,
          times: attempts
        }),
        Effect.filterOrFail((url) => url !== undefined, () => held)
      ))
  )
})

/** The database of an environment beside the live one, which may be missing. */
export const environmentTarget = (name: NamedEnvironment) =>
  Effect.flatMap(liveUrl, targetBeside).pipe(Effect.provideService(CurrentEnvironment, name))

/** Creates the database of the current environment if it may be missing; the live one is the operator's. */
export const prepareBeside = Effect.fnUntraced(function*(live: Redacted.Redacted) {
  if ((yield* CurrentEnvironment) !== "live") yield* prepare(yield* targetBeside(live))
})

/** The settings of a command, and the database it works on directly instead of through the API. */
export const layer = Layer.effect(
  DatabaseTarget,
  Effect.map(Effect.flatMap(liveUrl, urlBeside), (url) => ({ url }))
).pipe(Layer.provideMerge(layerConfig))

/** The same, with connections to it, after the server was found to be there and usable. */
export const layerConnected = Database.layerTarget.pipe(Layer.provideMerge(layer))

/** The same, after the database of an environment beside the live one was made where it was missing. */
export const layerMade = Database.layerTarget.pipe(
  Layer.provideMerge(
    Layer.effect(
      DatabaseTarget,
      Effect.gen(function*() {
        const live = yield* liveUrl
        yield* prepareBeside(live)
        return { url: yield* urlBeside(live) }
      })
    )
  ),
  Layer.provideMerge(layerConfig)
)
