import { assert, describe, it } from "@effect/vitest"
import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import manifest from "../../../../package.json" with { type: "json" }
import { runCommand } from "../../../fixtures/CommandLine.ts"
import type { Ended } from "../../../fixtures/Program.ts"
import { root, run, temporaryDirectory } from "../../../fixtures/Program.ts"
import { adminToken, refused, startService } from "../../../fixtures/Service.ts"
import { database } from "../../../fixtures/Session.ts"

const masterKey = Buffer.alloc(32, 7).toString("base64")

const cli = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>): Promise<Ended> =>
  runCommand(args, environment)

/** The same as a process of its own. */
const program = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>): Promise<Ended> =>
  run(["src/runtime/cli.ts", ...args], environment)

const printed = (ended: Ended): string => {
  assert.strictEqual(ended.status, 0, ended.errors)
  return ended.output.trim()
}

const keysOf = async (environment: Readonly<Record<string, string>>) =>
  JSON.parse(printed(await cli(environment, "keys", "list", "--json"))) as Array<{ kid: string; status: string }>

describe.concurrent("keys, in the database of DATABASE_URL", () => {
  it("are listed, rotated and revoked beside a running service, which goes on with the new ones", async () => {
    const databaseUrl = await database()
    const service = await startService({ databaseUrl })
    const settings = {
      DATABASE_URL: databaseUrl,
      COUNTERSIGN_MASTER_KEY: masterKey,
      COUNTERSIGN_ADMIN_TOKEN: adminToken
    }
    const { key } = await service.issue()
    const body = { fingerprint: "a-laptop" }
    const signer = async () => {
      const answer = await service.license("activate", key, body)
      assert.strictEqual(answer.status, 200, answer.text)
      return answer.body.signature.kid as string
    }
    const published = async () =>
      (await service.data("GET", "/api/v1/system/public-keys")).map(({ kid }: { kid: string }) => kid)

    const first = await signer()
    const table = printed(await program(settings, "keys", "list")).split("\n")
    assert.lengthOf(table, 2)
    assert.match(table[0]!, /^KID +STATUS +CREATED +PUBLIC KEY$/)
    assert.match(table[1]!, new RegExp(`^${first} +active +\\S+Z +\\S{44}$`))

    printed(await cli(settings, "keys", "rotate"))
    const second = await signer()
    assert.notStrictEqual(second, first)
    assert.deepStrictEqual(await published(), [second, first])

    const active = await cli(settings, "keys", "revoke", second, "--yes")
    assert.strictEqual(active.status, 1)
    assert.include(active.errors, "Rotate first, then revoke the retired key.")
    assert.strictEqual(active.output, "")

    const idle = await program(settings, "keys", "revoke", first)
    assert.strictEqual(`${idle.status} ${idle.output}`, "2 ")
    assert.include(idle.errors, `Signatures of ${first} will no longer verify`)
    assert.include(idle.errors, "Add --yes")
    assert.include(printed(await cli(settings, "keys", "revoke", first, "-y")), "revoked")
    assert.deepStrictEqual(await published(), [second])
    assert.deepStrictEqual((await keysOf(settings)).map(({ kid, status }) => [kid, status]), [
      [second, "active"],
      [first, "revoked"]
    ])

    const events = (await service.feed()).filter((event) => event.resource_type === "signing_key")
    assert.deepStrictEqual(
      events.map((event) => [event.event_type, event.resource_id, event.actor_type, event.actor_id]),
      [
        ["signing_key.created", first, "system", "countersign"],
        ["signing_key.retired", first, "system", "cli"],
        ["signing_key.created", second, "system", "cli"],
        ["signing_key.revoked", first, "system", "cli"]
      ]
    )
    refused(await service.call("POST", `/api/v1/signing-keys/${second}/revoke`), 409, "STATE_CONFLICT")
  })

  it("are refused with the master key of another database", async () => {
    const databaseUrl = await database()
    const settings = {
      DATABASE_URL: databaseUrl,
      COUNTERSIGN_MASTER_KEY: masterKey,
      COUNTERSIGN_ADMIN_TOKEN: adminToken
    }
    assert.lengthOf(await keysOf(settings), 1)
    const ended = await cli(
      { ...settings, COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 8).toString("base64") },
      "keys",
      "list"
    )
    assert.strictEqual(ended.status, 2)
    assert.include(ended.errors, "COUNTERSIGN_MASTER_KEY is not the master key of this database")
  })
})

describe.concurrent("token", () => {
  it("prints the token that is kept, and where", async () => {
    const directory = temporaryDirectory()
    const settings = { COUNTERSIGN_DATA_DIR: directory }
    const file = join(directory, "admin.token")
    const token = "a-token-that-the-first-start-has-made"
    writeFileSync(file, `${token}\n`)
    assert.strictEqual(printed(await program(settings, "token")), token)
    assert.strictEqual(printed(await cli(settings, "token", "--file")), file)
    assert.deepStrictEqual(readdirSync(directory), ["admin.token"])

    const given = { ...settings, COUNTERSIGN_ADMIN_TOKEN: adminToken }
    assert.strictEqual(printed(await cli(given, "token")), adminToken)
    assert.include(printed(await cli(given, "token", "--file")), "COUNTERSIGN_ADMIN_TOKEN is set")
  })

  it("says that a directory holds none, and makes nothing there", async () => {
    const directory = temporaryDirectory()
    for (const place of [directory, join(directory, "missing")]) {
      for (const flags of [[], ["--file"]]) {
        const ended = await cli({ COUNTERSIGN_DATA_DIR: place }, "token", ...flags)
        assert.strictEqual(ended.status, 3)
        assert.strictEqual(ended.output, "")
        assert.include(ended.errors, `There is no admin token in ${place}`)
        assert.include(ended.errors, "Start the service once")
      }
    }
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  it("is not printed when what is kept is none", async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, "admin.token"), "short\n")
    const ended = await cli({ COUNTERSIGN_DATA_DIR: directory }, "token")
    assert.strictEqual(ended.status, 2)
    assert.include(ended.errors, `what is kept in ${join(directory, "admin.token")}`)
    assert.notInclude(ended.errors + ended.output, "short")
  })
})

describe.concurrent("the command line", () => {
  it("helps, and fails on what it does not know", async () => {
    const help = printed(await cli({}, "--help"))
    for (const command of ["start", "keys", "token"]) assert.match(help, new RegExp(`^ +${command} `, "m"))
    assert.include(printed(await cli({}, "keys", "revoke", "--help")), "countersign keys revoke [flags] <kid>")
    assert.include(printed(await cli({}, "--version")), manifest.version)
    const refusals = [[await program({}, "renew"), "renew"], [await cli({}, "keys", "revoke"), "kid"]] as const
    for (const [ended, problem] of refusals) {
      assert.strictEqual(ended.status, 2)
      assert.include(ended.errors, problem)
      assert.notMatch(ended.errors, /^\s+at /m)
    }
  })

  it("says what is wrong with the configuration as the service does", async () => {
    const wrong = { PORT: "eighty" }
    const refusals = [await program(wrong, "start"), await cli(wrong, "token"), await cli(wrong, "keys", "list")]
    for (const ended of refusals) {
      assert.strictEqual(ended.status, 2)
      assert.include(ended.errors, "PORT must be a number from 0 to 65535, not \"eighty\"")
    }
  })

  it("can be run as the package's program", () => {
    const path = join(root, manifest.bin.countersign)
    accessSync(path, constants.X_OK)
    assert.isTrue(readFileSync(path, "utf8").startsWith("#!/usr/bin/env node\n"))
    assert.isTrue(existsSync(join(root, "src/runtime/cli.ts")))
  })
})
