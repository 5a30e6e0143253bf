import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isBootstrapToken } from "../../../src/domain/keys/security/Credential.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { placeForFiles } from "../../fixtures/FilesPlace.ts"
import type { Ended, Serving } from "../../fixtures/Program.ts"
import { run, serve, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Body } from "../../fixtures/Session.ts"

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

/** Asks for products, or creates one, with the token that is kept unless another is given. */
const answerOf = (url: string, path: string, product?: object, token = read(tokenFile)): Promise<Response> =>
  fetch(`${url}/api/v1/products${path}`, {
    ...(product === undefined ? {} : { method: "POST", body: JSON.stringify(product) }),
    headers: { "authorization": `Bearer ${token}`, "content-type": "application/json" }
  })

const status = async (url: string, token: string) => (await answerOf(url, "", undefined, token)).status

const create = async (url: string) =>
  (await answerOf(url, "", { name: "p", code: randomBytes(6).toString("hex") })).status

// Each case goes on where the one before it ended: a database takes longer to make than all of them.
describe("before the first start", () => {
  it.each([["keys", "list"], ["doctor"], ["seed"], ["backup", "."]])(
    "%s %s fails, and makes no database",
    async (...args) => {
      const early = await runCommand(args, settings)
      assert.strictEqual(early.status, 3)
      assert.include(early.errors, `There is no database in ${directory} yet`)
      assert.isEmpty(readdirSync(directory), "no secret either")
    }
  )
})

describe("the embedded database of a service", () => {
  let service: Serving
  /** What was kept before it was replaced. */
  let before: { readonly token: string; readonly key: string }
  let firstKid: string

  beforeAll(async () => {
    service = await serve(["src/runtime/main.ts"], {
      ...settings,
      COUNTERSIGN_MASTER_KEY: "",
      COUNTERSIGN_ADMIN_TOKEN: "",
      // It makes the tables all the same: nobody uses a database that a start has just made.
      COUNTERSIGN_MIGRATE: "check"
    })
    before = { token: read(tokenFile), key: readFileSync(keyFile, "utf8") }
  })

  it("outlives a kill; a log has lines of JSON alone, one of which says where all is, and no start prints the token", async () => {
    const lines = service.printed().trim().split("\n").map((line): Body => JSON.parse(line))
    const { annotations, message } = lines.find((line) => String(line["message"]).includes("is ready"))!
    assert.strictEqual(message, `Countersign is ready at ${service.url} and takes requests`)
    assert.strictEqual(annotations.admin_token, `made now, kept in ${tokenFile}`)
    assert.isTrue(annotations.data.startsWith(directory), annotations.data)
    assert.notInclude(service.printed(), before.token)
    const product = await answerOf(service.url, "", { name: "a", code: "b" })
    assert.strictEqual(product.status, 201)
    const { data } = await product.json() as Body
    await service.kill()
    service = await start()
    const kept = await answerOf(service.url, `/${data.id}`)
    assert.deepStrictEqual((await kept.json() as Body).data, data)
    assert.notInclude(service.printed(), before.token)
    assert.include(service.printed(), `"admin_token":"kept in ${tokenFile}"`)
  })

  it("is examined by the doctor beside it", async () => {
    assert.match((await beside("doctor")).output, /^doctor: 2 events, 2 resources, 0 differences\n$/)
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
    assert.include(ended.errors, `stored in ${tokenFile}`)
    assert.strictEqual(read(tokenFile), token)
    assert.strictEqual(statSync(tokenFile).mode & 0o777, 0o600)
    assert.deepStrictEqual([await status(service.url, before.token), await status(service.url, token)], [401, 200])
  })

  it("has a new master key made and kept where the old one is", async () => {
    assert.include(printed(await cli("keys", "rewrap")), "holds the new key")
    assert.notStrictEqual(readFileSync(keyFile, "utf8"), before.key)
    assert.strictEqual(statSync(keyFile).mode & 0o777, 0o600)
    assert.isFalse(existsSync(`${keyFile}.new`))
    assert.strictEqual(await create(service.url), 201)
    printed(await beside("keys", "rewrap", "--finish", "--yes"))
    assert.strictEqual(await create(service.url), 201)
  })

  it("is used while it is stopped, and nothing is left running", async () => {
    assert.strictEqual(await service.stop(), 0)
    assert.match((await cli("doctor")).output, /^doctor: \d+ events, \d+ resources, 0 differences\n$/)
    assert.include(printed(await cli("keys", "revoke", firstKid, "--yes")), "revoked")
    assert.include(printed(await cli("seed", "--licenses", "3")), "Lumen Works has lived a year")
    assert.isFalse(existsSync(join(directory, "postgres", "postmaster.pid")))
    assert.isFalse(existsSync(join(directory, "service.lock")))
  })

  it("is that of the new token and the new master key at the next start", async () => {
    service = await start()
    assert.deepStrictEqual(keysOf(await beside("keys", "list", "--json")).map(({ status }) => status), [
      "active",
      "revoked"
    ])
    assert.deepStrictEqual(
      [await status(service.url, before.token), await status(service.url, read(tokenFile))],
      [401, 200]
    )
    assert.strictEqual(await create(service.url), 201)
    // What a seed has made while it was stopped is served, and another one beside it is refused.
    const testToken = printed(await beside("token", "--environment", "test"))
    const licenses = await fetch(`${service.url}/api/v1/licenses`, {
      headers: { authorization: `Bearer ${testToken}` }
    })
    assert.lengthOf((await licenses.json() as Body).data, 3)
    const again = await beside("seed")
    assert.strictEqual(again.status, 1, again.output)
    assert.include(again.errors, "already, and sample data could not be distinguished from them")
    writeFileSync(keyFile, before.key)
    const refused = await runCommand(["keys", "list"], settings)
    assert.strictEqual(refused.status, 2, refused.output)
    assert.include(refused.errors, "is not the master key of this database")
    assert.strictEqual(await service.stop(), 0)
  })
})
