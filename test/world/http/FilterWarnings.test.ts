import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Exit, Schema, SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { Api } from "../../../src/api/composition/Api.ts"
import { spacelessOf } from "../../../src/domain/ground/wire/Fields.ts"
import type { Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

/** In a query a `+` stands for a space. Who looks for `foo+tag@x` so finds nothing, and is told why. */

let service: Service

beforeAll(async () => {
  service = await startService()
})

interface Filter {
  readonly endpoint: HttpApiEndpoint.Top
  readonly name: string
  readonly type: SchemaAST.AST
}

const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints)
)

const filters: ReadonlyArray<Filter> = endpoints.flatMap((endpoint) =>
  endpoint.query === undefined || !SchemaAST.isObjects(endpoint.query.ast) ? [] : endpoint.query.ast.propertySignatures
    .map(({ name, type }) => ({ endpoint, name: String(name), type }))
)

/** Operations whose query names one thing: where there is none, the answer is a refusal, and hides nothing. */
const naming: ReadonlySet<string> = new Set(["getUsageReceipt"])

const spaceless = filters.filter(({ type }) => spacelessOf(type) !== undefined)

/**
 * Parameters whose values may have spaces, as tags, versions, systems, names of billing systems and their IDs may, the cursor, which is refused
 * when it was not issued, and the device that an app marks as its own, which hides no other.
 */
const free: ReadonlySet<string> = new Set([
  "cursor",
  "app_version",
  "name",
  "os",
  "q",
  "device_fingerprint",
  "device_id",
  "external_system",
  "external_id",
  "tag"
])

const warningsOf = ({ body }: { readonly body: Body }): ReadonlyArray<Body> => body.meta.warnings ?? []

const asked = (path: string) => service.call("GET", path)

/** A filter that an operation needs beside this one. */
const needed: Readonly<Record<string, string>> = { "getStatement feature_code": "&license_id=none" }

describe("a filter with a space in it", () => {
  it.each(filters.filter(({ endpoint, name }) => !free.has(name) && !naming.has(endpoint.identifier)))(
    "is declared to have no values like that, unless it is refused: $endpoint.identifier $name",
    ({ type }) => {
      const decode = Schema.decodeUnknownExit(Schema.make<Schema.Codec<unknown>>(type))
      if (Exit.isSuccess(decode("a b"))) assert.isDefined(spacelessOf(type))
    }
  )

  it("is one of an e-mail address, a code or an id, in every list and report", () => {
    const names = new Set(spaceless.map(({ endpoint, name }) => `${endpoint.identifier} ${name}`))
    const expected = [
      "listLicenses customer_email",
      "listLicenses product_id",
      "listCustomers email",
      "listCustomers code",
      "listActivities feature_code",
      "listActivities request_id",
      "listEvents resource_id",
      "listUsageLedger feature_code",
      "getUsageSummary feature_code"
    ]
    for (const name of expected) assert.isTrue(names.has(name), name)
  })

  it.each(spaceless)("is told so: $endpoint.identifier $name", async ({ endpoint, name }) => {
    const answer = await asked(`${endpoint.path}?${name}=a+b${needed[`${endpoint.identifier} ${name}`] ?? ""}`)
    // A report, or a list of something, says itself of what it is none.
    if (answer.status === 404) return assert.match(`${endpoint.identifier} ${endpoint.path}`, /^get|\/:id\//)
    assert.strictEqual(answer.status, 200, answer.text)
    const [warning, ...more] = warningsOf(answer)
    assert.deepStrictEqual(more, [])
    assert.deepInclude(warning, { code: "SPACE_IN_FILTER", field: name })
    assert.include(warning.message, "write + as %2B")
    for (const value of ["a%2Bb", "a-b"]) {
      assert.deepStrictEqual(warningsOf(await asked(`${endpoint.path}?${name}=${value}`)), [])
    }
  })

  it("is told the query that finds what was meant", async () => {
    const email = "foo+tag@x.example"
    const made = await service.data("POST", "/api/v1/customers", { name: "Foo", code: "foo", email })
    const first = await asked("/api/v1/customers?email=foo+tag@x.example&limit=10")
    assert.deepStrictEqual(first.body.data, [])
    const query = / ([a-z_]+=\S+)$/.exec(warningsOf(first)[0].message)?.[1]
    assert.strictEqual(query, "email=foo%2Btag%40x.example")
    const second = await asked(`/api/v1/customers?${query}`)
    assert.deepStrictEqual(second.body.data.map(({ id }: Body) => id), [made.id])
    assert.deepStrictEqual(warningsOf(second), [])
  })

  it("is told so where it is refused: the offset of an instant", async () => {
    const instant = "2027-01-31T12:00:00+02:00"
    const { fields } = refused(await asked(`/api/v1/licenses?expires_before=${instant}`), 400, "INVALID_QUERY")
    assert.deepInclude(fields[0], { path: "expires_before", code: "invalid_value" })
    assert.include(fields[0].message, "%2B02:00")
    assert.strictEqual((await asked(`/api/v1/licenses?expires_before=${instant.replace("+", "%2B")}`)).status, 200)
    const other = await asked("/api/v1/licenses?expires_before=2027-01-31")
    assert.notInclude(refused(other, 400, "INVALID_QUERY").fields[0].message, "%2B")
  })

  it("is told no query where none would find anything, and each of two", async () => {
    const [one, two, ...more] = warningsOf(await asked("/api/v1/customers?email=foo+tag&code=a%20b"))
    assert.deepStrictEqual([one.field, two.field, more], ["email", "code", []])
    for (const { message } of [one, two]) assert.match(message, /write \+ as %2B$/)
  })

  it("is nothing to tell where values may have spaces", async () => {
    for (const query of ["q=foo+bar", "name=Foo+Bar", "limit=1"]) {
      assert.deepStrictEqual(warningsOf(await asked(`/api/v1/customers?${query}`)), [])
    }
  })
})
