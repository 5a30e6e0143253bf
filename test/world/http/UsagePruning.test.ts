import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { pruneUsesQuery } from "../../../src/services/licensing/metering/UsageSql.ts"
import { examine } from "../../fixtures/Doctor.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, hold, holdLicense, session } from "../../fixtures/Session.ts"

const day = 24 * 60 * 60 * 1000
const hour = day / 24
const retained = 31
/** The beginning of today, which does not end during the tests, and of the oldest day whose uses are kept. */
const today = Math.floor((Date.now() + day / 1000) / day) * day
const cutoff = today - retained * day
const iso = (at: number) => new Date(at).toISOString()
const environment = { COUNTERSIGN_RETAIN_USAGE_DAYS: String(retained) }

type Metered = Issued & { readonly feature: Body }

let service: Service
let database: Session
let customer: Body
let subscription: Body
/** Its uses are old, and more than two slices. */
let busy: Metered
/** Its quota is used up, by old uses and young ones. */
let limited: Metered
const old = Array.from({ length: 2300 }, (_, index) => `old-${index}`)
const amountOf = (eventId: string) => (Number(eventId.split("-")[1]) % 3) + 1

/** From here on uses, corrections and events are of this time; undefined: of the present. */
const setClock = (at: number | undefined) =>
  database.query("UPDATE test_clock SET at = $1", [at === undefined ? null : new Date(at)])

const metered = async (assignment: object = {}): Promise<Metered> => {
  const issued = await service.issue({ license: { customer_id: customer.id } })
  const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
    name: "Rendering",
    code: "render"
  })
  await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, {
    feature_id: feature.id,
    ...assignment
  })
  assert.strictEqual((await service.license("activate", issued.key, { fingerprint: "a" })).status, 200)
  return { ...issued, feature }
}

/** Another license of the same product, which is under a subscription. */
const subscribed = async ({ feature, policy, product }: Metered): Promise<Metered> => {
  subscription = await service.data("POST", `/api/v1/products/${product.id}/subscriptions`, {
    external_system: "billing",
    external_id: "s-1",
    status: "active",
    current_period_start: iso(cutoff - 100 * day),
    current_period_end: iso(today)
  })
  const { license, license_key: key } = await service.data("POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id,
    customer_id: customer.id,
    subscription_id: subscription.id
  })
  await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
  assert.strictEqual((await service.license("activate", key, { fingerprint: "a" })).status, 200)
  return { feature, key, license, policy, product }
}

const consume = ({ key }: Issued, event_id: string, amount: number, node: Service = service): Promise<Answer> =>
  node.license("consume", key, { fingerprint: "a", feature_code: "render", event_id, amount })

const allUsed = (answers: ReadonlyArray<Answer>) => {
  for (const { status, text } of answers) assert.strictEqual(status, 200, text)
}

const consumed = async ({ license }: Issued): Promise<number> =>
  (await service.data("GET", `/api/v1/licenses/${license.id}/features`))[0].total_consumptions

const sum = (ids: ReadonlyArray<string>) => ids.reduce((total, id) => total + amountOf(id), 0)

const count = async (table: string): Promise<number> =>
  (await database.query(`SELECT count(*)::int AS n FROM ${table}`))[0].n

const uses = (conditions: string): Promise<number> => count(`usage_records WHERE ${conditions}`)

const report = (path: string): Promise<Answer> => service.call("GET", `/api/v1/reports/${path}`)

const window = (from: number, to: number) => `from=${iso(from)}&to=${iso(to)}`

/** Reports of windows that begin before the cutoff: full days, and nothing else of that time. */
const wholeDays = () => {
  const subjects = [`customer_id=${customer.id}`, `license_id=${busy.license.id}`, "feature_code=render"]
  const windows = [
    window(cutoff - 200 * day, today),
    window(cutoff - 100 * day, cutoff - 20 * day),
    window(cutoff - 10 * day, cutoff + 10 * day),
    // A part of a day that is kept.
    window(cutoff - 100 * day, cutoff + 2 * day + 5 * hour)
  ]
  const grouped = ["", "&bucket=1d", "&group_by=license_id", "&bucket=1d&group_by=feature_code"]
  const summaries = subjects.flatMap((subject) => grouped.map((more) => `usage-summary?${subject}${more}`))
  const others = [
    `customer-summary?customer_id=${customer.id}`,
    `subscription-settlement?subscription_id=${subscription.id}`
  ]
  return windows.flatMap((one) => summaries.concat(others).map((path) => `${path}&${one}`))
}

const readAll = async (paths: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> => {
  const answers: Array<unknown> = []
  for (const path of paths) {
    const { body, status, text } = await report(path)
    assert.strictEqual(status, 200, `${path}: ${text}`)
    answers.push(body.data)
  }
  return answers
}

const exported = async (report_kind: string, filters: object): Promise<Body> => {
  const { id } = await service.data("POST", "/api/v1/reports/exports", { report_kind, filters }, {
    headers: { "idempotency-key": randomUUID() }
  })
  return eventually("the export has ended", async () => {
    const found = await service.data("GET", `/api/v1/reports/exports/${id}`)
    return ["ready", "failed"].includes(found.status) ? found : undefined
  })
}

let before: ReadonlyArray<unknown>

beforeAll(async () => {
  await eventually("the day has begun", () => Date.now() >= today)
  service = await startService()
  database = await session(service.databaseUrl)
  await database.query("CREATE TABLE test_clock (at timestamptz)")
  await database.query("INSERT INTO test_clock VALUES (NULL)")
  await database.query(
    "CREATE FUNCTION test_now() RETURNS timestamptz AS 'SELECT coalesce(at, now()) FROM test_clock' LANGUAGE sql STABLE"
  )
  for (const table of ["usage_records", "usage_corrections", "event_records"]) {
    await database.query(`ALTER TABLE ${table} ALTER COLUMN created_at SET DEFAULT test_now()`)
  }
  customer = await service.data("POST", "/api/v1/customers", { name: "Köln GmbH", code: "koeln" })
  busy = await subscribed(await metered())
  limited = await metered({ max_consumptions: 10 })
  await setClock(cutoff - 100 * day + 7 * hour)
  for (let from = 0; from < old.length; from += 400) {
    if (from === 1200) await setClock(cutoff - 3 * hour)
    allUsed(await Promise.all(old.slice(from, from + 400).map((id) => consume(busy, id, amountOf(id)))))
  }
  allUsed([await consume(limited, "old-0", 4)])
  // On either side of the cutoff.
  await setClock(cutoff - 1)
  allUsed([await consume(limited, "old-1", 2)])
  await setClock(cutoff)
  allUsed([await consume(limited, "young-0", 3), await consume(busy, "young-0", 1)])
  await setClock(undefined)
  allUsed([await consume(limited, "young-1", 1)])
  before = await readAll(wholeDays())
  await service.feed()
})

describe("without a setting", () => {
  it("every use is kept, and every hour of it told", async () => {
    await service.stop()
    service = await startService({ databaseUrl: service.databaseUrl })
    const { body } = await report(`usage-summary?bucket=1h&${window(cutoff - 3 * day, cutoff + day)}`)
    assert.strictEqual(body.data.summary.uses, 1100 + 4)
    assert.strictEqual(await uses("true"), old.length + 5)
  })
})

describe("while uses are pruned", () => {
  it("a kill leaves each of them in one place, and the next look finishes", async () => {
    // The second slice waits within its statement.
    await database.query(`CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT 1 FROM usage_keys) THEN PERFORM pg_advisory_xact_lock_shared(23); END IF; RETURN NULL; END $$`)
    await database.query(
      "CREATE TRIGGER test_wait BEFORE INSERT ON usage_keys FOR EACH STATEMENT EXECUTE FUNCTION wait_for_test()"
    )
    const holder = await hold(service.databaseUrl, "SELECT pg_advisory_xact_lock(23)")
    await service.stop()
    service = await startService({ databaseUrl: service.databaseUrl, as: "host", environment })
    await holder.blocked(1)
    assert.strictEqual(await count("usage_keys"), 1000)
    assert.strictEqual(await uses("true"), old.length + 5 - 1000)
    // Of the first slice, of the one under way, and of the last.
    const asked = [...old.slice(0, 40), ...old.slice(1300, 1340), ...old.slice(-40)]
    allUsed(await Promise.all(asked.map((id) => consume(busy, id, amountOf(id)))))
    for (const id of asked.filter((_, index) => index % 10 === 0)) {
      const conflict = refused(await consume(busy, id, 9), 409, "IDEMPOTENCY_CONFLICT")
      assert.strictEqual(conflict.detail, `amount ${amountOf(id)}`)
    }
    assert.strictEqual(await consumed(busy), sum(old) + 1)
    // What begins before the cutoff is refused from the first slice on, although most of it is still there.
    refused(await report(`usage-summary?bucket=1h&${window(cutoff - day, cutoff)}`), 400, "INVALID_QUERY")

    await service.kill("SIGKILL")
    // The server has not noticed that nobody waits for the answer.
    await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    await holder.release()
    await eventually("the slice is undone", async () => {
      const [row] = await database.query(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%usage_keys%'"
      )
      return row.n === 1
    })
    assert.strictEqual(await count("usage_keys"), 1000)
    assert.strictEqual(await uses("true"), old.length + 5 - 1000)
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])

    await service.start()
    await eventually("the rest is pruned", async () => await uses(`created_at < '${iso(cutoff)}'`) === 0)
    await database.query("DROP TRIGGER test_wait ON usage_keys")
    assert.strictEqual(await uses("true"), 3)
    assert.strictEqual(await count("usage_keys"), old.length + 2)
    const [{ until }] = await database.query("SELECT until FROM pruned_tables WHERE name = 'usage_records'")
    assert.strictEqual(iso(until.getTime()), iso(cutoff))
    await eventually("it is counted", async () => {
      const { text } = await service.call("GET", "/metrics")
      return new RegExp(String.raw`countersign_pruned_rows_total\{.*table="usage_records".*\} 13\d\d`).test(text)
    })
  })

  it("reports of full days are as they were", async () => {
    assert.deepStrictEqual(await readAll(wholeDays()), before)
  })

  it("whatever is repeated meanwhile counts once", async () => {
    const racing = await metered()
    const other = await startService({ databaseUrl: service.databaseUrl })
    const ids = Array.from({ length: 600 }, (_, index) => `old-${index}`)
    await setClock(cutoff - 5 * day)
    for (let from = 0; from < ids.length; from += 200) {
      allUsed(await Promise.all(ids.slice(from, from + 200).map((id) => consume(racing, id, amountOf(id)))))
    }
    await setClock(undefined)
    const progress = { isPruning: true }
    const prune = async () => {
      // In many small slices, each of which races with the repeats.
      for (let moved = 1; moved > 0;) {
        const [slice] = await database.query(pruneUsesQuery, [iso(cutoff), "-infinity", 5])
        moved = slice.rows
      }
      progress.isPruning = false
    }
    const repeat = async (seed: number) => {
      // Twice more after the last slice, for what was asked for in between.
      for (let index = seed, rounds = 0; progress.isPruning || rounds < ids.length / 8; index += 7) {
        if (!progress.isPruning) rounds++
        const id = ids[index % ids.length]!
        allUsed([await consume(racing, id, amountOf(id), index % 2 === 0 ? service : other)])
      }
    }
    await Promise.all([prune(), ...Array.from({ length: 16 }, (_, seed) => repeat(seed * 37))])
    allUsed(await Promise.all(ids.map((id) => consume(racing, id, amountOf(id)))))
    assert.strictEqual(await consumed(racing), sum(ids))
    assert.strictEqual(await uses(`license_id = '${racing.license.id}'`), 0)
    assert.lengthOf(
      await service.feed(`&event_type=license.usage_recorded&resource_id=${racing.license.id}`),
      ids.length
    )
    await other.stop()
  })

  it("who waited for the license reads what was moved in the meantime", async () => {
    const waiting = await metered()
    await setClock(cutoff - 5 * day)
    allUsed([await consume(waiting, "old-1", 2)])
    await setClock(undefined)
    const holder = await holdLicense(service.databaseUrl, waiting.license.id)
    const repeats = Promise.all(Array.from({ length: 8 }, () => consume(waiting, "old-1", 2)))
    await holder.blocked(1)
    // The service prunes too, if it has taken that over from the node that stopped.
    await database.query(pruneUsesQuery, [iso(cutoff), "-infinity", 1000])
    await eventually("it is moved", async () => await uses(`license_id = '${waiting.license.id}'`) === 0)
    await holder.release()
    allUsed(await repeats)
    assert.strictEqual(await consumed(waiting), 2)
    assert.strictEqual(await uses(`license_id = '${waiting.license.id}'`), 0)
  })
})

describe("once uses were pruned", () => {
  it("a repeat answers as before, another amount conflicts, and neither takes of the quota", async () => {
    const before = await consume(limited, "young-0", 3)
    const repeated = await consume(limited, "old-0", 4)
    allUsed([before, repeated])
    const { license: _license, ...same } = repeated.body.data
    const { license: _other, ...as } = before.body.data
    assert.deepStrictEqual(same.features, as.features)
    assert.deepStrictEqual(same.features, [{ code: "render", consumed: 10, enabled: true, quota: 10, remaining: 0 }])
    const conflict = refused(await consume(limited, "old-1", 1), 409, "IDEMPOTENCY_CONFLICT")
    assert.strictEqual(conflict.detail, "amount 2")
    refused(await consume(limited, "old-2", 1), 403, "FEATURE_QUOTA_EXCEEDED")
    // The same id of another license, or of another feature, is another use.
    allUsed([await consume(busy, "another", 1), await consume(await metered(), "old-0", 9)])
    assert.strictEqual(await consumed(limited), 10)
    assert.strictEqual(await consumed(busy), sum(old) + 2)
  })

  it("what needs single uses is refused, and says from when on it can be told", async () => {
    const licensed = `license-audit?license_id=${limited.license.id}`
    const settled = `subscription-settlement?subscription_id=${subscription.id}`
    const held = `customer-summary?customer_id=${customer.id}`
    const told = [
      `usage-summary?bucket=1h&${window(cutoff, cutoff + 31 * day)}`,
      `usage-summary?${window(cutoff - 3 * day, cutoff + hour)}`,
      `${licensed}&${window(cutoff, today)}`,
      `${settled}&${window(cutoff + hour, today + hour)}`,
      `${held}&${window(cutoff - 3000 * day, today + hour)}`,
      // The defaults, and the longest window of hours, are within what is kept.
      "usage-summary",
      licensed,
      held,
      `usage-summary?bucket=1h&from=${iso(Date.now() - 31 * day + hour)}`
    ]
    await readAll(told)
    const gone = [
      `usage-summary?bucket=1h&${window(cutoff - hour, cutoff + day)}`,
      `usage-summary?${window(cutoff - 3 * day + 1, today)}`,
      `usage-summary?bucket=1d&${window(cutoff - 3 * day, cutoff - hour)}`,
      `${licensed}&${window(cutoff - 1, today)}`,
      `${settled}&${window(cutoff - 3 * day + hour, today)}`,
      `${held}&${window(cutoff - hour, cutoff + hour)}`
    ]
    for (const path of gone) {
      const { fields } = refused(await report(path), 400, "INVALID_QUERY")
      assert.deepStrictEqual(fields.map(({ code, path }: Body) => `${path} ${code}`), ["from pruned"], path)
      assert.include(fields[0].message, `must be ${iso(cutoff)} or later`)
    }
  })

  it("lists begin with what is left", async () => {
    const all = `license_id=${limited.license.id}&from=${iso(cutoff - 200 * day)}`
    const ledger = (await report(`usage-ledger?${all}`)).body.data
    assert.deepStrictEqual(ledger.map(({ event_id }: Body) => event_id), ["young-1", "young-0"])
    const activities = await service.data(
      "GET",
      `/api/v1/activities?action=license.usage_recorded&result_class=success&${all}`
    )
    assert.deepStrictEqual(activities.map(({ amount }: Body) => amount), [1, 3])
  })

  it("exports of what is gone fail, and a ledger of everything says where it begins", async () => {
    const license_id = limited.license.id
    const early = iso(cutoff - day)
    for (
      const [kind, filters] of [
        ["usage-summary", { license_id, bucket: "1h", from: early, to: iso(cutoff) }],
        ["license-audit", { license_id, from: early }],
        ["usage-ledger", { license_id, from: early }],
        ["usage-ledger", { license_id, to: early }]
      ] as const
    ) {
      const failed = await exported(kind, filters)
      assert.strictEqual(`${failed.status} ${failed.failure?.code}`, "failed VALIDATION_ERROR", kind)
    }
    const ledger = await exported("usage-ledger", { license_id })
    assert.strictEqual(ledger.status, "ready")
    const file = (await service.call("GET", `/api/v1/reports/exports/${ledger.id}/download`)).body
    assert.deepStrictEqual(file.filters, { license_id, from: iso(cutoff) })
    assert.deepStrictEqual(file.summary, { entries: 2, uses: 2, amount: 4, adjusted: 0 })
    // Corrections stay.
    const corrections = { license_id, action: "license.usage_reset", from: early }
    assert.strictEqual((await exported("usage-ledger", corrections)).status, "ready")
    const days = { license_id, bucket: "1d", from: iso(cutoff - 200 * day), to: iso(cutoff) }
    assert.strictEqual((await exported("usage-summary", days)).status, "ready")
  })

  it("a longer time does not make the reports whole again", async () => {
    await service.stop()
    service = await startService({ databaseUrl: service.databaseUrl })
    refused(await report(`usage-summary?bucket=1h&${window(cutoff - hour, cutoff + day)}`), 400, "INVALID_QUERY")
    allUsed([await consume(busy, "old-5", amountOf("old-5"))])
    assert.strictEqual(await consumed(busy), sum(old) + 2)
  })

  it("the doctor misses no use, but a key that is gone, is another's or nobody's", async () => {
    const lines = async () =>
      (await examine(service.databaseUrl)).found.map(({ by_log, in_table, member, resource }) =>
        [resource, member ?? "", in_table ?? "", by_log ?? ""].join(" ").trim()
      ).toSorted()
    assert.deepStrictEqual(await lines(), [])
    const [key] = await database.query("SELECT digest, amount FROM usage_keys WHERE amount = 2 ORDER BY digest LIMIT 1")
    await database.query("UPDATE usage_keys SET amount = 5 WHERE digest = $1", [key.digest])
    assert.deepStrictEqual(await lines(), ["usage_record amount 5 2"])
    await database.query("DELETE FROM usage_keys WHERE digest = $1", [key.digest])
    assert.deepStrictEqual(await lines(), ["usage_record   2"])
    await database.query("INSERT INTO usage_keys VALUES (gen_random_uuid(), 7)")
    assert.deepStrictEqual(await lines(), ["usage_key  7", "usage_record   2"])
    await database.query("DELETE FROM usage_keys WHERE amount = 7")
    await database.query("INSERT INTO usage_keys VALUES ($1, $2)", [key.digest, key.amount])
    assert.deepStrictEqual(await lines(), [])
    // The key of a use that is not old enough to be pruned is no excuse.
    // Kept where it is: the driver reads a time that is infinite, and writes none.
    await database.query("CREATE TEMPORARY TABLE young AS SELECT * FROM usage_records WHERE event_id = 'young-1'")
    assert.lengthOf(await database.query("DELETE FROM usage_records WHERE event_id = 'young-1' RETURNING event_id"), 1)
    assert.deepStrictEqual(await lines(), ["usage_record   1"])
    await database.query("INSERT INTO usage_records SELECT * FROM young")
    assert.deepStrictEqual(await lines(), [])
  })

  it("a customer is erased", async () => {
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })
})
