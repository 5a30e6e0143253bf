import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { EnvelopeError, verifyEnvelope } from "../../src/client/index.ts"
import type { ExpectedEnvelope, PublicKey } from "../../src/client/index.ts"
import type { Answer, Issued, Service } from "../fixtures/Service.ts"
import { refused, startService } from "../fixtures/Service.ts"

let service: Service
let issued: Issued
let publicKeys: ReadonlyArray<PublicKey>

beforeAll(async () => {
  service = await startService()
  issued = await service.issue({ policy: { max_floating_users: 2, validation_interval_minutes: 30 } })
  const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, { name: "X", code: "x" })
  await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, {
    feature_id: feature.id,
    max_consumptions: Number.MAX_SAFE_INTEGER
  })
  publicKeys = (await service.call("GET", "/api/v1/system/public-keys", { token: null })).body.data
})

const judge = async (answer: Answer, expected: ExpectedEnvelope): Promise<string> => {
  try {
    for (const bytes of ["canonical", "raw"] as const) {
      await verifyEnvelope({ body: answer.text, publicKeys, expected, bytes })
    }
    return "accepted"
  } catch (error) {
    if (error instanceof EnvelopeError) return error.code
    throw error
  }
}

describe("signed answers", () => {
  it("of every runtime operation echo the nonce, end, and are told from a replay", async () => {
    let lease = ""
    const calls: ReadonlyArray<readonly [string, () => object]> = [
      ["activate", () => ({ fingerprint: "a" })],
      ["validate", () => ({ fingerprint: "a", app_version: "1.0 (build 7)" })],
      ["check", () => ({ fingerprint: "a" })],
      ["consume", () => ({ fingerprint: "a", feature_code: "x", event_id: randomUUID() })],
      ["floating/checkout", () => ({ fingerprint: "b" })],
      ["floating/heartbeat", () => ({ lease_token: lease })],
      ["floating/checkin", () => ({ lease_token: lease })],
      ["deactivate", () => ({ fingerprint: "a" })]
    ]
    for (const [operation, body] of calls) {
      const captured = await service.license(operation, issued.key, { ...body(), nonce: "nonce-of-the-first" })
      assert.strictEqual(captured.status, 200, captured.text)
      const { data } = captured.body
      lease = data.lease_token ?? lease
      const nonce = "nonce-of-the-first"
      assert.strictEqual(await judge(captured, { nonce, productCode: issued.product.code }), "accepted", operation)
      // The same bytes given to a question that was asked later.
      assert.strictEqual(await judge(captured, { nonce: "nonce-of-the-second" }), "nonce_mismatch", operation)
      assert.strictEqual(await judge(captured, { productCode: "another" }), "product_mismatch", operation)
      const until = Date.parse(data.valid_until)
      assert.isAtMost(until - Date.parse(data.issued_at), 60 * 60_000, operation)
      assert.strictEqual(await judge(captured, { nonce, now: until + 61_000 }), "expired", operation)
    }
  })

  it("take the nonce from a header too, and the body's before the header's", async () => {
    await service.license("activate", issued.key, { fingerprint: "a" })
    const headers = { "x-nonce": "nonce-in-header" }
    const one = await service.license("check", issued.key, { fingerprint: "a" }, headers)
    assert.strictEqual(one.body.data.nonce, "nonce-in-header")
    const both = await service.license("check", issued.key, { fingerprint: "a", nonce: "nonce-in-body" }, headers)
    assert.strictEqual(both.body.data.nonce, "nonce-in-body")
    const none = await service.license("check", issued.key, { fingerprint: "a" })
    assert.notProperty(none.body.data, "nonce")
    refused(
      await service.license("check", issued.key, { fingerprint: "a" }, { "x-nonce": "short" }),
      400,
      "INVALID_HEADER"
    )
  })
})
