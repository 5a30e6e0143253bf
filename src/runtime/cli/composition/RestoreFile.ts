import { Effect, Layer, Redacted } from "effect"
import * as Fs from "node:fs"
import { updateTurnAtLeast } from "../../../services/people/access/BootstrapTokenSql.ts"
import { updateClock } from "../../../services/jobs/clock/ClockSql.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { databaseOf } from "../../../services/ground/persistence/Database.ts"
import { Restoration } from "../../../services/evidence/transparency/Restoration.ts"
import type { BackupManifest } from "../../backup/BackupManifest.ts"
import type { CopyConnection } from "../../backup/CopyConnection.ts"
import { connect } from "../../backup/CopyConnection.ts"
import { loadBackup, LoadRefused, ownTables } from "../../backup/loadBackup.ts"
import { verifyBackup, withBackup } from "../../backup/readBackup.ts"
import { verifyLog } from "../../backup/verifyLog.ts"
import { AppConfig, requireMasterKey, surroundings } from "../../config/Config.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import { base, requiredStop, tooOld } from "../../postgres/BaseSchema.ts"
import { DatabaseTarget } from "../../postgres/Database.ts"
import { addressOf } from "../../postgres/DatabaseServer.ts"
import { newest } from "../../postgres/Migrations.ts"
import { confirmByName } from "../../terminal/Confirm.ts"
import { Found, WrongUsage } from "../../terminal/ExitCode.ts"
import { printJson, printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import { described } from "../evidence/EpochBegun.ts"
import { layerRestoration, stoppedTarget } from "../ground/RestoreTarget.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** The inputs of `countersign restore <file>`. */
export interface RestoreFileInput {
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
export const restoreFile = Effect.fnUntraced(function*(input: RestoreFileInput) {
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
