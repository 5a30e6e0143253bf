import { Config, Context, Data, Effect, Layer, Option, Result } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import manifest from "../../../package.json" with { type: "json" }
import { defaultDoorLimits } from "../../domain/admission/DoorLimits.ts"
import { activityDays } from "../../domain/audit/Activity.ts"
import { formatBootstrapToken } from "../../domain/security/Credential.ts"
import { Settings } from "../../services/platform/Settings.ts"
import * as DataDirectory from "../postgres/DataDirectory.ts"
import { help, table } from "./ConfigTable.ts"
import { doorTable } from "./LimitTable.ts"
import type { Setting } from "./Setting.ts"
import { readLogo } from "./VendorLogo.ts"

export { help }

/** A setting that is missing or wrong. It never holds the value of a secret. */
interface ConfigFinding {
  readonly name: string
  /** Completes a sentence that starts with the setting's name. */
  readonly problem: string
  /** A valid value, or how to make one. */
  readonly example: string
}

/** All settings that prevent a start, together. The message is for the terminal. */
class ConfigInvalid extends Data.TaggedError("ConfigInvalid")<{
  readonly findings: ReadonlyArray<ConfigFinding>
}> {
  override get message(): string {
    const lines = this.findings.map(({ name, problem, example }) => `  ${name} ${problem}\n    Example: ${example}`)
    return `Countersign cannot start with this configuration:\n${lines.join("\n")}\n` +
      "Set environment variables and start again; --help lists all of them."
  }
}

/** The inputs of the configuration besides the environment. */
export interface ConfigSurroundings {
  readonly cwd: string
  readonly isRoot: boolean
  readonly isTerminal: boolean
}

const secretFiles = { masterKey: "master.key", adminToken: "admin.token" } as const

/** A secret from its variable, or else from the data directory. */
const secret = Effect.fnUntraced(function*<A>(row: Setting<A>, directory: string, file: string, make: () => string) {
  const kept = yield* DataDirectory.keepSecret(directory, file, make)
  const parsed = row.parse(kept.value)
  if (Result.isFailure(parsed)) {
    return yield* new ConfigInvalid({
      findings: [{
        name: row.name,
        problem: `is not set, and what is kept in ${Path.join(directory, file)} ${parsed.failure}`,
        example: `restore that file, or set the variable to ${row.example}`
      }]
    })
  }
  return { value: parsed.success, isNew: kept.isNew }
})

/**
 * Reads and validates the whole environment, then makes the secrets that are neither set nor kept. Fails with all
 * findings together. An empty variable counts as unset.
 */
export const load = Effect.fnUntraced(function*(surroundings: ConfigSurroundings) {
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
    const path = Path.resolve(surroundings.cwd, file)
    const text = yield* Effect.result(Effect.try(() => Fs.readFileSync(path, "utf8").trim()))
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
    dataDirectory: yield* read(table.dataDirectory),
    adminToken: yield* read(table.adminToken),
    masterKey: yield* read(table.masterKey),
    webhookAllowedCidrs: yield* read(table.webhookAllowedCidrs),
    publicUrl: yield* read(table.publicUrl),
    trustedProxies: yield* read(table.trustedProxies),
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
    addressRate: yield* read(table.addressRate),
    keyRate: yield* read(table.keyRate),
    tokenRate: yield* read(table.tokenRate),
    logFormat: yield* read(table.logFormat),
    otlpEndpoint: yield* read(table.otlpEndpoint)
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
  const directory = Path.resolve(
    surroundings.cwd,
    given.dataDirectory ?? (surroundings.isRoot ? "/var/lib/countersign" : ".countersign")
  )

  if (given.masterKey === undefined && !isReported(table.masterKey)) {
    const file = Path.join(directory, secretFiles.masterKey)
    if (!isEmbedded) {
      report(table.masterKey, "is required with DATABASE_URL, because every start must use the same key")
    } else if (!Fs.existsSync(file) && Fs.existsSync(Path.join(directory, "postgres", "PG_VERSION"))) {
      report(table.masterKey, `is not set and ${file} is gone, but the database beside it is encrypted under that key`)
    }
  }
  if (findings.length > 0) return yield* new ConfigInvalid({ findings })

  if (given.masterKey === undefined || given.adminToken === undefined) yield* DataDirectory.ensure(directory)
  const key = given.masterKey !== undefined
    ? { value: given.masterKey, isNew: false }
    : yield* secret(table.masterKey, directory, secretFiles.masterKey, () => randomBytes(32).toString("base64"))
  const token = given.adminToken !== undefined
    ? { value: given.adminToken, isNew: false }
    : yield* secret(
      table.adminToken,
      directory,
      secretFiles.adminToken,
      () => formatBootstrapToken(randomBytes(32))
    )

  return {
    port: given.port ?? 8080,
    host: given.host ?? "127.0.0.1",
    /** `undefined`: the embedded PostgreSQL in the data directory. */
    databaseUrl: given.databaseUrl,
    /** An absolute path. */
    dataDirectory: directory,
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
      token: given.tokenRate ?? 5000
    },
    logFormat: given.logFormat ?? (surroundings.isTerminal ? "pretty" as const : "json" as const),
    /** `undefined`: traces are not exported. */
    otlpEndpoint: given.otlpEndpoint
  }
})

/** The configuration of this process: the environment, read and validated once by {@link load}. */
export class AppConfig extends Context.Service<AppConfig, Effect.Success<ReturnType<typeof load>>>()(
  "countersign/runtime/AppConfig"
) {
  static readonly layer = Layer.effect(
    AppConfig,
    Effect.suspend(() =>
      load({
        cwd: process.cwd(),
        isRoot: process.getuid?.() === 0,
        isTerminal: process.stdout.isTTY === true
      })
    )
  )
}

/**
 * `http://HOST:PORT` of the listening address. A wildcard address is replaced, because callers cannot connect to it.
 */
const addressUrl = (host: string, port: number): string => {
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
