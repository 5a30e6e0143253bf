// Lists in the orders of their columns, page by page, and how many rows match.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { chance } from "../../fixtures/Seeded.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const service = await startService({ altered: ["license", "license expires_at"] })
const sql = await session(service.databaseUrl)
const random = chance("sorted lists")

/** A row as the list sorts it: texts by their code points, ends by their instants. */
interface Made {
  readonly id: string
  readonly owner: string
  readonly product: string
  readonly end: number
  readonly state: string
}

/** What a name is sorted by, by another program than the service's. */
const folded = (name: string): string =>
  [...name.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase().replaceAll("ß", "ss").replaceAll("ł", "l")].slice(
    0,
    60
  ).join("")

const byCodePoints = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const long = "Gesellschaft mit beschränkter Haftung und einem sehr, sehr langen Namen"
const names = [
  "Ada",
  "ada",
  "Äda",
  "Zoë",
  "zoe",
  "Straße",
  "strasse",
  "東京",
  "Łódź",
  "a:b~c",
  "%",
  `${long} eins`,
  `${long} zwei`
]
const productNames = ["Zeta", "Ärger", "alpha", "Alpha"]

const rows: Array<Made> = []
const customers: Array<Body> = []
const products: Array<{ readonly product: Body; readonly policy: Body }> = []

const page = async (path: string): Promise<Body> => {
  const answer = await service.call("GET", path)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
}

/** Follows a list to its end; `between` happens after each page. */
const all = async (path: string, limit = 200, between?: () => Promise<void>): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let cursor = "";;) {
    const { data, page_info } = await page(`${path}&limit=${limit}${cursor}`)
    ids.push(...data.map(({ id }: Body) => id))
    if (!page_info.has_more) return ids
    assert.lengthOf(data, limit)
    cursor = `&cursor=${page_info.next_cursor}`
    await between?.()
  }
}

const insertLicenses = (made: ReadonlyArray<object>) =>
  sql.query(
    `INSERT INTO licenses (id, product_id, policy_id, customer_id, customer_name, customer_email, state, expires_at,
       license_key_prefix, license_key_last4, metadata)
     SELECT id, product_id, policy_id, customer_id, customer_name, customer_email, state,
       'epoch'::timestamptz + micros * interval '1 microsecond', 'CS-00000', '0000', '{}'
     FROM jsonb_to_recordset($1::jsonb) AS r (id text, product_id text, policy_id text, customer_id text,
       customer_name text, customer_email text, state text, micros int8)`,
    [JSON.stringify(made)]
  )

const oneOf = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random.upTo(values.length))]!

beforeAll(async () => {
  for (const [index, name] of productNames.entries()) {
    const product = await service.data("POST", "/api/v1/products", { name, code: `p-${index}` })
    const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name,
      code: "p",
      license_type: "subscription"
    })
    products.push({ product, policy })
  }
  for (const [index, name] of names.entries()) {
    customers.push(await service.data("POST", "/api/v1/customers", { name, code: `c-${index}` }))
  }
  const start = Date.parse("2030-01-01T00:00:00Z") * 1000
  const made = Array.from({ length: 400 }, (_, index) => {
    const { policy, product } = oneOf(products)
    const [customer, name, email] = [
      oneOf([undefined, ...customers]),
      oneOf([undefined, ...names]),
      oneOf([null, "E@x.y"])
    ]
    const micros = oneOf([null, start, start + 1, start + 86_400_000_000])
    const row = {
      id: `lic_${String(index).padStart(26, "0")}`,
      product_id: product.id,
      policy_id: policy.id,
      customer_id: customer?.id ?? null,
      customer_name: name ?? null,
      customer_email: email,
      state: oneOf(["active", "suspended"]),
      micros
    }
    rows.push({
      id: row.id,
      owner: folded(name ?? customer?.name ?? email ?? "\u{10ffff}"),
      product: folded(product.name),
      end: micros ?? Infinity,
      state: row.state
    })
    return row
  })
  await insertLicenses(made)
})

const compared: Readonly<Record<string, (one: Made, other: Made) => number>> = {
  owner: (one, other) => byCodePoints(one.owner, other.owner),
  product: (one, other) => byCodePoints(one.product, other.product),
  expires: (one, other) => one.end === other.end ? 0 : one.end - other.end
}

const inOrder = (order: string, among: ReadonlyArray<Made> = rows): ReadonlyArray<string> => {
  const [name, direction] = order.split("_")
  const ids = among.toSorted((one, other) => compared[name!]!(one, other) || byCodePoints(one.id, other.id))
    .map(({ id }) => id)
  return direction === "desc" ? ids.toReversed() : ids
}

const orders = Object.keys(compared).flatMap((name) => [`${name}_asc`, `${name}_desc`])

describe("the list of licenses in the order of a column", () => {
  it.each(orders)("%s: pages of any size are the whole list, in this order", async (order) => {
    for (const limit of [7, 64, 200]) {
      assert.deepStrictEqual(await all(`/api/v1/licenses?order=${order}`, limit), inOrder(order))
    }
  })

  it.each(orders)("%s: the same with filters", async (order) => {
    const suspended = rows.filter(({ state }) => state === "suspended")
    assert.isNotEmpty(suspended)
    assert.deepStrictEqual(await all(`/api/v1/licenses?order=${order}&status=suspended`, 9), inOrder(order, suspended))
    const { product } = products[0]!
    const own = suspended.filter((row) => row.product === folded(product.name))
    const path =
      `/api/v1/licenses?order=${order}&status=suspended&product_id=${product.id}&created_from=2020-01-01T00:00:00Z`
    assert.deepStrictEqual(await all(path, 9), inOrder(order, own))
  })

  it.each(orders)("%s: a key that is limited to products sees theirs alone", async (order) => {
    const { product } = products[2]!
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: order,
      scopes: ["license:read"],
      product_ids: [product.id]
    })
    const own = await sql.query("SELECT id FROM licenses WHERE product_id = $1", [product.id])
    const answer = await service.call("GET", `/api/v1/licenses?order=${order}&limit=200&include_total=true`, { token })
    const seen = answer.body.data.map(({ id }: Body) => id)
    const isOwn = new Set(own.map(({ id }) => id))
    assert.deepStrictEqual(seen, inOrder(order, rows.filter(({ id }) => isOwn.has(id))))
    assert.deepStrictEqual(answer.body.page_info.total, { count: own.length, has_more: false })
  })

  it("refuses a cursor of another order, and one that names no place", async () => {
    const first = await page("/api/v1/licenses?order=owner_asc&limit=5")
    const cursor = first.page_info.next_cursor
    for (const other of ["order=owner_desc", "order=expires_asc", "order=asc", "status=active&order=owner_asc"]) {
      refused(await service.call("GET", `/api/v1/licenses?${other}&cursor=${cursor}`), 400, "INVALID_CURSOR")
    }
    for (
      const [order, places] of [["owner_asc", ["", "~", "x", "a\u0000b~lic_1"]], ["expires_asc", [
        "never",
        "x~lic_1"
      ]]] as const
    ) {
      const { page_info } = await page(`/api/v1/licenses?order=${order}&limit=5`)
      const [mark] = Buffer.from(page_info.next_cursor, "base64url").toString().split(":")
      for (const place of places) {
        const forged = Buffer.from(`${mark}:${place}`).toString("base64url")
        refused(await service.call("GET", `/api/v1/licenses?order=${order}&cursor=${forged}`), 400, "INVALID_CURSOR")
      }
    }
    refused(await service.call("GET", "/api/v1/licenses?order=key_asc"), 400, "INVALID_QUERY")
  })
})

describe("the list of customers", () => {
  it.each(["name_asc", "name_desc"])("%s: pages of any size are the whole list, in this order", async (order) => {
    const expected = customers.toSorted((one, other) =>
      byCodePoints(folded(one.name), folded(other.name)) || byCodePoints(one.id, other.id)
    ).map(({ id }) => id)
    if (order === "name_desc") expected.reverse()
    for (const limit of [3, 200]) assert.deepStrictEqual(await all(`/api/v1/customers?order=${order}`, limit), expected)
    const found = new Set(await all(`/api/v1/customers?q=zoe&order=${order}`))
    assert.deepStrictEqual([...found], expected.filter((id) => found.has(id)))
    assert.strictEqual(found.size, 2)
  })
})

describe("the total of a list", () => {
  const totalOf = async (path: string) => (await page(`${path}include_total=true`)).page_info.total

  it("is of all that match, on every page, and only where it is asked for", async () => {
    const suspended = rows.filter(({ state }) => state === "suspended").length
    const exact = (count: number) => ({ count, has_more: false })
    assert.deepStrictEqual(await totalOf("/api/v1/licenses?"), exact(rows.length))
    assert.deepStrictEqual(await totalOf("/api/v1/licenses?limit=1&status=suspended&"), exact(suspended))
    assert.deepStrictEqual(await totalOf("/api/v1/licenses?order=owner_asc&status=suspended&"), exact(suspended))
    assert.deepStrictEqual(await totalOf("/api/v1/licenses?product_id=none&"), exact(0))
    assert.deepStrictEqual(await totalOf("/api/v1/customers?"), exact(customers.length))
    assert.deepStrictEqual(await totalOf("/api/v1/customers?q=zoe&"), exact(2))
    assert.deepStrictEqual(await totalOf("/api/v1/products?"), exact(products.length))
    const first = await page("/api/v1/licenses?limit=10&include_total=true")
    const next = await page(`/api/v1/licenses?limit=10&include_total=true&cursor=${first.page_info.next_cursor}`)
    assert.deepStrictEqual(next.page_info.total, exact(rows.length))
    for (const query of ["", "?include_total=false"]) {
      assert.hasAllKeys((await page(`/api/v1/licenses${query}`)).page_info, ["next_cursor", "has_more"])
    }
  })

  it("is counted to 1,000 and no further", async () => {
    const { policy, product } = products[3]!
    const before = Number((await sql.query("SELECT count(*) AS n FROM licenses"))[0]!["n"])
    const more = (from: number, count: number) => {
      const ids = Array.from({ length: count }, (_, index) => `lic_1${String(from + index).padStart(25, "0")}`)
      const unnamed = { owner: "\u{10ffff}", product: folded(product.name), end: Infinity, state: "active" }
      rows.push(...ids.map((id) => ({ id, ...unnamed })))
      return insertLicenses(
        ids.map((id) => ({ id, product_id: product.id, policy_id: policy.id, state: "active" }))
      )
    }
    await more(0, 1000 - before)
    assert.deepStrictEqual(await totalOf("/api/v1/licenses?"), { count: 1000, has_more: false })
    await more(1000, 1)
    assert.deepStrictEqual(await totalOf("/api/v1/licenses?"), { count: 1000, has_more: true })
  })
})

describe("a sorted list that others write to meanwhile", () => {
  it.each(orders)("%s: no row is lost or doubled while others are issued and end", async (order) => {
    const { policy, product } = products[1]!
    const before = inOrder(order)
    const made: Array<string> = []
    const seen = await all(`/api/v1/licenses?order=${order}`, 100, async () => {
      const { license } = await service.data("POST", "/api/v1/licenses", {
        product_id: product.id,
        policy_id: policy.id,
        customer_name: oneOf(names),
        expires_at: "2030-01-01T12:00:00Z"
      })
      made.push(license.id)
      await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    })
    assert.isNotEmpty(made)
    assert.strictEqual(new Set(seen).size, seen.length)
    const known = new Set(before)
    assert.deepStrictEqual(seen.filter((id) => known.has(id)), before)
  })
})
