import { assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readTls } from "../../../src/runtime/postgres/DatabaseTls.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { embedded, startPostgres } from "../../fixtures/PostgresPrograms.ts"
import * as authority from "../../fixtures/privateAuthority.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"
import { atEnd, session } from "../../fixtures/Session.ts"

const directory = temporaryDirectory()

/** A file of the test; answers its path. */
const file = (name: string, text: string): string => {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

const root = file("authority.pem", authority.authority)
const otherRoot = file("other.pem", authority.otherAuthority)
const cert = file("client.pem", authority.clientCertificate)
const key = file("client.key", authority.clientKey)

let port: number
/** Over its socket, as the superuser. */
let inside: string

beforeAll(async () => {
  port = await freePort()
  const server = await startPostgres(await embedded(), {
    durable: false,
    tls: {
      port,
      certificate: authority.serverCertificate,
      key: authority.serverKey,
      authority: authority.authority,
      certified: "guest"
    }
  })
  atEnd(server.remove)
  inside = server.url
  const sql = await session(inside)
  await sql.query("CREATE ROLE guest LOGIN SUPERUSER")
  await sql.query("CREATE DATABASE restored")
  await sql.close()
})

const urlOf = (parameters: string, host = "localhost", role = "countersign", name = "postgres"): string =>
  `postgres://${role}@${host}:${port}/${name}${parameters === "" ? "" : `?${parameters}`}`

const settings = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  COUNTERSIGN_MASTER_KEY: masterKey,
  COUNTERSIGN_ADMIN_TOKEN: adminToken
})

const command = (databaseUrl: string, ...given: ReadonlyArray<string>) => runCommand(given, settings(databaseUrl))

/** How the connections of a database over TCP are encrypted, one row for each kind. */
const encryption = async () => {
  const sql = await session(inside)
  const rows = await sql.query(
    "SELECT DISTINCT s.ssl, s.version FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.client_addr IS NOT NULL"
  )
  await sql.close()
  return rows
}

describe("a database whose certificate a private authority has signed", () => {
  it("is used by the service and by every command, over encrypted connections alone", async () => {
    const url = urlOf(`sslmode=verify-full&sslrootcert=${encodeURIComponent(root)}&ssl_min_protocol_version=TLSv1.3`)
    const service = await startService({ databaseUrl: inside, environment: { DATABASE_URL: url } })
    const { license } = await service.issue()
    assert.lengthOf(await service.feed(`&resource_id=${license.id}`), 1, "what LISTEN wakes has run")
    assert.deepStrictEqual(await encryption(), [{ ssl: true, version: "TLSv1.3" }])
    const backup = join(directory, "all.backup")
    for (const given of [["config", "check", "--connect"], ["migrate", "status"], ["doctor"], ["backup", backup]]) {
      const ended = await command(url, ...given)
      assert.strictEqual(ended.status, 0, `${given.join(" ")}: ${ended.output}${ended.errors}`)
    }
    assert.strictEqual(await service.kill("SIGTERM"), 0)
    const copy = urlOf(
      `sslmode=verify-full&sslrootcert=${encodeURIComponent(root)}`,
      "localhost",
      "countersign",
      "restored"
    )
    const restored = await command(copy, "restore", backup, "--yes")
    assert.strictEqual(restored.status, 0, restored.errors)
  })

  it("shows it the certificate that its role must have", async () => {
    const own = `sslcert=${encodeURIComponent(cert)}&sslkey=${encodeURIComponent(key)}`
    const base = `sslmode=verify-full&sslrootcert=${encodeURIComponent(root)}`
    const without = await command(urlOf(base, "localhost", "guest"), "doctor")
    assert.strictEqual(without.status, 3)
    assert.include(without.errors, "add sslcert=<file> and sslkey=<file> to DATABASE_URL")
    const ended = await command(urlOf(`${base}&${own}`, "localhost", "guest"), "doctor")
    assert.strictEqual(ended.status, 0, ended.errors)
  })

  it.each([
    { mode: "require", root, host: "127.0.0.1" },
    { mode: "verify-ca", root, host: "127.0.0.1" },
    { mode: "verify-full", root, host: "localhost" }
  ])("is reached by $host with $mode, as by psql", async ({ host, mode, root }) => {
    const ended = await command(
      urlOf(`sslmode=${mode}&sslrootcert=${encodeURIComponent(root)}`, host),
      "migrate",
      "status"
    )
    assert.strictEqual(ended.status, 0, ended.errors)
  })

  const unknown = "sslmode=verify-full&sslrootcert=/etc/countersign/database_ca.pem"
  it.each([
    { given: "sslmode=require", host: "localhost", cure: unknown },
    { given: "sslmode=verify-ca", host: "localhost", cure: unknown },
    { given: "sslmode=verify-full", host: "localhost", cure: unknown },
    { given: "sslmode=prefer", host: "localhost", cure: unknown },
    { given: `sslmode=require&sslrootcert=${encodeURIComponent(otherRoot)}`, host: "localhost", cure: unknown },
    { given: "sslrootcert=system", host: "localhost", cure: unknown },
    {
      given: `sslmode=verify-full&sslrootcert=${encodeURIComponent(root)}`,
      host: "127.0.0.1",
      cure: "Name a host in DATABASE_URL that the server's certificate is for"
    },
    { given: "", host: "localhost", cure: "add sslmode=verify-full to DATABASE_URL" }
  ])("is not used at $host with '$given', and the message says what to do", async ({ cure, given, host }) => {
    const begun = await command(urlOf(given, host), "doctor")
    assert.strictEqual(begun.status, 3)
    assert.include(begun.errors, `Cannot use the database at ${host}:${port}/postgres: `)
    assert.include(begun.errors, cure)
    const backup = await command(urlOf(given, host), "backup", join(directory, "none.backup"))
    assert.include(backup.errors, cure)
  })
})

describe("a DATABASE_URL that asks for what is not honoured", () => {
  const missing = join(directory, "missing.pem")
  const garbled = file("garbled.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")

  it.each([
    {
      given: "sslmode=verify_full",
      says: "has sslmode=verify_full; it may be disable, allow, prefer, require, verify-ca, verify-full"
    },
    {
      given: `sslmode=verify-full&sslrootcert=${missing}`,
      says: `has sslrootcert=${missing}, which cannot be read: ENOENT`
    },
    { given: `sslmode=verify-full&sslrootcert=${garbled}`, says: `cannot be used (sslrootcert=${garbled})` },
    {
      given: `sslmode=verify-full&sslcert=${cert}`,
      says: "has one of sslcert and sslkey: a certificate needs its key"
    },
    {
      given: `sslmode=verify-full&sslcert=${root}&sslkey=${key}`,
      says: `cannot be used (sslcert=${root}, sslkey=${key})`
    },
    { given: `sslrootcert=${root}`, says: "protects nothing: with no sslmode a connection may be unencrypted" },
    { given: `sslmode=prefer&sslrootcert=${root}`, says: "protects nothing: with sslmode=prefer" },
    { given: "sslmode=require&sslrootcert=system", says: "has sslrootcert=system and sslmode=require" },
    { given: "sslmode=verify-full&sslcrl=/x", says: "has sslcrl=/x, which this service does not know" },
    { given: "sslmod=require", says: "has sslmod=require, which this service does not know" },
    { given: "SSLMODE=require", says: "has SSLMODE=require, which this service does not know" },
    { given: "sslmode=verify-full&sslmode=disable", says: "has sslmode twice" },
    { given: "ssl=true", says: "has ssl=true, which this service does not know; say sslmode=verify-full" },
    { given: "sslmode=require&sslnegotiation=direct", says: "has sslnegotiation=direct" },
    {
      given: "sslmode=require&ssl_min_protocol_version=SSLv3",
      says: "has ssl_min_protocol_version=SSLv3; it may be TLSv1.2 or TLSv1.3"
    }
  ])("is refused by name: $given", ({ given, says }) => {
    const read = readTls(urlOf(given))
    assert.isTrue(read._tag === "Failure" && read.failure.includes(says), JSON.stringify(read))
  })

  it("ends a start and a command as wrong settings do, in one line without the password", async () => {
    const url = `postgres://someone:a-password-of-tests@localhost:${port}/postgres?sslmode=verify_full`
    for (const ended of [await run(["src/runtime/main.ts"], settings(url)), await command(url, "doctor")]) {
      assert.strictEqual(ended.status, 2)
      assert.include(ended.errors, "  DATABASE_URL has sslmode=verify_full; it may be disable, allow, prefer, ")
      assert.notInclude(ended.errors, "a-password-of-tests")
    }
  })

  it("asks for nothing over a socket of this machine, as in libpq", () => {
    assert.deepStrictEqual(readTls("postgres:///countersign?host=/run/postgresql&sslmode=require"), readTls(inside))
  })
})
