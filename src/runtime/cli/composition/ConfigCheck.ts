import { Data, Effect, Layer, Redacted, Runtime } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { namedEnvironments } from "../../../domain/ground/environments/EnvironmentName.ts"
import { Database as Rows } from "../../../services/ground/persistence/Database.ts"
import { Cryptography } from "../../../services/ground/platform/Cryptography.ts"
import { DatabaseDisk, DatabaseHealth } from "../../../services/ground/platform/DatabaseHealth.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { unwrapAll } from "../../../services/keys/security/DataKeys.ts"
import { listDataKeys } from "../../../services/keys/security/DataKeySql.ts"
import { keyWrapping } from "../../../services/keys/security/KeyWrapping.ts"
import { IdentityProvider } from "../../../services/people/IdentityProvider.ts"
import { AppConfig, settings as settingsOf, surroundings } from "../../config/Config.ts"
import { examine } from "../../config/Examination.ts"
import type { Finding } from "../../config/Examination.ts"
import { databaseUseOf, targetOf, whyNone } from "../../environments/EnvironmentDatabase.ts"
import type { EnvironmentTarget } from "../../environments/EnvironmentDatabase.ts"
import { turnedOff } from "../../environments/EnvironmentSettings.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import * as OpenIdProvider from "../../node/OpenIdProvider.ts"
import { greetMailServer } from "../../node/SmtpTransport.ts"
import * as Database from "../../postgres/Database.ts"
import { addressOf } from "../../postgres/DatabaseServer.ts"
import * as DataDirectory from "../../postgres/DataDirectory.ts"
import * as Migrations from "../../postgres/Migrations.ts"
import { exitCode } from "../../terminal/ExitCode.ts"
import { json, printJson, printTable, printText } from "../../terminal/Printing.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** The findings were already printed. The exit code tells wrong settings from something that cannot be reached. */
class ConfigFaulty extends Data.TaggedError("ConfigFaulty")<{ readonly kind: Finding["kind"] }> {
  override readonly [Runtime.errorReported] = false
  override get [Runtime.errorExitCode]() {
    return this.kind === "settings" ? exitCode.wrongUsage : exitCode.away
  }
}

const note = (message: string): Finding => ({ kind: "note", message })

const counted = (count: number) => `${count} migration${count === 1 ? " is" : "s are"}`

/** Tries the configured master key on the data keys of the current environment's database; answers how many it opens. */
const openDataKeys = Effect.gen(function*() {
  const { masterKey } = yield* AppConfig
  const wrapping = keyWrapping(yield* Cryptography, Redacted.value(masterKey))
  const keys = yield* listDataKeys(yield* Rows, wrapping)
  yield* unwrapAll(keys, wrapping)
  return keys.length
})

/**
 * Tries the master key on the database of an environment beside the live one, if it was used. What it finds are notes: the
 * service starts without that environment.
 */
const askBeside = ({ name, ...target }: EnvironmentTarget) =>
  Effect.gen(function*() {
    const { begun } = yield* databaseUseOf({ name, ...target })
    if (!begun) return []
    const database = Layer.provide(Database.layerTarget, Layer.succeed(Database.DatabaseTarget, target))
    const opened = yield* Effect.provide(Effect.andThen(Migrations.status, openDataKeys), database, { local: true })
    return [note(`The master key opens the ${opened} data keys of the ${name} environment.`)]
  }).pipe(
    Effect.catch(({ message }) => Effect.succeed([note(`The ${name} environment does not start: ${message}`)]))
  )

/** Checks the database as a start would. Writes nothing to it. */
const askDatabase = Effect.gen(function*() {
  const { url } = yield* Database.DatabaseTarget
  const sql = yield* SqlClient.SqlClient
  const findings: Array<Finding> = []
  const [version] = yield* sql<{ readonly name: string }>`SELECT current_setting('server_version') AS name`
  findings.push(note(`The database at ${addressOf(url)} responds: PostgreSQL ${version!.name}.`))
  const shortage = yield* (yield* DatabaseHealth).shortage
  if (shortage !== undefined) findings.push({ kind: "away", message: shortage })

  const read = yield* Effect.result(Migrations.status)
  if (read._tag === "Failure") {
    if (read.failure._tag === "SqlError") return yield* read.failure
    return [...findings, { kind: "away", message: `${read.failure.message}.` } as const]
  }
  const { newer, steps } = read.success
  const pending = steps.filter(({ appliedAt }) => appliedAt === null).length
  const { databaseUrl, migrate, testDatabaseUrl, testEnvironment } = yield* AppConfig
  const targets = namedEnvironments.map((name) => targetOf(name, url, testDatabaseUrl))
  const none = testEnvironment === "off" ? turnedOff : yield* whyNone(targets[0]!)
  if (none !== undefined) findings.push(note(`${none}.`))
  if (pending > 0 && migrate === "check" && !Migrations.isJustMade(databaseUrl, steps)) {
    const message = `${
      counted(pending)
    } pending and COUNTERSIGN_MIGRATE is check, so the service does not start. Run: countersign migrate up`
    findings.push({ kind: "away", message })
  } else if (pending === steps.length) {
    findings.push(note("The database has no tables yet; the first start creates them."))
  } else if (pending > 0) findings.push(note(`${counted(pending)} pending; the next start runs them.`))
  if (pending === steps.length) return findings
  if (newer > 0) findings.push(note(`${counted(newer)} of a later version.`))
  const opened = yield* Effect.result(openDataKeys)
  findings.push(
    opened._tag === "Failure"
      ? { kind: "settings", message: opened.failure.message }
      : note(`The master key opens its ${opened.success} data keys.`)
  )
  if (none === undefined) findings.push(...(yield* Effect.forEach(targets, askBeside)).flat())
  return findings
})

/** Asks the identity provider what a sign-in would. It is a note: the service starts without it. */
const askProvider = Effect.gen(function*() {
  const config = yield* AppConfig
  if (config.openIdConnect === undefined) return []
  const { issuer } = config.openIdConnect
  return yield* Effect.flatMap(IdentityProvider, ({ test }) => test).pipe(
    Effect.as([note(`The identity provider ${issuer} responds.`)]),
    Effect.catch(({ problem }) =>
      Effect.succeed([note(`Sign-in at the identity provider ${issuer} does not work: ${problem}.`)])
    ),
    Effect.provide(OpenIdProvider.layer),
    Effect.provideService(Settings, settingsOf(config, config.port))
  )
})

/** Greets the mail server as the mailer does. It is a note: the service starts without it, and mails wait. */
const askMailServer = Effect.gen(function*() {
  const { mail } = yield* AppConfig
  if (mail === undefined) return []
  const { host } = new URL(Redacted.value(mail.smtpUrl))
  const problem = yield* greetMailServer(mail)
  return [note(
    problem === undefined
      ? `The mail server ${host} responds, and takes the password if there is one.`
      : `No mail can be sent by the mail server ${host}: ${problem.replace(/\.$/, "")}.`
  )]
})

const layerDatabase = DatabaseHealth.layer.pipe(
  Layer.provide(Layer.succeed(DatabaseDisk, { left: Effect.undefined })),
  Layer.provideMerge(ServiceDatabase.layerConnected),
  Layer.provideMerge(NodeCryptography.layer)
)

const askDatabaseIfAny = Effect.flatMap(
  AppConfig,
  ({ databaseUrl, dataDirectory }) =>
    databaseUrl === undefined && !DataDirectory.hasDatabase(dataDirectory)
      ? Effect.succeed([note(`No database in ${dataDirectory} yet: the first start creates one.`)])
      : Effect.provide(askDatabase, layerDatabase)
).pipe(
  Effect.catch((error) => Effect.succeed<ReadonlyArray<Finding>>([{ kind: "away", message: error.message }]))
)

const connected = Effect.all([askDatabaseIfAny, askProvider, askMailServer]).pipe(
  Effect.map((found) => found.flat()),
  Effect.provide(AppConfig.layerOfCommand),
  Effect.catch((error) => Effect.succeed<ReadonlyArray<Finding>>([{ kind: "away", message: error.message }]))
)

const connect = Flag.Boolean("connect").pipe(
  Flag.withDescription(
    "Also check the database: version, connections, migrations and master key; and the identity provider and the mail server"
  ),
  Flag.withDefault(false)
)

const everything = Flag.Boolean("all").pipe(
  Flag.withDescription("Show each setting, also those that are not set; --json always does"),
  Flag.withDefault(false)
)

const worst = (findings: ReadonlyArray<Finding>): Finding["kind"] =>
  findings.some(({ kind }) => kind === "settings")
    ? "settings"
    : findings.some(({ kind }) => kind === "away")
    ? "away"
    : "note"

const marks: Readonly<Record<Finding["kind"], string>> = { settings: "WRONG", away: "AWAY ", note: "note " }

const check = Command.make("check", { all: everything, connect, json }, (input) =>
  Effect.gen(function*() {
    const { findings, settings } = yield* examine(surroundings())
    const isUsable = worst(findings) === "note"
    const all = input.connect && isUsable ? [...findings, ...(yield* connected)] : findings
    const kind = worst(all)
    if (input.json) yield* printJson({ ok: kind === "note", settings, findings: all })
    else {
      const shown = settings.filter(({ from, name }) =>
        input.all || from !== "default" || findings.some(({ setting }) => setting === name)
      )
      if (shown.length > 0) {
        yield* printTable([
          ["SETTING", "FROM", "VALUE"],
          ...shown.map(({ file, from, name, value }) => [name, file ?? from, value])
        ])
      }
      const others = settings.length - shown.length
      if (others > 0) {
        yield* printText(
          (shown.length === 0 ? "No setting is set: all" : "The other") +
            ` ${others} are as they are without being set; --all shows them.`
        )
      }
      yield* printText("")
      for (const finding of all) yield* printText(`${marks[finding.kind]}  ${finding.message}`)
      yield* printText(
        kind === "note"
          ? input.connect
            ? "Settings are valid."
            : "Settings are valid. The database was not checked; add --connect to check it."
          : "The service does not start with these settings."
      )
    }
    if (kind !== "note") return yield* new ConfigFaulty({ kind })
  })).pipe(
    Command.withDescription(
      "Validate the settings without starting the service, and show where each comes from; secrets are hidden. " +
        "Exit code 2 for invalid settings, 3 for unusable resources"
    ),
    Command.withExamples([
      { command: "countersign config check --connect", description: "Before a deployment, in its environment" }
    ])
  )

/** `countersign config ...`: the settings of the service. */
export const config = Command.make("config").pipe(
  Command.withExamples([
    { command: "countersign config check", description: "List the settings, their sources and errors" }
  ]),
  Command.withSubcommands([check])
)
