import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { toYaml } from "../../../src/api/composition/docs/OpenApi.ts"
import { methodsOf, operations } from "../../../src/api/composition/docs/Operations.ts"
import { resolved } from "../../../src/api/composition/docs/Schemas.ts"
import { catalog } from "../../../src/domain/ground/wire/Errors.ts"
import { baseOperations } from "../../fixtures/contract.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service
let document: Body

beforeAll(async () => {
  service = await startService()
  document = (await service.call("GET", "/openapi.json", { token: null })).body
})

const braces = (path: string) => path.replace(/:([^/]+)/g, "{$1}")
/** An operation as the document has it, with the parameters and responses that it shares with others. */
const nodeOf = ({ method, path }: { readonly method: string; readonly path: string }): Body => {
  const { parameters = [], responses, ...node } = document.paths[braces(path)][method.toLowerCase()]
  return {
    ...node,
    parameters: parameters.map((parameter: Body) => resolved(document, parameter)),
    responses: Object.fromEntries(
      Object.entries<Body>(responses).map(([status, response]) => [status, resolved(document, response)])
    )
  }
}

describe("the base table", () => {
  it("is served whole", () => {
    const served = new Set(operations.map(({ operationId }) => operationId))
    assert.deepStrictEqual(baseOperations.map(({ operationId }) => operationId).filter((id) => !served.has(id)), [])
  })

  it.each(baseOperations)(
    "$operationId: $method $path",
    ({ method, operationId, path, scope, statuses }) => {
      const operation = operations.find((operation) => operation.operationId === operationId)!
      assert.strictEqual(operation.method, method)
      assert.strictEqual(braces(operation.path), path)
      assert.strictEqual(operation.declaration.scope, scope)
      assert.sameMembers([...operation.successes], [...statuses])
      const node = document.paths[path][method.toLowerCase()]
      assert.deepStrictEqual(node["x-required-scopes"], scope === "none" || scope === "license" ? [] : [scope])
    }
  )
})

describe("every operation", () => {
  it("has an id of its own, a summary, scopes, its errors and an example in the document", () => {
    assert.strictEqual(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
    const documented = Object.values<Body>(document.paths).flatMap((item) => Object.values<Body>(item))
    assert.sameMembers(
      documented.map(({ operationId }) => operationId),
      operations.map(({ operationId }) => operationId)
    )
    for (const operation of operations) {
      const node = nodeOf(operation)
      assert.isNotEmpty(node.summary, operation.operationId)
      assert.isArray(node["x-required-scopes"], operation.operationId)
      const { scope } = operation.declaration
      const security = scope === "none"
        ? []
        : [{ [scope === "license" || scope === "publishable" ? scope : "bearer"]: [] }]
      assert.deepStrictEqual(node.security, security, operation.operationId)
      assert.sameMembers(node["x-error-codes"], [...operation.codes], operation.operationId)
      assert.includeMembers(
        Object.keys(node.responses).map(Number),
        [...operation.successes, ...operation.codes.map((code) => catalog[code].status)],
        operation.operationId
      )
      for (const [status, response] of Object.entries<Body>(node.responses)) {
        for (const media of Object.values<Body>(response.content ?? {})) {
          assert.isDefined(media.example, `${operation.operationId} ${status}`)
        }
      }
    }
  })

  it("may fail as all of its kind may", () => {
    for (const { codes, declaration: { answerKept, idempotencyKey, scope }, method, operationId } of operations) {
      assert.includeMembers([...codes], ["INTERNAL", "UNAVAILABLE"], operationId)
      if (scope === "license") assert.includeMembers([...codes], ["LICENSE_KEY_INVALID", "RATE_LIMITED"], operationId)
      else if (scope === "publishable") {
        assert.includeMembers([...codes], ["UNAUTHENTICATED", "RATE_LIMITED"], operationId)
      } else if (scope !== "none") {
        assert.includeMembers(
          [...codes],
          [
            "UNAUTHENTICATED",
            "TOKEN_EXPIRED",
            "TOKEN_REVOKED",
            "TOKEN_IP_DENIED",
            "PERSON_MISMATCH",
            "RATE_LIMITED"
          ],
          operationId
        )
        // Without a scope of its own, an operation may still need that of what it is about.
        if (scope !== "any") assert.include([...codes], "TOKEN_SCOPE_DENIED", operationId)
      }
      if (answerKept === "none") {
        assert.notIncludeMembers([...codes], ["IDEMPOTENCY_CONFLICT"], operationId)
        assert.include([...codes], "INVALID_HEADER", operationId)
      } else if (method !== "GET") {
        assert.includeMembers([...codes], ["IDEMPOTENCY_CONFLICT", "IDEMPOTENCY_IN_FLIGHT"], operationId)
      }
      if (idempotencyKey === "required") assert.include([...codes], "IDEMPOTENCY_KEY_REQUIRED", operationId)
    }
  })

  it("requires the Idempotency-Key where the base table does", () => {
    const required = operations.filter(({ declaration }) => declaration.idempotencyKey === "required")
    assert.sameMembers(required.map(({ operationId }) => operationId), [
      "createLicenseJob",
      "retryJob",
      "activateLicense",
      "consumeLicense",
      "deactivateLicense",
      "checkoutFloatingLicense",
      "checkinFloatingLicense",
      "renewLicense",
      "transferLicense",
      // Additions.
      "releaseOwnDevice",
      "refundOwnUsage",
      "changeLicensePolicy"
    ])
    for (const operation of operations) {
      const header = nodeOf(operation).parameters?.find(({ name }: Body) => name === "Idempotency-Key")
      if (operation.method === "GET" || operation.declaration.scope === "none") assert.isUndefined(header)
      else assert.strictEqual(header.required, operation.declaration.idempotencyKey === "required")
    }
  })

  it("stands in llms.txt and llms-full.txt", async () => {
    const short = (await service.call("GET", "/llms.txt", { token: null })).text
    const full = (await service.call("GET", "/llms-full.txt", { token: null })).text
    for (const { declaration, method, operationId, path } of operations) {
      assert.include(short, `- \`${method} ${braces(path)}\`: ${declaration.summary}`)
      assert.include(full, `### ${operationId}\n`)
      assert.include(
        full,
        `\`${method} ${braces(path)}\` (scope: ${[declaration.scope, ...declaration.alsoNeeds ?? []].join(", ")})`
      )
      // Whether its parts are shared in the document or not, the text has them.
      const [, section = ""] = full.split(`### ${operationId}\n`)
      for (const { name } of nodeOf({ method, path }).parameters) {
        assert.include(section.split("\n### ")[0]!, `\`${name}\``, operationId)
      }
    }
    for (const code of Object.keys(catalog)) assert.include(full, `\`${code}\``)
  })
})

/** Checks a value against a schema of the document; answers what is wrong. */
const mismatches = (schema: Body, value: unknown, at: string): ReadonlyArray<string> => {
  if (schema.$ref !== undefined) {
    return mismatches(document.components.schemas[schema.$ref.split("/").at(-1)], value, at)
  }
  const found: Array<string> = []
  for (const part of schema.allOf ?? []) found.push(...mismatches(part, value, at))
  if (schema.anyOf !== undefined && !schema.anyOf.some((part: Body) => mismatches(part, value, at).length === 0)) {
    found.push(`${at} fits no member of a union: ${JSON.stringify(value)}`)
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    found.push(`${at} is not in the list: ${String(value)}`)
  }
  const wrong = (is: boolean) => is || found.push(`${at} is no ${schema.type}: ${JSON.stringify(value)}`)
  switch (schema.type) {
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at} is no object`]
      for (const name of schema.required ?? []) if (!(name in value)) found.push(`${at}.${name} is missing`)
      for (const [name, member] of Object.entries(value)) {
        const declared = schema.properties?.[name]
        if (declared !== undefined) found.push(...mismatches(declared, member, `${at}.${name}`))
        else if (schema.additionalProperties === false) found.push(`${at}.${name} is not declared`)
      }
      break
    }
    case "array":
      if (!Array.isArray(value)) return [`${at} is no array`]
      value.forEach((item, index) => found.push(...mismatches(schema.items ?? {}, item, `${at}.${index}`)))
      if (value.length < (schema.minItems ?? 0)) found.push(`${at} is too short`)
      break
    case "string":
      wrong(typeof value === "string")
      if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(String(value))) {
        found.push(`${at} does not match ${schema.pattern}`)
      }
      if (String(value).length < (schema.minLength ?? 0)) found.push(`${at} is too short`)
      break
    case "integer":
      wrong(Number.isInteger(value))
      if (Number(value) < (schema.minimum ?? -Infinity) || Number(value) > (schema.maximum ?? Infinity)) {
        found.push(`${at} is out of bounds: ${String(value)}`)
      }
      break
    case "boolean":
      wrong(typeof value === "boolean")
      break
    case "null":
      wrong(value === null)
      break
  }
  return found
}

describe("the OpenAPI document", () => {
  it("has examples that fit their own schemas", () => {
    let checked = 0
    for (const operation of operations) {
      const node = nodeOf(operation)
      const contents = [
        ["request", node.requestBody?.content] as const,
        ...Object.entries<Body>(node.responses).map(([status, response]) => [status, response.content] as const)
      ]
      for (const [name, content] of contents) {
        for (const media of Object.values<Body>(content ?? {})) {
          assert.deepStrictEqual(mismatches(media.schema, media.example, `${operation.operationId} ${name}`), [])
          checked++
        }
      }
    }
    assert.isAbove(checked, 200)
    for (const [name, schema] of Object.entries<Body>(document.components.schemas)) {
      for (const example of schema.examples ?? []) assert.deepStrictEqual(mismatches(schema, example, name), [])
    }
  })

  it("has examples that the service itself accepts", async () => {
    const create = async (path: string, more = {}) => {
      const node = document.paths[path].post
      return (await service.call("POST", path.replace(/\{[^}]+\}/g, "none"), {
        body: { ...node.requestBody.content["application/json"].example, ...more }
      })).status
    }
    for (const path of ["/api/v1/products", "/api/v1/customers", "/api/v1/api-keys"]) {
      assert.strictEqual(await create(path), 201, path)
    }
    // What they refer to is not there; their own members are right.
    for (const path of ["/api/v1/licenses", "/api/v1/products/{id}/policies", "/api/v1/products/{id}/features"]) {
      assert.strictEqual(await create(path), 404, path)
    }
  })

  it("closes requests and leaves answers open", () => {
    // The members of a license to create, which stand in two requests and in each row, and parts of a job to start.
    const parts = new Set([
      "LicenseBulkRow",
      "LicenseJobFilter",
      "LicenseJobSelection",
      "LicenseJobRenewal",
      "LicenseJobPolicyChange"
    ])
    for (const [name, schema] of Object.entries<Body>(document.components.schemas)) {
      if (schema.type !== "object") continue
      if (name.endsWith("Request") || parts.has(name)) assert.isFalse(schema.additionalProperties, name)
      else assert.notStrictEqual(schema.additionalProperties, false, name)
    }
  })

  it("is served as YAML as well, which says the same", async () => {
    const { text } = await service.call("GET", "/openapi.yaml", { token: null })
    assert.isTrue(text === toYaml(document), text.slice(0, 200))
  })

  it("says where the service is", () => {
    assert.match(document.openapi, /^3\.1\./)
    assert.deepStrictEqual(document.servers, [{ url: service.url }])
    assert.sameMembers(Object.keys(document.components.securitySchemes), ["bearer", "license", "publishable"])
  })
})

describe("assets", () => {
  const paths = [
    "/openapi.yaml",
    "/openapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/docs/errors",
    "/.well-known/jwks.json",
    "/api/v1/system/public-keys"
  ]

  it.each(paths)("%s is open, tagged, and not sent again to who has it", async (path) => {
    const first = await service.call("GET", path, { token: null })
    assert.strictEqual(first.status, 200)
    assert.strictEqual(first.headers["cache-control"], "public, max-age=60")
    const etag = String(first.headers["etag"])
    assert.match(etag, /^"[0-9a-f]{32}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await service.call("GET", path, { token: null, headers: { "if-none-match": known } })
      assert.deepInclude(again, { status: 304, text: "" })
      assert.strictEqual(again.headers["etag"], etag)
    }
    const other = await service.call("GET", path, { token: null, headers: { "if-none-match": `"other"` } })
    assert.strictEqual(other.status, 200)
  })

  it("public keys have another tag once they have changed", async () => {
    const tag = async () => (await service.call("GET", "/api/v1/system/public-keys")).headers["etag"]
    const before = await tag()
    assert.strictEqual(await tag(), before)
    await service.data("POST", "/api/v1/signing-keys/rotate")
    assert.notStrictEqual(await tag(), before)
  })

  it("the error page has every code that an answer may link to", async () => {
    const { text } = await service.call("GET", "/docs/errors")
    for (const code of Object.keys(catalog)) assert.include(text, `id="${code}"`)
    const { doc_url } = (await service.call("GET", "/api/v1/products/none")).body.error
    assert.strictEqual(doc_url, `${service.url}/docs/errors/NOT_FOUND`)
  })

  it("the reference page and the metrics are open", async () => {
    assert.include((await service.call("GET", "/docs", { token: null })).text, "Countersign")
    const metrics = await service.call("GET", "/metrics", { token: null, headers: { accept: "application/json" } })
    assert.match(String(metrics.headers["content-type"]), /^text\/plain; version=0\.0\.4/)
    assert.match(metrics.text, /http_server_request_duration_seconds_count\{[^\n]*http_response_status_code="200"/)
    assert.match(metrics.text, /http_server_active_requests\{?[^\n]* \d/)
    // The library's own metrics of the cluster are described where it is.
    const own = [...metrics.text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!).filter((name) =>
      name !== "target_info" && !name.startsWith("effect_cluster_")
    )
    const listed = await readFile(join(import.meta.dirname, "../../../docs/reference/operations.md"), "utf8")
    for (const name of own) assert.include(listed, `- \`${name}\`, `, "npm run docs:metrics")
  })
})

describe("methodsOf", () => {
  it("knows the methods of every path, with parameters", () => {
    for (const { method, path } of operations) {
      assert.include(methodsOf(path.replace(/:[^/]+/g, "some-id")), method)
    }
    assert.deepStrictEqual(methodsOf("/nowhere"), [])
    assert.deepStrictEqual(methodsOf("/api/v1/products/a/b"), [])
    assert.deepStrictEqual(methodsOf("/openapiXyaml"), [])
  })
})
