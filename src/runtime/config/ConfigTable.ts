import { Result } from "effect"
import { maximumHourlyDays } from "../../domain/evidence/reports/WindowDays.ts"
import { activityDays, refusalDays } from "../../domain/keys/settings/ActivityRetention.ts"
import { doorTable, mailTable } from "./MailTable.ts"
import { openIdTable } from "./OpenIdTable.ts"
import { setting } from "./Setting.ts"
import type { SettingTable } from "./Setting.ts"
import {
  adminToken,
  cidrs,
  databaseUrl,
  displayName,
  hostName,
  keptFrom,
  logLevel,
  masterKey,
  oneOf,
  processes,
  text,
  webUrl,
  wholeNumber,
  witness
} from "./SettingParsers.ts"
import { traceTable } from "./TraceTable.ts"
import { witnessTable } from "./WitnessTable.ts"

/** Schemes whose pages have no origin of their own, or that have no pages. */
const withoutOrigin = new Set(["about", "blob", "data", "ftp", "javascript", "ws", "wss"])

/** `scheme://host[:port]` as apps have it, such as `app://acme`: what their pages send as Origin. */
const ofApp = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:[1-9]\d{0,4})?$/

/** The reason why a text is no serialized origin (HTML standard, section 7.1.1), with its cure; undefined for one that is. */
const findingOf = (text: string): string | undefined => {
  if (text === "null") return undefined
  if (text === "*") return "use * alone, without other origins"
  if (text.includes("*")) return "name each host: patterns are not supported"
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return "begin with the scheme, as in https://app.example.com or http://localhost:5173"
  if (scheme === "file") return "pages of file:// have the origin null; use a custom scheme for the app"
  if (withoutOrigin.has(scheme)) return `pages have no origin of ${scheme}://`
  if (scheme === "http" || scheme === "https") {
    const origin = URL.canParse(text) ? new URL(text).origin : undefined
    return origin === text ? undefined : origin === undefined ? "this is no URL" : `write ${origin}`
  }
  if (ofApp.test(text)) return undefined
  const meant = text.toLowerCase().split("/").slice(0, 3).join("/")
  return ofApp.test(meant) ? `write ${meant}` : "write scheme://host in lower case, as in app://acme"
}

/** Origins as browsers serialize them, separated by commas; or `*` alone. */
export const allowedOrigins = (value: string): Result.Result<ReadonlyArray<string>, string> => {
  const origins = value.split(/[\s,]+/).filter((origin) => origin !== "")
  if (origins.length === 1 && origins[0] === "*") return Result.succeed(origins)
  const wrong = origins.flatMap((origin) => {
    const finding = findingOf(origin)
    return finding === undefined ? [] : [`"${origin}" (${finding})`]
  })
  return wrong.length === 0
    ? Result.succeed(origins)
    : Result.fail(`must be origins separated by commas, or * alone; wrong: ${wrong.join(", ")}`)
}

/** Requests in a time; 0 sets no limit. */
const rate = wholeNumber("whole number", 0, 9_999_999)

/** Every setting, in the order of `--help`. */
export const table = {
  port: setting({
    name: "PORT",
    default: 8080,
    meaning: "The port to listen on. 0 takes a free one; the address is printed.",
    example: "8080",
    parse: wholeNumber("number", 0, 65_535)
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
    default: 1,
    meaning: "How many processes share the port, each a node of the same cluster; auto: as many as there are cores.",
    example: "auto",
    parse: processes
  }),
  databaseUrl: setting({
    name: "DATABASE_URL",
    default: undefined,
    shown: "none: an embedded PostgreSQL in the data directory",
    meaning: "A PostgreSQL, 15 to 18.",
    example: "postgres://countersign:<password>@db.example.com:5432/countersign?sslmode=verify-full",
    parse: databaseUrl,
    isSecret: true
  }),
  testEnvironment: setting({
    name: "COUNTERSIGN_TEST_ENVIRONMENT",
    default: "on",
    meaning:
      "off: there is no test environment. Its credentials and addresses are refused, and no database is made for it.",
    example: "off",
    parse: oneOf("on", "off")
  }),
  testDatabaseUrl: setting({
    name: "COUNTERSIGN_TEST_DATABASE_URL",
    default: undefined,
    shown: "the name of the database of DATABASE_URL with _test appended",
    meaning: "The database of the test environment, owned by its role. Resetting the environment empties it.",
    example: "postgres://countersign:<password>@db.example.com:5432/countersign_test",
    parse: databaseUrl,
    isSecret: true
  }),
  drainSeconds: setting({
    name: "COUNTERSIGN_DRAIN_SECONDS",
    default: undefined,
    shown: "5 with DATABASE_URL, otherwise 0",
    meaning:
      "Seconds for which SIGTERM leaves everything served while /readyz is 503, so that a proxy turns elsewhere.",
    example: "10",
    parse: wholeNumber("number of seconds", 0, 300)
  }),
  migrate: setting({
    name: "COUNTERSIGN_MIGRATE",
    default: "auto",
    meaning:
      "auto: a start migrates the schema. check: it refuses an older one, and `countersign migrate up` migrates.",
    example: "check",
    parse: oneOf("auto", "check")
  }),
  dataDirectory: setting({
    name: "COUNTERSIGN_DATA_DIR",
    default: undefined,
    shown: ".countersign (as root: /var/lib/countersign)",
    meaning: "Holds the embedded database and the generated secrets.",
    example: "/var/lib/countersign",
    parse: text
  }),
  adminToken: setting({
    name: "COUNTERSIGN_ADMIN_TOKEN",
    default: undefined,
    shown: "generated at first start, kept in the data directory",
    meaning: "The bootstrap token with the scope admin: a string of 24 or more characters that is hard to guess.",
    example: "the output of: openssl rand -hex 24",
    parse: adminToken,
    isSecret: true
  }),
  masterKey: setting({
    name: "COUNTERSIGN_MASTER_KEY",
    default: undefined,
    shown: "generated at first start; required with DATABASE_URL",
    meaning: "32 bytes in base64. Encrypts stored secrets: losing it loses them.",
    example: "the output of: openssl rand -base64 32",
    parse: masterKey,
    isSecret: true
  }),
  webhookAllowedCidrs: setting({
    name: "COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS",
    default: [],
    shown: "none",
    meaning: "Private ranges where receivers may live, separated by commas; plain http is taken there, by name too.",
    example: "127.0.0.0/8,10.0.0.0/8",
    parse: cidrs
  }),
  providerApiUrl: setting({
    name: "COUNTERSIGN_PROVIDER_API_URL",
    default: undefined,
    shown: "none: the hosts of the providers",
    meaning:
      "Where the APIs of payment providers are read instead, each under its name, such as `/stripe`: a proxy, or a test.",
    example: "https://egress.example.com/providers",
    parse: webUrl
  }),
  publicUrl: setting({
    name: "COUNTERSIGN_PUBLIC_URL",
    default: undefined,
    shown: "http://HOST:PORT",
    meaning: "Where callers reach the service, for the links it hands out.",
    example: "https://licenses.example.com",
    parse: webUrl
  }),
  trustedProxies: setting({
    name: "COUNTERSIGN_TRUSTED_PROXIES",
    default: [],
    shown: "none",
    meaning: "Ranges of the proxies whose X-Forwarded-For is believed, separated by commas.",
    example: "10.0.0.0/8,fd00::/8",
    parse: cidrs
  }),
  corsOrigins: setting({
    name: "COUNTERSIGN_CORS_ORIGINS",
    default: [],
    shown: "none",
    meaning: "Origins whose pages may call the runtime operations from a browser, separated by commas; or * for any.",
    example: "https://app.example.com,app://acme",
    parse: allowedOrigins
  }),
  exportRetentionDays: setting({
    name: "COUNTERSIGN_EXPORT_RETENTION_DAYS",
    default: 90,
    meaning: "For how many days a finished report export can be downloaded; its manifest stays.",
    example: "365",
    parse: wholeNumber("number of days", 1, 36_500)
  }),
  sessionHours: setting({
    name: "COUNTERSIGN_SESSION_HOURS",
    default: 12,
    meaning: "Hours after which a person who signed in has to sign in again.",
    example: "8",
    parse: wholeNumber("number of hours", 1, 720)
  }),
  sessionIdleMinutes: setting({
    name: "COUNTERSIGN_SESSION_IDLE_MINUTES",
    default: 60,
    meaning:
      "Minutes after which a session ends, since its person last did something. A page that refreshes itself does not count.",
    example: "15",
    parse: wholeNumber("number of minutes", 5, 43_200)
  }),
  portal: setting({
    name: "COUNTERSIGN_PORTAL",
    default: "off",
    meaning: "on: customers sign in at /portal by their license key or a mail, and see and change what is theirs.",
    example: "on",
    parse: oneOf("on", "off")
  }),
  retainEventDays: setting({
    name: "COUNTERSIGN_RETAIN_EVENT_DAYS",
    default: undefined,
    shown: "none: every event is kept",
    meaning: "How many days every event is kept at least; `countersign archive drop` removes older ones.",
    example: "730",
    parse: wholeNumber("number of days", 0, 36_500)
  }),
  retainActivityDays: setting({
    name: "COUNTERSIGN_RETAIN_ACTIVITY_DAYS",
    default: activityDays,
    meaning:
      "How many days activities are kept. Older ones are deleted, and reports that need them are refused. 0: forever.",
    example: "1095",
    parse: keptFrom(refusalDays)
  }),
  retainBillingBodyDays: setting({
    name: "COUNTERSIGN_RETAIN_BILLING_BODY_DAYS",
    default: 90,
    meaning:
      "How many days the body of a payment provider's event is kept; what it says of purchases stays. 0: forever.",
    example: "30",
    parse: keptFrom(7)
  }),
  retainLeaseDays: setting({
    name: "COUNTERSIGN_RETAIN_LEASE_DAYS",
    default: 0,
    shown: "none: every lease is kept",
    meaning:
      "How many days a lease is kept after its end. It is deleted after its events were archived and dropped. 0: forever.",
    example: "730",
    parse: keptFrom(30)
  }),
  retainUsageDays: setting({
    name: "COUNTERSIGN_RETAIN_USAGE_DAYS",
    default: 0,
    shown: "none: every usage event is kept",
    meaning:
      "How many days usage events are kept. Daily totals stay, and a repeated event still counts once. 0: forever.",
    example: "1095",
    parse: keptFrom(maximumHourlyDays)
  }),
  vendorName: setting({
    name: "COUNTERSIGN_VENDOR_NAME",
    default: undefined,
    shown: "none",
    meaning: "Your name as it is printed on reports: at most 100 characters of any script.",
    example: "Acme Software GmbH",
    parse: displayName
  }),
  vendorLogo: setting({
    name: "COUNTERSIGN_VENDOR_LOGO",
    default: undefined,
    shown: "none",
    meaning: "A PNG file with your logo, printed on reports as PDF: at most 64 KiB, and 2000 pixels either way.",
    example: "/etc/countersign/logo.png",
    parse: text
  }),
  witness: setting({
    name: "COUNTERSIGN_WITNESS",
    default: undefined,
    shown: "none",
    meaning: "A file on another disk, or an https address, for the latest checkpoint: tells a restored backup.",
    example: "/mnt/elsewhere/countersign.witness",
    parse: witness
  }),
  renderSeconds: setting({
    name: "COUNTERSIGN_LIMIT_RENDER_SECONDS",
    default: 60,
    meaning: "Seconds for which the process that makes a PDF may be silent; then it is ended and a new one tries.",
    example: "120",
    parse: wholeNumber("number of seconds", 1, 3600)
  }),
  storedAnswersLimit: setting({
    name: "COUNTERSIGN_LIMIT_STORED_ANSWERS",
    default: 1_000_000,
    meaning:
      "How many responses are stored per credential and day for Idempotency-Keys, without usage events; more are 429.",
    example: "100000",
    parse: wholeNumber("number of responses", 1, 9_999_999_999)
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
    default: 0,
    shown: "0: a free one",
    meaning: "The port at which other nodes on the same database reach this one; more processes take the next ones.",
    example: "34431",
    parse: wholeNumber("number", 0, 65_535)
  }),
  failuresPerMinute: setting({
    name: "COUNTERSIGN_LIMIT_FAILED_CREDENTIALS",
    default: 60,
    meaning: "Wrong license keys and tokens per minute of one address (IPv6: /64); more are 429. 0: no limit.",
    example: "60",
    parse: rate
  }),
  trialsPerHour: setting({
    name: "COUNTERSIGN_LIMIT_TRIALS",
    default: 20,
    meaning: "New trials per hour of one address (IPv6: /64), opened with publishable keys; more are 429. 0: no limit.",
    example: "20",
    parse: rate
  }),
  addressRate: setting({
    name: "COUNTERSIGN_LIMIT_ADDRESS_RATE",
    default: 10_000,
    meaning: "Requests per second of one address, over 10 seconds; more are 429. 0: no limit.",
    example: "500",
    parse: rate
  }),
  keyRate: setting({
    name: "COUNTERSIGN_LIMIT_KEY_RATE",
    default: 5000,
    meaning: "Requests per second with one license key, over 10 seconds; more are 429. 0: no limit.",
    example: "100",
    parse: rate
  }),
  tokenRate: setting({
    name: "COUNTERSIGN_LIMIT_TOKEN_RATE",
    default: 5000,
    meaning: "Requests per second with one API key, over 10 seconds; more are 429. 0: no limit.",
    example: "200",
    parse: rate
  }),
  logLevel: setting({
    name: "COUNTERSIGN_LOG_LEVEL",
    default: "Info",
    shown: "info",
    meaning: "Log level: error, warn, info (includes a line per request), or debug (includes health probes).",
    example: "warn",
    parse: logLevel
  }),
  logFormat: setting({
    name: "COUNTERSIGN_LOG_FORMAT",
    default: undefined,
    shown: "pretty on a terminal, otherwise json",
    meaning: "How log lines are written: pretty or json.",
    example: "json",
    parse: oneOf("pretty", "json")
  })
} satisfies SettingTable

/** Every setting, by table. */
export const tables: ReadonlyArray<SettingTable> = [table, witnessTable, openIdTable, mailTable, traceTable, doorTable]

/** The settings as `--help` prints them. */
export const help: string = tables.flatMap((rows) => Object.values(rows))
  .map(({ example, isSecret, meaning, name, shown }) =>
    `${name}\n    ${meaning}\n    Default: ${shown}\n    Example: ${example}` +
    (isSecret === true ? `\n    Or ${name}_FILE: the file that holds it.` : "")
  )
  .join("\n")
