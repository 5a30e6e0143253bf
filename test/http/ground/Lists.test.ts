import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

let service: Service
let sql: Session
let issued: Issued

beforeAll(async () => {
  service = await startService({ altered: ["license", "license_key", "license expires_at"] })
  sql = await session(service.databaseUrl)
  issued = await service.issue()
})

const page = async (path: string): Promise<Body> => {
  const answer = await service.call("GET", path)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
}

/** Follows a list to its end; answers the ids in order. */
const all = async (path: string, limit = 200): Promise<Array<string>> => {
  const ids: Array<string> = []
  for (let cursor = "";;) {
    const { data, page_info } = await page(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`)
    const found = data.map((item: Body) => item.id ?? item.kid)
    assert.isTrue(ids.length === 0 || found.length === 0 || found[0] < ids.at(-1)!, "each page goes on below the last")
    ids.push(...found)
    assert.strictEqual(page_info.has_more, page_info.next_cursor !== null)
    if (!page_info.has_more) return ids
    assert.lengthOf(data, limit)
    cursor = `&cursor=${page_info.next_cursor}`
  }
}

/** Many licenses at the speed of SQL; their ids sort where `prefix` does. */
const fill = (given: Issued, count: number, prefix: string) =>
  sql.query(
    `WITH made AS (
       INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, metadata)
       SELECT $1 || lpad(n::text, 20, '0'), $2, $3, 'CS-00000', '0000', '{}' FROM generate_series(1, $4::int) n
       RETURNING id
     )
     INSERT INTO license_keys (key_hash, license_id) SELECT decode(md5(id), 'hex'), id FROM made`,
    [prefix, given.product.id, given.policy.id, count]
  )

describe("trap 11: lists stop at 200 rows", () => {
  it("2,000 licenses are each seen exactly once while others are inserted and changed", async () => {
    const given = await service.issue()
    await fill(given, 1_999, "lic_00000")
    const path = `/api/v1/licenses?product_id=${given.product.id}`
    const before = new Set((await sql.query("SELECT id FROM licenses WHERE product_id = $1", [given.product.id]))
      .map(({ id }) => id))
    assert.strictEqual(before.size, 2_000)
    const inserting = { goesOn: true, made: 0 }
    const writer = (async () => {
      while (inserting.goesOn) {
        const { license } = await service.data("POST", "/api/v1/licenses", {
          product_id: given.product.id,
          policy_id: given.policy.id
        })
        await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
        inserting.made++
      }
    })()
    const seen = await all(path)
    inserting.goesOn = false
    await writer
    assert.isAbove(inserting.made, 0)
    assert.strictEqual(new Set(seen).size, seen.length, "none twice")
    assert.strictEqual(seen.filter((id) => before.has(id)).length, 2_000)
    assert.deepStrictEqual(seen, seen.toSorted().toReversed(), "newest first")
  })
})

describe("every list", () => {
  const lists: ReadonlyArray<readonly [string, () => string, () => Promise<unknown>]> = [
    ["products", () => "/api/v1/products", () => service.data("POST", "/api/v1/products", body())],
    ["customers", () => "/api/v1/customers", () => service.data("POST", "/api/v1/customers", body())],
    [
      "policies",
      () => `/api/v1/products/${issued.product.id}/policies`,
      () => service.data("POST", `/api/v1/products/${issued.product.id}/policies`, { ...body(), license_type: "trial" })
    ],
    [
      "features",
      () => `/api/v1/products/${issued.product.id}/features`,
      () => service.data("POST", `/api/v1/products/${issued.product.id}/features`, body())
    ],
    ["api keys", () => "/api/v1/api-keys", () => service.data("POST", "/api/v1/api-keys", { name: "k" })],
    ["signing keys", () => "/api/v1/signing-keys", () => service.data("POST", "/api/v1/signing-keys/rotate")],
    [
      "webhooks",
      () => "/api/v1/webhooks",
      () => service.data("POST", "/api/v1/webhooks", { name: "w", url: "http://127.0.0.1:9/hook", is_active: false })
    ],
    [
      "licenses",
      () => `/api/v1/licenses?product_id=${issued.product.id}`,
      () => service.data("POST", "/api/v1/licenses", { product_id: issued.product.id, policy_id: issued.policy.id })
    ]
  ]
  const body = () => ({ name: "x", code: randomUUID() })

  it.each(lists)("%s: newest first, in pages that meet without a gap", async (_name, path, create) => {
    for (let index = 0; index < 5; index++) await create()
    const whole = await all(path())
    assert.isAtLeast(whole.length, 5)
    for (const limit of [1, 3]) assert.deepStrictEqual(await all(path(), limit), whole)
    assert.deepStrictEqual(whole, whole.toSorted().toReversed())
    const [first] = whole
    await create()
    assert.strictEqual((await all(path()))[1], first)
  })

  it("has 50 rows a page unless asked for others, and at most 200", async () => {
    const given = await service.issue()
    await fill(given, 250, "lic_00001")
    const path = `/api/v1/licenses?product_id=${given.product.id}`
    assert.lengthOf((await page(path)).data, 50)
    assert.lengthOf((await page(`${path}&limit=200`)).data, 200)
    for (const limit of ["201", "1000", "999999999"]) {
      const { data, page_info } = await page(`${path}&limit=${limit}`)
      assert.lengthOf(data, 200)
      assert.isTrue(page_info.has_more)
    }
  })

  it("ends with null on a page that is just full, and on an empty one", async () => {
    const given = await service.issue()
    await fill(given, 3, "lic_00002")
    const path = `/api/v1/licenses?product_id=${given.product.id}`
    assert.deepStrictEqual((await page(`${path}&limit=4`)).page_info, { next_cursor: null, has_more: false })
    const none = await page("/api/v1/licenses?product_id=none")
    assert.deepInclude(none, { data: [], page_info: { next_cursor: null, has_more: false } })
  })

  it("of a license's devices and features is paged as well", async () => {
    const given = await service.issue({ policy: { max_activations: 9 } })
    for (const fingerprint of "abcde") await service.license("activate", given.key, { fingerprint })
    const devices = `/api/v1/licenses/${given.license.id}/devices`
    const whole = await all(devices)
    assert.lengthOf(whole, 5)
    assert.deepStrictEqual(await all(devices, 2), whole)
    const path = `/api/v1/licenses/${given.license.id}/features`
    for (let index = 0; index < 5; index++) {
      const feature = await service.data("POST", `/api/v1/products/${given.product.id}/features`, body())
      await service.data("POST", path, { feature_id: feature.id })
    }
    const first = await page(`${path}?limit=3`)
    const second = await page(`${path}?limit=3&cursor=${first.page_info.next_cursor}`)
    const ids = [...first.data, ...second.data].map(({ feature_id }: Body) => feature_id)
    assert.strictEqual(new Set(ids).size, 5)
    assert.isFalse(second.page_info.has_more)
  })
})

describe("filters of licenses", () => {
  const ids = async (query: string) => new Set(await all(`/api/v1/licenses?${query}`))

  it("by product, policy, customer and their combination", async () => {
    const [a, b] = [await service.issue(), await service.issue()]
    const customer = await service.data("POST", "/api/v1/customers", { name: "c", code: randomUUID() })
    const { license } = await service.data("POST", "/api/v1/licenses", {
      product_id: a.product.id,
      policy_id: a.policy.id,
      customer_id: customer.id
    })
    assert.deepStrictEqual(await ids(`product_id=${a.product.id}`), new Set([license.id, a.license.id]))
    assert.deepStrictEqual(await ids(`policy_id=${b.policy.id}`), new Set([b.license.id]))
    assert.deepStrictEqual(await ids(`customer_id=${customer.id}`), new Set([license.id]))
    assert.deepStrictEqual(
      await ids(`customer_id=${customer.id}&product_id=${a.product.id}&policy_id=${a.policy.id}`),
      new Set([license.id])
    )
    for (
      const query of [`customer_id=${customer.id}&product_id=${b.product.id}`, "order_id=none", "subscription_id=none"]
    ) {
      assert.strictEqual((await ids(query)).size, 0)
    }
  })

  it("by status, as it is at the moment of the call: each license under exactly the status it shows", async () => {
    const given = await service.issue({ policy: { grace_period_days: 5 } })
    const make = async (expires: string | undefined, action?: string) => {
      const { license } = await service.data("POST", "/api/v1/licenses", {
        product_id: given.product.id,
        policy_id: given.policy.id
      })
      if (action !== undefined) await service.data("POST", `/api/v1/licenses/${license.id}/${action}`)
      if (expires !== undefined) {
        await sql.query("UPDATE licenses SET expires_at = now() + $1::text::interval WHERE id = $2", [
          expires,
          license.id
        ])
      }
    }
    for (const action of [undefined, "suspend", "revoke"]) {
      for (const expires of [undefined, "1 hour", "-1 hour", "-119 hours", "-121 hours"]) await make(expires, action)
    }
    const whole = await page(`/api/v1/licenses?product_id=${given.product.id}&limit=200`)
    const counts: Record<string, number> = {}
    for (const status of ["active", "grace_period", "expired", "suspended", "revoked"]) {
      const found = await ids(`product_id=${given.product.id}&status=${status}`)
      const shown = whole.data.filter((license: Body) => license.status === status).map(({ id }: Body) => id)
      assert.deepStrictEqual(found, new Set(shown), status)
      counts[status] = found.size
    }
    assert.deepStrictEqual(counts, { active: 3, grace_period: 2, expired: 1, suspended: 5, revoked: 5 })
  })

  it("by expiry, both ends left out, whatever the offset", async () => {
    const given = await service.issue()
    const made: Array<string> = []
    for (const day of ["01", "02", "03"]) {
      const { license } = await service.data("POST", "/api/v1/licenses", {
        product_id: given.product.id,
        policy_id: given.policy.id,
        expires_at: `2040-01-${day}T00:00:00Z`
      })
      made.push(license.id)
    }
    const product = `product_id=${given.product.id}`
    assert.deepStrictEqual(await ids(`${product}&expires_after=2040-01-01T00:00:00Z`), new Set(made.slice(1)))
    assert.deepStrictEqual(await ids(`${product}&expires_before=2040-01-03T00:00:00Z`), new Set(made.slice(0, 2)))
    const between = `expires_after=2040-01-01T23:59:59-00:00&expires_before=${
      encodeURIComponent("2040-01-02T02:00:01+02:00")
    }`
    assert.deepStrictEqual(await ids(`${product}&${between}`), new Set([made[1]!]))
  })

  it("by expiry alone, page by page and in both orders, as among the licenses of a product", async () => {
    const { policy, product } = await service.issue()
    const days = ["1970-01-01", "2041-03-01", "2041-01-01", "2041-03-02", "2041-02-01", "2041-03-01", "9999-12-31"]
    for (const day of [...days, ...days]) {
      await service.data("POST", "/api/v1/licenses", {
        product_id: product.id,
        policy_id: policy.id,
        expires_at: `${day}T00:00:00Z`
      })
    }
    const ends = [
      "2041-01-01T00:00:00Z",
      "2041-02-27T00:00:00Z",
      "2041-03-01T00:00:00Z",
      "2041-03-01T00:00:01Z",
      "9999-12-31T23:59:59Z"
    ]
    for (const after of [undefined, "1970-01-01T00:00:00Z", "2040-12-31T23:59:59Z", "2041-03-01T00:00:00Z"]) {
      for (const before of ends) {
        const path = `/api/v1/licenses?expires_before=${before}${after === undefined ? "" : `&expires_after=${after}`}`
        const ofProduct = await all(`${path}&product_id=${product.id}`)
        const found = await all(path, 3)
        assert.deepStrictEqual(found.filter((id) => ofProduct.includes(id)), ofProduct, path)
        const { data } = await page(`${path}&order=asc&limit=200`)
        assert.deepStrictEqual(data.map(({ id }: Body) => id), found.toReversed(), path)
      }
    }
  })
})
