import { assert, describe, it } from "@effect/vitest"
import { readErrorBody } from "../../../src/client/transport/Retries.ts"

const read = (error: unknown, meta?: unknown) => readErrorBody({ error, meta })

describe("the body of a refusal", () => {
  it("is read with its findings and the id of its request", () => {
    const findings = [{ path: "name", code: "required", message: "is required" }]
    const error = { code: "VALIDATION_ERROR", message: "Wrong.", detail: "Why.", doc_url: "/docs", fields: findings }
    assert.deepStrictEqual(read(error, { request_id: "req_1" }), {
      code: "VALIDATION_ERROR",
      message: "Wrong.",
      detail: "Why.",
      docUrl: "/docs",
      fields: findings,
      requestId: "req_1"
    })
  })

  it.each([undefined, null, "error", [], {}, { error: null }, { error: [] }, { error: { code: 1 } }])(
    "is not the service's without a code: %j",
    (body) => assert.isUndefined(readErrorBody(body))
  )

  it.each([
    ["a message", { code: "X" }, { message: "X" }],
    ["a message that is a text", { code: "X", message: 7 }, { message: "X" }],
    ["a detail that is a text", { code: "X", detail: {} }, { detail: undefined }],
    ["a link that is a text", { code: "X", doc_url: 7 }, { docUrl: undefined }],
    ["a list of findings", { code: "X", fields: "all" }, { fields: undefined }],
    ["findings that have a path", { code: "X", fields: [{ code: "a", message: "b" }, null] }, { fields: [] }]
  ])("of a proxy is read without %s", (_, error, expected) => {
    assert.deepInclude(read(error), expected)
  })
})
