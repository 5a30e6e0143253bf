import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isBootstrapToken } from "../../../src/domain/security/Credential.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { placeForFiles } from "../../fixtures/FilesPlace.ts"
import type { Ended, Serving } from "../../fixtures/Program.ts"
import { run, serve, temporaryDirectory } from "../../fixtures/Program.ts"

const directory = temporaryDirectory(placeForFiles())
const settings = { COUNTERSIGN_DATA_DIR: directory }
const tokenFile = join(directory, "admin.token")
const keyFile = join(directory, "master.key")
const read = (file: string) => readFileSync(file, "utf8").trim()

/** As a process of its own, which starts the PostgreSQL and ends it when the service does not run. */
const cli = (...args: ReadonlyArray<string>): Promise<Ended> => run(["src/runtime/cli.ts", ...args], settings)

/** In this process, what is run as the program elsewhere: a service beside it runs the PostgreSQL. */
const beside = (...args: ReadonlyArray<string>): Promise<Ended> => runCommand(args, settings)

const printed = (ended: Ended): string => {
  assert.strictEqual(ended.status, 0, ended.errors)
  return ended.output.trim()
}

const keysOf = (ended: Ended): ReadonlyArray<{ readonly kid: string; readonly status: string }> =>
  JSON.parse(printed(ended))

const start = () => serve(["src/runtime/cli.ts", "start"], settings)

const status = async (url: string, token: string) => {
  const answer = await fetch(`${url}/api/v1/products`, { headers: { authorization: `Bearer ${token}` } })
  return answer.status
}

const create = async (url: string) => {
  const answer = await fetch(`${url}/api/v1/products`, {
    method: "POST",
    headers: { "authorization": `Bearer ${read(tokenFile)}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "p", code: randomBytes(6).toString("hex") })
  })
  return answer.status
}

// Each case goes on where the one before it ended: a database takes longer to make than all of them.
describe("before the first start", () => {
  it.each([["keys", "list"], ["doctor"]])("%s %s fails, and makes no database", async (...args) => {
    const early = await runCommand(args, settings)
    assert.strictEqual(early.status, 1)
    assert.include(early.errors, `There is no database in ${directory} yet`)
    assert.isFalse(existsSync(join(directory, "postgres")))
  })
})

describe("the embedded database of a service", () => {
  let service: Serving
  /** What was kept before it was replaced. */
  let before: { readonly token: string; readonly key: string }
  let firstKid: string

  beforeAll(async () => {
    service = await start()
    before = { token: read(tokenFile), key: readFileSync(keyFile, "utf8") }
  })

  it("is examined by the doctor beside it", async () => {
    assert.match((await beside("doctor")).output, /^doctor: 1 event, 1 resource, 0 differences\n$/)
  })

  it("has its keys listed and rotated beside it", async () => {
    firstKid = keysOf(await beside("keys", "list", "--json"))[0]!.kid
    printed(await cli("keys", "rotate"))
    const answer = await fetch(`${service.url}/api/v1/system/public-keys`)
    const { data } = await answer.json() as { data: ReadonlyArray<unknown> }
    assert.lengthOf(data, 2)
  })

  it("has the token replaced that is kept", async () => {
    const ended = await cli("token", "rotate")
    const token = printed(ended)
    assert.isTrue(isBootstrapToken(token), token)
    assert.include(ended.errors, `kept in ${tokenFile}`)
    assert.strictEqual(read(tokenFile), token)
    assert.strictEqual(statSync(tokenFile).mode & 0o777, 0o600)
    assert.deepStrictEqual([await status(service.url, before.token), await status(service.url, token)], [401, 200])
  })

  it("has a new master key made and kept where the old one is", async () => {
    assert.include(printed(await cli("keys", "rewrap")), "holds the new one")
    assert.notStrictEqual(readFileSync(keyFile, "utf8"), before.key)
    assert.strictEqual(statSync(keyFile).mode & 0o777, 0o600)
    assert.isFalse(existsSync(`${keyFile}.new`))
    assert.strictEqual(await create(service.url), 201)
    printed(await beside("keys", "rewrap", "--finish"))
    assert.strictEqual(await create(service.url), 201)
  })

  it("is used while it is stopped, and nothing is left running", async () => {
    assert.strictEqual(await service.stop(), 0)
    assert.match((await cli("doctor")).output, /^doctor: \d+ events, \d+ resources, 0 differences\n$/)
    assert.include(printed(await cli("keys", "revoke", firstKid)), "revoked")
    assert.deepStrictEqual(keysOf(await cli("keys", "list", "--json")).map(({ status }) => status), [
      "active",
      "revoked"
    ])
    assert.isFalse(existsSync(join(directory, "postgres", "postmaster.pid")))
    assert.isFalse(existsSync(join(directory, "service.lock")))
  })

  it("is that of the new token and the new master key at the next start", async () => {
    service = await start()
    assert.deepStrictEqual(
      [await status(service.url, before.token), await status(service.url, read(tokenFile))],
      [401, 200]
    )
    assert.strictEqual(await create(service.url), 201)
    writeFileSync(keyFile, before.key)
    const refused = await runCommand(["keys", "list"], settings)
    assert.strictEqual(refused.status, 1, refused.output)
    assert.include(refused.errors, "is not the key that this database was made with")
    assert.strictEqual(await service.stop(), 0)
  })
})
