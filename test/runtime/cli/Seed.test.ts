import { assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"

const licenses = 120

describe("countersign seed", () => {
  let service: Service
  let seeded: Body
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    service = await startService()
    environment = {
      DATABASE_URL: service.databaseUrl,
      COUNTERSIGN_MASTER_KEY: masterKey,
      COUNTERSIGN_ADMIN_TOKEN: adminToken
    }
    const args = ["seed", "--licenses", String(licenses), "--seed", "test", "--json"]
    const ended = await run(["src/runtime/cli.ts", ...args], environment)
    assert.strictEqual(ended.status, 0, ended.errors)
    seeded = JSON.parse(ended.output)
  })

  it("leaves tables and log of which the doctor finds no difference, beside the running service", async () => {
    assert.strictEqual(seeded.written.licenses, licenses)
    const { differences, events, found } = await examine(service.databaseUrl)
    assert.deepStrictEqual({ differences, found }, { differences: 0, found: [] })
    assert.isAtLeast(events, seeded.written.events)
  })

  it("leaves a log in the order of time, whose chain and tree verify offline", async () => {
    const feed = await service.feed()
    const told = feed.slice(feed.findIndex(({ event_type }) => event_type === "api_key.created"))
    const times = told.slice(0, seeded.written.events).map(({ created_at }) => created_at)
    assert.deepStrictEqual(times, times.toSorted())
    const { sequence } = feed.at(-1)
    await eventually("a checkpoint covers the feed", async () => {
      const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
      return status === 200 && body.data.tree_size >= sequence
    })
    const directory = temporaryDirectory()
    const out = join(directory, "events.ndjson")
    const keys = join(directory, "keys.json")
    writeFileSync(keys, (await service.call("GET", "/api/v1/system/public-keys", { token: null })).text)
    const exported = await runCommand(["events", "export", "--base", service.url, "--token", adminToken, "--out", out])
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
  })

  it("refuses a database that has licenses, and writes nothing", async () => {
    const before = (await service.feed()).length
    const again = await runCommand(["seed", "--licenses", "5"], environment)
    assert.strictEqual(again.status, 1, again.output)
    assert.include(again.errors, "has licenses already")
    assert.strictEqual((await service.feed()).length, before)
    const wrong = await runCommand(["seed", "--licenses", "0"], environment)
    assert.strictEqual(wrong.status, 2, wrong.errors)
  })
})
