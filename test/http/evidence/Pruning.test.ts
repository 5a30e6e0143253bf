import { assert, beforeAll, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { makeHistory } from "../../fixtures/History.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"

const directory = temporaryDirectory()
const day = 24 * 60 * 60 * 1000
const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString()

let service: Service
let database: Session
let made: Awaited<ReturnType<typeof makeHistory>>
/** A lease whose end is past its time, but whose events are still in the log. */
let kept: Body

const leases = async (): Promise<ReadonlyArray<Body>> =>
  (await service.call("GET", `/api/v1/licenses/${made.license.id}/leases?limit=200`)).body.data

const idsOf = (found: ReadonlyArray<Body>) => found.map(({ id }) => id).toSorted()

const activities = async (): Promise<ReadonlyArray<Body>> =>
  (await service.call("GET", `/api/v1/activities?license_id=${made.license.id}&limit=200`)).body.data

const audit = (from: number) =>
  service.call("GET", `/api/v1/reports/license-audit?license_id=${made.license.id}&from=${daysAgo(from)}`)

/** Ends a lease of the license. */
const seatGivenBack = async (fingerprint: string): Promise<Body> => {
  const { lease_token } = (await service.license("floating/checkout", made.key, { fingerprint })).body.data
  assert.strictEqual((await service.license("floating/checkin", made.key, { lease_token })).status, 200)
  return (await leases())[0]
}

const archive = async (...args: ReadonlyArray<string>) => {
  const { errors, output, status } = await runCommand(["archive", ...args, join(directory, "log")], {
    DATABASE_URL: service.databaseUrl,
    COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    COUNTERSIGN_ADMIN_TOKEN: adminToken,
    COUNTERSIGN_RETAIN_EVENT_DAYS: "0"
  })
  assert.strictEqual(status, 0, output + errors)
}

/** Starts the service anew, which prunes at its start: when it has deleted an old refusal, it has looked at all. */
const restarted = async (environment: Readonly<Record<string, string>>): Promise<Service> => {
  await service.stop()
  await database.query(`
    INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class, code)
    VALUES ('act_receipt', now() - interval '91 days', 'license.created', 'management', 'api_key', 'x', 'refused', 'x')`)
  const next = await startService({ databaseUrl: service.databaseUrl, environment })
  await eventually(
    "it has pruned",
    async () => (await database.query("SELECT 1 FROM activities WHERE id = 'act_receipt'")).length === 0
  )
  return next
}

beforeAll(async () => {
  service = await startService({ altered: ["lease ended_at", "lease checked_out_at"] })
  database = await session(service.databaseUrl)
  made = await makeHistory(service)
  await service.data("DELETE", `/api/v1/webhooks/${made.webhook.id}`)
  // The log is dropped up to a multiple of 16, so something must come after what is to be dropped.
  for (let index = 0; index < 20; index++) {
    await service.data("POST", "/api/v1/products", { name: "a", code: `later-${index}` })
  }
  const last = (await service.feed()).at(-1).sequence
  await eventually("a checkpoint covers the feed", async () => {
    const { body } = await service.call("GET", "/api/v1/events/checkpoint")
    return body.data?.tree_size >= last
  })
})

describe("without a setting", () => {
  it("a lease that ended long ago stays, and so does a young activity", async () => {
    await archive("write")
    await archive("drop")
    await database.query(`
      UPDATE leases SET ended_at = ended_at - interval '200 days', checked_out_at = checked_out_at - interval '200 days'
      WHERE ended_at IS NOT NULL`)
    const before = [idsOf(await leases()), (await activities()).length]
    service = await restarted({})
    assert.deepStrictEqual([idsOf(await leases()), (await activities()).length], before)
    assert.strictEqual((await audit(3000)).status, 200)
  })
})

describe("with settings", () => {
  const environment = {
    COUNTERSIGN_RETAIN_ACTIVITY_DAYS: "90",
    COUNTERSIGN_RETAIN_EVENT_DAYS: "0",
    COUNTERSIGN_RETAIN_LEASE_DAYS: "30"
  }

  it("what is past its time goes, but a lease only after its events", async () => {
    kept = await seatGivenBack("late")
    await database.query(
      `UPDATE leases SET ended_at = ended_at - interval '200 days', checked_out_at = checked_out_at - interval '200 days'
       WHERE id = $1`,
      [kept.id]
    )
    const all = await leases()
    const ended = all.filter(({ ended_at }) => ended_at !== undefined)
    assert.isAtLeast(ended.length, 3)
    const aged = await database.query(
      `UPDATE activities SET occurred_at = occurred_at - interval '100 days'
       WHERE license_id = $1 AND action IN ('license.activated', 'license.renewed') RETURNING id`,
      [made.license.id]
    )
    assert.isAtLeast(aged.length, 3)
    const listed = idsOf(await activities())
    // Whoever holds a row is not waited for, and not in the way of the others.
    const holder = await hold(service.databaseUrl, "SELECT 1 FROM activities WHERE id = $1 FOR UPDATE", [aged[0].id])

    service = await restarted(environment)
    const gone = new Set(aged.slice(1).map(({ id }) => id))
    assert.deepStrictEqual(idsOf(await activities()), listed.filter((id) => !gone.has(id)))
    assert.deepStrictEqual(
      idsOf(await leases()),
      idsOf([kept, ...all.filter(({ ended_at }) => ended_at === undefined)])
    )
    await eventually("it is counted", async () => {
      const { text } = await service.call("GET", "/metrics")
      return ["activities", "leases"].every((table) =>
        new RegExp(String.raw`countersign_pruned_rows_total\{.*table="${table}".*\} [1-9]`).test(text) &&
        text.includes("countersign_oldest_row_age_seconds{")
      )
    })
    await holder.release()
    service = await restarted(environment)
    assert.notInclude(idsOf(await activities()), aged[0].id)
  })

  it("a report that would count what is gone is refused, and says from when on it can be told", async () => {
    const { fields } = refused(await audit(120), 400, "INVALID_QUERY")
    assert.deepStrictEqual(fields.map(({ code, path }: Body) => `${path} ${code}`), ["from pruned"])
    const [, from] = /must be (\S+) or later/.exec(fields[0].message)!
    assert.isBelow(Math.abs(Date.parse(from!) - Date.parse(daysAgo(90))), day)
    const path = `/api/v1/reports/license-audit?license_id=${made.license.id}&from=${from}`
    assert.strictEqual((await service.call("GET", path)).status, 200)
    const settlement = `/api/v1/reports/subscription-settlement?subscription_id=${made.subscription.id}`
    const window = `&from=${daysAgo(120)}&to=${new Date().toISOString()}`
    refused(await service.call("GET", settlement + window), 400, "INVALID_QUERY")
    // What counts no activities is as it was.
    const customer = `/api/v1/reports/customer-summary?customer_id=${made.customer.id}${window}`
    assert.strictEqual((await service.call("GET", customer)).status, 200)
  })

  it("a longer time does not make the report whole again", async () => {
    service = await restarted({})
    refused(await audit(120), 400, "INVALID_QUERY")
  })

  it("an erasure finds the events of every lease, and the doctor finds no lease missing", async () => {
    const personal = () =>
      database.query("SELECT 1 FROM events WHERE resource_id = $1 AND (personal - '/ip_address') <> '{}'", [kept.id])
    await eventually("its events have their places", async () => (await personal()).length > 0)
    await service.data("POST", `/api/v1/customers/${made.customer.id}/erase`)
    assert.deepStrictEqual(await personal(), [])
    const { found } = await examine(service.databaseUrl)
    // What the tests aged, and nothing else.
    const aged = (member: string | undefined) => member === "ended_at" || member === "checked_out_at"
    assert.deepStrictEqual(found.filter(({ id, member }) => id !== kept.id || !aged(member)), [])
  })
})
