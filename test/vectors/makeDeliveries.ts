// Writes deliveries.json: deliveries made from fixed inputs, genuine ones and others, so that a receiver in any language
// can be checked. It follows docs/reference/webhooks.md with the platform's cryptography alone and uses none of the code it is
// there to check. Run it with `npx node test/vectors/makeDeliveries.ts`.
import { createHmac } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const secretOf = (from: number, length: number): string =>
  `whsec_${Buffer.from(Array.from({ length }, (_, index) => from + index)).toString("base64")}`

const current = secretOf(1, 32)
const previous = secretOf(0x60, 24)
const foreign = secretOf(0x20, 32)
/** Of the receiver's own making, one with a prefix that promises base64 and does not keep it. */
const chosen = "correct horse, battery staple"
const unicode = "schöne Grüße 😀 aus Köln"
const promising = "whsec_correct-horse-battery"

const deliveryId = "dlv_06eqpx1trxz3h94vqjm3a6kz7c"
const timestamp = 1_795_257_000
const body = "{\"created_at\":\"2026-11-21T10:30:00.000Z\",\"data\":{\"name\":\"Zoë 😀 \\u0000\",\"seats\":1}," +
  "\"event_type\":\"license.activated\",\"id\":\"evt_06eqpx1trxz3h94vqjm3a6kz7d\",\"sequence\":42,\"type\":\"license.activated\"}"

/** The headers of a delivery. */
const sign = (rawBody: string, secrets: ReadonlyArray<string>, at = timestamp) => ({
  "X-Service-Delivery-ID": deliveryId,
  "X-Service-Event-Sequence": "42",
  "X-Service-Event-Type": "license.activated",
  "X-Service-Signature": [
    `t=${at}`,
    ...secrets.map((secret) =>
      `v1=${createHmac("sha256", secret).update(`${at}.${deliveryId}.${rawBody}`).digest("hex")}`
    )
  ].join(","),
  "webhook-id": deliveryId,
  "webhook-timestamp": String(at),
  "webhook-signature": secrets.map((secret) => {
    const isBase64 = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(secret)
    const key = isBase64 ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret)
    return `v1,${createHmac("sha256", key).update(`${deliveryId}.${at}.${rawBody}`).digest("base64")}`
  }).join(" ")
})

const signed = sign(body, [current])
const twice = body.replace(`"id":`, `"id":"evt_06eqpx1trxz3h94vqjm3a6kz7e","id":`)
const { "X-Service-Signature": signature, ...unsigned } = signed
const withSignature = (value: string) => ({ ...unsigned, "X-Service-Signature": value })
const { "X-Service-Delivery-ID": _id, ...anonymous } = signed
const later = signature.replace(`t=${timestamp}`, `t=${timestamp + 1}`)

/** The vectors as they stand in deliveries.json. `now` is in Unix seconds; every case has a tolerance of 300 seconds. */
export const vectors = {
  signed_string_utf8: `${timestamp}.${deliveryId}.${body}`,
  tolerance: 300,
  cases: [
    { name: "genuine", expected: "verified", body, headers: signed, secrets: [current], now: timestamp },
    {
      name: "signed by two secrets, the receiver has the older one",
      expected: "verified",
      body,
      headers: sign(body, [current, previous]),
      secrets: [previous],
      now: timestamp
    },
    {
      name: "the receiver has two secrets, the second one signed",
      expected: "verified",
      body,
      headers: signed,
      secrets: [previous, current],
      now: timestamp
    },
    ...[chosen, unicode, promising].map((secret) => ({
      name: `a secret of the receiver's own: ${secret}`,
      expected: "verified",
      body,
      headers: sign(body, [secret]),
      secrets: [secret],
      now: timestamp
    })),
    {
      name: "300 seconds old",
      expected: "verified",
      body,
      headers: signed,
      secrets: [current],
      now: timestamp + 300
    },
    {
      name: "a scheme of the future beside v1",
      expected: "verified",
      body,
      headers: { ...signed, "X-Service-Signature": `${signature},v2=abc` },
      secrets: [current],
      now: timestamp
    },
    {
      name: "its header in capitals, and a space behind the comma",
      expected: "verified",
      body,
      headers: withSignature(signature.replace(/,v1=(.*)/, (_, hex) => `, v1=${hex.toUpperCase()}`)),
      secrets: [current],
      now: timestamp
    },
    {
      name: "names of headers in small letters",
      expected: "verified",
      body,
      headers: Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value])),
      secrets: [current],
      now: timestamp
    },
    {
      name: "301 seconds old",
      expected: "timestamp_out_of_tolerance",
      body,
      headers: signed,
      secrets: [current],
      now: timestamp + 301
    },
    {
      name: "301 seconds ahead",
      expected: "timestamp_out_of_tolerance",
      body,
      headers: signed,
      secrets: [current],
      now: timestamp - 301
    },
    {
      name: "another secret",
      expected: "signature_mismatch",
      body,
      headers: signed,
      secrets: [foreign],
      now: timestamp
    },
    {
      name: "the body parsed and written again",
      expected: "signature_mismatch",
      body: JSON.stringify(JSON.parse(body), null, 2),
      headers: signed,
      secrets: [current],
      now: timestamp
    },
    {
      name: "another delivery id",
      expected: "signature_mismatch",
      body,
      headers: { ...signed, "X-Service-Delivery-ID": `${deliveryId.slice(0, -1)}d` },
      secrets: [current],
      now: timestamp
    },
    {
      name: "another timestamp",
      expected: "signature_mismatch",
      body,
      headers: { ...signed, "X-Service-Signature": later },
      secrets: [current],
      now: timestamp
    },
    {
      name: "no signature",
      expected: "missing_header",
      body,
      headers: unsigned,
      secrets: [current],
      now: timestamp
    },
    {
      name: "an empty signature",
      expected: "missing_header",
      body,
      headers: withSignature(""),
      secrets: [current],
      now: timestamp
    },
    {
      name: "no delivery id",
      expected: "missing_header",
      body,
      headers: anonymous,
      secrets: [current],
      now: timestamp
    },
    ...[
      ["a signature without a name", "genuine"],
      ["no timestamp", signature.replace(/^t=.*?,/, "")],
      ["two timestamps", `t=${timestamp},${signature}`],
      ["a timestamp with a sign", signature.replace("t=", "t=+")],
      ["a timestamp of 13 digits", signature.replace("t=", "t=000")],
      ["a v1 of 63 digits", signature.slice(0, -1)],
      ["a v1 that is not hex", signature.replace(/.$/, "g")],
      ["a v1 that is not hex beside a genuine one", `${signature},v1=${"g".repeat(64)}`]
    ].map(([name, value]) => ({
      name: name!,
      expected: "malformed_header",
      body,
      headers: withSignature(value!),
      secrets: [current],
      now: timestamp
    })),
    {
      name: "no v1 in the signature",
      expected: "malformed_header",
      body,
      headers: { ...signed, "X-Service-Signature": `t=${timestamp}` },
      secrets: [current],
      now: timestamp
    },
    {
      name: "genuine, and no JSON",
      expected: "malformed_body",
      body: "not JSON",
      headers: sign("not JSON", [current]),
      secrets: [current],
      now: timestamp
    },
    {
      name: "genuine, and a name twice",
      expected: "malformed_body",
      body: twice,
      headers: sign(twice, [current]),
      secrets: [current],
      now: timestamp
    }
  ]
}

/** The text of deliveries.json. */
export const text = `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "deliveries.json"), text)
