// A command on one environment brings out, and takes in, what is of that one alone. Both have something by every name.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EnvironmentName } from "../../../src/domain/ground/environments/EnvironmentName.ts"
import { archivedLines } from "../../fixtures/ArchivedLog.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { database, eventually, session } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const service = await startService()
testDatabaseOf(service)
const restored = await database()
testDatabaseOf({ ...service, databaseUrl: restored } as typeof service)
const directory = temporaryDirectory()
const inDirectory = (name: string) => join(directory, name)

const settings = {
  DATABASE_URL: service.databaseUrl,
  COUNTERSIGN_MASTER_KEY: masterKey,
  COUNTERSIGN_ADMIN_TOKEN: adminToken,
  COUNTERSIGN_DATA_DIR: directory,
  COUNTERSIGN_URL: service.url
}

const tokens: Readonly<Record<EnvironmentName, string>> = { live: adminToken, test: testToken }
const others: Readonly<Record<EnvironmentName, EnvironmentName>> = { live: "test", test: "live" }
/** Stands in all that was made in an environment, and nowhere in the other. */
const marks: Readonly<Record<EnvironmentName, string>> = { live: "Halcyon", test: "Zephyrine" }
const environments = ["live", "test"] as const

const ask = (name: EnvironmentName, method: string, path: string, body?: unknown): Promise<Body> =>
  service.data(method, path, body, { token: tokens[name] })

const on = async (name: EnvironmentName, ...args: ReadonlyArray<string>) => {
  const ended = await runCommand([...args, "--environment", name], settings)
  return { ...ended, said: `${ended.output}${ended.errors}` }
}

/** What a command says that must go well. */
const said = async (name: EnvironmentName, ...args: ReadonlyArray<string>): Promise<string> => {
  const { said, status } = await on(name, ...args)
  assert.strictEqual(status, 0, `${args.join(" ")}: ${said}`)
  return said
}

const textOf = (path: string): string =>
  readdirSync(path).map((name) => readFileSync(join(path, name), "utf8")).join("\n")

const licenses: Record<EnvironmentName, Body> = { live: {}, test: {} }

beforeAll(async () => {
  for (const name of environments) {
    const product = await ask(name, "POST", "/api/v1/products", { name: `${marks[name]} Studio`, code: "studio" })
    const policy = await ask(name, "POST", `/api/v1/products/${product.id}/policies`, {
      name: "Annual",
      code: "annual",
      license_type: "subscription",
      duration: "P1Y"
    })
    const customer = await ask(name, "POST", "/api/v1/customers", { name: `${marks[name]} Lovelace`, code: "ada" })
    licenses[name] = (await ask(name, "POST", "/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      customer_id: customer.id
    })).license
  }
  // One has more than the other, so that a number tells them apart.
  await ask("test", "POST", "/api/v1/customers", { name: `${marks.test} Hopper`, code: "grace" })
  for (const name of environments) {
    await eventually(`the log of ${name} has a checkpoint over all of it`, async () => {
      const { body: feed } = await service.call("GET", "/api/v1/events?order=desc&limit=1", { token: tokens[name] })
      const { body, status } = await service.call("GET", "/api/v1/events/checkpoint", { token: tokens[name] })
      const last = feed.data[0]?.sequence
      return status === 200 && last >= (name === "live" ? 4 : 5) && body.data.tree_size >= last
    })
    const { text } = await service.call("GET", `${name === "test" ? "/test" : ""}/api/v1/system/public-keys`, {
      token: null
    })
    writeFileSync(inDirectory(`${name}.keys.json`), text)
  }
})

/** Commands that bring something out, each with the text of it. */
const outlets: ReadonlyArray<readonly [string, (name: EnvironmentName) => Promise<string>]> = [
  ["export", async (name) => {
    const target = inDirectory(`${name}.export`)
    await said(name, "export", target)
    return textOf(target)
  }],
  ["archive write", async (name) => {
    const target = inDirectory(`${name}.archive`)
    await said(name, "archive", "write", target)
    return JSON.stringify(archivedLines(target))
  }],
  ["events export", async (name) => {
    const file = inDirectory(`${name}.events.ndjson`)
    await said(name, "events", "export", "--out", file)
    return readFileSync(file, "utf8")
  }],
  ["events tail", (name) => said(name, "events", "tail", "--no-follow", "--json", "--from", "0")],
  ["licenses find", async (name) => {
    const other = await on(name, "licenses", "find", marks[others[name]])
    assert.notStrictEqual(other.status, 0, other.said)
    return said(name, "licenses", "find", marks[name])
  }],
  ["licenses show", (name) => said(name, "licenses", "show", licenses[name].id)],
  ["api listCustomers", (name) => said(name, "api", "listCustomers", "--json")],
  ["backup and restore", async (name) => {
    const file = inDirectory(`${name}.backup`)
    await said(name, "backup", file)
    const into = { ...settings, DATABASE_URL: restored }
    const loaded = await runCommand(["restore", file, "--replace", "--yes", "--environment", name], into)
    assert.strictEqual(loaded.status, 0, loaded.errors)
    const url = new URL(restored)
    if (name === "test") url.pathname += "_test"
    const { query } = await session(url.href)
    return JSON.stringify(await query("SELECT name FROM customers UNION ALL SELECT name FROM products"))
  }]
]

describe.each(environments)("--environment %s", (name) => {
  it.each(someOf(`outlets of ${name}`, outlets, 8))(
    "%s has what is of it, and nothing of the other",
    async (_command, outlet) => {
      const text = await outlet(name)
      assert.isTrue(text.includes(marks[name]) || text.includes(licenses[name].id), text)
      assert.notInclude(text, marks[others[name]])
      assert.notInclude(text, licenses[others[name]].id)
    }
  )

  it("doctor, keys and whoami are of it", async () => {
    const [{ sequence }] = await ask(name, "GET", "/api/v1/events?order=desc&limit=1")
    assert.include(await said(name, "doctor"), `${sequence} events`)
    const [key] = JSON.parse(readFileSync(inDirectory(`${name}.keys.json`), "utf8")).data
    assert.include(await said(name, "keys", "list"), key.kid)
    const service = JSON.parse((await on(name, "whoami", "--json")).output).service
    assert.strictEqual(service.endsWith("/test"), name === "test", service)
  })

  it("import creates in it alone", async () => {
    const file = inDirectory(`${name}.csv`)
    writeFileSync(file, `license_key,product,policy\nOLD-${name}-AAAA-0001,studio,annual\n`)
    const counts = () =>
      Promise.all(environments.map(async (each) => (await ask(each, "GET", "/api/v1/licenses")).length))
    const before = await counts()
    assert.match(await said(name, "import", file), /^1 license created/)
    const added = environments.map((each) => each === name ? 1 : 0)
    assert.deepStrictEqual(await counts(), before.map((count, index) => count + added[index]!))
  })

  it("takes no key of the other for its own: an import says so, row by row", async () => {
    const { license_key } = await ask(others[name], "POST", "/api/v1/licenses", {
      product_id: licenses[others[name]].product_id,
      policy_id: licenses[others[name]].policy_id
    })
    const file = inDirectory(`${name}.others.csv`)
    writeFileSync(file, `license_key,product,policy\n${license_key},studio,annual\n`)
    const refused = await on(name, "import", file)
    assert.strictEqual(refused.status, 1, refused.said)
    assert.match(refused.said, new RegExp(`must not be a key of the ${others[name]} environment`))
    assert.notInclude(refused.said, license_key)
  })
})

describe("what a command wrote of test", () => {
  const liveKeys = inDirectory("live.keys.json")
  const testKeys = inDirectory("test.keys.json")
  const verify = async (keys: string, ...args: ReadonlyArray<string>) => {
    const { errors, output, status } = await runCommand([...args, "--keys", keys], settings)
    return { status, said: output + errors }
  }

  it.each([
    ["events", ["verify", "events", inDirectory("test.events.ndjson")]],
    ["an archive", ["archive", "verify", inDirectory("test.archive")]]
  ])("is verified with the keys of test alone, and says what it is: %s", async (_what, args) => {
    assert.isTrue(existsSync(args[2]!), "written by the tests above")
    const own = await verify(testKeys, ...args)
    assert.strictEqual(own.status, 0, own.said)
    assert.match(own.said, /of [^ ]+\/test\/events\//)
    const live = await verify(liveKeys, ...args)
    assert.strictEqual(live.status, 1)
    assert.match(live.said, /not verified: unknown_key: .* of [^ ]+\/test\/events\/[^ ]+ is signed with none/)
  })

  it("gives live nothing to drop: an archive of test is not one of its log", async () => {
    const { errors, status } = await runCommand(
      ["archive", "drop", inDirectory("test.archive"), "--dry-run"],
      { ...settings, COUNTERSIGN_RETAIN_EVENT_DAYS: "30" }
    )
    assert.strictEqual(status, 1)
    assert.match(errors, /unknown_key.*\/test\/events\//)
  })

  it("is continued by nothing of live", async () => {
    const { said, status } = await on("live", "archive", "write", inDirectory("test.archive"))
    assert.strictEqual(status, 1, said)
    assert.match(said, /\/test\/events\//)
  })
})
