// What people reach for in lists: orders, windows of time, and filters by what they know of a customer or a license.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { chance } from "../../fixtures/Seeded.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"

let service: Service
let sql: Session
let given: Issued

beforeAll(async () => {
  service = await startService({ altered: ["license", "customer"] })
  sql = await session(service.databaseUrl)
  given = await service.issue()
})

/** Follows a list to its end; answers its rows in order. */
const all = async (path: string, limit = 200): Promise<Array<Body>> => {
  const rows: Array<Body> = []
  for (let cursor = "";;) {
    const { body, status, text } = await service.call("GET", `${path}&limit=${limit}${cursor}`)
    assert.strictEqual(status, 200, text)
    rows.push(...body.data)
    if (!body.page_info.has_more) return rows
    assert.lengthOf(body.data, limit)
    cursor = `&cursor=${body.page_info.next_cursor}`
  }
}

const idsOf = (rows: ReadonlyArray<Body>): ReadonlyArray<string> => rows.map(({ id }) => id)

const license = async (values: object = {}): Promise<Body> => {
  const made = await service.data("POST", "/api/v1/licenses", {
    product_id: given.product.id,
    policy_id: given.policy.id,
    ...values
  })
  return { ...made.license, key: made.license_key }
}

const customer = (name: string, values: object = {}): Promise<Body> =>
  service.data("POST", "/api/v1/customers", { name, code: randomUUID(), ...values })

const found = async (list: string, filters: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> =>
  idsOf(await all(`/api/v1/${list}?${new URLSearchParams(filters)}`))

describe("orders and windows", () => {
  const hour = 3_600_000
  const start = Date.parse("2024-01-01T00:00:00Z")
  /** Rows whose times are few, so that many are alike to the millisecond, and differ by microseconds. */
  const rows: Array<{ readonly id: string; readonly created: number; readonly updated: number }> = []
  let product: string

  beforeAll(async () => {
    const random = chance("times of licenses")
    product = (await service.data("POST", "/api/v1/products", { name: "Many", code: "many" })).id
    const policy = await service.data("POST", `/api/v1/products/${product}/policies`, {
      name: "Many",
      code: "many",
      license_type: "perpetual"
    })
    const time = () => (start + Math.floor(random.upTo(8)) * hour) * 1000 + Math.floor(random.upTo(3))
    for (let index = 0; index < 300; index++) {
      rows.push({ id: `lic_${String(index).padStart(26, "0")}`, created: time(), updated: time() })
    }
    await sql.query(
      `INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, metadata, created_at, updated_at)
       SELECT r.id, $1, $2, 'CS-00000', '0000', '{}', 'epoch'::timestamptz + r.created * interval '1 microsecond',
         'epoch'::timestamptz + r.updated * interval '1 microsecond'
       FROM jsonb_to_recordset($3::jsonb) AS r (id text, created int8, updated int8)`,
      [product, policy.id, JSON.stringify(rows)]
    )
  })

  const orders = ["desc", "asc", "updated_desc", "updated_asc"] as const
  const windows = [
    {},
    { created_from: 2 },
    { created_to: 5 },
    { created_from: 2, created_to: 5 },
    { updated_from: 3 },
    { created_from: 1, updated_from: 3 }
  ]
  const cases = orders.flatMap((order) => windows.map((window) => ({ order, window })))

  it.each(someOf("orders and windows", cases, 12))(
    "$order of $window: pages of any size are the whole list, in this order",
    async ({ order, window }) => {
      const { created_from, created_to, updated_from } = window as Record<string, number | undefined>
      const at = (hours: number) => (start + hours * hour) * 1000
      const isTimed = created_from !== undefined || created_to !== undefined
      const keyOf = ({ created, updated }: { readonly created: number; readonly updated: number }) =>
        order.startsWith("updated") ? updated : isTimed ? created : 0
      const expected = rows.filter(({ created, updated }) =>
        (created_from === undefined || created >= at(created_from)) &&
        (created_to === undefined || created < at(created_to)) &&
        (updated_from === undefined || updated >= at(updated_from))
      ).toSorted((a, b) => keyOf(a) - keyOf(b) || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
      if (order.endsWith("desc")) expected.reverse()
      assert.isNotEmpty(expected)
      const query = Object.entries(window).map(([name, hours]) =>
        `&${name}=${new Date(start + Number(hours) * hour).toISOString()}`
      ).join("")
      for (const limit of [7, 200]) {
        const path = `/api/v1/licenses?product_id=${product}&order=${order}${query}`
        assert.deepStrictEqual(idsOf(await all(path, limit)), expected)
      }
    }
  )

  it("what was changed last comes first, if only changes are asked for", async () => {
    const from = new Date(start + 3 * hour).toISOString()
    const path = `/api/v1/licenses?product_id=${product}&updated_from=${from}`
    assert.deepStrictEqual(idsOf(await all(path)), idsOf(await all(`${path}&order=updated_desc`)))
  })

  it("who follows changes misses none that happen meanwhile", async () => {
    const own = await service.issue()
    const made = [own.license.id]
    const path = `/api/v1/licenses?product_id=${own.product.id}&order=updated_asc`
    for (let index = 0; index < 12; index++) {
      const { license: { id } } = await service.data("POST", "/api/v1/licenses", {
        product_id: own.product.id,
        policy_id: own.policy.id
      })
      made.push(id)
    }
    const seen: Array<string> = []
    for (let cursor = "", page = 0;; page++) {
      const { body } = await service.call("GET", `${path}&limit=3${cursor}`)
      seen.push(...idsOf(body.data))
      // One that was seen changes: it comes once more, at the end.
      if (page < 3) await service.data("POST", `/api/v1/licenses/${made[page]}/suspend`)
      if (!body.page_info.has_more) break
      cursor = `&cursor=${body.page_info.next_cursor}`
    }
    assert.deepStrictEqual(seen, [...made, ...made.slice(0, 3)])
  })

  it("a cursor belongs to its order and its window", async () => {
    const path = `/api/v1/licenses?product_id=${product}&limit=5`
    const first = await service.call("GET", `${path}&order=updated_asc`)
    const cursor = `&cursor=${first.body.page_info.next_cursor}`
    assert.strictEqual((await service.call("GET", `${path}&order=updated_asc${cursor}`)).status, 200)
    for (
      const other of ["", "&order=asc", "&order=updated_desc", "&order=updated_asc&updated_from=2020-01-01T00:00:00Z"]
    ) {
      refused(await service.call("GET", `${path}${other}${cursor}`), 400, "INVALID_CURSOR")
    }
    // Of the right list, with a position that is none.
    const [mark] = Buffer.from(first.body.page_info.next_cursor, "base64url").toString().split(":")
    for (const place of ["lic_1", "x~lic_1", "99999999999999999999~lic_1", "1~"]) {
      const forged = Buffer.from(`${mark}:${place}`).toString("base64url")
      refused(await service.call("GET", `${path}&order=updated_asc&cursor=${forged}`), 400, "INVALID_CURSOR")
    }
  })

  const lists = [
    ["products", () => "/api/v1/products"],
    ["policies", () => `/api/v1/products/${given.product.id}/policies`],
    ["features", () => `/api/v1/products/${given.product.id}/features`],
    ["versions", () => `/api/v1/products/${given.product.id}/versions`],
    ["custom fields", () => `/api/v1/products/${given.product.id}/custom-fields`],
    ["orders", () => `/api/v1/products/${given.product.id}/orders`],
    ["subscriptions", () => `/api/v1/products/${given.product.id}/subscriptions`],
    ["customers", () => "/api/v1/customers"],
    ["devices", () => `/api/v1/licenses/${given.license.id}/devices`],
    ["webhooks", () => "/api/v1/webhooks"],
    ["exports", () => "/api/v1/reports/exports"]
  ] as const

  it.each(lists)("%s take every order and window", async (_name, path) => {
    for (const { order, window } of cases) {
      const query = Object.keys(window).map((name) => `&${name}=2024-01-01T00:00:00Z`).join("")
      assert.isArray(await all(`${path()}?order=${order}${query}`))
    }
  })

  it.each([
    ["/api/v1/api-keys", "&created_from=2024-01-01T00:00:00Z"],
    ["/api/v1/signing-keys", "&created_to=2099-01-01T00:00:00Z"],
    ["leases", ""]
  ])("%s are ordered by creation alone", async (path, window) => {
    const list = path === "leases" ? `/api/v1/licenses/${given.license.id}/leases` : path
    const newest = idsOf(await all(`${list}?order=desc${window}`))
    assert.deepStrictEqual(idsOf(await all(`${list}?order=asc${window}`)), newest.toReversed())
    refused(await service.call("GET", `${list}?order=updated_asc`), 400, "INVALID_QUERY")
  })
})

describe("customers", () => {
  it("are found by e-mail address, by how the name begins, and by code, whatever the script", async () => {
    const names = [
      "Müller & Söhne",
      "MÜLLER AG",
      "Иванов",
      "山田太郎",
      "יוסי כהן",
      "100% Pure_",
      "100 Pure",
      "a\\b",
      "O'Hara"
    ]
    const made = new Map<string, Body>()
    for (const [index, name] of names.entries()) {
      made.set(name, await customer(name, { email: `Person${index}@Example.com`, code: `person-${index}` }))
    }
    const id = (name: string): string => made.get(name)!["id"]
    assert.sameMembers([...await found("customers", { name: "mülLER" })], [id("Müller & Söhne"), id("MÜLLER AG")])
    assert.deepStrictEqual(await found("customers", { name: "ива" }), [id("Иванов")])
    assert.deepStrictEqual(await found("customers", { name: "山田" }), [id("山田太郎")])
    assert.deepStrictEqual(await found("customers", { name: "יוסי" }), [id("יוסי כהן")])
    // What means something to LIKE means itself.
    assert.deepStrictEqual(await found("customers", { name: "100%" }), [id("100% Pure_")])
    assert.deepStrictEqual(await found("customers", { name: "%" }), [])
    assert.deepStrictEqual(await found("customers", { name: "_" }), [])
    assert.deepStrictEqual(await found("customers", { name: "a\\" }), [id("a\\b")])
    assert.deepStrictEqual(await found("customers", { name: "o'hara" }), [id("O'Hara")])
    assert.deepStrictEqual(await found("customers", { email: "PERSON2@example.COM" }), [id("Иванов")])
    assert.deepStrictEqual(await found("customers", { email: "person2@example.co" }), [])
    assert.deepStrictEqual(await found("customers", { code: "person-3" }), [id("山田太郎")])
    assert.deepStrictEqual(await found("customers", { code: "person-3", name: "Иванов" }), [])
    for (const q of ["山田", "person-3", "PERSON3@", id("山田太郎")]) {
      assert.deepStrictEqual(await found("customers", { q }), [id("山田太郎")], q)
    }
  })
})

describe("licenses", () => {
  it("are found by what a person knows of them, and each only once", async () => {
    const owner = await customer("Zoë Kern", { email: "zoe@kern.example", code: "kern" })
    const product = `/api/v1/products/${given.product.id}`
    const external = { external_system: "shop" }
    const order = await service.data("POST", `${product}/orders`, { ...external, external_id: "o-1", status: "paid" })
    const owned = await license({ customer_id: owner.id, order_id: order.id })
    const named = await license({ customer_email: "Zoe@Kern.example", customer_name: "Zoë K." })
    await license({ customer_email: "somebody@else.example" })
    await service.license("activate", named["key"], { fingerprint: "laptop-of-zoe" })
    const [device] = await service.data("GET", `/api/v1/licenses/${named["id"]}/devices`)

    const both = [named["id"], owned["id"]]
    assert.deepStrictEqual(await found("licenses", { customer_email: "ZOE@kern.example" }), both)
    assert.deepStrictEqual(await found("licenses", { device_fingerprint: "laptop-of-zoe" }), [named["id"]])
    const last4 = named["license_key_last4"]
    assert.include(await found("licenses", { key_last4: last4.toLowerCase() }), named["id"])
    for (const q of ["zoë", "ZOE@kern", "zoe@kern.example", "kern"]) {
      assert.deepStrictEqual(await found("licenses", { q }), both, q)
    }
    for (const q of [device.id, "laptop-of-zoe", named["id"]]) {
      assert.deepStrictEqual(await found("licenses", { q }), [named["id"]], q)
    }
    for (const q of [owner.id, "o-1", order.id, owned["id"]]) {
      assert.deepStrictEqual(await found("licenses", { q }), [owned["id"]], q)
    }
    assert.include(await found("licenses", { q: last4 }), named["id"])
    assert.deepStrictEqual(await found("licenses", { q: "zoë", status: "suspended" }), [])
    assert.deepStrictEqual(await found("licenses", { q: "zoë", order: "asc" }), both.toReversed())
    assert.deepStrictEqual(await found("licenses", { q: "nobody of this name" }), [])
  })

  it("are not looked for by their key in an address", async () => {
    const { key } = await license()
    for (const q of [key, key.toLowerCase(), key.replaceAll("-", ""), ` ${key.replaceAll("-", " ")}`]) {
      const { fields } = refused(
        await service.call("GET", `/api/v1/licenses?${new URLSearchParams({ q })}`),
        400,
        "INVALID_QUERY"
      )
      assert.include(fields[0].message, "/api/v1/licenses/lookup")
    }
  })
})

describe("a search by words", () => {
  let dvorak: Body

  beforeAll(async () => {
    dvorak = await customer("Antonín Dvořák", {
      email: "tony@musik.example",
      external_system: "stripe",
      external_id: "cus_Dvo1",
      metadata: { crm: "C-4711", nested: { deep: "C-4712" } }
    })
  })

  it.each([
    ["a surname", "Dvořák"],
    ["without accents, in capitals", "DVORAK"],
    ["decomposed letters", "Dvořák".normalize("NFD")],
    ["the beginning of a surname", "dvo"],
    ["words in another order, from both members", "dvorak musik antonin"],
    ["the domain of the address", "@musik.example"],
    ["the address", "TONY@MUSIK.EXAMPLE"],
    ["an ID of a billing system", "cus_Dvo1"],
    ["a value of the metadata", "C-4711"]
  ])("finds a customer and the licenses by %s", async (_what, q) => {
    const owned = await license({ customer_id: dvorak.id })
    assert.include(await found("customers", { q }), dvorak.id)
    assert.include(await found("licenses", { q }), owned.id)
    // Where it is one condition among others, it is asked in another way.
    assert.include(await found("licenses", { q, product_id: given.product.id }), owned.id)
  })

  it.each([
    ["the middle of a word", "vorak"],
    ["a word that is not there", "dvorak xyz"],
    ["another domain", "@musik.test"],
    ["a value in other letters", "c-4711"],
    ["a part of a value", "C-47"],
    ["a value of a member's members", "C-4712"],
    ["the name of a member", "crm"],
    ["one letter that begins a later word", "d"],
    ["letters alone", "d."],
    ["many letters", [..."abcdefghijklmnopqrstuvwxyz"].join(" ")]
  ])("does not find them by %s", async (_what, q) => {
    assert.notInclude(await found("customers", { q }), dvorak.id)
  })

  it.each([
    ["Straße", "strasse"],
    ["Łódź", "lodz"],
    ["Søren Ærø", "soren aero"],
    ["Müller-Lüdenscheid", "ludenscheid"],
    ["O'Brien", "brien"],
    ["山田 太郎", "太郎"],
    ["Дмитрий Шостакович", "шост"],
    ["Bjørk & Çelik", "celik"]
  ])("finds %s by %s", async (name, q) => {
    const { id } = await customer(name)
    const owned = await license({ customer_name: name })
    assert.include(await found("customers", { q }), id)
    assert.include(await found("licenses", { q }), owned.id)
  })

  it("finds licenses by the IDs of their order and subscription, and by their own metadata", async () => {
    const commerce = { external_system: "stripe" }
    const made = (kind: string, body: object) =>
      service.data("POST", `/api/v1/products/${given.product.id}/${kind}`, { ...commerce, ...body })
    const order = await made("orders", { external_id: "in_Words1", status: "paid" })
    const subscription = await made("subscriptions", {
      external_id: "sub_Words1",
      status: "active",
      current_period_start: "2026-01-01T00:00:00Z",
      current_period_end: "2099-01-01T00:00:00Z"
    })
    const { id } = await license({
      order_id: order.id,
      subscription_id: subscription.id,
      metadata: { ticket: "T 17" }
    })
    for (const q of ["in_Words1", "sub_Words1", "T 17"]) {
      assert.deepStrictEqual(await found("licenses", { q }), [id], q)
      assert.deepStrictEqual(await found("licenses", { q, policy_id: given.policy.id }), [id], q)
    }
  })

  it("takes every sign, and names of any letters", async () => {
    for (let code = 33; code < 127; code++) {
      const sign = String.fromCharCode(code)
      for (const q of [sign, sign + sign, `a${sign}b:*`, `${sign}dvorak${sign}`]) await found("customers", { q })
    }
    // Letters that become three, or that decompose to what a dictionary of words would refuse as too long.
    for (const letter of ["ΐ", "ﷺ", "각", "𝒜", "\u0301", "\ufb03"]) {
      const name = letter.repeat(Math.floor(255 / letter.length))
      const { id } = await customer(name)
      await license({ customer_name: name })
      assert.include(await found("customers", { q: name.slice(0, 100) }), id)
    }
  })
})

describe("at a size at which it matters", () => {
  /** What a list's statement reads, as PostgreSQL plans it for many rows. */
  const reads = async (condition: string, order: string, table = "licenses"): Promise<string> =>
    (await sql.query(`EXPLAIN SELECT id FROM ${table} l ${condition} ${order} LIMIT 51`))
      .map((row) => row["QUERY PLAN"]).join("\n")

  beforeAll(async () => {
    await sql.query(
      `INSERT INTO customers (id, name, code, email, metadata, created_at, updated_at)
       SELECT 'cus_' || lpad(n::text, 26, '0'), 'Name ' || md5(n::text), 'many-' || n, md5(n::text) || '@example.com', '{}',
         now() - n * interval '1 minute', now() - ((n * 7919) % 50000) * interval '1 minute'
       FROM generate_series(1, 30000) n`
    )
    await sql.query(
      `INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, customer_email,
         customer_name, metadata, created_at, updated_at)
       SELECT 'lic_1' || lpad(n::text, 25, '0'), $1, $2, 'CS-00000', lpad((n % 10000)::text, 4, '0'),
         md5(n::text) || '@example.com', 'Name ' || md5(n::text), '{}', now() - n * interval '1 minute',
         now() - ((n * 7919) % 50000) * interval '1 minute'
       FROM generate_series(1, 60000) n`,
      [given.product.id, given.policy.id]
    )
    await sql.query("ANALYZE licenses, customers, devices")
  })

  const folded = (column: string) => `lower(${column}) COLLATE "C"`
  it.each([
    [
      "licenses_by_updated",
      "WHERE updated_at >= now() - interval '1 day'",
      "ORDER BY updated_at DESC, id DESC",
      "licenses"
    ],
    ["licenses_by_created", "WHERE created_at < now() - interval '20 days'", "ORDER BY created_at, id", "licenses"],
    ["licenses_by_last4", "WHERE license_key_last4 = '1234'", "ORDER BY id DESC", "licenses"],
    ["licenses_by_customer_email", `WHERE ${folded("customer_email")} = 'a@b.example'`, "ORDER BY id", "licenses"],
    [
      "licenses_by_customer_name",
      `WHERE ${folded("customer_name")} >= 'name ab' AND ${folded("customer_name")} < 'name ab' || chr(1114111)`,
      "ORDER BY id DESC",
      "licenses"
    ],
    ["customers_by_updated", "", "ORDER BY updated_at, id", "customers"],
    ["customers_by_email", `WHERE ${folded("email")} = 'a@b.example'`, "ORDER BY id DESC", "customers"],
    [
      "customers_by_word",
      "WHERE id = ANY(ARRAY(SELECT id FROM customers WHERE " +
      "search_words(coalesce(name, '') || ' ' || coalesce(email, '')) @@ search_query('abc')))",
      "ORDER BY id DESC",
      "customers"
    ],
    [
      "licenses_by_word",
      "WHERE id = ANY(ARRAY(SELECT id FROM licenses WHERE (customer_name IS NOT NULL OR customer_email IS NOT NULL) " +
      "AND search_words(coalesce(customer_name, '') || ' ' || coalesce(customer_email, '')) @@ search_query('abc')))",
      "ORDER BY id DESC",
      "licenses"
    ],
    [
      "customers_by_metadata",
      "WHERE metadata <> '{}' AND jsonb_path_query_array(metadata, '$.*') @> to_jsonb('x'::text)",
      "ORDER BY id DESC",
      "customers"
    ],
    [
      "customers_by_name",
      `WHERE ${folded("name")} >= 'name ab' AND ${folded("name")} < 'name ab' || chr(1114111)`,
      "ORDER BY id DESC",
      "customers"
    ]
  ])("%s serves its filter or its order", async (index, condition, order, table) => {
    assert.include(await reads(condition, order, table), index)
  })

  it("a search reads no table as a whole", async () => {
    const scans = () =>
      sql.query(`SELECT relname, seq_scan::int, idx_scan::int FROM pg_stat_user_tables
        WHERE relname IN ('customers', 'licenses') ORDER BY relname`)
    const email = "c4ca4238a0b923820dcc509a6f75849b@example.com"
    const round = async () => {
      const before = await scans()
      for (const q of ["name abcd", "abcd", email, `lic_1${"7".padStart(25, "0")}`]) {
        await found("licenses", { q })
        await found("customers", { q })
      }
      assert.lengthOf(await found("licenses", { customer_email: email }), 1)
      // Sessions tell what they did about a second later.
      const after = await eventually("the searches are counted", async () => {
        const counted = await scans()
        return counted.every(({ idx_scan }, index) => idx_scan >= before[index]!["idx_scan"] + 10) ? counted : undefined
      })
      const whole = (counted: typeof before) => counted.map(({ seq_scan }) => seq_scan)
      return { before: whole(before), after: whole(after) }
    }
    // A session that rests tells up to ten seconds later what it did before: such a round is repeated. A search that reads
    // a table as a whole does so in every round.
    const { after, before } = await eventually("a round in which nothing else is counted", async () => {
      const seen = await round()
      return seen.after.join() === seen.before.join() ? seen : undefined
    })
    assert.deepStrictEqual(after, before)
  })

  it("a search that fits thousands finds the same, page by page, by the names of the owners' companies too", async () => {
    await sql.query(
      `UPDATE licenses SET customer_name = 'Other', customer_email = NULL, customer_id = 'cus_' || lpad(n::text, 26, '0')
       FROM generate_series(1, 30000, 9) n WHERE id = 'lic_1' || lpad(n::text, 25, '0')`
    )
    const like = "lower(name) LIKE 'name a%'"
    const expected = async (query: string) => (await sql.query(query)).map(({ id }) => id)
    const customers = await expected(`SELECT id FROM customers WHERE ${like} ORDER BY id DESC`)
    const licenses = await expected(
      `SELECT id FROM licenses WHERE lower(customer_name) LIKE 'name a%'
         OR customer_id IN (SELECT id FROM customers WHERE ${like}) ORDER BY id DESC`
    )
    assert.isAbove(Math.min(customers.length, licenses.length), 1500)
    assert.deepStrictEqual(await found("customers", { q: "name A" }), customers)
    assert.deepStrictEqual(await found("licenses", { q: "Name a" }), licenses)
    assert.deepStrictEqual(
      await found("licenses", { q: "Name a", order: "asc", product_id: given.product.id }),
      licenses.toReversed()
    )
  })
})
