import { assert, describe, it } from "@effect/vitest"
import type { HttpApiEndpoint } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { Api } from "../../../src/api/composition/Api.ts"
import { declarationOf } from "../../../src/api/ground/Operation.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

/** Rows that are judged one by one: whatever is wrong with one of them, the others are made. */

const service = await startService()
const { key: usedKey, policy, product } = await service.issue()
const database = await session(service.databaseUrl)
const count = async (): Promise<number> => (await database.query("SELECT count(*)::int AS n FROM licenses"))[0].n

const defaults = JSON.stringify({ product_id: product.id, policy_id: policy.id })
const json = { "content-type": "application/json" }

const bulk = (
  rows: ReadonlyArray<string>,
  { before = `"mode":"per_row",`, after = "", headers = {} } = {}
): Promise<Answer> =>
  service.call("POST", "/api/v1/licenses/bulk", {
    raw: `{${before}"defaults":${defaults},"licenses":[${rows.join(",")}]${after}}`,
    headers: { ...json, ...headers }
  })

/** The members of a row, which may have a policy of its own, as a single create. */
const single = (row: string): Promise<Answer> => {
  const under = row.includes("policy_id") ? JSON.stringify({ product_id: product.id }) : defaults
  return service.call("POST", "/api/v1/licenses", { raw: `${under.slice(0, -1)},${row.slice(1)}`, headers: json })
}

interface Kind {
  readonly name: string
  readonly row: string
  readonly found: ReadonlyArray<readonly [path: string, code: string]>
}

/** What a single create cannot bring. */
const unlikeOne: ReadonlyArray<Kind> = [
  { name: "null", row: "null", found: [["", "invalid_type"]] },
  { name: "a text", row: `"a@b.example"`, found: [["", "invalid_type"]] },
  { name: "a list", row: "[{}]", found: [["", "invalid_type"]] },
  { name: "a number that there is not", row: "1e400", found: [["", "invalid_value"]] }
]

const kinds: ReadonlyArray<Kind> = [
  { name: "an unknown member", row: `{"custmer_name":"A"}`, found: [["custmer_name", "unknown_field"]] },
  { name: "a prototype", row: `{"__proto__":{}}`, found: [["__proto__", "unknown_field"]] },
  {
    name: "unknown members beside wrong ones",
    row: `{"a":1,"customer_name":7,"b":2}`,
    found: [["a", "unknown_field"], ["b", "unknown_field"], ["customer_name", "invalid_type"]]
  },
  { name: "a wrong type", row: `{"customer_name":["A"]}`, found: [["customer_name", "invalid_type"]] },
  { name: "null in a member", row: `{"metadata":null}`, found: [["metadata", "invalid_type"]] },
  {
    name: "a text that is too long",
    row: `{"customer_name":"${"n".repeat(256)}"}`,
    found: [["customer_name", "invalid_value"]]
  },
  { name: "an instant that is none", row: `{"expires_at":"soon"}`, found: [["expires_at", "invalid_value"]] },
  {
    name: "a whole number beyond 2^53",
    row: `{"metadata":{"steam":{"id":76561198000000001}}}`,
    found: [["metadata.steam.id", "invalid_value"]]
  },
  { name: "a number beyond all", row: `{"metadata":{"n":[1,1e400]}}`, found: [["metadata.n.1", "invalid_value"]] },
  {
    name: "two losses, of which the first is told",
    row: `{"metadata":{"a":1e400,"b":1e400}}`,
    found: [["metadata.a", "invalid_value"]]
  },
  {
    name: "a name twice",
    row: `{"customer_name":"A","customer_name":"B"}`,
    found: [["customer_name", "invalid_value"]]
  },
  {
    name: "a name twice within metadata, written in two ways",
    row: `{"metadata":{"a":1,"\\u0061":2}}`,
    found: [["metadata.a", "invalid_value"]]
  },
  {
    name: "half a surrogate pair",
    row: `{"customer_name":"A\\ud83d"}`,
    found: [["customer_name", "invalid_value"]]
  },
  {
    name: "half a surrogate pair in metadata",
    row: `{"metadata":{"a":"\\udc00"}}`,
    found: [["metadata", "invalid_value"]]
  },
  { name: "NUL", row: `{"customer_name":"A\\u0000"}`, found: [["customer_name", "invalid_value"]] },
  { name: "a blank name", row: `{"customer_name":" \\u200b "}`, found: [["customer_name", "invalid_value"]] },
  { name: "no address", row: `{"customer_email":"a b@c.example"}`, found: [["customer_email", "invalid_value"]] },
  {
    name: "metadata that is too long",
    row: `{"metadata":{"a":"${"m".repeat(16_384)}"}}`,
    found: [["metadata", "invalid_value"]]
  },
  { name: "a key of a license", row: `{"license_key":"${usedKey}"}`, found: [["license_key", "taken"]] },
  { name: "a policy that is none", row: `{"policy_id":"pol_none"}`, found: [["policy_id", "not_found"]] }
]

const foundIn = (fields: ReadonlyArray<Body>): Kind["found"] => fields.map(({ code, path }) => [path, code])

describe("a bad row among good ones", () => {
  it.each([...unlikeOne, ...kinds])("is refused alone: $name", async ({ found, row }) => {
    const before = await count()
    const answer = await bulk(["{}", row, `{"customer_name":"Good"}`])
    assert.strictEqual(answer.status, 200, answer.text)
    const { created, refused, results } = answer.body.data
    assert.deepStrictEqual([created, refused], [2, 1])
    assert.deepStrictEqual(results.map(({ index }: Body) => index), [0, 1, 2])
    assert.strictEqual(results[2].license.customer_name, "Good")
    assert.deepStrictEqual(foundIn(results[1].error.fields), found)
    assert.include(results[1].error.message, results[1].error.fields[0].message.replace(/\.$/, ""))
    assert.strictEqual(await count(), before + 2)
  })

  it.each(kinds)(
    "is told what a single create is told: $name",
    async ({ row }) => {
      const alone = (await single(row)).body.error
      const { error } = (await bulk([row])).body.data.results[0]
      // What does not exist is a 404 there, which has no findings.
      if (alone.code !== "NOT_FOUND") assert.deepStrictEqual(error.fields, alone.fields)
      assert.strictEqual(error.code, alone.code === "UNKNOWN_FIELD" ? "VALIDATION_ERROR" : alone.code)
    }
  )

  it("is told so wherever the body says how rows are judged", async () => {
    const answer = await bulk(["{}", `{"metadata":{"n":1e400}}`, "null"], { before: "", after: `,"mode":"per_row"` })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepStrictEqual([answer.body.data.created, answer.body.data.refused], [1, 2])
  })

  it("is refused with all the others of its kind, and a repeat is answered the same", async () => {
    const before = await count()
    const rows = ["{}", ...kinds.map(({ row }) => row), "{}", ...unlikeOne.map(({ row }) => row), "{}"]
    const headers = { "idempotency-key": randomUUID() }
    const first = await bulk(rows, { headers })
    assert.strictEqual(first.status, 200, first.text)
    const { created, refused, results } = first.body.data
    assert.deepStrictEqual([created, refused], [3, rows.length - 3])
    assert.deepStrictEqual(
      results.map(({ error = { fields: [] } }: Body) => foundIn(error.fields)),
      [[], ...kinds.map(({ found }) => found), [], ...unlikeOne.map(({ found }) => found), []]
    )
    const again = await bulk(rows, { headers })
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(await count(), before + 3)
    const events = await service.feed("&event_type=license.created")
    const made = results.flatMap(({ license }: Body) => license === undefined ? [] : [license.id])
    assert.includeMembers(events.map(({ resource_id }) => resource_id), made)
  })
})

describe("what is named of bad rows", () => {
  const wrong = `{${Array.from({ length: 22 }, (_, at) => `"m${at}":0`).join(",")}}`

  it("is at most 20 findings a row, and once 1,000 are named the first one of each", async () => {
    const rows = Array.from({ length: 100 }, () => wrong)
    const { body } = await bulk([...rows, "{}"])
    assert.deepStrictEqual([body.data.created, body.data.refused], [1, 100])
    const lengths = body.data.results.slice(0, 100).map(({ error }: Body) => error.fields.length)
    assert.deepStrictEqual(lengths, [...Array.from({ length: 50 }, () => 20), ...Array.from({ length: 50 }, () => 1)])
  })

  it("is something of each row of as many as there may be", async () => {
    const { body } = await bulk(Array.from({ length: 1000 }, (_, at) => at % 2 === 0 ? "[]" : `{"metadata":1e400}`))
    assert.deepStrictEqual([body.data.created, body.data.refused], [0, 1000])
    assert.isTrue(body.data.results.every(({ error }: Body) => error.fields.length === 1))
  })
})

describe("what refuses all rows", () => {
  const losing = `{"metadata":{"n":1e400}}`
  const unknown = `{"custmer_name":"A"}`

  it.each([
    ["no JSON", ["{}", "{,}"], {}, 400, "INVALID_JSON", undefined],
    ["a member of the call twice", ["{}"], { after: `,"mode":"per_row"` }, 422, "VALIDATION_ERROR", "mode"],
    ["two lists", [losing], { after: `,"licenses":[{}]` }, 422, "VALIDATION_ERROR", "licenses"],
    ["a number beyond all outside of the rows", [losing], { after: `,"x":[1e400]` }, 422, "VALIDATION_ERROR", "x.0"],
    ["an unknown member outside of the rows", [unknown], { after: `,"x":1` }, 400, "UNKNOWN_FIELD", "x"],
    ["another way to judge", [losing], { before: `"mode":"each",` }, 422, "VALIDATION_ERROR", "licenses.0.metadata.n"],
    ["no rows", [], {}, 422, "VALIDATION_ERROR", "licenses"],
    ["too many rows", Array.from({ length: 1001 }, () => "null"), {}, 422, "VALIDATION_ERROR", "licenses"]
  ])("is %s", async (_, rows, how, status, code, path) => {
    const before = await count()
    const { fields = [] } = refused(await bulk(rows, how), status, code)
    assert.strictEqual(fields[0]?.path, path)
    assert.strictEqual(await count(), before)
  })

  it.each([
    ["a row that is null", "null", 422, "VALIDATION_ERROR", "licenses.1", "invalid_type"],
    ["an unknown member", unknown, 400, "UNKNOWN_FIELD", "licenses.1.custmer_name", "unknown_field"],
    ["a lossy row", losing, 422, "VALIDATION_ERROR", "licenses.1.metadata.n", "invalid_value"],
    ["a wrong member", `{"customer_name":7}`, 422, "VALIDATION_ERROR", "licenses.1.customer_name", "invalid_type"]
  ])("is %s, unless the call asks for each row by itself", async (_, row, status, code, path, why) => {
    const before = await count()
    for (const mode of ["", `"mode":"all_or_nothing",`]) {
      const { fields } = refused(await bulk(["{}", row], { before: mode }), status, code)
      assert.deepStrictEqual(foundIn(fields), [[path, why]])
    }
    assert.strictEqual(await count(), before)
  })
})

it("every operation that judges rows one by one declares where they stand", () => {
  const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = Object.values(Api.groups).flatMap((group) =>
    Object.values(group.endpoints)
  )
  const asks = endpoints.filter((endpoint) =>
    [...endpoint.payload.values()].some(({ schemas }) =>
      schemas.some(({ ast }) => JSON.stringify(ast).includes("per_row"))
    )
  )
  assert.include(asks.map(({ identifier }) => identifier), "createLicenses")
  for (const endpoint of asks) assert.isDefined(declarationOf(endpoint).rows, endpoint.identifier)
})
