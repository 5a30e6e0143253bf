import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted, Result } from "effect"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { help, load, settings } from "../../../src/runtime/config/Config.ts"
import { table } from "../../../src/runtime/config/ConfigTable.ts"
import { doorTable, mailTable } from "../../../src/runtime/config/MailTable.ts"
import { openIdTable } from "../../../src/runtime/config/OpenIdTable.ts"
import type { Setting } from "../../../src/runtime/config/Setting.ts"
import { traceTable } from "../../../src/runtime/config/TraceTable.ts"
import { witnessTable } from "../../../src/runtime/config/WitnessTable.ts"

const masterKey = Buffer.alloc(32, 7).toString("base64")
const adminToken = "a-token-of-at-least-24-characters"
const databaseUrl = "postgres://someone:hush-hush@db.example.com/licenses"

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "countersign-"))),
  (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
)

const loadIn = (cwd: string, environment: Record<string, string>) =>
  load({ cwd, isRoot: false, isTerminal: false, variables: Object.keys(environment) }).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))
  )

/** With every secret given, so that nothing is written. */
const loadGiven = (environment: Record<string, string>) =>
  loadIn("/nonexistent", {
    COUNTERSIGN_MASTER_KEY: masterKey,
    COUNTERSIGN_ADMIN_TOKEN: adminToken,
    ...environment
  })

const modeOf = (file: string): number => Fs.statSync(file).mode & 0o777

describe("Config", () => {
  it.effect("has a default for everything, and takes an empty variable as unset", () =>
    Effect.gen(function*() {
      const config = yield* loadGiven({ PORT: "", HOST: " ", DATABASE_URL: "", COUNTERSIGN_PUBLIC_URL: "" })
      assert.deepInclude(config, {
        port: 8080,
        host: "127.0.0.1",
        databaseUrl: undefined,
        dataDirectory: "/nonexistent/.countersign",
        isAdminTokenNew: false,
        publicUrl: undefined,
        webhookAllowedCidrs: [],
        trustedProxies: [],
        corsOrigins: [],
        exportRetentionDays: 90,
        sessionHours: 12,
        sessionIdleMinutes: 60,
        retainActivityDays: 3660,
        retainBillingBodyDays: 90,
        retainLeaseDays: 0,
        retainUsageDays: 0,
        storedAnswersLimit: 1_000_000,
        logFormat: "json",
        traces: undefined
      })
      assert.isFalse(Fs.existsSync("/nonexistent"))
    }))

  it.effect("keeps root's data in /var/lib and writes pretty lines to a terminal", () =>
    Effect.gen(function*() {
      const config = yield* load({ cwd: "/", isRoot: true, isTerminal: true, variables: [] }).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({
          COUNTERSIGN_MASTER_KEY: masterKey,
          COUNTERSIGN_ADMIN_TOKEN: adminToken
        })))
      )
      assert.strictEqual(config.dataDirectory, "/var/lib/countersign")
      assert.strictEqual(config.logFormat, "pretty")
    }))

  it.effect("reads every variable", () =>
    Effect.gen(function*() {
      const config = yield* loadGiven({
        PORT: "0",
        HOST: "::",
        DATABASE_URL: databaseUrl,
        COUNTERSIGN_DATA_DIR: "data",
        COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8, ::1/128",
        COUNTERSIGN_PUBLIC_URL: "https://licenses.example.com/base/",
        COUNTERSIGN_TRUSTED_PROXIES: "10.0.0.0/8",
        COUNTERSIGN_CORS_ORIGINS: "https://app.example.com, app://acme",
        COUNTERSIGN_LOG_FORMAT: "pretty",
        COUNTERSIGN_LOG_LEVEL: "warn",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318"
      })
      assert.deepInclude(config, {
        port: 0,
        host: "::",
        dataDirectory: "/nonexistent/data",
        webhookAllowedCidrs: ["127.0.0.0/8", "::1/128"],
        publicUrl: "https://licenses.example.com/base",
        trustedProxies: ["10.0.0.0/8"],
        corsOrigins: ["https://app.example.com", "app://acme"],
        logFormat: "pretty",
        logLevel: "Warn"
      })
      assert.strictEqual(config.traces?.url, "http://127.0.0.1:4318/v1/traces")
      assert.strictEqual(Redacted.value(config.databaseUrl!), databaseUrl)
      assert.strictEqual(Redacted.value(config.adminToken), adminToken)
      assert.deepStrictEqual(Redacted.value(config.masterKey), new Uint8Array(32).fill(7))
      const printed = JSON.stringify(config)
      for (const hidden of ["hush-hush", adminToken, masterKey]) assert.notInclude(printed, hidden)
    }))

  it.effect("wants a port of the cluster for each process", () =>
    Effect.gen(function*() {
      const most = { COUNTERSIGN_PROCESSES: "2", COUNTERSIGN_CLUSTER_PORT: "65534" }
      if (process.platform === "linux") {
        assert.strictEqual((yield* loadGiven(most)).clusterPort, 65_534)
        const error = yield* Effect.flip(loadGiven({ ...most, COUNTERSIGN_PROCESSES: "3" }))
        assert.include(error.message, "COUNTERSIGN_CLUSTER_PORT leaves no port for each of 3 processes")
      } else {
        const error = yield* Effect.flip(loadGiven(most))
        assert.include(error.message, "COUNTERSIGN_PROCESSES must be 1 on this system: several processes need Linux")
      }
    }))

  it.effect("deletes leases only where their events may go", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(loadGiven({ COUNTERSIGN_RETAIN_LEASE_DAYS: "30" }))
      assert.include(
        error.message,
        "COUNTERSIGN_RETAIN_LEASE_DAYS would delete nothing without COUNTERSIGN_RETAIN_EVENT_DAYS"
      )
      assert.strictEqual((yield* loadGiven({ COUNTERSIGN_RETAIN_LEASE_DAYS: "0" })).retainLeaseDays, 0)
      const both = { COUNTERSIGN_RETAIN_LEASE_DAYS: "30", COUNTERSIGN_RETAIN_EVENT_DAYS: "365" }
      assert.strictEqual((yield* loadGiven(both)).retainLeaseDays, 30)
    }))

  it.effect("reports everything that is wrong at once, with an example, and no secret", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(loadIn("/nonexistent", {
        PORT: "80800",
        HOST: "no host",
        COUNTERSIGN_PROCESSES: "many",
        COUNTERSIGN_MIGRATE: "never",
        DATABASE_URL: "mysql://someone:hush-hush@db/licenses",
        COUNTERSIGN_TEST_ENVIRONMENT: "maybe",
        COUNTERSIGN_TEST_DATABASE_URL: "mysql://someone:hush-hush@db/licenses",
        COUNTERSIGN_DRAIN_SECONDS: "301",
        COUNTERSIGN_ADMIN_TOKEN: "too-short",
        COUNTERSIGN_MASTER_KEY: "c2hvcnQ=",
        COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8,10.0.0.0/99",
        COUNTERSIGN_PROVIDER_API_URL: "egress.example.com",
        COUNTERSIGN_PUBLIC_URL: "licenses.example.com",
        COUNTERSIGN_TRUSTED_PROXIES: "proxy",
        COUNTERSIGN_CORS_ORIGINS: "app.example.com",
        COUNTERSIGN_VENDOR_NAME: "Acme\u0007",
        COUNTERSIGN_VENDOR_LOGO: "/nonexistent/logo.png",
        COUNTERSIGN_WITNESS: "http://witness.example.com/log?key=hush-hush",
        COUNTERSIGN_CLUSTER_HOST: "not a host",
        COUNTERSIGN_CLUSTER_PORT: "-1",
        COUNTERSIGN_EXPORT_RETENTION_DAYS: "0",
        COUNTERSIGN_SESSION_HOURS: "0",
        COUNTERSIGN_SESSION_IDLE_MINUTES: "1",
        COUNTERSIGN_PORTAL: "maybe",
        COUNTERSIGN_RETAIN_EVENT_DAYS: "-1",
        COUNTERSIGN_RETAIN_ACTIVITY_DAYS: "89",
        COUNTERSIGN_RETAIN_BILLING_BODY_DAYS: "6",
        COUNTERSIGN_RETAIN_LEASE_DAYS: "36501",
        COUNTERSIGN_RETAIN_USAGE_DAYS: "30",
        COUNTERSIGN_LIMIT_RENDER_SECONDS: "0",
        COUNTERSIGN_LIMIT_STORED_ANSWERS: "0",
        COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: "-1",
        COUNTERSIGN_LIMIT_TRIALS: "many",
        COUNTERSIGN_LIMIT_ADDRESS_RATE: "many",
        COUNTERSIGN_LIMIT_KEY_RATE: "0.5",
        COUNTERSIGN_LIMIT_TOKEN_RATE: "12345678",
        COUNTERSIGN_LOG_LEVEL: "all",
        COUNTERSIGN_LOG_FORMAT: "xml",
        OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://traces"
      }))
      assert.strictEqual(error._tag, "ConfigInvalid")
      const rows: ReadonlyArray<Setting<unknown>> = Object.values(table)
      for (const { name, example } of rows.filter((row) => row !== table.dataDirectory)) {
        assert.include(error.message, `\n  ${name} must `)
        assert.include(error.message, `Example: ${example}\n`)
      }
      assert.include(error.message, "\"80800\"")
      assert.include(error.message, "wrong: \"10.0.0.0/99\"")
      for (const hidden of ["hush-hush", "too-short", "c2hvcnQ"]) assert.notInclude(error.message, hidden)
    }))

  it.effect("reads each secret from a file instead, of which the end of the line is no part", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryDirectory
      const secrets = {
        DATABASE_URL: databaseUrl,
        COUNTERSIGN_ADMIN_TOKEN: adminToken,
        COUNTERSIGN_MASTER_KEY: masterKey
      }
      const names: Record<string, string> = {}
      for (const [name, value] of Object.entries(secrets)) {
        Fs.writeFileSync(join(cwd, name), `${value}\n`)
        // A path is relative to where the service was started.
        names[`${name}_FILE`] = name === "DATABASE_URL" ? name : join(cwd, name)
      }
      const config = yield* loadIn(cwd, names)
      assert.strictEqual(Redacted.value(config.databaseUrl!), databaseUrl)
      assert.strictEqual(Redacted.value(config.adminToken), adminToken)
      assert.deepStrictEqual(Redacted.value(config.masterKey), new Uint8Array(32).fill(7))
      assert.isUndefined(config.masterKeyFile)
      assert.deepStrictEqual(Fs.readdirSync(cwd).toSorted(), Object.keys(secrets).toSorted(), "nothing was made")

      const wrongs: ReadonlyArray<readonly [Record<string, string>, ReadonlyArray<string>]> = [
        [
          { ...names, DATABASE_URL: databaseUrl },
          ["DATABASE_URL_FILE is set together with DATABASE_URL; set only one of them"]
        ],
        [
          { ...names, COUNTERSIGN_MASTER_KEY_FILE: join(cwd, "gone"), COUNTERSIGN_ADMIN_TOKEN_FILE: cwd },
          [
            "COUNTERSIGN_MASTER_KEY_FILE names a file that cannot be used: ENOENT",
            "COUNTERSIGN_ADMIN_TOKEN_FILE names a file that cannot be used: EISDIR"
          ]
        ],
        [
          { ...names, COUNTERSIGN_ADMIN_TOKEN_FILE: "utf16" },
          ["COUNTERSIGN_ADMIN_TOKEN_FILE names a file that cannot be used: it is not UTF-8: its byte 0 is 0xFF"]
        ],
        [
          { ...names, COUNTERSIGN_MASTER_KEY_FILE: "empty", COUNTERSIGN_ADMIN_TOKEN_FILE: "short" },
          [
            "COUNTERSIGN_MASTER_KEY_FILE names a file that cannot be used: it is empty",
            "COUNTERSIGN_ADMIN_TOKEN must have 24 or more characters, not 5"
          ]
        ]
      ]
      Fs.writeFileSync(join(cwd, "empty"), "\n")
      Fs.writeFileSync(join(cwd, "utf16"), `\ufeff${adminToken}`, "utf16le")
      Fs.writeFileSync(join(cwd, "short"), "hush!\n")
      for (const [environment, problems] of wrongs) {
        const { message } = yield* Effect.flip(loadIn(cwd, environment))
        for (const problem of problems) assert.include(message, problem)
        assert.strictEqual(message.match(/Example:/g)?.length, problems.length, "no finding follows from another")
        for (const hidden of ["hush", adminToken, masterKey]) assert.notInclude(message, hidden)
      }
    }))

  it.effect("refuses an admin token that can be guessed, and says how to make one", () =>
    Effect.gen(function*() {
      for (const token of ["a".repeat(24), "admin-token-admin-token-", "abcdefghijklmnopqrstuvwxyz"]) {
        const { message } = yield* Effect.flip(loadGiven({ COUNTERSIGN_ADMIN_TOKEN: token }))
        assert.include(message, "COUNTERSIGN_ADMIN_TOKEN must be hard to guess")
        assert.include(message, "openssl rand -hex 24")
        assert.notInclude(message, token)
      }
    }))

  it("has a valid example in every row, and prints every row", () => {
    const rows: ReadonlyArray<Setting<unknown>> = Object.values(table)
    for (
      const row of [
        ...rows,
        ...Object.values<Setting<unknown>>(openIdTable),
        ...Object.values<Setting<unknown>>(mailTable),
        ...Object.values<Setting<unknown>>(witnessTable),
        ...Object.values<Setting<unknown>>(traceTable),
        ...Object.values(doorTable)
      ]
    ) {
      assert.include(help, `${row.name}\n    ${row.meaning}\n    Default: ${row.shown}\n    Example: ${row.example}`)
      assert.strictEqual(help.includes(`Or ${row.name}_FILE: `), row.isSecret === true, row.name)
      assert.notInclude(["", "undefined"], row.shown, `${row.name} has a default in words`)
      if (!row.example.startsWith("the output of")) {
        assert.isTrue(Result.isSuccess(row.parse(row.example)), `${row.name} takes its example`)
      }
    }
    assert.lengthOf(rows, 39, "how many settings there are: say the new number here")
  })

  it.effect("takes witnesses by their verifier keys, and no quorum that can never meet", () =>
    Effect.gen(function*() {
      const one = witnessTable.witnesses.example
      const { cosigning } = yield* loadGiven({ COUNTERSIGN_WITNESSES: `${one}/\n`, COUNTERSIGN_WITNESS_QUORUM: "1" })
      assert.deepStrictEqual(
        cosigning.witnesses.map(({ key: { name, type }, url }) => ({ name, type, url })),
        [{ name: "witness.example.com/w1", type: 4, url: "https://witness.example.com" }]
      )
      const wrong: ReadonlyArray<readonly [Record<string, string>, string]> = [
        [
          { COUNTERSIGN_WITNESSES: one.replace("w1+", "w2+") },
          "COUNTERSIGN_WITNESSES must be the verifier key"
        ],
        [{ COUNTERSIGN_WITNESSES: one.split(" ")[0]! }, "COUNTERSIGN_WITNESSES must be the verifier key"],
        [{ COUNTERSIGN_WITNESSES: `${one},${one}` }, "COUNTERSIGN_WITNESSES must name each witness once"],
        [
          { COUNTERSIGN_WITNESSES: one, COUNTERSIGN_WITNESS_QUORUM: "2" },
          "COUNTERSIGN_WITNESS_QUORUM is more than the 1"
        ]
      ]
      for (const [given, says] of wrong) {
        assert.include((yield* Effect.flip(loadGiven(given))).message, says)
      }
    }))

  it.effect("takes the settings of mails together, and shows no password", () =>
    Effect.gen(function*() {
      const url = "smtps://licenses:hush-hush@mail.example.com"
      const from = "Größe & Söhne <licenses@example.com>"
      const { mail } = yield* loadGiven({ COUNTERSIGN_SMTP_URL: url, COUNTERSIGN_MAIL_FROM: from })
      assert.deepInclude(mail, { from: { name: "Größe & Söhne", address: "licenses@example.com" }, testAddresses: [] })
      assert.notInclude(JSON.stringify(mail), "hush-hush")
      const wrongs: ReadonlyArray<readonly [Record<string, string>, string]> = [
        [{ COUNTERSIGN_SMTP_URL: url }, "COUNTERSIGN_MAIL_FROM is required with COUNTERSIGN_SMTP_URL"],
        [{ COUNTERSIGN_MAIL_FROM: from }, "COUNTERSIGN_MAIL_FROM does nothing without COUNTERSIGN_SMTP_URL"],
        [
          { COUNTERSIGN_MAIL_TEST_ADDRESSES: "a@example.com" },
          "COUNTERSIGN_MAIL_TEST_ADDRESSES does nothing without COUNTERSIGN_SMTP_URL"
        ],
        [{ COUNTERSIGN_SMTP_URL: "smtp://:hush-hush@x", COUNTERSIGN_MAIL_FROM: from }, "COUNTERSIGN_SMTP_URL must be"],
        [{ COUNTERSIGN_SMTP_URL: url, COUNTERSIGN_MAIL_FROM: "a <b@c>, d@e" }, "COUNTERSIGN_MAIL_FROM must be"],
        [
          { COUNTERSIGN_SMTP_URL: url, COUNTERSIGN_MAIL_FROM: from, COUNTERSIGN_MAIL_TEST_ADDRESSES: "a@b,c" },
          "wrong: \"c\""
        ]
      ]
      for (const [environment, problem] of wrongs) {
        const { message } = yield* Effect.flip(loadGiven(environment))
        assert.include(message, problem)
        assert.notInclude(message, "hush-hush")
      }
    }))

  it("takes a vendor's name in any script, on one line", () => {
    const parsed = (name: string) => Result.getOrUndefined(table.vendorName.parse(name))
    for (const name of ["Müller & Söhne", "株式会社サンプル", "شركة المثال", "é".repeat(100), "👩‍💻 Studio"]) {
      assert.strictEqual(parsed(name), name.normalize("NFC"))
    }
    for (const name of ["a".repeat(101), "Acme\nInc", "Acme\u2028Inc", "Acme\u0000", "\u202eAcme", "\ud800"]) {
      assert.isUndefined(parsed(name), JSON.stringify(name))
    }
  })

  it.effect("makes the secrets of the embedded mode once and keeps them to itself", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryDirectory
      const first = yield* loadIn(cwd, {})
      assert.isTrue(first.isAdminTokenNew)
      assert.strictEqual(Redacted.value(first.masterKey).length, 32)
      assert.isAtLeast(Redacted.value(first.adminToken).length, 24)
      const directory = join(cwd, ".countersign")
      assert.strictEqual(modeOf(directory), 0o700)
      assert.deepStrictEqual(Fs.readdirSync(directory).toSorted(), ["admin.token", "master.key"])
      for (const file of Fs.readdirSync(directory)) assert.strictEqual(modeOf(join(directory, file)), 0o600)
      assert.include(Fs.readFileSync(first.adminTokenFile, "utf8"), Redacted.value(first.adminToken))

      const second = yield* loadIn(cwd, {})
      assert.isFalse(second.isAdminTokenNew)
      assert.deepStrictEqual(Redacted.value(second.masterKey), Redacted.value(first.masterKey))
      assert.strictEqual(Redacted.value(second.adminToken), Redacted.value(first.adminToken))
    }))

  it.effect("needs the master key with DATABASE_URL, and makes the admin token", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryDirectory
      const error = yield* Effect.flip(loadIn(cwd, { DATABASE_URL: databaseUrl }))
      assert.include(error.message, "COUNTERSIGN_MASTER_KEY is required with DATABASE_URL")
      assert.include(error.message, "openssl rand -base64 32")
      assert.deepStrictEqual(Fs.readdirSync(cwd), [])

      const given = { DATABASE_URL: databaseUrl, COUNTERSIGN_MASTER_KEY: masterKey }
      const first = yield* loadIn(cwd, given)
      const second = yield* loadIn(cwd, given)
      assert.deepStrictEqual([first.isAdminTokenNew, second.isAdminTokenNew], [true, false])
      assert.strictEqual(Redacted.value(second.adminToken), Redacted.value(first.adminToken))
      assert.deepStrictEqual(Fs.readdirSync(join(cwd, ".countersign")), ["admin.token"])
    }))

  it.effect("does not make another master key for a database that has one", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryDirectory
      yield* loadIn(cwd, {})
      const directory = join(cwd, ".countersign")
      Fs.mkdirSync(join(directory, "postgres"))
      Fs.writeFileSync(join(directory, "postgres", "PG_VERSION"), "18\n")
      Fs.rmSync(join(directory, "master.key"))
      const lost = yield* Effect.flip(loadIn(cwd, {}))
      assert.include(
        lost.message,
        `COUNTERSIGN_MASTER_KEY is not set and ${join(directory, "master.key")} does not exist`
      )
      assert.isFalse(Fs.existsSync(join(directory, "master.key")))

      Fs.writeFileSync(join(directory, "master.key"), "")
      const damaged = yield* Effect.flip(loadIn(cwd, {}))
      assert.include(damaged.message, `what is kept in ${join(directory, "master.key")} must be 32 bytes`)
    }))

  it.effect("says which variable names a data directory that cannot be used", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryDirectory
      Fs.writeFileSync(join(cwd, "file"), "")
      const error = yield* Effect.flip(loadIn(cwd, { COUNTERSIGN_DATA_DIR: "file/data" }))
      assert.strictEqual(error._tag, "DataDirectoryError")
      assert.include(error.message, join(cwd, "file/data"))
      assert.include(error.message, "COUNTERSIGN_DATA_DIR")
    }))

  it.effect("names the address that the server listens on, unless told another", () =>
    Effect.gen(function*() {
      const publicUrl = (environment: Record<string, string>) =>
        Effect.map(loadGiven(environment), (config) => settings(config, 4321).publicUrl)
      assert.strictEqual(yield* publicUrl({ PORT: "0" }), "http://127.0.0.1:4321")
      assert.strictEqual(yield* publicUrl({ HOST: "0.0.0.0" }), "http://localhost:4321")
      assert.strictEqual(yield* publicUrl({ HOST: "::" }), "http://localhost:4321")
      assert.strictEqual(yield* publicUrl({ HOST: "::1" }), "http://[::1]:4321")
      assert.strictEqual(yield* publicUrl({ COUNTERSIGN_PUBLIC_URL: "https://x.example/" }), "https://x.example")
      assert.match(settings(yield* loadGiven({}), 1).version, /^\d+\.\d+\.\d+/)
    }))
})
