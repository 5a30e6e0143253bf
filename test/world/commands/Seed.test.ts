import { assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { endpoints } from "../../../src/runtime/seed/Story.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import { settingsOf } from "../../fixtures/SeededVendor.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

const licenses = 60
const year = 365 * 86_400_000

describe("countersign seed", () => {
  let service: Service
  let seeded: Body
  let testDatabase: string
  let environment: Readonly<Record<string, string>>

  /** Every event of the test environment, in the order of the feed. */
  const feed = async (): Promise<Array<Body>> => {
    const events: Array<Body> = []
    for (let cursor = "";;) {
      const { body } = await service.call("GET", `/api/v1/events?limit=200${cursor}`)
      events.push(...body.data)
      cursor = `&cursor=${body.page_info.next_cursor}`
      if (!body.page_info.has_more) return events
    }
  }

  beforeAll(async () => {
    service = await startService()
    testDatabase = testDatabaseOf(service)
    environment = settingsOf(service)
    // The service runs the environment already, and leaves it to the command.
    service.token = testToken
    await service.data("GET", "/api/v1/environment")
    const args = ["seed", "--licenses", String(licenses), "--seed", "test", "--json"]
    const ended = await run(["src/runtime/cli.ts", ...args], environment)
    assert.strictEqual(ended.status, 0, ended.errors)
    seeded = JSON.parse(ended.output)
  })

  it("leaves tables and log of which the doctor finds no difference, beside the running service", async () => {
    assert.strictEqual(seeded.licenses, licenses)
    const { differences, events, found } = await examine(testDatabase)
    assert.deepStrictEqual({ differences, found }, { differences: 0, found: [] })
    assert.isAtLeast(events, seeded.events)
    assert.isAbove(seeded.events, licenses)
    assert.isFalse((await service.data("GET", "/api/v1/environment")).clock_moved)
  })

  it("plays a whole year, in the order of time, and has every webhook of it delivered", async () => {
    const told = await feed()
    const days = told.map(({ created_at }) => String(created_at).slice(0, 10))
    assert.deepStrictEqual(days, days.toSorted())
    assert.closeTo(Date.parse(told.at(-1)!.created_at) - Date.parse(told[0]!.created_at), year, 86_400_000)
    const moved = told.findIndex(({ event_type }) => event_type === "webhook.updated")
    assert.isAbove(moved, 0)
    const types = endpoints.flatMap(({ types }): ReadonlyArray<string> => types)
    const subscribed = (type: string) =>
      types.some((asked) => asked === type || asked.endsWith(".*") && type.startsWith(asked.slice(0, -1)))
    assert.strictEqual(told.slice(0, moved).filter(({ event_type }) => subscribed(event_type)).length, seeded.webhooks)
  })

  it("leaves a log whose chain and tree verify offline", async () => {
    const { sequence } = (await feed()).at(-1)!
    await eventually("a checkpoint covers the feed", async () => {
      const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
      return status === 200 && body.data.tree_size >= sequence
    })
    const directory = temporaryDirectory()
    const out = join(directory, "events.ndjson")
    const keys = join(directory, "keys.json")
    writeFileSync(keys, (await service.call("GET", "/test/api/v1/system/public-keys", { token: null })).text)
    const exported = await runCommand(["events", "export", "--base", service.url, "--token", testToken, "--out", out])
    assert.strictEqual(exported.status, 0, exported.errors)
    const verified = await runCommand(["verify", "events", out, "--keys", keys])
    assert.strictEqual(verified.status, 0, verified.errors + verified.output)
  })

  it("prints keys that work", async () => {
    assert.isNotEmpty(seeded.known)
    for (const { fingerprint, key } of seeded.known) {
      const answer = await service.license("validate", key, { fingerprint })
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })

  it("makes a year of use, states of all kinds, refusals, and an endpoint that fails", async () => {
    const statuses = new Set<string>()
    for (const status of ["active", "expired", "grace_period", "suspended", "revoked"]) {
      const page = await service.call("GET", `/api/v1/licenses?status=${status}&limit=1`)
      assert.strictEqual(page.status, 200, page.text)
      if (page.body.data.length > 0) statuses.add(status)
    }
    assert.includeMembers([...statuses], ["active", "expired"])
    const refused = await service.call("GET", "/api/v1/activities?result_class=refused&limit=200")
    assert.isAtLeast(new Set(refused.body.data.map(({ code }: Body) => code)).size, 3)
    const webhooks = (await service.data("GET", "/api/v1/webhooks")) as Array<Body>
    assert.sameMembers(webhooks.map(({ status }) => status), ["active", "active", "paused"])
    assert.lengthOf(webhooks.filter(({ failing_since }) => failing_since !== undefined), 1)
    const health = await service.data("GET", "/api/v1/ops/webhook-health")
    const outcomes = health.worst.map(({ last_outcome }: Body) => last_outcome)
    assert.sameMembers(outcomes.filter((outcome: unknown) => outcome !== undefined), ["dns"])
  })

  it("refuses an environment that has something, the live one, and numbers out of range, and writes nothing", async () => {
    const before = (await feed()).length
    const again = await runCommand(["seed", "--licenses", "5"], environment)
    assert.strictEqual(again.status, 1, again.output)
    assert.include(again.errors, "The test environment has licenses already")
    assert.include(again.errors, "countersign api resetEnvironment --environment test")
    const live = await runCommand(["seed", "--environment", "live"], environment)
    assert.strictEqual(live.status, 2, live.output)
    assert.include(live.errors, "the clock of the live environment is real time")
    for (const number of ["0", "100001"]) {
      assert.strictEqual((await runCommand(["seed", "--licenses", number], environment)).status, 2, number)
    }
    assert.lengthOf(await feed(), before)
    const sql = await session(service.databaseUrl)
    assert.deepStrictEqual(await sql.query("SELECT count(*)::int AS n FROM licenses"), [{ n: 0 }])
    await sql.close()
  })

  it("waits for no other seed command, refuses a catalog, and plays the same story from the same text", async () => {
    await service.data("POST", "/api/v1/environment/reset")
    await service.data("POST", "/api/v1/products", { name: "Own", code: "own" })
    const args = ["seed", "--licenses", String(licenses), "--seed", "test", "--json"]
    const other = await session(testDatabase)
    await other.query("SELECT pg_advisory_lock(hashtext('countersign seed'))")
    const second = await runCommand(args, environment)
    assert.strictEqual(second.status, 1, second.output)
    assert.include(second.errors, "Another seed command is filling this environment")
    await other.close()
    const refused = await runCommand(args, environment)
    assert.strictEqual(refused.status, 1, refused.output)
    assert.include(refused.errors, "The test environment has products already")
    assert.deepStrictEqual((await service.data("GET", "/api/v1/products")).map(({ code }: Body) => code), ["own"])
    await service.data("POST", "/api/v1/environment/reset")
    const played = await runCommand(args, environment)
    assert.strictEqual(played.status, 0, played.errors)
    const counts = ({ acts, endpoints, known, licenses }: Body) => ({ acts, endpoints, known: known.length, licenses })
    assert.deepStrictEqual(counts(JSON.parse(played.output)), counts(seeded))
  })
})
