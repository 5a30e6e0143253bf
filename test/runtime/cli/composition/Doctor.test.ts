import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { examine } from "../../../fixtures/Doctor.ts"
import { makeHistory } from "../../../fixtures/History.ts"
import { run } from "../../../fixtures/Program.ts"
import type { Service } from "../../../fixtures/Service.ts"
import { adminToken, startService } from "../../../fixtures/Service.ts"
import type { Session } from "../../../fixtures/Session.ts"
import { database, migrated, session } from "../../../fixtures/Session.ts"

const of = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  COUNTERSIGN_ADMIN_TOKEN: adminToken
})

const doctor = (environment: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  runCommand(["doctor", ...flags], environment)

let service: Service
let inspect: Session
let made: Awaited<ReturnType<typeof makeHistory>>

beforeAll(async () => {
  service = await startService()
  inspect = await session(service.databaseUrl)
  made = await makeHistory(service)
})

describe("countersign doctor", () => {
  it("exits 0 with a summary when nothing differs, beside the running service", async () => {
    const ended = await doctor(of(service.databaseUrl))
    assert.strictEqual(ended.status, 0, ended.errors + ended.output)
    assert.match(ended.output, /^doctor: \d{2,} events, \d{2,} resources, 0 differences\n$/)
    const json = await doctor(of(service.databaseUrl), "--json")
    assert.strictEqual(json.status, 0, json.errors)
    const { differences, events, found, resources } = JSON.parse(json.output)
    assert.deepStrictEqual({ differences, found }, { differences: 0, found: [] })
    assert.isAtLeast(events, 80)
    assert.isAtLeast(resources, 45)
  })

  it("exits 1 and prints each difference", async () => {
    const id = made.product.id
    const rename = (name: string) => inspect.query("UPDATE products SET name = $1 WHERE id = $2", [name, id])
    await rename("Other")
    const plain = await run(["src/runtime/cli.ts", "doctor"], of(service.databaseUrl))
    assert.strictEqual(plain.status, 1)
    assert.match(
      plain.output,
      new RegExp(`^product ${id}: name is "Other" in the table, "Acme Studio 2" by the log\ndoctor: .* 1 difference\n$`)
    )
    assert.strictEqual(plain.errors, "")
    const json = await doctor(of(service.databaseUrl), "--json")
    assert.strictEqual(json.status, 1)
    const { differences, found } = JSON.parse(json.output)
    assert.deepStrictEqual({ differences, found }, {
      differences: 1,
      found: [{ resource: "product", id, member: "name", in_table: `"Other"`, by_log: `"Acme Studio 2"` }]
    })
    await rename("Acme Studio 2")
  })

  it("finds an event that names another one than the previous of its license", async () => {
    const [event] = await inspect.query(`
      SELECT sequence, id, license_previous::int AS previous FROM event_places
      WHERE license_previous > 0 AND event_type = 'license.usage_recorded' ORDER BY sequence LIMIT 1`)
    const [seat] = await inspect.query(
      "SELECT id, sequence, license_id FROM event_places WHERE license_id IS NOT NULL LIMIT 1"
    )
    const set = (column: string, value: unknown, sequence: unknown) =>
      inspect.query(`UPDATE event_places SET ${column} = $1 WHERE sequence = $2`, [value, sequence])
    await set("license_previous", event!["previous"] - 1, event!["sequence"])
    await set("license_id", "lic_06eqpx1trxz3h94vqjm3a6kz7c", seat!["sequence"])
    const { output, status } = await doctor(of(service.databaseUrl), "--json")
    await set("license_previous", event!["previous"], event!["sequence"])
    await set("license_id", seat!["license_id"], seat!["sequence"])
    assert.strictEqual(status, 1)
    const found: ReadonlyArray<{ id: string; member: string; in_table: string }> = JSON.parse(output).found
    assert.includeMembers(found.map(({ id }) => id), [event!["id"], seat!["id"]])
    for (const { member } of found) assert.strictEqual(member, "previous_of_license")
    assert.match(
      found.find(({ id }) => id === event!["id"])!.in_table,
      new RegExp(`^${event!["previous"] - 1} [0-9a-f]{64}$`)
    )
  })

  it("finds nothing while the service works, and holds up neither it nor the feed", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 50, max_floating_users: 50 } })
    const feature = await service.data("POST", `/api/v1/products/${license.product_id}/features`, {
      name: "F",
      code: "f"
    })
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
    const work = { isOver: false }
    const drive = async (worker: number) => {
      let calls = 0
      for (; !work.isOver; calls++) {
        const body = { fingerprint: `device-${worker}-${calls % 3}` }
        const answers = [
          await service.license("activate", key, body),
          await service.license("consume", key, { ...body, feature_code: "f", event_id: randomUUID() }),
          await service.license("floating/checkout", key, { fingerprint: `floating-${worker}` }),
          await service.license("deactivate", key, body)
        ]
        for (const { status, text } of answers) assert.strictEqual(status, 200, text)
        await service.data("PATCH", `/api/v1/licenses/${license.id}`, { metadata: { worker, calls } })
      }
      return calls
    }
    const workers = [1, 2, 3, 4].map(drive)
    const counts: Array<number> = []
    for (let look = 0; look < 6; look++) {
      const { events, found } = await examine(service.databaseUrl)
      assert.deepStrictEqual(found, [])
      counts.push(events)
    }
    work.isOver = true
    for (const calls of await Promise.all(workers)) assert.isAtLeast(calls, 1)
    assert.isAbove(counts.at(-1)!, counts[0]!)
  })

  it("only reads, and takes no transaction id, which the feed would wait for", async () => {
    // A database without a service, and so without other transactions.
    const databaseUrl = await migrated()
    const alone = await session(databaseUrl)
    await alone.query("INSERT INTO products (id, name, code, metadata) VALUES ('prod_a', 'a', 'a', '{}')")
    const sessions: Array<unknown> = []
    const { found } = await examine(databaseUrl, async () => {
      sessions.push(
        ...await alone.query(`
          SELECT state, backend_xid IS NOT NULL AS has_id FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`)
      )
    })
    assert.strictEqual(found.length, 1)
    assert.deepStrictEqual(sessions, [{ state: "idle in transaction", has_id: false }])
  })

  it("says so when the tables are not there, or not those of this version", async () => {
    const empty = await database()
    const early = await doctor(of(empty))
    assert.strictEqual(early.status, 3)
    assert.include(early.errors, "The database has no Countersign tables yet")
    const old = await session(empty)
    await old.query("CREATE TABLE schema_migrations (migration_id integer, created_at timestamptz DEFAULT now())")
    await old.query("INSERT INTO schema_migrations VALUES (1)")
    const behind = await doctor(of(empty))
    assert.strictEqual(behind.status, 3)
    assert.match(
      behind.errors,
      /^Schema 1 of the database is too old for this version, which takes over schema 255 and later ones\. /
    )
    assert.strictEqual(behind.output, "")
    await old.query("INSERT INTO schema_migrations SELECT * FROM generate_series(2, 9999)")
    const ahead = await doctor(of(empty))
    assert.strictEqual(ahead.status, 3)
    assert.match(ahead.errors, /^The tables are of schema 9999, this version needs \d+\. /)
  })
})
