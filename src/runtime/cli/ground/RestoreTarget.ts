import { Data, Effect, Layer, Schedule, Schema } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { LogArchive } from "../../../services/evidence/retention/LogDrop.ts"
import { Restoration } from "../../../services/evidence/transparency/Restoration.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { Identifiers } from "../../../services/ground/persistence/Identifiers.ts"
import { Events } from "../../../services/log/Events.ts"
import { AppConfig } from "../../config/Config.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import * as WitnessPlaces from "../../node/WitnessPlaces.ts"
import * as Database from "../../postgres/Database.ts"
import { DatabaseTarget } from "../../postgres/Database.ts"
import { addressOf, causeAndCure, connectOnce } from "../../postgres/DatabaseServer.ts"
import * as EmbeddedPostgres from "../../postgres/EmbeddedPostgres.ts"
import * as Migrations from "../../postgres/Migrations.ts"
import * as CommittedByCommand from "./CommittedByCommand.ts"
import { layerSettings } from "./DirectSigning.ts"
import * as ServiceDatabase from "./ServiceDatabase.ts"

/** The service uses the database, or there is no database. The message says what to do. */
class NotStopped extends Data.TaggedError("NotStopped")<{ readonly message: string }> {}

/** How often to check, every 200 ms, whether the service's last sessions have ended. */
const attempts = 15

const decodeCounts = Schema.decodeUnknownSync(Schema.NonEmptyArray(Schema.Struct({ count: Schema.Int })))

/** Fails when another Countersign process is connected to the database. This command has not connected yet. */
const checkStopped = (url: DatabaseTarget["Service"]["url"]) =>
  Effect.scoped(Effect.gen(function*() {
    const name = yield* CurrentEnvironment
    const connection = yield* connectOnce(url, "countersign restore")
    const count = Effect.map(
      connection.query(
        "select count(*)::int as count from pg_stat_activity " +
          "where datname = current_database() and application_name ~ '^countersign( [^ ]+-[^ ]+)?$'"
      ),
      ({ rows }) => decodeCounts(rows)[0].count
    )
    const sessions = yield* count.pipe(
      Effect.repeat({ schedule: Schedule.spaced("200 millis"), until: (count) => count === 0, times: attempts })
    )
    if (sessions === 0) return
    return yield* new NotStopped({
      message: `The service, or another command of it, is connected to the database (${sessions} sessions). ` +
        "Stop all of its nodes first: they would continue in the old epoch" +
        (name === "live" ? "" : `. Or ask the ${name} environment nothing for 10 minutes: it stops by itself`)
    })
  }))

/**
 * The live server: that of the settings, or the embedded one, which a running service shares with other environments.
 */
const liveUrl = Effect.gen(function*() {
  const { databaseUrl, dataDirectory } = yield* AppConfig
  if (databaseUrl !== undefined) return databaseUrl
  const running = (yield* CurrentEnvironment) === "live" ? undefined : yield* EmbeddedPostgres.attach(dataDirectory)
  return running ?? (yield* EmbeddedPostgres.start({ directory: dataDirectory })).url
})

/**
 * The database of the current environment, locked against use. An embedded server is started; a data directory that
 * the service holds is refused, and so is one without a database, unless one is to be created.
 */
export const stoppedTarget = Effect.fnUntraced(function*(make: boolean) {
  const { databaseUrl, dataDirectory } = yield* AppConfig
  if (databaseUrl === undefined && !make && !Fs.existsSync(Path.join(dataDirectory, "postgres", "PG_VERSION"))) {
    return yield* new NotStopped({
      message:
        `There is no database in ${dataDirectory}. Put the restored database there first, or specify a backup: ` +
        "countersign restore <file>"
    })
  }
  const live = yield* liveUrl
  yield* ServiceDatabase.prepareBeside(live)
  const url = yield* ServiceDatabase.urlBeside(live)
  yield* checkStopped(url).pipe(
    Effect.catchTag(
      "SqlError",
      (error) =>
        new NotStopped({
          message: `Cannot use the database at ${addressOf(url)}: ${causeAndCure(error)}`
        })
    )
  )
  return { url }
})

/** The services that decide about the epoch and read the log, on that database, which they migrate. */
export const layerRestoration = Layer.merge(Restoration.layer, LogArchive.layer).pipe(
  Layer.provide(Events.layer),
  Layer.provide(Layer.mergeAll(CommittedByCommand.layer, Identifiers.layer, WitnessPlaces.layer)),
  Layer.provide(Migrations.layer),
  Layer.provide(Layer.mergeAll(NodeCryptography.layer, layerSettings)),
  Layer.provide(Database.layerTarget)
)
