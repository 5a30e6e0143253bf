import { assert, beforeAll, describe, it } from "@effect/vitest"
import { parse } from "yaml"
import { openApiDocument, toYaml } from "../../../../src/api/composition/docs/OpenApi.ts"
import { operations } from "../../../../src/api/composition/docs/Operations.ts"
import { resolved } from "../../../../src/api/composition/docs/Schemas.ts"
import { catalog } from "../../../../src/domain/ground/wire/Errors.ts"
import { kinds } from "../../../../src/domain/log/EventKind.ts"
import { validatorOf } from "../../../fixtures/JsonSchema.ts"
import type { Validate } from "../../../fixtures/JsonSchema.ts"
import type { Body } from "../../../fixtures/Session.ts"

const document: Body = openApiDocument("https://licenses.example.com", "1.2.3")
const text = JSON.stringify(document)
const { headers, parameters, responses, schemas } = document.components

/** Every operation with its node, deliveries included. */
const nodes = [document.paths, document.webhooks].flatMap((paths) =>
  Object.values<Body>(paths).flatMap((item) => Object.values<Body>(item))
)
const mine = nodes.filter(({ operationId }) => !operationId.startsWith("on"))

const at = (node: Body): Body => resolved(document, node)

/** Every schema in a schema, itself included, with the way to it. */
const partsOf = (schema: Body, path: string): ReadonlyArray<readonly [path: string, schema: Body]> => [
  [path, schema],
  ...Object.entries<Body>(schema.properties ?? {}).flatMap(([name, part]) => partsOf(part, `${path}.${name}`)),
  ...(schema.items === undefined ? [] : partsOf(schema.items, `${path}[]`)),
  ...(typeof schema.additionalProperties === "object" ? partsOf(schema.additionalProperties, `${path}.*`) : []),
  ...["allOf", "anyOf", "oneOf"].flatMap((union) =>
    (schema[union] ?? []).flatMap((part: Body) => partsOf(part, `${path}|`))
  )
]

/** Every media type of a request or an answer. */
const media = nodes.flatMap(({ operationId, requestBody, responses }) =>
  [["request", requestBody ?? {}] as const, ...Object.entries<Body>(responses)].flatMap(([status, given]) =>
    Object.entries<Body>(at(given).content ?? {}).map(([type, content]) => ({
      name: `${operationId} ${status} ${type}`,
      status,
      type,
      content
    }))
  )
)

const parametersOf = nodes.flatMap(({ operationId, parameters = [] }) =>
  parameters.map((parameter: Body) => ({ operationId, parameter: at(parameter) }))
)

const allSchemas = [
  ...Object.entries<Body>(schemas).flatMap(([name, schema]) => partsOf(schema, name)),
  ...media.flatMap(({ content, name }) => partsOf(content.schema, name)),
  ...parametersOf.flatMap(({ operationId, parameter }) => partsOf(parameter.schema, `${operationId}?${parameter.name}`))
]

describe("schemas of the document", () => {
  it("have one name each", () => {
    assert.deepStrictEqual(Object.keys(schemas).filter((name) => /_\d+$|Encoded$/.test(name)), [])
    assert.notInclude(text, "x-documented-as")
    assert.notInclude(text, "x-effect")
  })

  it("are all referred to, and every reference leads somewhere", () => {
    const referred = new Set([...text.matchAll(/"#\/components\/(\w+\/[^"]+)"/g)].map(([, name]) => name!))
    const present = ["schemas", "parameters", "responses", "headers"].flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `${kind}/${name}`)
    )
    assert.sameMembers([...referred], present)
  })

  it("have flat integers with bounds", () => {
    const integers = allSchemas.filter(([, { type }]) => type === "integer")
    assert.isAbove(integers.length, 200)
    const poor = integers.filter(([, { format, maximum, minimum }]) =>
      !/^int(32|64)$/.test(format) || minimum === undefined || maximum === undefined
    )
    assert.deepStrictEqual(poor.map(([path]) => path), [])
    assert.notInclude(text, "\"allOf\"")
    const signed = integers.filter(([, { minimum }]) => minimum < 0).map(([path]) => path)
    assert.deepStrictEqual(
      signed.filter((path) =>
        !/(amount|adjusted|within_quota|opening|corrected|ended|revoked|closing|integer_value|FeatureValue\||SignedCustomFields\.\*\||\.value\|+)$/
          .test(path)
      ),
      []
    )
  })

  it("say of free objects that they are free", () => {
    const silent = allSchemas.filter(([, { additionalProperties, properties, type }]) =>
      type === "object" && properties === undefined && additionalProperties === undefined
    )
    assert.deepStrictEqual(silent.map(([path]) => path), [])
  })

  it("are of one known type each", () => {
    const untyped = allSchemas.filter(([, { $ref, anyOf, type }]) =>
      $ref === undefined && anyOf === undefined && type === undefined
    )
    assert.deepStrictEqual(untyped.map(([path]) => path), [])
  })

  it("have patterns of every dialect, in which a slash is no more than itself", () => {
    const patterns = allSchemas.flatMap(([path, { pattern }]) => pattern === undefined ? [] : [{ path, pattern }])
    assert.isAbove(patterns.filter(({ pattern }) => pattern.includes("/")).length, 0)
    for (const { path, pattern } of patterns) {
      assert.notMatch(pattern, /(?<!\\)(?:\\\\)*\\\//, path)
      // What this flag refuses is an escape of nothing, which other dialects refuse too.
      assert.doesNotThrow(() => new RegExp(pattern, "u"), path)
    }
  })
  it("of numbers in the query are numbers", () => {
    for (const name of ["limit", "size", "status_code"]) {
      const found = parametersOf.filter(({ parameter }) => parameter.name === name)
      assert.isAbove(found.length, 0, name)
      for (const { parameter } of found) assert.strictEqual(parameter.schema.type, "integer", name)
    }
  })
})

describe("answers of the document", () => {
  it("have names", () => {
    const anonymous = media.filter(({ content, name, status, type }) =>
      type === "application/json" && Number(status) < 400 && !name.startsWith("download") &&
      ![content.schema, ...content.schema.anyOf ?? []].some(({ $ref }) => $ref !== undefined)
    )
    assert.deepStrictEqual(anonymous.map(({ name }) => name), [])
    for (const name of ["LicenseAnswer", "LicensePage", "EntitlementAnswer"]) assert.property(schemas, name)
  })

  it("have one form for every error, and the codes as an enum", () => {
    const errors = media.filter(({ status }) => Number(status) >= 400)
    assert.isAbove(errors.length, 500)
    const ref = "#/components/schemas/ErrorEnvelope"
    for (const { content: { schema }, name } of errors) {
      assert.include([schema.$ref, schema.anyOf?.[1].$ref], ref, name)
    }
    assert.deepStrictEqual(schemas.ErrorCode.enum, Object.keys(catalog))
    assert.deepStrictEqual(Object.keys(schemas).filter((name) => Object.hasOwn(catalog, name)), [])
    assert.notInclude(text, "\"_tag\"")
  })

  it("name the codes of every status", () => {
    for (const { codes, method, operationId, path } of operations) {
      const node = document.paths[path.replace(/:([^/]+)/g, "{$1}")][method.toLowerCase()]
      for (const code of codes) {
        // An answer of readyz is 503 too.
        if (operationId === "readyz") continue
        assert.include(at(node.responses[catalog[code].status]).description, `\`${code}\``, operationId)
      }
    }
  })

  it("have their headers", () => {
    for (const { operationId, responses } of mine) {
      for (const [status, response] of Object.entries<Body>(responses)) {
        const names = Object.keys(at(response).headers)
        assert.include(names, "X-Request-Id", `${operationId} ${status}`)
        if (status === "429") assert.includeMembers(names, ["Retry-After", "RateLimit", "RateLimit-Policy"])
        if (status === "304") assert.include(names, "ETag")
        if (status === "206") assert.includeMembers(names, ["Content-Range", "Content-Disposition"])
      }
    }
    const { responses } = document.paths["/api/v1/reports/exports/{id}/download"].get
    assert.includeMembers(Object.keys(responses), ["200", "206", "304", "416"])
    const jwks = document.paths["/.well-known/jwks.json"].get.responses["200"]
    assert.deepStrictEqual(Object.keys(jwks.content), ["application/jwk-set+json"])
  })
})

describe("texts of the document", () => {
  it("describe every object and every member", () => {
    const members = Object.entries<Body>(schemas).flatMap(([name, schema]) =>
      partsOf(schema, name).flatMap(([path, part]) =>
        Object.entries<Body>(part.properties ?? {}).map(([member, { description }]) =>
          [`${path}.${member}`, description] as const
        )
      )
    )
    assert.isAbove(members.length, 1000)
    const cure = "annotate the schema of this name with a description, and wrap a field in field() or optional()"
    assert.deepStrictEqual(members.filter(([, text]) => (text ?? "") === "").map(([path]) => path), [], cure)
    assert.deepStrictEqual(Object.keys(schemas).filter((name) => (schemas[name].description ?? "") === ""), [], cure)
  })

  it("describe every parameter, with an example", () => {
    for (const { operationId, parameter: { description, example, name, schema } } of parametersOf) {
      assert.isNotEmpty(description ?? "", `${operationId} ${name}: describe it with optional(schema, description)`)
      const own = example ?? schema.enum ?? at(schema).enum
      assert.isDefined(own, `${operationId} ${name}: add an example, optional(schema, description, example)`)
    }
  })

  it("describe every operation, answer, header and tag", () => {
    for (const { description, operationId, responses } of nodes) {
      assert.match(description, /\.$/, operationId)
      for (const [status, response] of Object.entries<Body>(responses)) {
        assert.isNotEmpty(at(response).description, `${operationId} ${status}`)
      }
    }
    for (const [name, { description }] of Object.entries<Body>(headers)) assert.isNotEmpty(description, name)
    for (const { description, name } of document.tags) assert.isNotEmpty(description, name)
  })

  it("have summaries of a few words, each once, for a table of contents", () => {
    for (const { operationId, summary } of mine) {
      assert.match(summary, /^[A-Z][^.,:;]{3,35}$/, operationId)
      assert.isAtMost(summary.split(" ").length, 5, operationId)
    }
    assert.strictEqual(new Set(mine.map(({ summary }) => summary)).size, mine.length)
  })

  it("have tags in the order of the work", () => {
    assert.deepStrictEqual(document.tags.map(({ name }: Body) => name), [
      "Catalog",
      "Customers",
      "Licenses",
      "Run time",
      "Commerce",
      "Purchases",
      "Webhooks",
      "Evidence",
      "Reports",
      "Access",
      "System"
    ])
    const used = new Set(mine.flatMap(({ tags }) => tags))
    assert.sameMembers([...used], document.tags.map(({ name }: Body) => name))
  })
})

describe("examples of the document", () => {
  let mismatch: Validate

  beforeAll(async () => {
    mismatch = validatorOf(document)
  })

  it("fit their schemas", () => {
    const wrong: Array<string> = []
    let checked = 0
    const check = (name: string, schema: Body, value: unknown) => {
      checked++
      const found = mismatch(schema, value)
      if (found !== undefined) wrong.push(`${name}: ${found}`)
    }
    for (const [path, schema] of allSchemas) for (const example of schema.examples ?? []) check(path, schema, example)
    for (const { content, name } of media) {
      if (content.example !== undefined) check(name, content.schema, content.example)
    }
    for (const { operationId, parameter } of parametersOf) {
      if (parameter.example !== undefined) {
        check(`${operationId} ${parameter.name}`, parameter.schema, parameter.example)
      }
    }
    for (const [name, { example, schema }] of Object.entries<Body>(headers)) check(name, schema, example)
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(checked, 500)
  })

  it("are of every request and every answer", () => {
    const without = media.filter(({ content, name }) => content.example === undefined && !/^on[A-Z]/.test(name))
    assert.deepStrictEqual(without.map(({ name }) => name), [])
  })

  it("have real values that tell one story: one product, one license", () => {
    const strings: Array<string> = []
    const collect = (value: unknown): void => {
      if (typeof value === "string") strings.push(value)
      else if (typeof value === "object" && value !== null) { for (const part of Object.values(value)) collect(part) }
    }
    for (const { content } of media) collect(content.example)
    for (const { parameter } of parametersOf) collect(parameter.example)
    for (const [, { examples }] of allSchemas) collect(examples)
    assert.notInclude(strings, "string")
    assert.notInclude(strings, "")
    for (const type of ["prod", "pol", "lic", "cus", "dev", "feat", "ord", "sub", "whk", "rptx"]) {
      const ids = strings.flatMap((value) => value.match(new RegExp(`\\b${type}_[0-9a-z]{26}\\b`, "g")) ?? [])
      assert.deepStrictEqual([...new Set(ids)], [`${type}_06eqpx1trxz3h94vqjm3a6kz7c`])
    }
  })
})

describe("security of the document", () => {
  it("has schemes that generators know", () => {
    const { bearer, license } = document.components.securitySchemes
    assert.deepInclude(bearer, { type: "http", scheme: "bearer" })
    assert.deepInclude(license, { type: "apiKey", in: "header", name: "Authorization" })
    assert.include(license.description, "License CS-")
  })
})

describe("webhooks of the document", () => {
  it("are all kinds of events, each with its payload and its headers", () => {
    const types = [...kinds, "webhook.test"]
    assert.deepStrictEqual(Object.keys(document.webhooks), types)
    for (const kind of types) {
      const { parameters: sent, requestBody } = document.webhooks[kind].post
      const { properties, required } = at(requestBody.content["application/json"].schema)
      assert.deepStrictEqual(properties.type.enum, [kind])
      assert.deepStrictEqual(properties.event_type.enum, [kind])
      assert.sameMembers(required, ["id", "type", "event_type", "sequence", "created_at", "data"])
      assert.strictEqual(at(properties.data).type, "object", kind)
      const names = sent.map((parameter: Body) => at(parameter).name)
      assert.includeMembers(names, ["X-Service-Signature", "X-Service-Delivery-ID", "webhook-signature"])
    }
  })
})

describe("the document as YAML", () => {
  const yaml = toYaml(document)

  it("says the same as the JSON, to readers of YAML 1.1 and 1.2", () => {
    assert.deepStrictEqual(parse(yaml), document)
    assert.deepStrictEqual(parse(yaml, { version: "1.1" }), document)
  })

  it("quotes instants", () => {
    assert.match(yaml, /: "2026-11-21T10:30:00\.000Z"/)
    assert.notMatch(yaml, /[:-] \d{4}-\d{2}-\d{2}/)
  })

  it("repeats no answer", () => {
    // With each answer written out where it is given, it was 4,700 for an operation. What schemas add is said once. A
    // reference to an answer is as short as it can be, so only what is written out counts.
    const operations = Object.values<Body>(document.paths).flatMap((path) => Object.keys(path)).length
    const written = toYaml({ paths: document.paths }).split("\n").filter((line) =>
      !/^ +("\d{3}":|\$ref: .*)$/.test(line)
    )
    assert.isBelow(written.join("\n").length / operations, 2_300)
    assert.isAbove(Object.keys(responses).length, 20)
    assert.isAbove(Object.keys(parameters).length, 20)
  })
})
