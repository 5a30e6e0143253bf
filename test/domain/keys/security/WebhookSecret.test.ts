import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as WebhookSecret from "../../../../src/domain/keys/security/WebhookSecret.ts"

const bytes = (minimum: number, maximum = minimum) =>
  Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), {
      minLength: minimum,
      maxLength: maximum
    }),
    (all) => Uint8Array.from(all)
  )

describe("webhook secrets", () => {
  it.prop("carry their bytes", [bytes(24, 64)], ([random]) => {
    const secret = WebhookSecret.formatWebhookSecret(random)
    assert.strictEqual(secret, `whsec_${Buffer.from(random).toString("base64")}`)
    assert.isTrue(WebhookSecret.isWebhookSecret(secret))
    assert.deepStrictEqual(WebhookSecret.webhookSecretKeyBytes(secret), random)
    assert.strictEqual(WebhookSecret.webhookSecretPrefix(secret), secret.slice(0, 10))
  })

  it("are given to an endpoint only where libraries can verify with them, and a refusal says the cure", () => {
    const standard = `whsec_${Buffer.alloc(32, 0xfb).toString("base64")}`
    const { fault, pattern } = { fault: WebhookSecret.webhookSecretFault, pattern: WebhookSecret.webhookSecretPattern }
    const urlSafe = standard.replaceAll("+", "-").replaceAll("/", "_")
    const cures = [
      [standard.replaceAll("=", ""), /: pad it with = to a multiple of 4 characters, or leave out whsec_$/],
      [urlSafe, /: write \+ and \/ in place of - and _, or leave out whsec_$/],
      [urlSafe.replaceAll("=", ""), /: write .* - and _ and pad it with = /],
      [standard.replace(/.=$/, "1="), /: encode the bytes again, or leave out whsec_$/],
      ["whsec_correct-horse-battery", /: write .* and pad it/],
      ["whsec_four words of one's own", /whsec_/]
    ] as const
    for (const [secret, cure] of cures) {
      assert.match(fault(secret)!, cure)
      assert.notInclude(fault(secret), secret.slice(6))
      assert.notMatch(secret, new RegExp(pattern, "u"))
    }
    for (const secret of [standard, standard.slice(6), "correct horse, battery staple", urlSafe.slice(6)]) {
      assert.isUndefined(fault(secret), secret)
      assert.match(secret, new RegExp(pattern, "u"))
    }
    assert.match(fault("short")!, /16 to 128/)
  })

  it("may be any 16 to 128 printable characters, which are the key unless they are base64", () => {
    const encode = (length: number) => `whsec_${Buffer.alloc(length, 0xfb).toString("base64")}`
    for (const length of [12, 24, 64]) {
      assert.deepStrictEqual(WebhookSecret.webhookSecretKeyBytes(encode(length)), new Uint8Array(length).fill(0xfb))
    }
    const own = [
      "x".repeat(16),
      "é".repeat(128),
      "😀".repeat(128),
      "correct horse, battery staple",
      encode(32).replace("whsec_", "WHSEC_"),
      encode(32).slice(6),
      encode(32).replaceAll("+", "-"),
      encode(25).replaceAll("=", ""),
      `${encode(25).slice(0, -3)}/==`,
      `${encode(24)}==`
    ]
    for (const secret of own) {
      assert.deepStrictEqual(WebhookSecret.webhookSecretKeyBytes(secret), new TextEncoder().encode(secret), secret)
    }
    const wrongs = [
      "",
      "x".repeat(15),
      "x".repeat(1001),
      "😀".repeat(15),
      `${encode(24)}\n`,
      `${"x".repeat(16)}\u0000`,
      `${"x".repeat(16)}\u2028`
    ]
    for (const wrong of wrongs) {
      assert.isFalse(WebhookSecret.isWebhookSecret(wrong), wrong)
      assert.isUndefined(WebhookSecret.webhookSecretKeyBytes(wrong), wrong)
    }
    assert.strictEqual(WebhookSecret.webhookSecretPrefix("correct horse, battery staple"), "corr")
    assert.throws(() => WebhookSecret.formatWebhookSecret(new Uint8Array(23)), RangeError)
    assert.throws(() => WebhookSecret.formatWebhookSecret(new Uint8Array(65)), RangeError)
  })
})
