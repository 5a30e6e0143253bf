import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { readFeed } from "../../fixtures/FeedModel.ts"
import type { FedHistory } from "../../fixtures/FeedModel.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { makeRandom } from "../../fixtures/UsageModel.ts"
import type { Entry } from "../../fixtures/UsageModel.ts"
import * as Model from "../../fixtures/UsageModel.ts"

let service: Service
let database: Session
const random = makeRandom(Number(process.env["SEED"] ?? 20261121))
const firstDay = Date.parse("2026-03-01T00:00:00Z")
const hour = 3_600_000
const day = 24 * hour

/** Instants at and around the edges of hours and days, where buckets meet, and some between. */
const instant = (): number => {
  const edge = firstDay + random.below(random.chance(0.5) ? 6 : 144) * (random.chance(0.5) ? day : hour)
  return Math.min(edge, firstDay + 6 * day) + random.pick([-1, 0, 0, 1, 1, random.below(hour)])
}
const iso = (at: number) => new Date(at).toISOString()

const entries: Array<Entry> = []
/** What the feed alone tells of the history. */
let fed: FedHistory
let refusals = 0
const licenses: Array<Body> = []
const revoked: Array<Body> = []
const customers: Array<Body> = []
const subscriptions: Array<Body> = []
const orders: Array<Body> = []
const features: Array<Body> = []

const post = (path: string, body?: unknown) =>
  service.data("POST", `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })

/** What is written at the time of the clock. */
const clocked = ["usage_records", "usage_corrections", "event_records"]

/** Sets the time that everything is written at from here on. */
const setClock = (at: number) => database.query("UPDATE test_clock SET at = $1", [new Date(at)])

/** Some products, customers, orders and subscriptions, and licenses of all kinds of origin. */
const makeCatalogue = async () => {
  for (const name of ["Köln GmbH", "東京株式会社", "Lyon SARL"]) {
    customers.push(await post("customers", { name, code: randomUUID() }))
  }
  for (const code of ["studio", "server"]) {
    const product = await post("products", { name: code, code })
    const policy = await post(`products/${product.id}/policies`, {
      name: "P",
      code: "p",
      license_type: "subscription",
      max_transfers: 100,
      allow_container: false,
      max_activations: 3
    })
    const members = { external_system: "billing", status: "active" }
    const subscription = await post(`products/${product.id}/subscriptions`, {
      ...members,
      external_id: `s-${code}`,
      current_period_start: iso(firstDay + 5 * hour),
      current_period_end: iso(firstDay + 4 * day)
    })
    subscriptions.push(subscription)
    const order = await post(`products/${product.id}/orders`, { ...members, external_id: `o-${code}`, status: "paid" })
    orders.push(order)
    const own = []
    for (const feature of ["render", "export"]) {
      own.push(await post(`products/${product.id}/features`, { code: feature, name: feature }))
    }
    features.push(...own)
    for (
      const more of [{}, { customer_id: customers[0].id }, { order_id: order.id, customer_id: customers[1].id }, {
        subscription_id: subscription.id
      }]
    ) {
      const { license, license_key: key } = await post("licenses", {
        product_id: product.id,
        policy_id: policy.id,
        ...more
      })
      for (const { id } of own) await post(`licenses/${license.id}/features`, { feature_id: id })
      await service.license("activate", key, { fingerprint: "a" })
      licenses.push({ ...license, key, features: own })
    }
    // What is asked of it is refused for ever.
    const { license } = await post("licenses", {
      product_id: product.id,
      policy_id: policy.id,
      order_id: order.id,
      subscription_id: subscription.id
    })
    await post(`licenses/${license.id}/revoke`)
    revoked.push(license)
  }
}

/** Something that is refused, and so did not happen; only the activities tell of it. */
const refuse = async (license: Body, feature: Body) => {
  const [withdrawn, subscription] = [random.pick(revoked), random.pick(subscriptions)]
  const renewal = (id: string, body: object) =>
    service.call("POST", `/api/v1/licenses/${id}/renew`, {
      body,
      headers: { "idempotency-key": randomUUID() }
    })
  const consume = (members: object) =>
    service.license("consume", license.key, {
      fingerprint: "a",
      feature_code: feature.code,
      event_id: randomUUID(),
      ...members
    })
  const answer = await random.pick([
    () => renewal(withdrawn.id, { extend_by_days: 1 }),
    () => renewal(withdrawn.id, { extend_by_days: 1, subscription_id: withdrawn.subscription_id }),
    () => renewal(license.id, { extend_by_days: 1, subscription_id: "sub_06eqpx1trxz3h94vqjm3a6kz7c" }),
    () => renewal(license.id, { expires_at: iso(firstDay), subscription_id: subscription.id }),
    () => service.call("POST", `/api/v1/licenses/${withdrawn.id}/transfer`, { body: { customer_id: customers[0].id } }),
    () =>
      service.license("activate", license.key, { is_container: true, cluster_id: "k", namespace: "n", pod_name: "p" }),
    () => consume({ feature_code: "nothing" }),
    () => consume({ fingerprint: "nobody's" })
  ])()
  assert.isAtLeast(answer.status, 400, answer.text)
  refusals++
}

/** A license gets more time, by its own order and subscription or by others of its product. */
const renew = async ({ id, product_id }: Body) => {
  const of = (list: ReadonlyArray<Body>) => list.find((one) => one.product_id === product_id).id
  await post(`licenses/${id}/renew`, {
    extend_by_days: 1 + random.below(30),
    ...(random.chance(0.4) ? { subscription_id: of(subscriptions) } : {}),
    ...(random.chance(0.4) ? { order_id: of(orders) } : {})
  })
}

/** A feature gets another code; what was used under the one before stays used under that. */
const rename = async (_license: Body, feature: Body) => {
  const { code } = await service.data("PATCH", `/api/v1/features/${feature.id}`, { code: `f-${random.below(1000)}` })
  feature.code = code
}

/** One thing that happens to a license, and what it is in the model. */
const step = async () => {
  const at = instant()
  await setClock(at)
  const license = random.pick(licenses)
  const feature = random.pick(license.features as Array<Body>)
  const totals = (license.totals ??= {})
  const before = totals[feature.id] ?? 0
  const enter = (action: Entry["action"], amount: number) => {
    totals[feature.id] = before + amount
    entries.push({
      at,
      action,
      amount,
      total: before + amount,
      license_id: license.id,
      product_id: license.product_id,
      customer_id: license.customer_id,
      order_id: license.order_id,
      subscription_id: license.subscription_id,
      feature_id: feature.id,
      feature_code: feature.code
    })
  }
  if (random.chance(0.25)) return await random.pick([refuse, renew, rename])(license, feature)
  if (random.chance(0.75)) {
    const amount = 1 + random.below(50)
    const event_id = randomUUID()
    const body = { fingerprint: "a", feature_code: feature.code, event_id, amount }
    const answer = await service.license("consume", license.key, body)
    assert.strictEqual(answer.status, 200, answer.text)
    // A repeat under another key is no use.
    if (random.chance(0.1)) assert.strictEqual((await service.license("consume", license.key, body)).status, 200)
    enter("license.usage_recorded", amount)
  } else if (random.chance(0.4)) {
    const customer = random.pick([...customers, { id: "" }])
    await post(`licenses/${license.id}/transfer`, { customer_id: customer.id })
    license.customer_id = customer.id === "" ? undefined : customer.id
  } else if (random.chance(0.7)) {
    const total = random.below(20)
    await post(`licenses/${license.id}/usage/reset`, { feature_id: feature.id, total_consumptions: total })
    enter("license.usage_reset", total - before)
  } else {
    await service.data("DELETE", `/api/v1/licenses/${license.id}/features/${feature.id}`)
    enter("license.feature_removed", 0 - before)
    await post(`licenses/${license.id}/features`, { feature_id: feature.id })
  }
}

const query = (members: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined))
    .toString()

const report = (name: string, members: Readonly<Record<string, string | undefined>>) =>
  service.data("GET", `/api/v1/reports/${name}?${query(members)}`)

/** A window whose ends are of the same kind as the instants of use. */
const window = () => {
  const ends = [instant(), instant()].toSorted((a, b) => a - b)
  return { from: ends[0]!, to: ends[0] === ends[1] ? ends[1]! + 1 : ends[1]! }
}

const filters = () => {
  const chosen: Record<string, string> = {}
  const offer = (name: string, value: string) => {
    if (random.chance(0.25)) chosen[name] = value
  }
  offer("product_id", random.pick(licenses).product_id)
  offer("customer_id", random.pick(customers).id)
  offer("license_id", random.pick(licenses).id)
  offer("order_id", random.pick(orders).id)
  offer("subscription_id", random.pick(subscriptions).id)
  offer("feature_code", random.pick(features).code)
  return chosen
}

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  // What is written gets its time from here, as it does from now() otherwise; it too stands still in a transaction,
  // so that an event of the sweeper has the time of its activity when the history goes on meanwhile.
  await database.query("CREATE TABLE test_clock (at timestamptz NOT NULL)")
  await database.query("INSERT INTO test_clock VALUES (now())")
  await database.query(
    "CREATE FUNCTION test_now() RETURNS timestamptz AS $$ BEGIN " +
      "IF coalesce(current_setting('test.at', true), '') = '' THEN " +
      "PERFORM set_config('test.at', at::text, true) FROM test_clock; END IF; " +
      "RETURN current_setting('test.at')::timestamptz; END $$ LANGUAGE plpgsql"
  )
  for (const table of clocked) {
    await database.query(`ALTER TABLE ${table} ALTER COLUMN created_at SET DEFAULT test_now()`)
  }
  await database.query(
    "CREATE FUNCTION set_clock() RETURNS trigger AS " +
      "'BEGIN NEW.occurred_at = test_now(); RETURN NEW; END' LANGUAGE plpgsql"
  )
  await database.query(
    "CREATE TRIGGER test_clock BEFORE INSERT ON activities FOR EACH ROW EXECUTE FUNCTION set_clock()"
  )
  await makeCatalogue()
  for (let index = 0; index < 160; index++) await step()
  // Refusals are written behind.
  await eventually(
    "every refusal is written",
    async () => (await database.query("SELECT 1 FROM activities WHERE result_class = 'refused'")).length === refusals
  )
  fed = readFeed(await service.feed())
})

describe("Usage reports over a random history", () => {
  it("is what the feed alone tells, refusals left out", () => {
    assert.isAbove(refusals, 10)
    assert.isAbove(fed.renewals.length, 10)
    assert.deepStrictEqual(fed.entries, entries)
  })

  it("adds use up as a recomputation from its parts does", async () => {
    for (let index = 0; index < 25; index++) {
      const { from, to } = window()
      const chosen = filters()
      const bucket = random.pick([undefined, "1h", "1d"] as const)
      const group_by = random.pick([undefined, ...Model.groups])
      const asked = { from: iso(from), to: iso(to), bucket, group_by, ...chosen }
      const found = await report("usage-summary", asked)
      const expected = Model.summary(entries, { from, to, bucket, group_by, filters: chosen })
      const what = JSON.stringify(asked)
      assert.deepStrictEqual(found.summary, expected.summary, what)
      assert.deepStrictEqual(
        found.rows.map(({ label: _label, ...row }: Body) => row),
        expected.rows,
        what
      )
      assert.deepStrictEqual(found.series, expected.series, what)
      assert.strictEqual(found.total_rows, expected.rows.length)
      assert.isFalse(found.truncated)
      const { from: _from, to: _to, ...rest } = asked
      assert.deepInclude(found.filters, JSON.parse(JSON.stringify(rest)))
    }
  })

  it("lists the ledger page by page, each entry once and in order", async () => {
    for (let index = 0; index < 8; index++) {
      const { from, to } = window()
      const chosen = filters()
      const action = random.pick([undefined, "license.usage_recorded", "license.usage_reset"] as const)
      const found: Array<Body> = []
      const asked = query({ from: iso(from), to: iso(to), action, ...chosen, limit: String(5 + random.below(40)) })
      for (let cursor: string | undefined = "";;) {
        const more = cursor === "" ? "" : `&cursor=${cursor}`
        const { body } = await service.call("GET", `/api/v1/reports/usage-ledger?${asked}${more}`)
        found.push(...body.data)
        cursor = body.page_info.next_cursor
        if (!body.page_info.has_more) break
      }
      const expected = Model.within(entries, from, to, chosen).filter((entry) =>
        action === undefined || entry.action === action
      )
      assert.deepStrictEqual(found.map(Model.entryOf).toSorted(Model.order), expected.toSorted(Model.order), asked)
      const places = found.map(({ id, occurred_at }) => `${occurred_at}~${id}`)
      assert.deepStrictEqual(places, places.toSorted().toReversed())
      assert.strictEqual(new Set(places).size, places.length)
    }
  })

  it("has in the ledger what the audit-backed feed has", async () => {
    const feed = new Map((await service.feed()).map((event) => [event.id, event]))
    const { body } = await service.call("GET", "/api/v1/reports/usage-ledger?limit=100")
    assert.lengthOf(body.data, 100)
    for (const entry of body.data) {
      const event = feed.get(entry.id)!
      assert.strictEqual(event.event_type, entry.action)
      assert.strictEqual(event.created_at, entry.occurred_at)
      assert.strictEqual(event.request_id, entry.request_id)
      assert.strictEqual(event.data.feature_code, entry.feature_code)
      if (entry.action !== "license.usage_recorded") continue
      assert.strictEqual(event.data.amount, entry.amount)
      assert.strictEqual(event.data.total_consumptions, entry.total_consumptions)
    }
  })

  it("keeps the amounts of a feature of a license adding up to its total", async () => {
    for (const license of licenses) {
      const list = await service.data("GET", `/api/v1/licenses/${license.id}/features`)
      for (const { feature_id, total_consumptions } of list) {
        const own = entries.filter((entry) => entry.license_id === license.id && entry.feature_id === feature_id)
        assert.strictEqual(own.reduce((sum, { amount }) => sum + amount, 0), total_consumptions)
      }
    }
  })

  /** What a settlement counts beside use: the licenses of its subject, and their renewals. */
  const settledBesideUse = (subject: Readonly<Record<string, string>>, from: number, to: number) => {
    const [[member, id]] = Object.entries(subject) as [["order_id" | "subscription_id", string]]
    return {
      licenses: [...fed.licenses.values()].filter((license) => license[member] === id).length,
      renewals: fed.renewals.filter((renewal) => renewal[member] === id && renewal.at >= from && renewal.at < to).length
    }
  }

  it("settles subscriptions and orders, by default over their period", async () => {
    for (const subscription of subscriptions) {
      const subject = { subscription_id: subscription.id }
      const found = await report("subscription-settlement", subject)
      const [from, to] = [firstDay + 5 * hour, firstDay + 4 * day]
      assert.deepStrictEqual(found.filters, {
        subscription_id: subscription.id,
        from: iso(from),
        to: iso(to),
        group_by: "feature_code"
      })
      assert.deepInclude(found.summary.subject, { type: "subscription", id: subscription.id, status: "active" })
      const expected = Model.settlement(entries, from, to, { subscription_id: subscription.id }, "feature_code")
      assert.deepStrictEqual(found.rows, expected.rows)
      assert.deepInclude(found.summary, { ...settledBesideUse(subject, from, to), ...expected.summary })
    }
    for (let index = 0; index < 25; index++) {
      const { from, to } = window()
      const group_by = random.pick(["license_id", "feature_code"] as const)
      const subject = random.chance(0.5)
        ? { order_id: random.pick(orders).id }
        : { subscription_id: random.pick(subscriptions).id }
      const asked = { ...subject, from: iso(from), to: iso(to), group_by }
      const found = await report("subscription-settlement", asked)
      const expected = Model.settlement(fed.entries, from, to, subject, group_by)
      const what = JSON.stringify(asked)
      assert.deepStrictEqual(found.rows.map(({ label: _label, ...row }: Body) => row), expected.rows, what)
      const { subject: _subject, ...figures } = found.summary
      assert.deepStrictEqual(figures, { ...settledBesideUse(subject, from, to), ...expected.summary }, what)
    }
  })

  it("shows a customer its licenses, and those that it used before they became another's", async () => {
    for (let index = 0; index < 12; index++) {
      const { from, to } = window()
      const customer_id = random.pick(customers).id
      const found = await report("customer-summary", { customer_id, from: iso(from), to: iso(to), limit: "200" })
      const used = Model.within(entries, from, to, { customer_id }).filter(Model.isUse)
      const current = licenses.filter((license) => license.customer_id === customer_id).map(({ id }) => id)
      const rows = [...new Set([...current, ...used.map(({ license_id }) => license_id)])].toSorted()
      assert.deepStrictEqual(found.rows.map((row: Body) => row.license_id), rows)
      for (const row of found.rows) {
        const own = used.filter(({ license_id }) => license_id === row.license_id)
        assert.deepInclude(row, Model.totals(own))
        assert.strictEqual(row.ownership, current.includes(row.license_id) ? "current" : "former")
        assert.strictEqual(row.status, "active")
      }
      assert.deepInclude(found.summary, { licenses: current.length, ...Model.totalsOfAll(used) })
    }
  })

  it("audits a license: everything that the feed says of it in a window, and what was refused beside it", async () => {
    for (const { id: license_id } of [...licenses, ...revoked]) {
      const { from, to } = random.chance(0.3) ? { from: firstDay - day, to: Date.now() + day } : window()
      const found = await report("license-audit", { license_id, from: iso(from), to: iso(to), limit: "200" })
      const used = Model.within(fed.entries, from, to, { license_id }).filter(Model.isUse)
      const events = fed.ofLicense(license_id).filter(({ created_at }) =>
        Date.parse(created_at) >= from && Date.parse(created_at) < to
      )
      const happened = found.rows.filter((row: Body) => row.result_class !== "refused")
      assert.sameDeepMembers(
        happened.map((row: Body) => [row.audit_event_id, row.action, row.occurred_at, row.actor_id, row.request_id]),
        events.map((event) => [event.id, event.event_type, event.created_at, event.actor_id, event.request_id])
      )
      const useOf = (at: string, amount: number, code: string) => `${at} ${amount} ${code}`
      assert.sameMembers(
        happened.filter((row: Body) => row.amount !== undefined)
          .map((row: Body) => useOf(row.occurred_at, row.amount, row.feature_code)),
        used.map(({ amount, at, feature_code }) => useOf(iso(at), amount, feature_code))
      )
      const byFeature = [...Map.groupBy(used, (use) => use.feature_code)].toSorted(([a], [b]) => a < b ? -1 : 1)
      const features = byFeature.map(([code, own]) => Object.assign({ feature_code: code }, Model.totals(own)))
      assert.deepStrictEqual(found.summary.features, features)
      const counts = [...Map.groupBy(events, ({ event_type }) => event_type)].map(([action, own]) => ({
        action,
        result_class: "success",
        count: own.length
      }))
      const refused = (entries: ReadonlyArray<Body>) => entries.filter(({ result_class }) => result_class === "refused")
      const successes = found.summary.actions.filter(({ result_class }: Body) => result_class !== "refused")
      assert.sameDeepMembers(successes, counts)
      const refusedHere = refused(found.summary.actions).reduce((sum, { count }) => sum + count, 0)
      assert.strictEqual(refusedHere, refused(found.rows).length)
      assert.strictEqual(found.summary.activities, events.length + refusedHere)
      const { active_device_count, expires_at, id, order_id, subscription_id, times_transferred } =
        found.summary.license
      const last = fed.licenses.get(license_id)!
      assert.deepStrictEqual(
        { active_device_count, expires_at, id, order_id, subscription_id, times_transferred },
        {
          active_device_count: last["active_device_count"],
          expires_at: last["expires_at"],
          id: last["id"],
          order_id: last["order_id"],
          subscription_id: last["subscription_id"],
          times_transferred: last["times_transferred"]
        }
      )
      assert.strictEqual(found.summary.license.total_consumptions, fed.usedBy(license_id))
    }
  })
})

describe("Usage reports", () => {
  it("name the groups for people", async () => {
    const members = { from: iso(firstDay - day), to: iso(firstDay + 10 * day) }
    const { rows } = await report("usage-summary", { ...members, group_by: "customer_id" })
    for (const { group, label } of rows) {
      assert.strictEqual(label, customers.find(({ id }) => id === group)?.name)
    }
    const byLicense = await report("usage-summary", { ...members, group_by: "license_id" })
    for (const { group, label } of byLicense.rows) {
      const { license_key_last4, license_key_prefix } = licenses.find(({ id }) => id === group)
      assert.strictEqual(label, `${license_key_prefix}…${license_key_last4}`)
    }
  })

  it("count at once what has just been used", async () => {
    for (const table of clocked) {
      await database.query(`ALTER TABLE ${table} ALTER COLUMN created_at SET DEFAULT now()`)
    }
    const license = licenses[0]
    const members = { license_id: license.id, feature_code: license.features[0].code }
    const before = await report("usage-summary", members)
    const body = { fingerprint: "a", feature_code: members.feature_code, event_id: randomUUID(), amount: 5 }
    assert.strictEqual((await service.license("consume", license.key, body)).status, 200)
    const after = await report("usage-summary", members)
    assert.strictEqual(after.summary.amount, before.summary.amount + 5)
    assert.strictEqual(Date.parse(after.filters.to) - Date.parse(after.filters.from), 30 * day)
  })

  it.each([
    ["usage-summary?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "to"],
    ["usage-summary?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "to"],
    ["usage-summary?from=2025-01-01T00:00:00Z&to=2026-01-03T00:00:00Z", "from"],
    ["usage-summary?from=2026-01-01T00:00:00Z&to=2026-02-02T00:00:00Z&bucket=1h", "from"],
    ["usage-summary?from=2024-01-01T00:00:00Z", "from"],
    ["usage-summary?from=yesterday", "from"],
    ["usage-summary?bucket=2w", "bucket"],
    ["usage-summary?group_by=colour", "group_by"],
    ["usage-summary?colour=red", "colour"],
    ["usage-ledger?action=license.created", "action"],
    ["usage-ledger?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "to"],
    ["license-audit", "license_id"],
    ["customer-summary?customer_id=", "customer_id"],
    ["customer-summary?customer_id=cus_x&from=2010-01-01T00:00:00Z", "from"],
    ["subscription-settlement", "subscription_id"],
    ["subscription-settlement?subscription_id=sub_x&order_id=ord_x", "subscription_id"]
  ])("refuse %s and name %s", async (path, member) => {
    const error = refused(await service.call("GET", `/api/v1/reports/${path}`), 400, "INVALID_QUERY")
    assert.include(error.fields.map((field: Body) => field.path), member)
  })

  it.each([
    "license-audit?license_id=lic_06eqpx1trxz3h94vqjm3a6kz7c",
    "customer-summary?customer_id=cus_06eqpx1trxz3h94vqjm3a6kz7c",
    "subscription-settlement?subscription_id=sub_06eqpx1trxz3h94vqjm3a6kz7c",
    "subscription-settlement?order_id=ord_06eqpx1trxz3h94vqjm3a6kz7c"
  ])("find nothing at %s", async (path) => {
    refused(await service.call("GET", `/api/v1/reports/${path}`), 404, "NOT_FOUND")
  })

  it("refuse a cursor of another list or other filters", async () => {
    const first = await service.call("GET", "/api/v1/reports/usage-ledger?limit=1")
    const cursor = first.body.page_info.next_cursor
    for (const path of [`reports/usage-ledger?feature_code=render&cursor=${cursor}`, `activities?cursor=${cursor}`]) {
      refused(await service.call("GET", `/api/v1/${path}`), 400, "INVALID_CURSOR")
    }
  })
})
