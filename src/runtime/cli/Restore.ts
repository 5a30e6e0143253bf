import { PgConnection } from "@effect/sql-pg"
import { Console, Data, Effect, Layer, Option, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { EpochStarted } from "../../domain/events/LogEpoch.ts"
import { Events } from "../../services/events/Events.ts"
import { CurrentActor } from "../../services/events/Provenance.ts"
import { SequencerSignal } from "../../services/events/SequencerSignal.ts"
import { Identifiers } from "../../services/persistence/Identifiers.ts"
import { Restoration } from "../../services/transparency/Restoration.ts"
import { AppConfig } from "../config/Config.ts"
import * as NodeCryptography from "../node/NodeCryptography.ts"
import * as WitnessPlaces from "../node/WitnessPlaces.ts"
import * as Database from "../postgres/Database.ts"
import { DatabaseTarget } from "../postgres/Database.ts"
import * as EmbeddedPostgres from "../postgres/EmbeddedPostgres.ts"
import * as Migrations from "../postgres/Migrations.ts"
import { layerSettings } from "./DirectSigning.ts"

/** The service uses the database, or there is no database. The message says what to do. */
class NotStopped extends Data.TaggedError("NotStopped")<{ readonly message: string }> {}

/** The log is not as it should be, and nothing was changed. The message says what was found. */
class NotContinued extends Data.TaggedError("NotContinued")<{ readonly message: string }> {}

/** How often to check, every 200 ms, for sessions of the service that may be about to end. */
const attempts = 15

/** The database server, started here if it is the embedded one. A data directory held by the service is refused. */
const target = Effect.gen(function*() {
  const { databaseUrl, dataDirectory } = yield* AppConfig
  if (databaseUrl !== undefined) return { url: databaseUrl }
  if (!Fs.existsSync(Path.join(dataDirectory, "postgres", "PG_VERSION"))) {
    return yield* new NotStopped({
      message: `There is no database in ${dataDirectory}. Put the restored one there first`
    })
  }
  return { url: (yield* EmbeddedPostgres.start({ directory: dataDirectory })).url }
})

/** Fails when another Countersign process is connected to the database. This command has not connected yet. */
const checkStopped = (url: DatabaseTarget["Service"]["url"]) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* PgConnection.make({ url, applicationName: "countersign restore" })
    const count = Effect.map(
      connection.query(
        "select count(*)::int as count from pg_stat_activity " +
          "where datname = current_database() and application_name ~ '^countersign( [^ ]+-[^ ]+)?$'"
      ),
      ({ rows }) => (rows[0] as { count: number }).count
    )
    const sessions = yield* count.pipe(
      Effect.repeat({ schedule: Schedule.spaced("200 millis"), until: (count) => count === 0, times: attempts })
    )
    if (sessions === 0) return
    return yield* new NotStopped({
      message: `The service, or another command of it, is connected to the database (${sessions} sessions). ` +
        "Stop all of its nodes first: they would go on in the old epoch"
    })
  }))

const layerTarget = Layer.effect(
  DatabaseTarget,
  Effect.tap(target, ({ url }) =>
    checkStopped(url).pipe(
      Effect.catchTag("SqlError", ({ message }) =>
        new NotStopped({ message: `Cannot use the database at ${Database.addressOf(url)}: ${message}` }))
    ))
)

const layer = Restoration.layer.pipe(
  Layer.provide(Events.layer),
  Layer.provide(Layer.mergeAll(SequencerSignal.layer, Identifiers.layer, WitnessPlaces.layer)),
  Layer.provide(Migrations.layer),
  Layer.provide(Layer.mergeAll(NodeCryptography.layer, layerSettings)),
  Layer.provide(Database.layerTarget),
  Layer.provide(layerTarget),
  Layer.provide(AppConfig.layer)
)

const described = (begun: EpochStarted): string => {
  const { epoch, first_sequence, origin, restored_sequence, witness } = begun
  const lost = witness === undefined || witness.tree_size <= restored_sequence
    ? "How much was lost is not known: no witness kept a later checkpoint."
    : `Lost: the events ${restored_sequence + 1} to ${witness.tree_size} of ${witness.origin}, at least.`
  return [
    `Epoch ${epoch} begins with event ${first_sequence}. The log is ${origin} from there on.`,
    `Restored: the events up to ${restored_sequence}. ${lost}`,
    "Start the service. Cursors of the lost part are answered 409 CURSOR_AHEAD with the place to go on from; what",
    "receivers of webhooks and followers of the feed should do with what they have of it is in docs/reference/events.md."
  ].join("\n")
}

const flags = {
  newEpoch: Flag.Boolean("new-epoch").pipe(
    Flag.withDescription("Begin a new epoch of the event log after the last event that is there"),
    Flag.withDefault(false)
  ),
  after: Flag.Int("after").pipe(
    Flag.withDescription("The last event of the backup, when the service has run on the restored database since"),
    Flag.optional
  ),
  epoch: Flag.Int("epoch").pipe(
    Flag.withDescription("The least number of the new epoch: when the log was in later ones, and no witness says so"),
    Flag.optional
  ),
  reason: Flag.String("reason").pipe(
    Flag.withDescription("What the event says"),
    Flag.withDefault("restored from a backup")
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print the event's data as JSON"), Flag.withDefault(false))
}

/** `countersign restore`: what the witness says about a restored database, and how the service can continue with it. */
export const restore = Command.make("restore", flags, (input) =>
  Effect.gen(function*() {
    const restoration = yield* Restoration
    if (!input.newEpoch) {
      const found = yield* restoration.examine
      if (found !== undefined) return yield* new NotContinued({ message: found })
      return yield* Console.log(
        "Nothing says that the log was restored to an earlier state: it continues what its witness keeps, or there is " +
          "no witness. If it was all the same, add --new-epoch"
      )
    }
    const restored = yield* restoration.begin({
      reason: input.reason,
      after: Option.getOrUndefined(input.after),
      least: Option.getOrUndefined(input.epoch)
    })
    if ("unneeded" in restored) return yield* Console.log(`Nothing to do. ${restored.unneeded}`)
    yield* Console.log(input.json ? JSON.stringify(restored.begun, null, 2) : described(restored.begun))
  })).pipe(
    Command.withDescription("Go on with a database that was restored from an older backup, in a new epoch of its log"),
    Command.withExamples([{
      command: "countersign restore --new-epoch",
      description: "Before the service starts on the restored database"
    }]),
    Command.provide(layer),
    Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
  )
