import { assert, describe, it } from "@effect/vitest"
import { existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { newerRelease } from "../../fixtures/NewerRelease.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import { lastReleased, released, releasedDatabase } from "../../fixtures/Released.ts"
import { masterKey as serviceKey, startService } from "../../fixtures/Service.ts"
import { atEnd, database } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { adminTokenUnder, testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

type Settings = Readonly<Record<string, string>>

const masterKey = released.environment.COUNTERSIGN_MASTER_KEY
const directory = join(temporaryDirectory(), "none")
const usable = { PORT: "0", COUNTERSIGN_DATA_DIR: directory }

const check = async (settings: Settings, ...flags: ReadonlyArray<string>) => {
  const ended = await runCommand(["config", "check", "--json", ...flags], { ...usable, ...settings })
  const { findings, ok } = JSON.parse(ended.output)
  return { status: ended.status, ok, findings, said: ended.output + ended.errors }
}

/** A port that another program uses. */
const takenPort = async (): Promise<number> => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  atEnd(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

describe("countersign config check", () => {
  it("shows each setting and where it comes from, and makes nothing", async () => {
    const plain = await runCommand(["config", "check"], { ...usable, COUNTERSIGN_LOG_LEVEL: "warn" })
    assert.strictEqual(plain.status, 0, plain.errors)
    assert.match(plain.output, /^COUNTERSIGN_LOG_LEVEL +environment +warn$/m)
    assert.notMatch(plain.output, /^HOST/m)
    assert.match(plain.output, /^The other \d+ are as they are without being set; --all shows them\.$/m)
    const every = await runCommand(["config", "check", "--all"], usable)
    assert.match(every.output, /^HOST +default +127\.0\.0\.1$/m)
    assert.match(every.output, /^OTEL_TRACES_SAMPLER +default/m)
    assert.notInclude(every.output, "--all shows them")
    assert.include(plain.output, "Settings are valid.")
    const asked = await check({}, "--connect")
    assert.deepStrictEqual([asked.status, asked.ok], [0, true], asked.said)
    // A variable that a run of the tests has may be named before it.
    assert.include(asked.findings.at(-1).message, "the first start creates one")
    assert.isFalse(existsSync(directory), "it was only asked")
  })

  it("as the program: says what is wrong with all of them, and names what is no setting", async () => {
    const { errors, output, status } = await run(["src/runtime/cli.ts", "config", "check"], {
      ...usable,
      PORT: "eighty",
      COUNTERSIGN_MASTER_KEY_FILE: "/nowhere/key",
      COUNTERSIGN_PORT: "1"
    })
    assert.strictEqual(status, 2, errors)
    assert.include(output, "WRONG  PORT must be a number from 0 to 65535, not \"eighty\"")
    assert.include(output, "WRONG  COUNTERSIGN_MASTER_KEY_FILE names a file that cannot be used: ENOENT")
    assert.match(output, /^note +The variable COUNTERSIGN_PORT is no setting/m)
    assert.include(output, "The service does not start with these settings.")
  })

  it("notes that a proxy which https takes is not named, and no such thing otherwise", async () => {
    const https = { COUNTERSIGN_PUBLIC_URL: "https://licenses.example.com" }
    const unnamed = await check(https)
    assert.deepStrictEqual([unnamed.status, unnamed.ok], [0, true], unnamed.said)
    assert.include(unnamed.said, "COUNTERSIGN_TRUSTED_PROXIES names none")
    for (
      const settings of [
        { ...https, COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1/32" },
        { COUNTERSIGN_PUBLIC_URL: "http://licenses.example.com" },
        {}
      ]
    ) assert.notInclude((await check(settings)).said, "COUNTERSIGN_TRUSTED_PROXIES names none")
  })

  it("notes a public URL with a path, below which console, portal and cookies are not", async () => {
    const says = "COUNTERSIGN_PUBLIC_URL has a path"
    const below = await check({ COUNTERSIGN_PUBLIC_URL: "http://example.com/licensing/" })
    assert.deepStrictEqual([below.status, below.ok], [0, true], below.said)
    assert.include(below.said, says)
    for (const url of ["http://licenses.example.com/", "http://licenses.example.com:8443"]) {
      assert.notInclude((await check({ COUNTERSIGN_PUBLIC_URL: url })).said, says)
    }
  })

  it("shows no secret, wherever it is", async () => {
    const secrets = {
      DATABASE_URL: "postgres://u:hush-1@127.0.0.1:9/x?password=hush-2",
      COUNTERSIGN_MASTER_KEY: "hush-3",
      COUNTERSIGN_ADMIN_TOKEN: "hush-4",
      COUNTERSIGN_WITNESS: "https://u:hush-5@h.example/x?signature=hush-6",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=hush-7",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://u:hush-8@h.example"
    }
    const { said, status } = await check(secrets, "--connect")
    assert.strictEqual(status, 2)
    assert.notInclude(said, "hush")
    const plain = await runCommand(["config", "check"], { ...usable, ...secrets })
    assert.notInclude(plain.output + plain.errors, "hush")
    assert.match(plain.output, /^DATABASE_URL +environment +\(set\)$/m)
  })

  it("finds what a start would fail for: a port that is taken, a kept key that is none, a directory that is a file", async () => {
    const port = await takenPort()
    const taken = await check({ PORT: String(port) })
    assert.strictEqual(taken.status, 2)
    assert.include(taken.said, `Cannot listen on 127.0.0.1:${port}: another program uses this port`)

    const broken = temporaryDirectory()
    writeFileSync(join(broken, "master.key"), "short\n")
    const kept = await check({ COUNTERSIGN_DATA_DIR: broken })
    assert.strictEqual(kept.status, 2)
    assert.include(kept.said, "master.key must be 32 bytes in base64")

    const below = await check({ COUNTERSIGN_DATA_DIR: join(broken, "master.key") })
    assert.strictEqual(below.status, 3)
    assert.include(below.said, "Cannot use the data directory")
  })

  it("asks the database what a start would find there", async () => {
    const old = { DATABASE_URL: await releasedDatabase(lastReleased), COUNTERSIGN_MASTER_KEY: masterKey }
    const ready = await check(old, "--connect")
    assert.strictEqual(ready.status, 0, ready.said)
    assert.match(ready.said, /The master key opens its \d+ data keys/)

    // Of a release that has migrations after the base.
    const program = await newerRelease(temporaryDirectory(), "cli")
    const newer = async (more: Readonly<Record<string, string>>) => {
      const { errors, output, status } = await run([program, "config", "check", "--connect"], {
        ...usable,
        ...old,
        ...more
      })
      return { status, said: output + errors }
    }
    assert.include((await newer({})).said, "migrations are pending; the next start runs them")
    const refused = await newer({ COUNTERSIGN_MIGRATE: "check" })
    assert.strictEqual(refused.status, 3)
    assert.include(refused.said, "so the service does not start. Run: countersign migrate up")

    const other = Buffer.alloc(32, 8).toString("base64")
    const wrong = await check({ ...old, COUNTERSIGN_MASTER_KEY: other }, "--connect")
    assert.strictEqual(wrong.status, 2)
    assert.match(wrong.said, /COUNTERSIGN_MASTER_KEY/)

    const empty = { DATABASE_URL: await database(), COUNTERSIGN_MASTER_KEY: masterKey }
    assert.include((await check(empty, "--connect")).said, "no tables yet; the first start creates them")
    assert.strictEqual((await check({ ...empty, COUNTERSIGN_MIGRATE: "check" }, "--connect")).status, 3)

    const url = new URL(empty.DATABASE_URL)
    url.pathname = "/nowhere"
    const away = await check({ ...empty, DATABASE_URL: url.href }, "--connect")
    assert.strictEqual(away.status, 3)
    assert.include(away.said, "database \\\"nowhere\\\" does not exist")
  })

  it("greets the mail server and signs in there, as the mailer does, and sends nothing", async () => {
    const server = await new MailServer().start()
    const mail = { COUNTERSIGN_SMTP_URL: server.url, COUNTERSIGN_MAIL_FROM: "licenses@example.com" }
    const host = new URL(server.url).host
    const greeted = await check(mail, "--connect")
    assert.strictEqual(greeted.status, 0, greeted.said)
    assert.include(greeted.said, `The mail server ${host} responds`)
    const refused = await check({ ...mail, COUNTERSIGN_SMTP_URL: server.url.replace("p%40ss", "wrong") }, "--connect")
    // The service starts without it, so it is a note.
    assert.deepStrictEqual([refused.status, refused.ok], [0, true])
    assert.match(refused.said, /No mail can be sent by the mail server .*: 535 .*Wrong user or password/)
    const away = await check({ ...mail, COUNTERSIGN_SMTP_URL: `smtp://127.0.0.1:${await takenPort()}` }, "--connect")
    assert.match(away.said, /No mail can be sent by the mail server/)
    for (const { said } of [greeted, refused, away]) assert.notMatch(said, /p%40ss|p@ss/)
    assert.isEmpty(server.received)
  })

  it("tries the master key on the database of the test environment too, once that was used", async () => {
    const service = await startService()
    testDatabaseOf(service)
    const own = { DATABASE_URL: service.databaseUrl, COUNTERSIGN_MASTER_KEY: serviceKey }
    const unused = await check(own, "--connect")
    assert.strictEqual(unused.status, 0, unused.said)
    assert.notMatch(unused.said, /data keys of the test environment/)

    await service.data("GET", "/api/v1/environment", undefined, { token: testToken })
    const used = await check(own, "--connect")
    assert.match(used.said, /The master key opens the \d+ data keys of the test environment\./)

    const otherKey = Buffer.alloc(32, 8).toString("base64")
    const elsewhere = await startService({ environment: { COUNTERSIGN_MASTER_KEY: otherKey } })
    const otherDatabase = testDatabaseOf(elsewhere)
    await elsewhere.data("GET", "/api/v1/environment", undefined, { token: adminTokenUnder(otherKey) })
    const wrong = await check({ ...own, COUNTERSIGN_TEST_DATABASE_URL: otherDatabase }, "--connect")
    assert.deepStrictEqual([wrong.status, wrong.ok], [0, true], wrong.said)
    assert.match(wrong.said, /The test environment does not start: .*COUNTERSIGN_MASTER_KEY/)
  })
})
