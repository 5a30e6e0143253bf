import { assert, describe, it } from "@effect/vitest"
import { createHash, createHmac } from "node:crypto"
import * as StandardWebhooks from "standardwebhooks"
import { Stripe } from "stripe"
import * as Svix from "svix"
import type { HmacSha256 } from "../../../../src/domain/delivery/webhooks/WebhookSignature.ts"
import * as WebhookSignature from "../../../../src/domain/delivery/webhooks/WebhookSignature.ts"
import * as Id from "../../../../src/domain/ground/wire/Id.ts"
import { formatWebhookSecret } from "../../../../src/domain/keys/security/WebhookSecret.ts"

const hmac: HmacSha256 = (key, data) => createHmac("sha256", key).update(data).digest()
const secretOf = (fill: number, length = 32) => formatWebhookSecret(new Uint8Array(length).fill(fill))

const secrets = [secretOf(1), secretOf(250, 64)]

const attempt: WebhookSignature.Attempt = {
  deliveryId: "dlv_06eqpx1trxz3h94vqjm3a6kz7c",
  sequence: 42n,
  type: "license.activated",
  timestamp: Math.floor(Date.now() / 1000),
  rawBody: `{"data":{"name":"Zoë 😀"},"id":"evt_1"}`,
  keys: secrets.map(WebhookSignature.signingKeys)
}
const headers = WebhookSignature.deliveryHeaders(attempt, hmac)

describe("the signature of a delivery", () => {
  it("is the documented HMAC for each live secret", () => {
    const expected = secrets.map((secret) =>
      createHmac("sha256", Buffer.from(secret, "utf8"))
        .update(Buffer.from(`${attempt.timestamp}.${attempt.deliveryId}.${attempt.rawBody}`, "utf8")).digest("hex")
    )
    assert.strictEqual(
      headers["X-Service-Signature"],
      `t=${attempt.timestamp},v1=${expected[0]},v1=${expected[1]}`
    )
    assert.strictEqual(headers["X-Service-Delivery-ID"], attempt.deliveryId)
    assert.strictEqual(headers["X-Service-Event-Sequence"], "42")
    assert.strictEqual(headers["X-Service-Event-Type"], "license.activated")
  })

  it("verifies with standardwebhooks and svix, with any live secret", () => {
    for (const secret of secrets) {
      const expected = JSON.parse(attempt.rawBody)
      assert.deepStrictEqual(new StandardWebhooks.Webhook(secret).verify(attempt.rawBody, headers), expected)
      assert.deepStrictEqual(new Svix.Webhook(secret).verify(attempt.rawBody, headers), expected)
    }
    for (const verifier of [new StandardWebhooks.Webhook(secretOf(2)), new Svix.Webhook(secretOf(2))]) {
      assert.throws(() => verifier.verify(attempt.rawBody, headers))
    }
    assert.throws(() => new StandardWebhooks.Webhook(secrets[0]!).verify(`${attempt.rawBody} `, headers))
  })

  it("verifies with every kit under a secret of the receiver's own, whose bytes are the key", () => {
    for (const secret of ["correct horse, battery staple", "whsec_correct-horse-battery"]) {
      const given = WebhookSignature.deliveryHeaders(
        { ...attempt, keys: [WebhookSignature.signingKeys(secret)] },
        hmac
      )
      const expected = JSON.parse(attempt.rawBody)
      for (const Kit of [StandardWebhooks.Webhook, Svix.Webhook]) {
        assert.deepStrictEqual(new Kit(secret, { format: "raw" }).verify(attempt.rawBody, given), expected)
        assert.throws(() => new Kit(`${secret}.`, { format: "raw" }).verify(attempt.rawBody, given))
      }
      assert.isTrue(Stripe.webhooks.signature!.verifyHeader(
        `${attempt.deliveryId}.${attempt.rawBody}`,
        given["X-Service-Signature"]!,
        secret,
        300
      ))
    }
  })

  it("verifies with stripe, with any live secret", () => {
    const verify = (rawBody: string, secret: string) =>
      Stripe.webhooks.signature!.verifyHeader(
        `${attempt.deliveryId}.${rawBody}`,
        headers["X-Service-Signature"]!,
        secret,
        300
      )
    for (const secret of secrets) assert.isTrue(verify(attempt.rawBody, secret))
    assert.throws(() => verify(attempt.rawBody, secretOf(2)))
    assert.throws(() => verify(`${attempt.rawBody} `, secrets[0]!))
  })

  it("refuses to sign with what is no secret, without repeating it", () => {
    assert.throws(
      () => WebhookSignature.signingKeys("hunter2"),
      /^A webhook secret is malformed$/
    )
  })
})

describe("deliveryId", () => {
  const sha256 = (...parts: ReadonlyArray<Uint8Array | string>) => createHash("sha256").update(parts.join("")).digest()

  it("depends on endpoint and event alone and looks like an id", () => {
    const id = WebhookSignature.deliveryId("whk_1", "evt_1", sha256)
    assert.strictEqual(id, WebhookSignature.deliveryId("whk_1", "evt_1", sha256))
    assert.isTrue(Id.is("dlv", id))
    const digest = createHash("sha256").update("whk_1.evt_1").digest("hex")
    let value = BigInt(`0x${digest.slice(0, 32)}`)
    let expected = ""
    for (; expected.length < 26; value /= 32n) {
      expected = "0123456789abcdefghjkmnpqrstvwxyz"[Number(value % 32n)] + expected
    }
    assert.strictEqual(id, `dlv_${expected}`)
    const others = [["whk_2", "evt_1"], ["whk_1", "evt_2"], ["whk_", "1evt_1"], ["evt_1", "whk_1"]] as const
    for (const [endpoint, event] of others) {
      assert.notStrictEqual(WebhookSignature.deliveryId(endpoint, event, sha256), id)
    }
  })
})

describe("parseSignature", () => {
  const hex = "ab".repeat(32)

  it("reads what was written", () => {
    const parsed = WebhookSignature.parseSignature(headers["X-Service-Signature"]!)
    assert.isDefined(parsed)
    assert.strictEqual(parsed.timestamp, attempt.timestamp)
    assert.lengthOf(parsed.signatures, 2)
    const signed = WebhookSignature.signedString(attempt.timestamp, attempt.deliveryId, attempt.rawBody)
    assert.deepStrictEqual(Buffer.from(parsed.signatures[1]!), hmac(secrets[1]!, signed))
  })

  it("passes over unknown schemes and takes spaces and upper case", () => {
    const parsed = WebhookSignature.parseSignature(`v0=zz, t=12, v1=${hex.toUpperCase()}, v2=new`)
    assert.deepStrictEqual(parsed, { timestamp: 12, signatures: [Uint8Array.from(Buffer.from(hex, "hex"))] })
  })

  it("refuses everything else", () => {
    const wrongs = [
      "",
      "t=12",
      `v1=${hex}`,
      `t=12,t=13,v1=${hex}`,
      `t=-12,v1=${hex}`,
      `t=1e3,v1=${hex}`,
      `t=,v1=${hex}`,
      `t=12,v1=${hex.slice(2)}`,
      `t=12,v1=${hex.slice(2)}zz`,
      `t=12,v1=${hex},v1=`,
      `t=12,v1=${hex},`,
      `t=12,v2=${hex}`,
      `t=12,${`v1=${hex},`.repeat(70)}v1=${hex}`
    ]
    for (const wrong of wrongs) assert.isUndefined(WebhookSignature.parseSignature(wrong), wrong)
  })
})
