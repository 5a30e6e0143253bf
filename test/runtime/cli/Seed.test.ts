import { PgConnection } from "@effect/sql-pg"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { migratedDatabase } from "../../fixtures/Postgres.ts"
import { launch, run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, hold, migrated, session } from "../../fixtures/Session.ts"

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
    const args = ["seed", "--licenses", String(licenses), "--seed", "test", "--json", "--yes"]
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
    const health = await service.data("GET", "/api/v1/ops/webhook-health")
    const outcomes = health.worst.map(({ last_outcome }: Body) => last_outcome)
    assert.sameMembers(outcomes.filter((outcome: unknown) => outcome !== undefined), ["dns"])
  })

  it("goes on with a run that was killed while it wrote, and puts the story in its order", async () => {
    await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const { target, url } = yield* migratedDatabase
      const own = { ...environment, DATABASE_URL: url }
      const connection = yield* PgConnection.make({ url: target.url })
      const ask = (statement: string) =>
        Effect.map(connection.query(statement), ({ rows }) => (rows as unknown as ReadonlyArray<Body>)[0])
      const begun = launch(["src/runtime/cli.ts", "seed", "--licenses", "400", "--seed", "killed", "--yes"], own)
      const context = yield* Effect.context<never>()
      const accounts = yield* Effect.promise(() =>
        eventually("some accounts are written", () =>
          Effect.runPromiseWith(context)(Effect.gen(function*() {
            const there = yield* ask("SELECT to_regclass('seed_under_way') IS NOT NULL AS there")
            if (!there!.there) return undefined
            const marker = yield* ask("SELECT accounts FROM seed_under_way WHERE accounts > 0")
            return marker?.accounts as number | undefined
          })))
      )
      yield* Effect.promise(begun.kill)
      assert.isAbove(accounts, 0)
      const args = ["seed", "--licenses", "3", "--seed", "other", "--json"]
      const ended = yield* Effect.promise(() => run(["src/runtime/cli.ts", ...args], own))
      assert.strictEqual(ended.status, 0, ended.errors)
      const finished = JSON.parse(ended.output)
      assert.deepInclude(finished, { resumed: true })
      assert.strictEqual(finished.written.licenses, 400)
      const counted = yield* ask(`
        SELECT (SELECT count(*)::int FROM licenses) AS licenses, (SELECT count(*)::int FROM event_places) AS events,
          (SELECT count(*)::int FROM webhook_lanes) AS lanes, to_regclass('seed_under_way') AS marker`)
      assert.deepStrictEqual(counted, { licenses: 400, events: finished.written.events, lanes: 3, marker: null })
      const { differences, found } = yield* Effect.promise(() => examine(url))
      assert.deepStrictEqual({ differences, found }, { differences: 0, found: [] })
    })))
  })

  it("is refused while another one fills the database, and neither loses nor adds anything", async () => {
    const own = { ...environment, DATABASE_URL: await migrated() }
    const held = await hold(own.DATABASE_URL, "LOCK TABLE customers IN SHARE MODE")
    const first = launch(["src/runtime/cli.ts", "seed", "--licenses", "40", "--seed", "first", "--yes"], own)
    await held.blocked(1)
    const second = await run(["src/runtime/cli.ts", "seed", "--licenses", "7", "--seed", "second", "--yes"], own)
    assert.strictEqual(second.status, 1, second.output)
    assert.include(second.errors, "Another seed command is filling this database")
    await held.release()
    assert.strictEqual(await first.ended, 0)
    const third = await runCommand(["seed", "--licenses", "7"], own)
    assert.strictEqual(third.status, 1)
    assert.include(third.errors, "has licenses, ")
    const sql = await session(own.DATABASE_URL)
    assert.deepStrictEqual(await sql.query("SELECT count(*)::int AS n FROM licenses"), [{ n: 40 }])
    await sql.close()
    const { differences, found } = await examine(own.DATABASE_URL)
    assert.deepStrictEqual({ differences, found }, { differences: 0, found: [] })
  })

  it("refuses a database that has a catalog and no license yet, and asks before it fills an empty one", async () => {
    const own = { ...environment, DATABASE_URL: await migrated() }
    const asked = await runCommand(["seed", "--licenses", "3"], own)
    assert.strictEqual(asked.status, 2, asked.output)
    assert.include(asked.errors, "Canceled")
    const sql = await session(own.DATABASE_URL)
    await sql.query(
      "INSERT INTO products (id, name, code, metadata) VALUES ('prd_06eqpx1trxz3h94vqjm3a6kz7c', 'Own', 'own', '{}')"
    )
    const refused = await runCommand(["seed", "--licenses", "3", "--yes"], own)
    assert.strictEqual(refused.status, 1, refused.output)
    assert.include(refused.errors, "has products already")
    assert.deepStrictEqual(await sql.query("SELECT code FROM products"), [{ code: "own" }])
    await sql.query("DELETE FROM products")
    await sql.close()
  })

  it("refuses a database that has licenses, and writes nothing", async () => {
    const before = (await service.feed()).length
    const again = await runCommand(["seed", "--licenses", "5"], environment)
    assert.strictEqual(again.status, 1, again.output)
    assert.include(again.errors, "has licenses, ")
    assert.strictEqual((await service.feed()).length, before)
    const wrong = await runCommand(["seed", "--licenses", "0"], environment)
    assert.strictEqual(wrong.status, 2, wrong.errors)
  })
})
