import { Redacted, Result } from "effect"
import type { LogLevel } from "effect"
import { availableParallelism } from "node:os"
import { platform } from "node:process"
import { parseCidr } from "../../domain/admission/Address.ts"
import { activityDays, refusalDays } from "../../domain/audit/Activity.ts"
import { maximumHourlyDays } from "../../domain/reports/Report.ts"
import { isGuessable } from "../../domain/security/Credential.ts"
import { readTls } from "../postgres/DatabaseTls.ts"
import { allowedOrigins } from "./AllowedOrigins.ts"
import { doorTable } from "./LimitTable.ts"
import { setting } from "./Setting.ts"
import type { Setting } from "./Setting.ts"
import { traceTable } from "./TraceTable.ts"

const text = Result.succeed<string>

const webUrl = (value: string): Result.Result<string, string> => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" &&
      url.username === "" && url.password === ""
    ? Result.succeed(url.href.replace(/\/+$/, ""))
    : Result.fail(`must be an absolute http or https URL without query, fragment or password, not "${value}"`)
}

const logLevels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const

const cidrs = (value: string): Result.Result<ReadonlyArray<string>, string> => {
  const ranges = value.split(/[\s,]+/).filter((range) => range !== "")
  const wrong = ranges.filter((range) => parseCidr(range) === undefined)
  return wrong.length === 0
    ? Result.succeed(ranges)
    : Result.fail(`must be ranges of addresses separated by commas; wrong: ${wrong.map((it) => `"${it}"`).join(", ")}`)
}

/** 32 bytes in base64. */
export const masterKey = (value: string): Result.Result<Redacted.Redacted<Uint8Array>, string> => {
  const bytes = /^[A-Za-z0-9+/_-]+=*$/.test(value) ? new Uint8Array(Buffer.from(value, "base64")) : undefined
  return bytes?.length === 32
    ? Result.succeed(Redacted.make(bytes, { label: "COUNTERSIGN_MASTER_KEY" }))
    : Result.fail("must be 32 bytes in base64 (44 characters)")
}

/** A token is sent in a header, so it must be printable ASCII without spaces. */
const adminToken = (value: string): Result.Result<Redacted.Redacted, string> => {
  if (value.length < 24) return Result.fail(`must have 24 or more characters, not ${value.length}`)
  if (!/^[\x21-\x7e]+$/.test(value)) return Result.fail("must be printable ASCII without spaces")
  return isGuessable(value)
    ? Result.fail("must be hard to guess: it has too few different characters, or repeats itself")
    : Result.succeed(Redacted.make(value, { label: "COUNTERSIGN_ADMIN_TOKEN" }))
}

const databaseUrl = (value: string): Result.Result<Redacted.Redacted, string> =>
  /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)
    ? Result.map(readTls(value), () => Redacted.make(value, { label: "DATABASE_URL" }))
    : Result.fail("must be a URL that starts with postgres:// or postgresql://")

const portNumber = (value: string): Result.Result<number, string> =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535
    ? Result.succeed(Number(value))
    : Result.fail(`must be a number from 0 to 65535, not "${value}"`)

const days = (value: string): Result.Result<number, string> =>
  /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 36_500
    ? Result.succeed(Number(value))
    : Result.fail(`must be a number of days from 1 to 36500, not "${value}"`)

const retention = (value: string): Result.Result<number, string> =>
  /^\d{1,5}$/.test(value) && Number(value) <= 36_500
    ? Result.succeed(Number(value))
    : Result.fail(`must be a number of days from 0 to 36500, not "${value}"`)

/** Days for which rows are kept that are deleted without being asked again; 0 keeps them for ever. */
const keptFrom = (least: number) => (value: string): Result.Result<number, string> =>
  /^\d{1,5}$/.test(value) && (Number(value) === 0 || Number(value) >= least) && Number(value) <= 36_500
    ? Result.succeed(Number(value))
    : Result.fail(`must be 0, or a number of days from ${least} to 36500, not "${value}"`)

const rate = (value: string): Result.Result<number, string> =>
  /^\d{1,7}$/.test(value)
    ? Result.succeed(Number(value))
    : Result.fail(`must be a whole number from 0 to 9999999, not "${value}"`)

const seconds = (value: string): Result.Result<number, string> =>
  /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= 3600
    ? Result.succeed(Number(value))
    : Result.fail(`must be a number of seconds from 1 to 3600, not "${value}"`)

/** As long as a proxy takes to notice. */
const drain = (value: string): Result.Result<number, string> =>
  /^\d{1,3}$/.test(value) && Number(value) <= 300
    ? Result.succeed(Number(value))
    : Result.fail(`must be a number of seconds from 0 to 300, not "${value}"`)

const answers = (value: string): Result.Result<number, string> =>
  /^\d{1,10}$/.test(value) && Number(value) >= 1
    ? Result.succeed(Number(value))
    : Result.fail(`must be a number of answers from 1 to 9999999999, not "${value}"`)

/** One line on paper, in any script: without control characters, and without marks that change the direction of what follows. */
const displayName = (value: string): Result.Result<string, string> =>
  [...value].length <= 100 && value.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value)
    ? Result.succeed(value.normalize("NFC"))
    : Result.fail("must have at most 100 characters on one line, without control characters")

/** Several processes share a port, which only Linux balances. */
const processes = (value: string): Result.Result<number, string> => {
  const count = value === "auto" ? Math.min(availableParallelism(), maximumProcesses) : Number(value)
  if (value !== "auto" && !(/^\d{1,2}$/.test(value) && count >= 1 && count <= maximumProcesses)) {
    return Result.fail(`must be auto, or a number from 1 to ${maximumProcesses}, not "${value}"`)
  }
  return count > 1 && platform !== "linux"
    ? value === "auto" ? Result.succeed(1) : Result.fail("must be 1 on this system: several processes need Linux")
    : Result.succeed(count)
}

const hostName = (value: string): Result.Result<string, string> =>
  /^[A-Za-z0-9._:%-]+$/.test(value)
    ? Result.succeed(value)
    : Result.fail(`must be an address or a host name, not "${value}"`)

/** The place of the latest checkpoint. A URL may carry a secret in its query, which is never shown. */
export type WitnessAddress = { readonly path: string } | { readonly url: Redacted.Redacted }

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const witness = (value: string): Result.Result<WitnessAddress, string> => {
  if (value.startsWith("/")) return Result.succeed({ path: value })
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isAllowed = url !== undefined && url.username === "" && url.password === "" && url.hash === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
  return isAllowed
    ? Result.succeed({ url: Redacted.make(url.href, { label: "COUNTERSIGN_WITNESS" }) })
    : Result.fail("must be an absolute path, or an https URL without user, password or fragment")
}

/** As many as the connections of the embedded database allow. */
const maximumProcesses = 8

const migrateMode = (value: string): Result.Result<"auto" | "check", string> =>
  value === "auto" || value === "check"
    ? Result.succeed(value)
    : Result.fail(`must be auto or check, not "${value}"`)

/** Every setting, in the order of `--help`. */
export const table = {
  port: setting({
    name: "PORT",
    default: "8080",
    meaning: "The port to listen on. 0 takes a free one; the address is printed.",
    example: "8080",
    parse: portNumber
  }),
  host: setting({
    name: "HOST",
    default: "127.0.0.1",
    meaning: "The address to listen on. 0.0.0.0 or :: for all.",
    example: "0.0.0.0",
    parse: hostName
  }),
  processes: setting({
    name: "COUNTERSIGN_PROCESSES",
    default: "1",
    meaning: "How many processes share the port, each a node of the same cluster; auto: as many as there are cores.",
    example: "auto",
    parse: processes
  }),
  databaseUrl: setting({
    name: "DATABASE_URL",
    default: "none: a PostgreSQL of its own in the data directory",
    meaning: "A PostgreSQL, 15 to 18.",
    example: "postgres://countersign:<password>@db.example.com:5432/countersign?sslmode=verify-full",
    parse: databaseUrl,
    isSecret: true
  }),
  drainSeconds: setting({
    name: "COUNTERSIGN_DRAIN_SECONDS",
    default: "5 with DATABASE_URL, otherwise 0",
    meaning:
      "Seconds for which SIGTERM leaves everything served while /readyz is 503, so that a proxy turns elsewhere.",
    example: "10",
    parse: drain
  }),
  migrate: setting({
    name: "COUNTERSIGN_MIGRATE",
    default: "auto",
    meaning:
      "auto: a start migrates the schema. check: it refuses an older one, and `countersign migrate up` migrates.",
    example: "check",
    parse: migrateMode
  }),
  dataDirectory: setting({
    name: "COUNTERSIGN_DATA_DIR",
    default: ".countersign (as root: /var/lib/countersign)",
    meaning: "Holds the embedded database and the generated secrets.",
    example: "/var/lib/countersign",
    parse: text
  }),
  adminToken: setting({
    name: "COUNTERSIGN_ADMIN_TOKEN",
    default: "generated at first start, kept in the data directory",
    meaning: "The bootstrap token with the scope admin: a string of 24 or more characters that is hard to guess.",
    example: "the output of: openssl rand -hex 24",
    parse: adminToken,
    isSecret: true
  }),
  masterKey: setting({
    name: "COUNTERSIGN_MASTER_KEY",
    default: "generated at first start; required with DATABASE_URL",
    meaning: "32 bytes in base64. Encrypts stored secrets: losing it loses them.",
    example: "the output of: openssl rand -base64 32",
    parse: masterKey,
    isSecret: true
  }),
  webhookAllowedCidrs: setting({
    name: "COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS",
    default: "none",
    meaning: "Private ranges where receivers may live, separated by commas; plain http is taken there, by name too.",
    example: "127.0.0.0/8,10.0.0.0/8",
    parse: cidrs
  }),
  publicUrl: setting({
    name: "COUNTERSIGN_PUBLIC_URL",
    default: "http://HOST:PORT",
    meaning: "Where callers reach the service, for the links it hands out.",
    example: "https://licenses.example.com",
    parse: webUrl
  }),
  trustedProxies: setting({
    name: "COUNTERSIGN_TRUSTED_PROXIES",
    default: "none",
    meaning: "Ranges of the proxies whose X-Forwarded-For is believed, separated by commas.",
    example: "10.0.0.0/8,fd00::/8",
    parse: cidrs
  }),
  corsOrigins: setting({
    name: "COUNTERSIGN_CORS_ORIGINS",
    default: "none",
    meaning: "Origins whose pages may call the runtime operations from a browser, separated by commas; or * for any.",
    example: "https://app.example.com,app://acme",
    parse: allowedOrigins
  }),
  exportRetentionDays: setting({
    name: "COUNTERSIGN_EXPORT_RETENTION_DAYS",
    default: "90",
    meaning: "For how many days a finished report export can be downloaded; its manifest stays.",
    example: "365",
    parse: days
  }),
  retainEventDays: setting({
    name: "COUNTERSIGN_RETAIN_EVENT_DAYS",
    default: "none: every event is kept",
    meaning: "For how many days an event is kept and served at least; `countersign archive drop` takes older ones.",
    example: "730",
    parse: retention
  }),
  retainActivityDays: setting({
    name: "COUNTERSIGN_RETAIN_ACTIVITY_DAYS",
    default: String(activityDays),
    meaning:
      "For how many days activities are kept; older ones are deleted, and reports that need them refused. 0: for ever.",
    example: "1095",
    parse: keptFrom(refusalDays)
  }),
  retainLeaseDays: setting({
    name: "COUNTERSIGN_RETAIN_LEASE_DAYS",
    default: "none: every lease is kept",
    meaning:
      "For how many days a lease is kept after its end; it goes once its events were archived and dropped. 0: for ever.",
    example: "730",
    parse: keptFrom(30)
  }),
  retainUsageDays: setting({
    name: "COUNTERSIGN_RETAIN_USAGE_DAYS",
    default: "none: every use is kept",
    meaning:
      "For how many days single uses are kept; their sums of days, and what makes a repeat count once, stay. 0: for ever.",
    example: "1095",
    parse: keptFrom(maximumHourlyDays)
  }),
  vendorName: setting({
    name: "COUNTERSIGN_VENDOR_NAME",
    default: "none",
    meaning: "Your name as it is printed on reports: at most 100 characters of any script.",
    example: "Acme Software GmbH",
    parse: displayName
  }),
  vendorLogo: setting({
    name: "COUNTERSIGN_VENDOR_LOGO",
    default: "none",
    meaning: "A PNG file with your logo, printed on reports as PDF: at most 64 KiB, and 2000 pixels either way.",
    example: "/etc/countersign/logo.png",
    parse: text
  }),
  witness: setting({
    name: "COUNTERSIGN_WITNESS",
    default: "none",
    meaning: "A file on another disk, or an https address, for the latest checkpoint: tells a restored backup.",
    example: "/mnt/elsewhere/countersign.witness",
    parse: witness
  }),
  renderSeconds: setting({
    name: "COUNTERSIGN_LIMIT_RENDER_SECONDS",
    default: "60",
    meaning: "Seconds for which the process that makes a PDF may be silent; then it is ended and a new one tries.",
    example: "120",
    parse: seconds
  }),
  storedAnswersLimit: setting({
    name: "COUNTERSIGN_LIMIT_STORED_ANSWERS",
    default: "1000000",
    meaning: "How many answers of one credential a day are kept for its Idempotency-Keys, uses aside; more are 429.",
    example: "100000",
    parse: answers
  }),
  clusterHost: setting({
    name: "COUNTERSIGN_CLUSTER_HOST",
    default: "127.0.0.1",
    meaning: "With DATABASE_URL: the address at which other nodes on the same database reach this one.",
    example: "10.0.0.5",
    parse: hostName
  }),
  clusterPort: setting({
    name: "COUNTERSIGN_CLUSTER_PORT",
    default: "0: a free one",
    meaning: "The port at which other nodes on the same database reach this one; more processes take the next ones.",
    example: "34431",
    parse: portNumber
  }),
  failuresPerMinute: setting({
    name: "COUNTERSIGN_LIMIT_FAILED_CREDENTIALS",
    default: "60",
    meaning: "Wrong license keys and tokens per minute of one address (IPv6: /64); more are 429. 0: no limit.",
    example: "60",
    parse: rate
  }),
  trialsPerHour: setting({
    name: "COUNTERSIGN_LIMIT_TRIALS",
    default: "20",
    meaning: "New trials per hour of one address (IPv6: /64), opened with publishable keys; more are 429. 0: no limit.",
    example: "20",
    parse: rate
  }),
  addressRate: setting({
    name: "COUNTERSIGN_LIMIT_ADDRESS_RATE",
    default: "10000",
    meaning: "Requests per second of one address, over 10 seconds; more are 429. 0: no limit.",
    example: "500",
    parse: rate
  }),
  keyRate: setting({
    name: "COUNTERSIGN_LIMIT_KEY_RATE",
    default: "5000",
    meaning: "Requests per second with one license key, over 10 seconds; more are 429. 0: no limit.",
    example: "100",
    parse: rate
  }),
  tokenRate: setting({
    name: "COUNTERSIGN_LIMIT_TOKEN_RATE",
    default: "5000",
    meaning: "Requests per second with one management key, over 10 seconds; more are 429. 0: no limit.",
    example: "200",
    parse: rate
  }),
  logLevel: setting({
    name: "COUNTERSIGN_LOG_LEVEL",
    default: "info",
    meaning: "What is logged: error, warn, info (a line for each request too), or debug (and for each probe).",
    example: "warn",
    parse: (value): Result.Result<LogLevel.LogLevel, string> =>
      Object.hasOwn(logLevels, value)
        ? Result.succeed(logLevels[value as keyof typeof logLevels])
        : Result.fail(`must be ${Object.keys(logLevels).slice(0, -1).join(", ")} or debug, not "${value}"`)
  }),
  logFormat: setting({
    name: "COUNTERSIGN_LOG_FORMAT",
    default: "pretty on a terminal, otherwise json",
    meaning: "How log lines are written: pretty or json.",
    example: "json",
    parse: (value): Result.Result<"pretty" | "json", string> =>
      value === "pretty" || value === "json"
        ? Result.succeed(value)
        : Result.fail(`must be pretty or json, not "${value}"`)
  })
} satisfies Record<string, Setting<unknown>>

/** The settings as `--help` prints them. */
export const help: string = [table, traceTable, doorTable].flatMap((rows) => Object.values<Setting<unknown>>(rows))
  .map(({ name, default: byDefault, meaning, example, isSecret }) =>
    `${name}\n    ${meaning}\n    Default: ${byDefault}\n    Example: ${example}` +
    (isSecret === true ? `\n    Or ${name}_FILE: the file that holds it.` : "")
  )
  .join("\n")
