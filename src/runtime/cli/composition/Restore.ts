import { Data, Effect, Layer, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Fs from "node:fs"
import type { EpochStarted } from "../../../domain/log/LogEpoch.ts"
import { Restoration } from "../../../services/evidence/transparency/Restoration.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { databaseOf } from "../../../services/ground/persistence/Database.ts"
import { updateClock } from "../../../services/jobs/clock/ClockSql.ts"
import { CurrentActor } from "../../../services/log/Provenance.ts"
import { updateTurnAtLeast } from "../../../services/people/access/ManagementKeySql.ts"
import type { CopyConnection } from "../../backup/CopyConnection.ts"
import { connect } from "../../backup/CopyConnection.ts"
import { loadBackup, LoadRefused, ownTables, verifyLog } from "../../backup/loadBackup.ts"
import type { BackupManifest } from "../../backup/readBackup.ts"
import { verifyBackup, withBackup } from "../../backup/readBackup.ts"
import { AppConfig, requireMasterKey, surroundings } from "../../config/Config.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import { DatabaseTarget } from "../../postgres/Database.ts"
import { addressOf } from "../../postgres/DatabaseServer.ts"
import { base, newest, requiredStop, tooOld } from "../../postgres/Migrations.ts"
import { confirmByName, yes } from "../../terminal/Confirm.ts"
import { Found, WrongUsage } from "../../terminal/ExitCode.ts"
import { json, printJson, printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import { layerRestoration, stoppedTarget } from "../ground/RestoreTarget.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** The next steps of an operator after a new epoch. */
const described = (begun: EpochStarted): ReadonlyArray<string> => {
  const { epoch, first_sequence, origin, restored_sequence, witness } = begun
  const lost = witness === undefined || witness.tree_size <= restored_sequence
    ? "The lost range is unknown: no witness has a later checkpoint."
    : `Lost: the events ${restored_sequence + 1} to ${witness.tree_size} of ${witness.origin}, at least.`
  return [
    `Epoch ${epoch} begins with event ${first_sequence}. The log is ${origin} from there on.`,
    `Restored: the events up to ${restored_sequence}. ${lost}`,
    "Start the service. Cursors in the lost range get 409 CURSOR_AHEAD with the sequence number to continue from.",
    "For webhook receivers and feed readers, see docs/reference/events.md."
  ]
}

/** The inputs of `countersign restore <file>`. */
interface RestoreFileInput {
  readonly file: string
  readonly replace: boolean
  readonly sameEpoch: boolean
  readonly reason: string
  readonly epoch: number | undefined
  readonly yes: boolean
  readonly json: boolean
}

/** Reads the whole file before anything is changed. */
const checked = Effect.fnUntraced(function*(path: string, masterKey: Uint8Array) {
  const name = yield* CurrentEnvironment
  if (!Fs.existsSync(path)) return yield* new WrongUsage({ message: `File not found: ${path}` })
  const progress = yield* makeProgress("Checking the file")
  const manifest = yield* Effect.tryPromise({
    try: (signal) => verifyBackup(path, masterKey, { signal, advance: (rows) => progress.advance(rows) }),
    catch: (cause) => new Found({ message: `${path} cannot be restored: ${(cause as Error).message}` })
  })
  const { environment = "live" } = manifest
  if (environment !== name) {
    return yield* new Found({
      message: `${path} is a backup of the ${environment} environment, and not restored into ${name}. ` +
        `To restore it into ${environment}, add --environment ${environment}`
    })
  }
  if (manifest.migration < base) {
    const way = `restore it with version ${requiredStop}, start that once, and then this one`
    return yield* new Found({ message: tooOld(`the backup ${path}`, String(manifest.migration), way) })
  }
  if (manifest.migration <= newest) return manifest
  return yield* new Found({
    message: `${path} was written by version ${manifest.service_version} and has schema ${manifest.migration}; this ` +
      `version knows schemas up to ${newest}. Restore it with version ${manifest.service_version} or a newer one`
  })
}, Effect.scoped)

/** Asks before what is in the database is replaced; refuses without `--replace`. */
const checkEmpty = Effect.fnUntraced(
  function*({ sql }: CopyConnection, url: Redacted.Redacted, input: RestoreFileInput) {
    const tables = yield* ownTables(sql)
    if (tables.length === 0) return
    const where = addressOf(url)
    if (!input.replace) {
      return yield* new WrongUsage({
        message:
          `The database ${where} is not empty: it has ${tables.length} tables of Countersign. No changes made. ` +
          "Choose an empty database, or back this one up and add --replace"
      })
    }
    const name = decodeURIComponent(new URL(Redacted.value(url)).pathname.slice(1))
    yield* confirmByName(
      `All Countersign data in the database ${where} is replaced by the backup.`,
      name,
      input.yes
    )
  }
)

const load = Effect.fnUntraced(function*(
  url: Redacted.Redacted,
  masterKey: Uint8Array,
  manifest: BackupManifest,
  input: RestoreFileInput
) {
  const name = yield* CurrentEnvironment
  const connection = yield* connect(url, "countersign restore")
  yield* checkEmpty(connection, url, input)
  const context = yield* Effect.context<never>()
  const loaded = yield* Effect.tryPromise({
    try: (signal) =>
      withBackup(input.file, masterKey, (backup) =>
        Effect.runPromiseWith(context)(
          Effect.result(
            loadBackup(connection, backup, { masterKey, replace: input.replace }).pipe(
              Effect.provide(NodeCryptography.layer)
            )
          ),
          { signal }
        )),
    catch: (cause) => new LoadRefused({ message: (cause as Error).message })
  })
  const { rows } = yield* Effect.fromResult(loaded)
  // The clock continues from where it was: never before what is in the tables.
  if (name !== "live") {
    yield* updateClock(databaseOf(connection.sql), new Date(manifest.taken_at))
    yield* updateTurnAtLeast(databaseOf(connection.sql), manifest.token_turn ?? 0)
  }
  yield* connection.sql`ANALYZE`
  return rows
}, Effect.scoped)

const explained = (failure: { readonly message: string }) =>
  new Found({ message: `The backup was not loaded, and the database is as it was: ${failure.message}` })

/**
 * The last steps, on the loaded and migrated database: its log is verified, and continues in the epoch that was
 * chosen.
 */
const decide = Effect.fnUntraced(function*(manifest: BackupManifest, input: RestoreFileInput) {
  const restoration = yield* Restoration
  const verdict = yield* verifyLog
  if (verdict?.ok === false) {
    return yield* new Found({
      message: `The log in the backup does not verify: ${
        verdict.sequence === undefined ? "" : `event ${verdict.sequence} `
      }${verdict.fault}: ${verdict.detail}. The service does not start with it; use an older backup`
    })
  }
  if (input.sameEpoch) {
    yield* restoration.resume
    return { verdict, epoch: manifest.log.epoch, begun: undefined }
  }
  const restored = yield* restoration.begin({
    reason: input.reason,
    after: manifest.log.last_sequence,
    least: input.epoch
  })
  return "begun" in restored
    ? { verdict, epoch: restored.begun.epoch, begun: restored.begun }
    : yield* new Found({ message: restored.unneeded })
})

/** Loads a backup into an empty database, or replaces existing data, verifies it, and decides about the epoch. */
const restoreFile = Effect.fnUntraced(function*(input: RestoreFileInput) {
  yield* requireMasterKey(surroundings())
  yield* Effect.gen(function*() {
    const { adminTokenFile, isAdminTokenNew, masterKey } = yield* AppConfig
    const key = Redacted.value(masterKey)
    const manifest = yield* checked(input.file, key)
    const target = yield* stoppedTarget(true)
    const rows = yield* load(target.url, key, manifest, input).pipe(
      Effect.catchTags({
        LoadRefused: explained,
        MasterKeyMismatch: explained,
        SchemaTooOld: explained,
        SqlError: explained
      })
    )
    const { begun, epoch, verdict } = yield* decide(manifest, input).pipe(
      Effect.provide(layerRestoration.pipe(Layer.provide(Layer.succeed(DatabaseTarget, target))))
    )
    if (input.json) {
      return yield* printJson({
        rows,
        taken_at: manifest.taken_at,
        log: manifest.log,
        epoch,
        begun,
        verified: verdict?.ok
      })
    }
    yield* printText(
      `Restored: ${
        rows.toLocaleString("en-US")
      } rows of ${manifest.tables.length} tables as of ${manifest.taken_at}, ` +
        "read again and compared with the backup; the master key opens its secrets" +
        (verdict?.ok === true
          ? `; chain, tree and signature of ${verdict.events.toLocaleString("en-US")} events verify.`
          : ".")
    )
    if (isAdminTokenNew) {
      yield* printText(`A new admin token is in ${adminTokenFile}; it replaces the old one.`)
    }
    yield* printText(
      begun === undefined ? `The log continues in epoch ${epoch}. Start the service.` : described(begun)
    )
  }).pipe(Effect.scoped, Effect.provide(ServiceDatabase.layerConfigOf(AppConfig.layer)))
})

/** The log is damaged, and nothing was changed. The message says how. */
class NotContinued extends Data.TaggedError("NotContinued")<{ readonly message: string }> {}

const flags = {
  file: Argument.String("file").pipe(
    Argument.withDescription("File from `countersign backup`; omit it if the database was restored by other means"),
    Argument.optional
  ),
  replace: Flag.Boolean("replace").pipe(
    Flag.withDescription("Replace the content of the database with the backup"),
    Flag.withDefault(false)
  ),
  sameEpoch: Flag.Boolean("same-epoch").pipe(
    Flag.withDescription("Do not start a new epoch: the service was stopped before the backup and has not run since"),
    Flag.withDefault(false)
  ),
  newEpoch: Flag.Boolean("new-epoch").pipe(
    Flag.withDescription("Start a new epoch of the event log after its last event"),
    Flag.withDefault(false)
  ),
  after: Flag.Int("after").pipe(
    Flag.withDescription("Last event of the backup, if the service has run on the restored database since"),
    Flag.optional
  ),
  epoch: Flag.Int("epoch").pipe(
    Flag.withDescription("Minimum number of the new epoch, if the log had later epochs that no witness knows"),
    Flag.optional
  ),
  reason: Flag.String("reason").pipe(
    Flag.withDescription("Reason, recorded in the event"),
    Flag.withDefault("restored from a backup")
  ),
  json,
  yes
}

/** Which flags need the others, or exclude them. */
const contradiction = (input: {
  readonly file: Option.Option<string>
  readonly newEpoch: boolean
  readonly sameEpoch: boolean
  readonly replace: boolean
  readonly after: Option.Option<number>
}): string | undefined => {
  if (Option.isNone(input.file)) {
    return input.replace || input.sameEpoch ? "--replace and --same-epoch need a backup file" : undefined
  }
  if (input.newEpoch && input.sameEpoch) return "--new-epoch and --same-epoch cannot be combined"
  return Option.isSome(input.after) ? "Omit --after: it is read from the backup file" : undefined
}

/** Decides about a database that was restored by other means: the witness's answer, or a new epoch. */
const continued = Effect.fnUntraced(function*(input: {
  readonly newEpoch: boolean
  readonly reason: string
  readonly after: Option.Option<number>
  readonly epoch: Option.Option<number>
  readonly json: boolean
}) {
  const restoration = yield* Restoration
  if (!input.newEpoch) {
    const found = yield* restoration.examine
    if (found !== undefined) return yield* new NotContinued({ message: found })
    return yield* printText(
      "No sign of a restore to an earlier state: the log continues the checkpoint of its witness, or has no witness. " +
        "If it was restored anyway, add --new-epoch"
    )
  }
  const restored = yield* restoration.begin({
    reason: input.reason,
    after: Option.getOrUndefined(input.after),
    least: Option.getOrUndefined(input.epoch)
  })
  if ("unneeded" in restored) return yield* printText(`No action needed. ${restored.unneeded}`)
  yield* input.json ? printJson(restored.begun) : printText(described(restored.begun))
})

const layer = layerRestoration.pipe(
  Layer.provide(Layer.effect(DatabaseTarget, stoppedTarget(false))),
  Layer.provide(ServiceDatabase.layerConfigOf(AppConfig.layer))
)

/** `countersign restore`: a backup loaded into a database, or a database that was restored by other means. */
export const restore = Command.make("restore", flags, (input) =>
  Effect.gen(function*() {
    const wrong = contradiction(input)
    if (wrong !== undefined) return yield* new WrongUsage({ message: wrong })
    if (Option.isNone(input.file)) return yield* Effect.provide(continued(input), layer)
    yield* restoreFile({
      ...input,
      file: input.file.value,
      epoch: Option.getOrUndefined(input.epoch)
    })
  })).pipe(
    Command.withExamples([
      {
        command: "countersign restore countersign-2026-11-24T23-55-59Z.backup",
        description: "Into the empty database that DATABASE_URL or COUNTERSIGN_DATA_DIR names"
      },
      {
        command: "countersign restore moved.backup --same-epoch",
        description: "A database that was moved: the service was stopped before the backup"
      },
      { command: "countersign restore --new-epoch", description: "After pg_restore or point-in-time recovery" }
    ]),
    Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
  )
