import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { families, kinds, resourceTypeOf, resourceTypes } from "../../../src/domain/log/EventKind.ts"
import { makeCustomer, makeProduct } from "../../fixtures/Commerce.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)
const product: Body = await makeProduct(service)
const licenseId = "lic_06eqpx1trxz3h94vqjm3a6kz7c"
const customer: Body = await makeCustomer(service)
await service.feed(`&resource_id=${customer["id"]}`)

const ask = async (query: string) => {
  const { body, status } = await service.call("GET", `/api/v1/events?${query}`)
  return { status, body: body as Body }
}
const refusedAt = async (path: string): Promise<Body> => {
  const { body, status } = await service.call("GET", path)
  assert.strictEqual(status, 400, path)
  assert.strictEqual((body as Body).error.code, "INVALID_QUERY", path)
  return (body as Body).error.fields
}

describe("filters of the feed", () => {
  it("take every kind, every family and every type of resource, and find just what they say", async () => {
    const all: ReadonlyArray<Body> = (await ask("limit=200")).body.data
    const found = async (query: string) =>
      (await ask(`limit=200&${query}`)).body.data.map(({ sequence }: Body) => sequence)
    const expected = (test: (event: Body) => boolean) => all.filter(test).map(({ sequence }) => sequence)
    for (const family of families) {
      const inFamily = ({ event_type }: Body) => event_type.startsWith(`${family}.`)
      assert.deepStrictEqual(await found(`event_type=${family}.*`), expected(inFamily), family)
    }
    for (const type of resourceTypes) {
      assert.deepStrictEqual(
        await found(`resource_type=${type}`),
        expected(({ event_type }) => resourceTypeOf(event_type) === type),
        type
      )
    }
    for (const kind of kinds) assert.strictEqual((await ask(`event_type=${kind}&limit=1`)).status, 200, kind)
    const id = product["id"]
    assert.deepStrictEqual(
      await found(`event_type=product.*&resource_id=${id}&actor_type=api_key`),
      expected(({ actor_type, event_type, resource_id }) =>
        event_type.startsWith("product.") && resource_id === id && actor_type === "api_key"
      )
    )
    assert.deepStrictEqual(await found("event_type=license.*&resource_type=customer"), [])
    assert.deepStrictEqual(
      await found("event_type=license.*&actor_type=license"),
      expected(({ actor_type, event_type }) => event_type.startsWith("license.") && actor_type === "license")
    )
  })

  it("refuse what is neither, and name what is near", async () => {
    for (
      const [wrong, near] of [["license.suspend", "license.suspended"], ["licence.*", "license.*"], ["x", "license.*"]]
    ) {
      const [field] = await refusedAt(`/api/v1/events?event_type=${wrong}`)
      assert.strictEqual(field.path, "event_type")
      assert.include(field.message, near!)
    }
    const [field] = await refusedAt("/api/v1/events?resource_type=licence")
    assert.strictEqual(field.path, "resource_type")
    assert.include(field.message, "license")
  })

  it("of lists and reports refuse the id of something else, which would find nothing for ever", async () => {
    const wrong: Readonly<Record<string, ReadonlyArray<string>>> = {
      "/api/v1/licenses": ["product_id", "policy_id", "customer_id", "order_id", "subscription_id"],
      "/api/v1/activities": ["product_id", "customer_id", "order_id", "subscription_id"],
      "/api/v1/reports/usage-summary": ["product_id", "customer_id", "order_id", "subscription_id"]
    }
    for (const [path, names] of Object.entries(wrong)) {
      for (const name of names) {
        const [field] = await refusedAt(`${path}?${name}=${licenseId}`)
        assert.strictEqual(field.path, name)
        assert.include(field.message, "lic_")
      }
      assert.strictEqual((await service.call("GET", `${path}?${names[0]}=unknown`)).status, 200)
    }
    await refusedAt(`/api/v1/activities?license_id=${customer["id"]}`)
  })
})

describe("a reader of few kinds", () => {
  it("is at the head after the last page, skips nothing, and is not behind what is dropped", async () => {
    const make = () => service.data("POST", "/api/v1/products", { name: "P", code: randomUUID() })
    const made = await make()
    await service.feed(`&resource_id=${made.id}`)
    const filter = "event_type=webhook.created"
    const { body } = await ask(filter)
    const head = async () =>
      Number((await database.query("SELECT last_sequence FROM event_chain"))[0]!["last_sequence"])
    assert.deepStrictEqual(body.data, [])
    assert.strictEqual(Number(body.page_info.next_cursor), await head())
    // Readers of a kind that is written beside others all the while get each of its events once.
    const seen: Array<number> = []
    let cursor = body.page_info.next_cursor
    const state = { isWriting: true }
    const writing = Promise.all(Array.from({ length: 4 }, async (_, writer) => {
      for (let index = 0; index < 15; index++) {
        if (writer % 2 === 0) await make()
        else await makeCustomer(service)
      }
    })).finally(() => {
      state.isWriting = false
    })
    const read = async () => {
      const page = (await ask(`event_type=customer.created&limit=3&cursor=${cursor}`)).body
      seen.push(...page.data.map(({ sequence }: Body) => sequence))
      assert.isAtLeast(Number(page.page_info.next_cursor), Number(cursor))
      cursor = page.page_info.next_cursor
      return page.page_info.has_more
    }
    while (state.isWriting) await read()
    await writing
    await make().then(({ id }) => service.feed(`&resource_id=${id}`))
    while (await read());
    const expected = (await database.query(
      "SELECT sequence FROM events WHERE event_type = 'customer.created' AND sequence > $1 ORDER BY sequence",
      [Number(body.page_info.next_cursor)]
    )).map(({ sequence }) => Number(sequence))
    assert.lengthOf(expected, 30)
    assert.deepStrictEqual(seen, expected)
    assert.strictEqual(Number(cursor), await head())
    // What is archived up to the head and dropped takes nothing from it.
    const dropped = Math.floor(await head() / 16) * 16
    await database.query("UPDATE event_archive SET dropped_sequence = $1, dropped_until = now()", [dropped])
    assert.strictEqual((await ask(`event_type=webhook.created&cursor=${cursor}`)).status, 200)
    assert.strictEqual((await ask(`event_type=webhook.created&cursor=${body.page_info.next_cursor}`)).status, 410)
    await database.query("UPDATE event_archive SET dropped_sequence = 0, dropped_until = NULL")
  })
})
