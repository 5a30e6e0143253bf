import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { DeliveryErrorCode, DeliveryHeaders, VerifyDeliveryOptions } from "../../../src/client/verify/index.ts"
import { DeliveryError, verifyDelivery } from "../../../src/client/verify/index.ts"
import { deliveryHeaders, signedString, signingKeys } from "../../../src/domain/delivery/webhooks/WebhookSignature.ts"
import { formatWebhookSecret } from "../../../src/domain/keys/security/WebhookSecret.ts"
import { text, vectors } from "../../vectors/makeDeliveries.ts"

const file = join(import.meta.dirname, "../../vectors/deliveries.json")
const published: typeof vectors = JSON.parse(readFileSync(file, "utf8"))

const secretOf = (fill: number) => formatWebhookSecret(new Uint8Array(32).fill(fill))
const rawBody =
  `{"created_at":"2026-03-01T10:00:00.000Z","data":{"name":"Zoë"},"event_type":"license.created","id":"evt_1",` +
  `"sequence":7,"type":"license.created"}`
const timestamp = 1_800_000_000
const now = timestamp * 1000
const sign = (body: string, secrets: ReadonlyArray<string> = [secretOf(1), secretOf(2)]) =>
  deliveryHeaders(
    {
      deliveryId: "dlv_06eqpx1trxz3h94vqjm3a6kz7c",
      sequence: 7,
      type: "license.created",
      timestamp,
      rawBody: body,
      keys: secrets.map(signingKeys)
    },
    (key, data) => createHmac("sha256", key).update(data).digest()
  )
const headers = sign(rawBody)

const codeOf = async (
  body: string | Uint8Array,
  given: DeliveryHeaders,
  secrets: string | ReadonlyArray<string> = secretOf(1),
  options: VerifyDeliveryOptions = { now }
): Promise<DeliveryErrorCode | "verified"> => {
  try {
    await verifyDelivery(body, given, secrets, options)
    return "verified"
  } catch (error) {
    assert.instanceOf(error, DeliveryError)
    return error.code
  }
}

describe("verifyDelivery", () => {
  it("accepts a delivery with any live secret on either side, however body and headers come", async () => {
    const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const arrays = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    for (const given of [headers, lowerCase, arrays, new Headers(headers)]) {
      for (const body of [rawBody, new TextEncoder().encode(rawBody), Buffer.from(rawBody)]) {
        for (const secrets of [secretOf(1), secretOf(2), [secretOf(3), secretOf(2)]]) {
          const verified = await verifyDelivery(body, given, secrets, { now })
          assert.deepStrictEqual<unknown>(verified, {
            deliveryId: "dlv_06eqpx1trxz3h94vqjm3a6kz7c",
            event: JSON.parse(rawBody)
          })
        }
      }
    }
  })

  it("refuses another body, delivery id, timestamp or secret", async () => {
    assert.strictEqual(await codeOf(`${rawBody} `, headers), "signature_mismatch")
    assert.strictEqual(await codeOf(JSON.stringify(JSON.parse(rawBody), null, 1), headers), "signature_mismatch")
    assert.strictEqual(
      await codeOf(rawBody, { ...headers, "X-Service-Delivery-ID": "dlv_other" }),
      "signature_mismatch"
    )
    const signature = headers["X-Service-Signature"]!
    const later = { ...headers, "X-Service-Signature": signature.replace(`t=${timestamp}`, `t=${timestamp + 1}`) }
    assert.strictEqual(await codeOf(rawBody, later), "signature_mismatch")
    assert.strictEqual(await codeOf(rawBody, headers, secretOf(9)), "signature_mismatch")
    // The decoded part alone is the key of the other header, not of this one.
    assert.strictEqual(await codeOf(rawBody, headers, secretOf(1).slice(6)), "signature_mismatch")
  })

  it("holds the timestamp to the tolerance, in both directions", async () => {
    const at = (seconds: number, tolerance?: number) =>
      codeOf(rawBody, headers, secretOf(1), {
        now: now + seconds * 1000,
        ...(tolerance === undefined ? {} : { tolerance })
      })
    for (const seconds of [-300, 0, 300]) assert.strictEqual(await at(seconds), "verified")
    for (const seconds of [-301, 301, Number.NaN]) assert.strictEqual(await at(seconds), "timestamp_out_of_tolerance")
    assert.strictEqual(await at(11, 10), "timestamp_out_of_tolerance")
    assert.strictEqual(await at(1000, 2000), "verified")
    assert.strictEqual(await at(0, Number.NaN), "timestamp_out_of_tolerance")
    // Without a time it is this machine's, far from the one in this test.
    assert.strictEqual(await codeOf(rawBody, headers, secretOf(1), {}), "timestamp_out_of_tolerance")
  })

  it("names missing and malformed headers and bodies", async () => {
    for (const name of ["X-Service-Signature", "X-Service-Delivery-ID"]) {
      assert.strictEqual(await codeOf(rawBody, { ...headers, [name]: undefined }), "missing_header")
      assert.strictEqual(await codeOf(rawBody, { ...headers, [name]: "" }), "missing_header")
    }
    assert.strictEqual(await codeOf(rawBody, { ...headers, "X-Service-Signature": "t=1" }), "malformed_header")
    assert.strictEqual(await codeOf("not json", sign("not json")), "malformed_body")
  })

  it("does not run without a secret", async () => {
    for (const secrets of ["", [], [""]]) {
      const failure = await verifyDelivery(rawBody, headers, secrets, { now }).catch((error: unknown) => error)
      assert.instanceOf(failure, TypeError)
    }
  })

  it.each<[unknown]>([
    [null],
    [undefined],
    [7],
    ["null"],
    ["fifteen letters"],
    ["x".repeat(129)],
    ["a secret\nof two lines"]
  ])("takes no %j for a secret, and does not repeat it", async (wrong) => {
    const signature = createHmac("sha256", String(wrong))
      .update(signedString(timestamp, headers["X-Service-Delivery-ID"]!, rawBody)).digest("hex")
    const forged = { ...headers, "X-Service-Signature": `t=${timestamp},v1=${signature}` }
    for (const secrets of [[wrong], [secretOf(1), wrong], [wrong, secretOf(1)]] as ReadonlyArray<Array<string>>) {
      const failure = await verifyDelivery(rawBody, forged, secrets, { now }).catch((error: unknown) => error)
      assert.instanceOf(failure, TypeError)
      assert.match(
        failure.message,
        /^secrets\[[01]\] must be a webhook secret, 16 to 128 printable characters, and is /
      )
      assert.notInclude(failure.message, typeof wrong === "string" ? wrong : secretOf(1))
    }
  })

  it("judges the published vectors as they say", async () => {
    assert.strictEqual(readFileSync(file, "utf8"), text, "as they are made")
    for (const { body, expected, headers: given, name, now: seconds, secrets } of published.cases) {
      const code = await codeOf(body, given, secrets, { now: seconds * 1000, tolerance: published.tolerance })
      assert.strictEqual(code, expected, name)
    }
  })

  it("agrees with the Python of docs/reference/webhooks.md on them", (context) => {
    const document = readFileSync(join(import.meta.dirname, "../../../docs/reference/webhooks.md"), "utf8")
    const source = /```python\n(import hashlib[\s\S]*?)```/.exec(document)?.[1]
    assert.isDefined(source)
    const program = `${source}
import json, sys
given = json.load(open(sys.argv[1]))
class Headers(dict):
    def __getitem__(self, name):
        return {key.lower(): value for key, value in self.items()}[name.lower()]
for case in given["cases"]:
    time.time = lambda: case["now"]
    try:
        verdict = any(genuine(case["body"].encode(), Headers(case["headers"]), secret) for secret in case["secrets"])
    except (KeyError, ValueError):
        verdict = False
    print(int(verdict))
`
    const python = spawnSync("python3", ["-c", program, file], { encoding: "utf8" })
    if (python.error !== undefined) return context.skip("there is no Python here")
    assert.strictEqual(python.stderr, "")
    // A body that is genuine and no JSON is for the caller of that function to refuse.
    const expected = published.cases.map(({ expected }) => expected === "verified" || expected === "malformed_body")
    assert.deepStrictEqual(python.stdout.trim().split("\n"), expected.map((verdict) => verdict ? "1" : "0"))
  })
})
