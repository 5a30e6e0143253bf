// What is sent is read or refused, by every operation: also by those that take no body, or one that may be left out.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import type { Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service
let document: Body
let licenseKey: string

beforeAll(async () => {
  service = await startService()
  licenseKey = (await service.issue()).key
  document = (await service.call("GET", "/openapi.json", { token: null })).body
})

const json = { "content-type": "application/json" }

const documented = (method: string, path: string): Body =>
  document.paths[path.replace(/:([^/]+)/g, "{$1}")][method.toLowerCase()].requestBody

/** Operations whose body may be left out, or that take none. A provider's events are taken as the bytes that were signed. */
const withoutPayload = () =>
  operations.filter(({ method, operationId, path }) =>
    operationId !== "receiveBillingEvents" && documented(method, path)?.required !== true
  )

const call = async (operation: typeof operations[number], options: object) => {
  const { declaration: { idempotencyKey, scope }, method, path } = operation
  return service.call(method, path.replace(/:[a-z_]+/g, "none"), {
    ...(scope === "license" ? { licenseKey } : {}),
    ...options,
    headers: {
      ...(idempotencyKey === "required" ? { "idempotency-key": crypto.randomUUID() } : {}),
      ...(options as { headers?: object }).headers
    }
  })
}

describe("an operation without a payload", () => {
  it("refuses a body that is no JSON, or says what it does not take", async () => {
    assert.isAbove(withoutPayload().length, 60)
    for (const operation of withoutPayload()) {
      const { operationId } = operation
      const say = (answer: { readonly status: number; readonly text: string }) =>
        `${operationId}: ${answer.status} ${answer.text.slice(0, 200)}`
      const broken = await call(operation, { raw: "not json", headers: json })
      assert.strictEqual(broken.body?.error?.code, "INVALID_JSON", say(broken))
      const unknown = await call(operation, { body: { no_such_member: true } })
      assert.strictEqual(unknown.body?.error?.code, "UNKNOWN_FIELD", say(unknown))
      const list = await call(operation, { body: [] })
      assert.strictEqual(list.body?.error?.code, "VALIDATION_ERROR", say(list))
      const form = await call(operation, {
        raw: "reason=x",
        headers: { "content-type": "application/x-www-form-urlencoded" }
      })
      assert.strictEqual(form.body?.error?.code, "UNSUPPORTED_MEDIA_TYPE", say(form))
      assert.includeMembers([...operation.codes], [
        "INVALID_JSON",
        "UNKNOWN_FIELD",
        "VALIDATION_ERROR",
        "UNSUPPORTED_MEDIA_TYPE"
      ], operationId)
    }
  })

  it("takes a body that says nothing", async () => {
    const refusals = ["INVALID_JSON", "UNKNOWN_FIELD", "VALIDATION_ERROR", "UNSUPPORTED_MEDIA_TYPE"]
    const nothing = ["", " ", "{}", "null"]
    for (const operation of withoutPayload()) {
      if (operation.operationId === "rotateSigningKey" || operation.method === "GET") continue
      for (const raw of nothing) {
        for (const headers of [json, {}, { "content-type": "application/x-www-form-urlencoded" }]) {
          const answer = await call(operation, { raw, headers })
          assert.notInclude(refusals, answer.body?.error?.code, `${operation.operationId} ${JSON.stringify(raw)}`)
        }
      }
    }
  })

  it("takes a reason where a person acts, and says so in the document", () => {
    const acting = withoutPayload().filter(({ declaration: { action, scope }, method }) =>
      method !== "GET" && action !== "none" && !["license", "publishable", "none"].includes(scope)
    )
    for (const { method, operationId, path } of acting) {
      const body = documented(method, path)
      assert.isDefined(body, operationId)
      const name = body.content["application/json"].schema.$ref.split("/").at(-1)
      assert.property(document.components.schemas[name].properties, "reason", operationId)
    }
    for (const { method, operationId, path } of withoutPayload()) {
      if (method === "GET") assert.isUndefined(documented(method, path), operationId)
    }
  })
})

describe("a signing key's rotation", () => {
  it("is only asked about with dry_run, and takes no note of an Idempotency-Key", async () => {
    const keys = async () => (await service.call("GET", "/api/v1/signing-keys")).body.data
    const before = await keys()
    const rotate = (body: object) =>
      service.call("POST", "/api/v1/signing-keys/rotate", { body, headers: { "idempotency-key": "rotation-1" } })
    const asked = await rotate({ dry_run: true, reason: "would it work" })
    assert.strictEqual(asked.status, 200, asked.text)
    assert.deepInclude(asked.body.data, { kid: before[0].kid, status: "retired" })
    assert.deepStrictEqual(await keys(), before)
    assert.strictEqual((await rotate({ reason: "a laptop was stolen" })).status, 201)
    assert.lengthOf(await keys(), before.length + 1)
    refused(await rotate({ reason: "another request" }), 409, "IDEMPOTENCY_CONFLICT")
    const events = (await service.feed("&event_type=signing_key.created")).slice(-1)
    assert.strictEqual(events[0]!.metadata.reason_given, "a laptop was stolen")
  })
})
