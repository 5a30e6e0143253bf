import { Config, Context, Data, Effect, Layer, Redacted, Result, Runtime } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import manifest from "../../../package.json" with { type: "json" }
import type { DoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import { environmentNames } from "../../domain/ground/environments/EnvironmentName.ts"
import { nearest } from "../../domain/ground/parsing/Nearest.ts"
import { formatBootstrapToken } from "../../domain/keys/security/Credential.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import * as DataDirectory from "../postgres/DataDirectory.ts"
import { exitCode } from "../terminal/ExitCode.ts"
import { help, table, tables } from "./ConfigTable.ts"
import { doorTable, readMail } from "./MailTable.ts"
import { readOpenId } from "./OpenIdTable.ts"
import { adminTokenFile, ConfigInvalid, makeSettingReading, masterKeyFile } from "./Setting.ts"
import type { Setting, SettingReading } from "./Setting.ts"
import { pathOfPublicUrl, rules } from "./SettingRules.ts"
import { readTraces } from "./TraceTable.ts"
import { readWitnesses } from "./WitnessTable.ts"

/** The largest file of a logo, in bytes: every document that is frozen has a copy. */
const maximumBytes = 64 * 1024

/** The longest side of a logo, in pixels. */
const maximumSide = 2_000

/** The first bytes of every PNG, up to the width in its header (ISO/IEC 15948 section 5.2 and 11.2.1). */
const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52)

/**
 * The reason why the file cannot be printed as a logo, before a pixel of it is decoded; `undefined` if it may be one.
 */
const findingOf = (bytes: Buffer): string | undefined => {
  if (bytes.length > maximumBytes) return `must name a file of at most ${maximumBytes} bytes, not ${bytes.length}`
  if (bytes.length < 33 || !signature.every((byte, at) => bytes[at] === byte)) return "must name a PNG"
  const [width, height, depth, color] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes[24]!, bytes[25]]
  if (width === 0 || height === 0 || width > maximumSide || height > maximumSide) {
    return `must name an image of at most ${maximumSide} pixels either way, not ${width} by ${height}`
  }
  // Colour type 3 is a palette.
  return depth < 8 && color !== 3 ? "must name a PNG with 8 bits a channel or a palette" : undefined
}

/** Reads the vendor's logo; answers it in base64, or what is wrong with the file. */
export const readLogo = Effect.fnUntraced(function*(path: string) {
  const file = Result.try({ try: () => Fs.readFileSync(path), catch: (cause) => (cause as Error).message })
  if (Result.isFailure(file)) return Result.fail(`must name a file that can be read: ${file.failure}`)
  const finding = findingOf(file.success)
  if (finding !== undefined) return Result.fail(finding)
  // Loaded only if there is a logo.
  const { convertIndexedToRgb, decode } = yield* Effect.promise(() => import("fast-png"))
  const read = () => {
    const image = decode(file.success, { checkCrc: true })
    if (image.palette !== undefined) convertIndexedToRgb(image)
  }
  const image = Result.try({ try: read, catch: (cause) => (cause as Error).message })
  return Result.isFailure(image)
    ? Result.fail(`must name a PNG that is whole: ${image.failure}`)
    : Result.succeed(file.success.toString("base64"))
})

/** The vendor's logo; undefined without one, or if it cannot be used, which is reported. */
const logoOf = Effect.fnUntraced(function*({ report }: SettingReading, path: string | undefined) {
  if (path === undefined) return undefined
  const logo = yield* readLogo(path)
  if (Result.isFailure(logo)) report(table.vendorLogo, logo.failure)
  return Result.getOrUndefined(logo)
})

const prefix = /^COUNTERSIGN_/i

/** Variables that commands of the command line read beside the settings. */
const ofCommands = [
  "COUNTERSIGN_URL",
  ...["COUNTERSIGN_TOKEN", "COUNTERSIGN_LICENSE_KEY", "COUNTERSIGN_PUBLISHABLE_KEY"].flatMap((
    name
  ) => [name, `${name}_FILE`])
]

const known: ReadonlyArray<string> = [
  ...tables.flatMap((rows) => Object.values(rows)).flatMap(({ isSecret, name }) =>
    isSecret === true ? [name, `${name}_FILE`] : [name]
  ),
  ...ofCommands
]

/** The known names without their prefix, which would make all of them similar. */
const byEnd = new Map(known.map((name) => [name.replace(prefix, ""), name]))

/** The longest name that is repeated, in characters. */
const longest = 64

/**
 * A warning for each variable that looks like a setting but is unknown, with the closest setting; never its value,
 * which may be a secret.
 */
export const unknownVariables = (variables: ReadonlyArray<string>): ReadonlyArray<string> =>
  variables.filter((name) => prefix.test(name) && !known.includes(name)).toSorted().map((name) => {
    const meant = nearest(name.replace(prefix, ""), [...byEnd.keys()])
    return `The variable ${name.slice(0, longest)} is no setting and has no effect. ` +
      (meant === undefined ? "--help lists all settings." : `Did you mean ${byEnd.get(meant)}?`)
  })

export { help }

/** The inputs of the configuration besides the environment. */
export interface ConfigSurroundings {
  readonly cwd: string
  readonly isRoot: boolean
  readonly isTerminal: boolean
  /** The names of all variables of the environment. */
  readonly variables: ReadonlyArray<string>
}

/** The settings of this process. */
export const surroundings = (): ConfigSurroundings => ({
  cwd: process.cwd(),
  isRoot: process.getuid?.() === 0,
  isTerminal: process.stdout.isTTY === true,
  variables: Object.keys(process.env)
})

/** The data directory where `COUNTERSIGN_DATA_DIR` says nothing. */
export const defaultDirectory = ({ cwd, isRoot }: ConfigSurroundings): string =>
  Path.resolve(cwd, isRoot ? "/var/lib/countersign" : ".countersign")

/** The data directory, before anything else of the environment is read. */
export const dataDirectory = (surroundings: ConfigSurroundings): Effect.Effect<string> =>
  Effect.map(
    Effect.orElseSucceed(Config.String(table.dataDirectory.name), () => ""),
    (text) => text.trim() === "" ? defaultDirectory(surroundings) : Path.resolve(surroundings.cwd, text.trim())
  )

/** The value of a secret that a file keeps. */
const keptValue = <A, D>(row: Setting<A, D>, path: string, text: string): Effect.Effect<A, ConfigInvalid> =>
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

/** A secret of the data directory: its file, and how to generate it. */
interface Kept<A> {
  readonly row: Setting<A>
  readonly file: (directory: string) => string
  readonly make: () => string
}

const keptMasterKey: Kept<Redacted.Redacted<Uint8Array>> = {
  row: table.masterKey,
  file: masterKeyFile,
  make: () => randomBytes(32).toString("base64")
}

const keptToken: Kept<Redacted.Redacted> = {
  row: table.adminToken,
  file: adminTokenFile,
  make: () => formatBootstrapToken(randomBytes(32))
}

/** The text of a file of the data directory; undefined where there is none. */
const textIn = (directory: string, path: string) =>
  Effect.try({
    try: () => DataDirectory.readIfPresent(path)?.trim(),
    catch: (cause) => DataDirectory.unusable(directory, cause)
  })

/**
 * A secret from the environment or the data directory. If there is none, one is generated and kept; or, `forNow`,
 * generated and not kept.
 */
const secret = Effect.fnUntraced(function*<A>(
  given: A | undefined,
  { file, make, row }: Kept<A>,
  directory: string,
  forNow: boolean
) {
  if (given !== undefined) return { value: given, isNew: false }
  const path = file(directory)
  const { isNew, value } = forNow
    ? { isNew: false, value: (yield* textIn(directory, path)) ?? make() }
    : yield* DataDirectory.keepSecret(directory, Path.basename(path), make)
  return { value: yield* keptValue(row, path, value), isNew }
})

/** Reads and validates the whole environment. Fails with all findings together. */
const validate = Effect.fnUntraced(function*(surroundings: ConfigSurroundings) {
  const { cwd } = surroundings
  const reading = makeSettingReading(cwd)
  const values = yield* reading.readTable(table)
  const openIdConnect = yield* readOpenId(reading)
  const mail = yield* readMail(reading)
  const cosigning = yield* readWitnesses(reading)
  const traces = yield* readTraces(reading)
  const vendorLogo = yield* logoOf(
    reading,
    values.vendorLogo === undefined ? undefined : Path.resolve(cwd, values.vendorLogo)
  )
  const doorLimits: DoorLimits = yield* reading.readTable(doorTable)
  const directory = yield* dataDirectory(surroundings)
  for (const rule of rules) {
    const problem = rule({ values, isReported: reading.isReported, directory })
    if (problem !== undefined) reading.report(...problem)
  }
  const warnings = [...unknownVariables(surroundings.variables), ...pathOfPublicUrl(values.publicUrl)]
  if (reading.findings.length > 0) return yield* new ConfigInvalid({ findings: reading.findings, warnings })
  return { values, openIdConnect, mail, cosigning, traces, vendorLogo, doorLimits, directory, warnings }
})

/** No service has generated its secrets in this directory yet. */
class NoAdminToken extends Data.TaggedError("NoAdminToken")<{
  readonly message: string
  readonly directory: string
}> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** No service was started with this data directory yet, so it has no admin token, nor the key that one derives from. */
export const noAdminToken = (directory: string): NoAdminToken =>
  new NoAdminToken({
    directory,
    message: `There is no admin token in ${directory}: no service was started with it yet. Start the service once ` +
      "(npm start), which makes the token, or set COUNTERSIGN_DATA_DIR to what the service runs with, for example " +
      "COUNTERSIGN_DATA_DIR=/var/lib/countersign"
  })

/**
 * The admin token that is set or kept, and the file that keeps a generated one. Generates nothing, so that a command
 * on the wrong directory leaves no useless token behind.
 */
export const keptAdminToken = Effect.fnUntraced(function*(surroundings: ConfigSurroundings) {
  const { directory, values: { adminToken } } = yield* validate(surroundings)
  const file = adminTokenFile(directory)
  const kept = yield* textIn(directory, file)
  if (adminToken !== undefined) {
    const token = Redacted.value(adminToken)
    return { token, file, isKept: token === kept }
  }
  if (kept !== undefined) {
    return { token: Redacted.value(yield* keptValue(table.adminToken, file, kept)), file, isKept: true }
  }
  return yield* noAdminToken(directory)
})

/**
 * Fails if the master key is neither set nor kept, where {@link load} would generate one: data restored under another
 * key cannot be used.
 */
export const requireMasterKey = Effect.fnUntraced(function*(surroundings: ConfigSurroundings) {
  const { directory, values: { masterKey }, warnings } = yield* validate(surroundings)
  const file = masterKeyFile(directory)
  if (masterKey !== undefined || Fs.existsSync(file)) return
  return yield* new ConfigInvalid({
    findings: [{
      name: table.masterKey.name,
      problem: `is not set and there is no ${file}, but what is restored is encrypted under it`,
      example: "the key of the service that the backup is of, in that file with mode 0600 or in the variable"
    }],
    warnings
  })
})

/** {@link validate}, and then generates the missing secrets. `forNow`: they are not kept, and of no use elsewhere. */
export const load = Effect.fnUntraced(function*(surroundings: ConfigSurroundings, forNow = false) {
  const { cosigning, directory, doorLimits, mail, openIdConnect, traces, values, vendorLogo, warnings } =
    yield* validate(
      surroundings
    )
  const keeps = !forNow && (values.masterKey === undefined || values.adminToken === undefined)
  if (keeps) yield* DataDirectory.ensure(directory)
  const key = yield* secret(values.masterKey, keptMasterKey, directory, forNow)
  const token = yield* secret(values.adminToken, keptToken, directory, forNow)

  return {
    ...values,
    /** The duration of the drain after SIGTERM. Without a database that other nodes reach, none can take over. */
    drainSeconds: values.drainSeconds ?? (values.databaseUrl === undefined ? 0 : 5),
    /** An absolute path. */
    dataDirectory: directory,
    /** Whether the directory belongs to this service: it keeps something there, or was configured to. */
    isDataDirectoryUsed: keeps || values.dataDirectory !== undefined,
    masterKey: key.value,
    adminToken: token.value,
    /** Whether this start made the token; only that start prints it. */
    isAdminTokenNew: token.isNew,
    adminTokenFile: adminTokenFile(directory),
    /** The file that keeps the master key; `undefined` when the environment gives the key. */
    masterKeyFile: values.masterKey === undefined ? masterKeyFile(directory) : undefined,
    /** Whether the environment gives the admin token. */
    isAdminTokenGiven: values.adminToken !== undefined,
    /** A PNG in base64; `undefined`: reports show no logo. */
    vendorLogo,
    /** Limits on callers before they are authenticated. */
    doorLimits,
    rates: {
      failuresPerMinute: values.failuresPerMinute,
      address: values.addressRate,
      key: values.keyRate,
      token: values.tokenRate,
      trialsPerHour: values.trialsPerHour
    },
    logFormat: values.logFormat ?? (surroundings.isTerminal ? "pretty" : "json"),
    /** `undefined`: nobody signs in at an identity provider. */
    openIdConnect,
    /** `undefined`: no mail is sent to customers. */
    mail,
    cosigning,
    /** `undefined`: traces are not exported. */
    traces,
    /** Warnings, in sentences, about settings that are probably unintended. */
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

  /** For a command, which generates no secrets if there is no service. */
  static readonly layerOfCommand = Layer.effect(
    AppConfig,
    Effect.suspend(() => load(surroundings(), true))
  )
}

/** Logs probable mistakes in the configuration, which do not prevent a start. */
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
    environments: config.testEnvironment === "off" ? ["live"] : environmentNames,
    webhookAllowedCidrs: config.webhookAllowedCidrs,
    providerApiUrl: config.providerApiUrl,
    trustedProxies: config.trustedProxies,
    masterKey: config.masterKey,
    adminToken: config.adminToken,
    exportRetentionDays: config.exportRetentionDays,
    sessionHours: config.sessionHours,
    sessionIdleMinutes: config.sessionIdleMinutes,
    portal: config.portal === "on",
    openIdConnect: config.openIdConnect,
    mail: config.mail === undefined ? undefined : { smtpUrl: config.mail.smtpUrl, from: config.mail.from },
    retainActivityDays: config.retainActivityDays,
    retainBillingBodyDays: config.retainBillingBodyDays,
    retainLeaseDays: config.retainLeaseDays,
    retainUsageDays: config.retainUsageDays,
    vendorName: config.vendorName,
    vendorLogo: config.vendorLogo,
    rates: config.rates,
    maximumStoredAnswers: config.storedAnswersLimit,
    version: manifest.version
  })
