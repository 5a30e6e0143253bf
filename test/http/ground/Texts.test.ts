import { assert, beforeAll, describe, it } from "@effect/vitest"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { resolved } from "../../../src/api/composition/docs/Schemas.ts"
import { apart, isAtOrBelow } from "../../fixtures/Apart.ts"
import type { Path } from "../../fixtures/Apart.ts"
import { makePublishableKey } from "../../fixtures/Commerce.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"

const service: Service = await startService()
const document: Body = (await service.call("GET", "/openapi.json", { token: null })).body
let issued: Issued
let publishable: string

beforeAll(async () => {
  issued = await service.issue()
  publishable = await makePublishableKey(service, issued.product)
})

/** Where in a body a text, an instant or a free object may stand: member names and array indexes from the root. */
interface Place {
  readonly path: ReadonlyArray<string | number>
  readonly kind: "text" | "instant" | "free"
}

const resolve = (schema: Body): Body =>
  schema.$ref === undefined ? schema : resolve(document.components.schemas[schema.$ref.split("/").at(-1)])

const places = (schema: Body, path: ReadonlyArray<string | number> = []): ReadonlyArray<Place> => {
  const found = resolve(schema)
  const parts = [...found.allOf ?? [], ...found.anyOf ?? [], ...found.oneOf ?? []]
  const here = parts.flatMap((part: Body) => places(part, path))
  if (found.type === "array") return [...here, ...places(found.items ?? {}, [...path, 0])]
  if (found.type === "string") return [...here, { path, kind: found.format === "date-time" ? "instant" : "text" }]
  if (found.type !== "object") return here
  const members = Object.entries<Body>(found.properties ?? {})
  if (members.length === 0) return [...here, { path, kind: "free" }]
  return [...here, ...members.flatMap(([name, member]) => places(member, [...path, name]))]
}

/** A copy of `base` with `value` at `path`. */
const placed = (base: unknown, [name, ...path]: ReadonlyArray<string | number>, value: unknown): unknown => {
  if (name === undefined) return value
  if (typeof name === "number") return [placed(Array.isArray(base) ? base[name] : undefined, path, value)]
  const object = typeof base === "object" && base !== null ? base as Readonly<Record<string, unknown>> : {}
  return { ...object, [name]: placed(object[name], path, value) }
}

const nodeOf = ({ method, path }: { readonly method: string; readonly path: string }): Body =>
  document.paths[path.replace(/:([^/]+)/g, "{$1}")][method.toLowerCase()]

/** Every place of every request body, with the example that it stands in. */
const bodies = operations.flatMap((operation) => {
  const media = nodeOf(operation).requestBody?.content["application/json"]
  if (media === undefined) return []
  const unique = new Map(places(media.schema).map((place) => [JSON.stringify(place), place]))
  return [{ ...operation, example: media.example, places: [...unique.values()] }]
})

const send = ({ declaration, method, path }: (typeof operations)[number], body: unknown, license = issued.key) =>
  service.call(method, path.replace(/:[^/]+/g, "none"), {
    body,
    headers: { "idempotency-key": crypto.randomUUID() },
    ...(declaration.scope === "license" ? { licenseKey: license } : {}),
    ...(declaration.scope === "publishable" ? { token: publishable } : {})
  })

/** Members of an object that may be null: without one of them the others are not looked at. */
const whole = { trusted_issuer: { issuer: "https://login.example.com", audience: "acme-studio" } }

/** A body with all that must stand beside a place. */
const withWhole = (body: unknown, [first]: Path): unknown =>
  first === "trusted_issuer" ? placed(body, [first], whole[first]) : body

/** Values with the text in them, for a place of this kind. */
const spoilt = (kind: Place["kind"], bad: string): ReadonlyArray<unknown> =>
  kind === "free" ? [{ [bad]: 1 }, { a: [{ b: bad }] }] : [bad]

/** The findings about rows that an operation judges one by one, as those of a refusal name them. */
const findingsOfRows = ({ body }: Answer): ReadonlyArray<Body> =>
  body.data.results.flatMap(({ error, index }: Body) =>
    (error?.fields ?? []).map(({ message, path }: Body) => ({ message, path: `uses.${index}.${path}` }))
  )

/** The members that a refusal of this body names. */
const namedIn = async (operation: (typeof operations)[number], body: unknown): Promise<Array<string>> => {
  const answer = await send(operation, body)
  const fields = answer.status === 200 ? findingsOfRows(answer) : refused(answer, 422, "VALIDATION_ERROR").fields
  return fields.map(({ path }: Body) => path)
}

const unstorable = ["a\u0000b", "a\ud800b", "\udc00"]

describe("text that PostgreSQL cannot store, or JSON cannot say", () => {
  it("is looked for in every request", () => {
    assert.isAbove(bodies.length, 30)
    const named = new Set(
      bodies.flatMap(({ operationId, places }) => places.map(({ path }) => `${operationId}.${path}`))
    )
    assert.includeMembers([...named], [
      "createOrder.external_id",
      "createOrder.metadata",
      "createLicense.customer_name",
      "createProductVersion.version",
      "upsertLicenseCustomFieldValue.string_value",
      "createProductCustomFieldDefinition.enum_options,0",
      "transferLicense.customer_name",
      "consumeLicense.event_id",
      "heartbeatFloatingLicense.lease_token",
      "explainLicense.binding,fingerprint"
    ])
  })

  it.each(someOf("texts", bodies, 60))(
    "is refused by $operationId, by name and before anything is looked up",
    async (operation) => {
      const values = operation.places.flatMap(({ kind, path }) =>
        unstorable.flatMap((bad) => spoilt(kind, bad)).map((value) => ({ path, value }))
      )
      const unnamed = async (group: typeof values): Promise<typeof values> => {
        const begun = group.length === 1 ? withWhole(operation.example, group[0]!.path) : operation.example
        const body = group.reduce<unknown>((body, { path, value }) => placed(body, path, value), begun)
        const named = await namedIn(operation, body)
        return group.filter(({ path }) => path.length > 0 && !named.some((name) => isAtOrBelow(name.split("."), path)))
      }
      for (const group of apart(values)) {
        // What is looked at once all else is right is asked alone.
        for (const left of await unnamed(group)) assert.deepStrictEqual(await unnamed([left]), [])
      }
    }
  )

  it("is refused in each row of a bulk create as in a single one", async () => {
    const bulk = bodies.find(({ operationId }) => operationId === "createLicenses")!
    const single = bodies.find(({ operationId }) => operationId === "createLicense")!
    const texts = single.places.filter(({ kind }) => kind === "text")
    for (const bad of unstorable) {
      for (const group of apart(texts)) {
        const row = group.reduce<unknown>((row, { path }) => placed(row, path, bad), single.example)
        const named = await namedIn(bulk, { licenses: [row] })
        assert.includeMembers(named, group.map(({ path }) => `licenses.0.${path.join(".")}`))
      }
    }
  })

  it("is no 5xx in a path or a query", async () => {
    let asked = 0
    for (const operation of operations) {
      const { declaration, method, path } = operation
      const options = {
        headers: { "idempotency-key": crypto.randomUUID() },
        ...(declaration.scope === "license" ? { licenseKey: issued.key } : {}),
        ...(method === "GET" || method === "DELETE"
          ? {}
          : { body: nodeOf(operation).requestBody?.content["application/json"].example ?? {} })
      }
      const targets = [
        ...(path.includes(":") ? [path.replace(/:[^/]+/g, "a%00b"), path.replace(/:[^/]+/g, "%ED%A0%80")] : []),
        ...(nodeOf(operation).parameters ?? []).map((given: Body) => resolved(document, given)).flatMap((
          { in: where, name }: Body
        ) => where === "query" ? [`${path.replace(/:[^/]+/g, "none")}?${name}=a%00b`] : [])
      ]
      for (const target of targets) {
        const answer = await service.call(method, target, options)
        assert.isTrue(answer.status >= 400 && answer.status < 500, `${method} ${target}: ${answer.text}`)
        asked++
      }
    }
    assert.isAbove(asked, 60)
  })
})

describe("text that names something", () => {
  /** Members by which people know something; all are inputs of management. */
  const isName = ({ path }: Place) =>
    /^(?:name|customer_name|external_system|external_id)$/.test(String(path.at(-1))) || path.at(-2) === "enum_options"
  const isEmail = ({ path }: Place) => /(?:^|_)email$/.test(String(path.at(-1)))
  const named = bodies.flatMap((operation) =>
    operation.places.filter(({ kind, path }) => kind === "text" && path[0] !== "licenses" && path.length < 3)
      // A filter looks for what is there, and names nothing.
      .filter(({ path }) => path[0] !== "filter")
      .filter((place) => isName(place) || isEmail(place))
      .map((place) => ({
        operation,
        path: place.path,
        title: `${operation.operationId}.${place.path.join(".")}`,
        isEmail: isEmail(place)
      }))
  )

  it("is looked for in every request", () => {
    assert.isAbove(named.length, 25)
    assert.includeMembers(named.map(({ title }) => title), [
      "createProduct.name",
      "updateCustomer.email",
      "transferLicense.customer_name",
      "createWebhookEndpoint.name",
      "createOrder.external_id",
      "createProductCustomFieldDefinition.enum_options.0"
    ])
  })

  it.each(named)("can be seen: $title", async ({ isEmail, operation, path }) => {
    for (const blank of isEmail ? ["a\u200b@b.example", "a@\u2800"] : [" ", "\u200b", "\u3164\u00a0"]) {
      assert.deepStrictEqual(await namedIn(operation, placed(operation.example, path, blank)), [path.join(".")])
    }
  })
})

describe("instants", () => {
  const instants = bodies.flatMap((operation) => {
    const all = operation.places.filter(({ kind }) => kind === "instant").map(({ path }) => path)
    // The rows of a bulk create are judged once all else is right.
    return [...Map.groupBy(all, ([first]) => first === "licenses")].map(([isRow, paths]) => ({
      operation,
      operationId: `${operation.operationId}${isRow ? " in a row" : ""}`,
      names: paths.map((path) => path.join(".")),
      paths
    }))
  })

  it("are looked for in every request", () => {
    assert.isAbove(instants.flatMap(({ names }) => names).length, 20)
  })

  it.each(instants)("of $operationId are read in any offset of RFC 3339", async ({ names, operation, paths }) => {
    const findings = async (value: string): Promise<ReadonlyArray<string>> => {
      const body = paths.reduce<unknown>((body, path) => placed(body, path, value), operation.example)
      const answer = await send(operation, body)
      assert.isBelow(answer.status, 500, answer.text)
      // The example's other members may not go with these instants, and what they are about is not there.
      const found = operation.operationId === "reportUsage" ? findingsOfRows(answer) : answer.body.error?.fields ?? []
      return found.flatMap((field: Body) => /RFC 3339/.test(field.message) ? [field.path] : [])
    }
    for (const value of ["2040-01-01T00:00:00+23:59", "2040-01-01t00:00:00.123456789-23:59", "2040-01-01T00:00:00Z"]) {
      assert.deepStrictEqual(await findings(value), [], value)
    }
    for (const value of ["2040-02-30T00:00:00Z", "2040-01-01T00:00:00", "2040-01-01", "9999-12-31T23:59:59-00:01"]) {
      assert.sameMembers([...await findings(value)], names, value)
    }
  })
})
