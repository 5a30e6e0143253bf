import { Config, Context, Data, Effect, Layer, Option, Redacted, Result, Runtime } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import manifest from "../../../package.json" with { type: "json" }
import { defaultDoorLimits } from "../../domain/admission/DoorLimits.ts"
import { activityDays } from "../../domain/audit/Activity.ts"
import { formatBootstrapToken } from "../../domain/security/Credential.ts"
import { Settings } from "../../services/platform/Settings.ts"
import * as DataDirectory from "../postgres/DataDirectory.ts"
import { exitCode } from "../terminal/ExitCode.ts"
import { ConfigInvalid } from "./ConfigInvalid.ts"
import type { ConfigFinding } from "./ConfigInvalid.ts"
import { help, table } from "./ConfigTable.ts"
import { doorTable } from "./LimitTable.ts"
import { readSecretFile } from "./SecretFile.ts"
import type { Setting } from "./Setting.ts"
import { readTraces } from "./TraceTable.ts"
import { unknownVariables } from "./UnknownVariables.ts"
import { readLogo } from "./VendorLogo.ts"

export { help }

/** The inputs of the configuration besides the environment. */
export interface ConfigSurroundings {
  readonly cwd: string
  readonly isRoot: boolean
  readonly isTerminal: boolean
  /** The names of all variables of the environment. */
  readonly variables: ReadonlyArray<string>
}

/** Those of this process. */
export const surroundings = (): ConfigSurroundings => ({
  cwd: process.cwd(),
  isRoot: process.getuid?.() === 0,
  isTerminal: process.stdout.isTTY === true,
  variables: Object.keys(process.env)
})

/** The data directory where `COUNTERSIGN_DATA_DIR` says nothing. */
export const defaultDirectory = ({ cwd, isRoot }: ConfigSurroundings): string =>
  Path.resolve(cwd, isRoot ? "/var/lib/countersign" : ".countersign")

/** The data directory, whatever else the environment says. */
export const dataDirectory = (surroundings: ConfigSurroundings): Effect.Effect<string> =>
  Effect.map(
    Effect.orElseSucceed(Config.String(table.dataDirectory.name), () => ""),
    (text) => text.trim() === "" ? defaultDirectory(surroundings) : Path.resolve(surroundings.cwd, text.trim())
  )

const secretFiles = { masterKey: "master.key", adminToken: "admin.token" } as const

/** The value of a secret that a file keeps. */
const keptValue = <A>(row: Setting<A>, path: string, text: string): Effect.Effect<A, ConfigInvalid> =>
  Effect.mapError(
    Effect.fromResult(row.parse(text)),
    (problem) =>
      new ConfigInvalid({
        findings: [{
          name: row.name,
          problem: `is not set, and what is kept in ${path} ${problem}`,
          example: `restore that file, or set the variable to ${row.example}`
        }],
        warnings: []
      })
  )

/** A secret from the data directory. Where there is none, one is made and kept; or, `forNow`, made and forgotten. */
const secret = Effect.fnUntraced(function*<A>(
  row: Setting<A>,
  directory: string,
  file: string,
  make: () => string,
  forNow: boolean
) {
  const path = Path.join(directory, file)
  const { isNew, value } = forNow
    ? yield* Effect.try({
      try: () => ({ isNew: false, value: DataDirectory.readIfPresent(path)?.trim() ?? make() }),
      catch: (cause) => DataDirectory.unusable(directory, cause)
    })
    : yield* DataDirectory.keepSecret(directory, file, make)
  return { value: yield* keptValue(row, path, value), isNew }
})

/** Reads and validates the whole environment. Fails with all findings together. An empty variable counts as unset. */
const validate = Effect.fnUntraced(function*(surroundings: ConfigSurroundings) {
  const findings: Array<ConfigFinding> = []
  const reported = new Set<Setting<unknown>>()
  const report = (row: Setting<unknown>, problem: string, name = row.name, example = row.example) => {
    reported.add(row)
    findings.push({ name, problem, example })
  }

  const variable = (name: string): Effect.Effect<string> =>
    Effect.map(
      Effect.orDie(Config.option(Config.String(name))),
      (option) => Option.getOrElse(option, () => "").trim()
    )

  /** The text of a setting, from its variable or from the file that `<name>_FILE` names. */
  const textOf = Effect.fnUntraced(function*(row: Setting<unknown>) {
    const value = yield* variable(row.name)
    if (row.isSecret !== true) return value
    const name = `${row.name}_FILE`
    const file = yield* variable(name)
    if (file === "") return value
    const example = `/run/secrets/${row.name.toLowerCase()}`
    if (value !== "") {
      report(row, `is set beside ${row.name}; set one of them`, name, example)
      return ""
    }
    const text = yield* Effect.result(Effect.try(() => readSecretFile(Path.resolve(surroundings.cwd, file))))
    if (Result.isSuccess(text) && text.success !== "") return text.success
    const why = Result.isSuccess(text) ? "it is empty" : (text.failure.cause as Error).message
    report(row, `names a file that cannot be used: ${why}`, name, example)
    return ""
  })

  const read = <A>(row: Setting<A>): Effect.Effect<A | undefined> =>
    Effect.map(textOf(row), (value) => {
      if (value === "") return undefined
      const parsed = row.parse(value)
      if (Result.isSuccess(parsed)) return parsed.success
      report(row, parsed.failure)
      return undefined
    })

  const given = {
    port: yield* read(table.port),
    host: yield* read(table.host),
    processes: yield* read(table.processes),
    databaseUrl: yield* read(table.databaseUrl),
    drainSeconds: yield* read(table.drainSeconds),
    migrate: yield* read(table.migrate),
    dataDirectory: yield* read(table.dataDirectory),
    adminToken: yield* read(table.adminToken),
    masterKey: yield* read(table.masterKey),
    webhookAllowedCidrs: yield* read(table.webhookAllowedCidrs),
    publicUrl: yield* read(table.publicUrl),
    trustedProxies: yield* read(table.trustedProxies),
    corsOrigins: yield* read(table.corsOrigins),
    exportRetentionDays: yield* read(table.exportRetentionDays),
    retainEventDays: yield* read(table.retainEventDays),
    retainActivityDays: yield* read(table.retainActivityDays),
    retainLeaseDays: yield* read(table.retainLeaseDays),
    retainUsageDays: yield* read(table.retainUsageDays),
    vendorName: yield* read(table.vendorName),
    vendorLogo: yield* read(table.vendorLogo),
    witness: yield* read(table.witness),
    renderSeconds: yield* read(table.renderSeconds),
    storedAnswersLimit: yield* read(table.storedAnswersLimit),
    clusterHost: yield* read(table.clusterHost),
    clusterPort: yield* read(table.clusterPort),
    failuresPerMinute: yield* read(table.failuresPerMinute),
    trialsPerHour: yield* read(table.trialsPerHour),
    addressRate: yield* read(table.addressRate),
    keyRate: yield* read(table.keyRate),
    tokenRate: yield* read(table.tokenRate),
    logLevel: yield* read(table.logLevel),
    logFormat: yield* read(table.logFormat),
    traces: yield* readTraces(read, report)
  }
  const isReported = (row: Setting<unknown>) => reported.has(row)
  const logo = given.vendorLogo === undefined
    ? undefined
    : yield* readLogo(Path.resolve(surroundings.cwd, given.vendorLogo))
  if (logo !== undefined && Result.isFailure(logo)) report(table.vendorLogo, logo.failure)
  const doorLimits = { ...defaultDoorLimits }
  for (const name of Object.keys(doorTable) as Array<keyof typeof doorTable>) {
    doorLimits[name] = (yield* read(doorTable[name])) ?? defaultDoorLimits[name]
  }
  const lastClusterPort = (given.clusterPort ?? 0) + (given.processes ?? 1) - 1
  if (given.clusterPort !== 0 && lastClusterPort > 65_535) {
    report(table.clusterPort, `leaves no port for each of ${given.processes} processes: they take it and the next ones`)
  }
  if ((given.retainLeaseDays ?? 0) > 0 && given.retainEventDays === undefined && !isReported(table.retainEventDays)) {
    report(
      table.retainLeaseDays,
      `would delete nothing without ${table.retainEventDays.name}: a lease stays as long as its events do`
    )
  }
  const isEmbedded = given.databaseUrl === undefined && !isReported(table.databaseUrl)
  const directory = yield* dataDirectory(surroundings)

  if (given.masterKey === undefined && !isReported(table.masterKey)) {
    const file = Path.join(directory, secretFiles.masterKey)
    if (!isEmbedded) {
      report(table.masterKey, "is required with DATABASE_URL, because every start must use the same key")
    } else if (!Fs.existsSync(file) && DataDirectory.hasDatabase(directory)) {
      report(table.masterKey, `is not set and ${file} is gone, but the database beside it is encrypted under that key`)
    }
  }
  const warnings = unknownVariables(surroundings.variables)
  if (findings.length > 0) return yield* new ConfigInvalid({ findings, warnings })
  return { given, directory, doorLimits, logo, warnings }
})

/** No service made its secrets yet, where they were looked for. */
class NoAdminToken extends Data.TaggedError("NoAdminToken")<{
  readonly message: string
  readonly directory: string
}> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/**
 * The admin token that is set or kept, and the file that keeps a generated one. Makes nothing, so that a command on the
 * wrong directory leaves no token behind that opens no service.
 */
export const keptAdminToken = Effect.fnUntraced(function*(surroundings: ConfigSurroundings) {
  const { directory, given } = yield* validate(surroundings)
  const file = Path.join(directory, secretFiles.adminToken)
  const kept = yield* Effect.try({
    try: () => DataDirectory.readIfPresent(file)?.trim(),
    catch: (cause) => DataDirectory.unusable(directory, cause)
  })
  if (given.adminToken !== undefined) {
    const token = Redacted.value(given.adminToken)
    return { token, file, isKept: token === kept }
  }
  if (kept !== undefined) {
    return { token: Redacted.value(yield* keptValue(table.adminToken, file, kept)), file, isKept: true }
  }
  return yield* new NoAdminToken({
    directory,
    message: `There is no admin token in ${directory}: no service was started with it yet. Start the service once ` +
      "(npm start), which makes the token, or set COUNTERSIGN_DATA_DIR to what the service runs with, for example " +
      "COUNTERSIGN_DATA_DIR=/var/lib/countersign"
  })
})

/**
 * Fails when the master key is neither set nor kept, where {@link load} would make one: what is restored under another
 * key cannot be used.
 */
export const requireMasterKey = Effect.fnUntraced(function*(surroundings: ConfigSurroundings) {
  const { directory, given, warnings } = yield* validate(surroundings)
  const file = Path.join(directory, secretFiles.masterKey)
  if (given.masterKey !== undefined || Fs.existsSync(file)) return
  return yield* new ConfigInvalid({
    findings: [{
      name: table.masterKey.name,
      problem: `is not set and there is no ${file}, but what is restored is encrypted under it`,
      example: "the key of the service that the backup is of, in that file with mode 0600 or in the variable"
    }],
    warnings
  })
})

/**
 * {@link validate}, and then makes the secrets that are neither set nor kept. `forNow`: they are not kept, and open
 * nothing.
 */
export const load = Effect.fnUntraced(function*(surroundings: ConfigSurroundings, forNow = false) {
  const { directory, doorLimits, given, logo, warnings } = yield* validate(surroundings)
  const keeps = !forNow && (given.masterKey === undefined || given.adminToken === undefined)
  if (keeps) yield* DataDirectory.ensure(directory)
  const key = given.masterKey !== undefined
    ? { value: given.masterKey, isNew: false }
    : yield* secret(table.masterKey, directory, secretFiles.masterKey, () => randomBytes(32).toString("base64"), forNow)
  const token = given.adminToken !== undefined
    ? { value: given.adminToken, isNew: false }
    : yield* secret(
      table.adminToken,
      directory,
      secretFiles.adminToken,
      () => formatBootstrapToken(randomBytes(32)),
      forNow
    )

  return {
    port: given.port ?? 8080,
    host: given.host ?? "127.0.0.1",
    /** `undefined`: the embedded PostgreSQL in the data directory. */
    databaseUrl: given.databaseUrl,
    /** How long SIGTERM leaves everything served. Without a database that others reach, no other node can take over. */
    drainSeconds: given.drainSeconds ?? (given.databaseUrl === undefined ? 0 : 5),
    /** Whether a start migrates the schema, or refuses one that is older. */
    migrate: given.migrate ?? "auto" as const,
    /** An absolute path. */
    dataDirectory: directory,
    /** Whether the directory is this service's: it keeps something there, or was told to. */
    isDataDirectoryUsed: keeps || given.dataDirectory !== undefined,
    masterKey: key.value,
    adminToken: token.value,
    /** Whether this start made the token; only that start prints it. */
    isAdminTokenNew: token.isNew,
    /** The file that keeps a generated token. */
    adminTokenFile: Path.join(directory, secretFiles.adminToken),
    /** The file that keeps the master key; `undefined` when the environment gives the key. */
    masterKeyFile: given.masterKey === undefined ? Path.join(directory, secretFiles.masterKey) : undefined,
    /** Whether the environment gives the admin token. */
    isAdminTokenGiven: given.adminToken !== undefined,
    /** `undefined`: derived from the address that the server listens on, see {@link settings}. */
    publicUrl: given.publicUrl,
    webhookAllowedCidrs: given.webhookAllowedCidrs ?? [],
    trustedProxies: given.trustedProxies ?? [],
    /** Serialized origins whose pages may read the answers of runtime operations; `*` alone stands for any. */
    corsOrigins: given.corsOrigins ?? [],
    exportRetentionDays: given.exportRetentionDays ?? 90,
    /** `undefined`: every event is kept. */
    retainEventDays: given.retainEventDays,
    /** 0: every activity is kept. */
    retainActivityDays: given.retainActivityDays ?? activityDays,
    /** 0: every lease is kept. */
    retainLeaseDays: given.retainLeaseDays ?? 0,
    /** 0: every use is kept. */
    retainUsageDays: given.retainUsageDays ?? 0,
    /** `undefined`: reports name no vendor. */
    vendorName: given.vendorName,
    /** A PNG in base64; `undefined`: reports show no logo. */
    vendorLogo: logo === undefined || Result.isFailure(logo) ? undefined : logo.success,
    /** `undefined`: no place outside the database keeps checkpoints. */
    witness: given.witness,
    /** How long a rendering process may be silent, in seconds. */
    renderSeconds: given.renderSeconds ?? 60,
    storedAnswersLimit: given.storedAnswersLimit ?? 1_000_000,
    /** Limits on callers before they are authenticated. */
    doorLimits,
    /** The address under which other nodes reach this one; port 0 picks a free port. */
    clusterHost: given.clusterHost ?? "127.0.0.1",
    clusterPort: given.clusterPort ?? 0,
    rates: {
      failuresPerMinute: given.failuresPerMinute ?? 60,
      address: given.addressRate ?? 10_000,
      key: given.keyRate ?? 5000,
      token: given.tokenRate ?? 5000,
      trialsPerHour: given.trialsPerHour ?? 20
    },
    logLevel: given.logLevel ?? "Info",
    logFormat: given.logFormat ?? (surroundings.isTerminal ? "pretty" as const : "json" as const),
    /** `undefined`: traces are not exported. */
    traces: given.traces,
    /** What is set and likely not what is wanted, in sentences. */
    warnings
  }
})

/** The configuration of this process: the environment, read and validated once by {@link load}. */
export class AppConfig extends Context.Service<AppConfig, Effect.Success<ReturnType<typeof load>>>()(
  "countersign/runtime/AppConfig"
) {
  static readonly layer = Layer.effect(
    AppConfig,
    Effect.suspend(() => load(surroundings()))
  )

  /** For a command, which leaves no secret behind where no service is. */
  static readonly layerOfCommand = Layer.effect(
    AppConfig,
    Effect.suspend(() => load(surroundings(), true))
  )
}

/** Says in the log what is likely a mistake in the configuration, and keeps nothing from starting. */
export const logWarnings = Effect.flatMap(
  AppConfig,
  ({ warnings }) => Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
)

/**
 * `http://HOST:PORT` of the listening address. A wildcard address is replaced, because callers cannot connect to it.
 */
export const addressUrl = (host: string, port: number): string => {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** The settings of the services, once the listening port is known. */
export const settings = (config: AppConfig["Service"], boundPort: number): Settings["Service"] =>
  Settings.of({
    publicUrl: config.publicUrl ?? addressUrl(config.host, boundPort),
    webhookAllowedCidrs: config.webhookAllowedCidrs,
    trustedProxies: config.trustedProxies,
    masterKey: config.masterKey,
    adminToken: config.adminToken,
    exportRetentionDays: config.exportRetentionDays,
    retainActivityDays: config.retainActivityDays,
    retainLeaseDays: config.retainLeaseDays,
    retainUsageDays: config.retainUsageDays,
    vendorName: config.vendorName,
    vendorLogo: config.vendorLogo,
    rates: config.rates,
    maximumStoredAnswers: config.storedAnswersLimit,
    version: manifest.version
  })
