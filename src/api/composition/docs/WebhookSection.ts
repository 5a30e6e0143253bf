import { headerNames } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import { testType } from "../../../domain/delivery/webhooks/WebhookTest.ts"
import { deliveries, testDelivery } from "../../delivery/Deliveries.ts"
import { kindTexts } from "./KindTexts.ts"
import { reference } from "./Schemas.ts"
import type { Node } from "./Schemas.ts"

const text = { type: "string" }

/** The headers of a delivery: what each carries, and an example. */
const headerTexts: Readonly<Record<string, readonly [description: string, schema: Node, example: unknown]>> = {
  [headerNames.signature]: [
    "`t=<unix seconds>` and one `v1=<hex>` for each live secret: HMAC-SHA-256 over `<t>.<delivery id>.<raw body>`. " +
    "Verify " +
    "the bytes as they arrived, before any JSON parsing, and refuse a `t` that is not within five minutes.",
    text,
    "t=1795257000,v1=5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b"
  ],
  [headerNames.deliveryId]: [
    "The delivery: the same on every attempt. Drop those that you have seen.",
    text,
    "dlv_06eqpx1trxz3h94vqjm3a6kz7c"
  ],
  [headerNames.sequence]: [
    "The position of the event in the feed, by which you find gaps.",
    { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    42
  ],
  [headerNames.epoch]: [
    "The epoch of that position: 1 until the log is restored. Not signed; the `epoch` in the body is.",
    { type: "integer", format: "int32", minimum: 1, maximum: 999_999_999 },
    1
  ],
  [headerNames.type]: ["The event type, as `type` in the body.", text, "license.activated"],
  [headerNames.standardId]: [
    "The same as `X-Service-Delivery-ID` (Standard Webhooks).",
    text,
    "dlv_06eqpx1trxz3h94vqjm3a6kz7c"
  ],
  [headerNames.standardTimestamp]: ["Unix seconds (Standard Webhooks).", text, "1795257000"],
  [headerNames.standardSignature]: [
    "`v1,<base64>` for each live secret, separated by spaces, over `<delivery id>.<unix seconds>.<raw body>` " +
    "(Standard " +
    "Webhooks).",
    text,
    "v1,q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="
  ],
  traceparent: [
    "The span of this attempt (W3C Trace Context), if the service is traced. Not signed.",
    text,
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  ]
}

/** Every type of delivery, with the name of its schema, and when it is sent. */
const sent: ReadonlyArray<{ readonly type: string; readonly name: string; readonly description: string }> = [
  ...deliveries.map(({ kind, name }) => ({
    type: kind,
    name,
    description: `${kindTexts[kind]} Delivered at least once, and mostly in the order of \`sequence\`.`
  })),
  {
    type: testType,
    name: testDelivery.name,
    description:
      "A test of the endpoint: verify it and respond with 2xx. It is not an event, not in the feed, and sent " +
      "once."
  }
]

/** The headers that a delivery need not have. */
const optional: ReadonlySet<string> = new Set(["traceparent"])

const answers: Node = {
  "2XX": { description: "Delivered. Respond within 10 seconds and process the event afterwards." },
  "410": { description: "The endpoint is disabled: nothing more is delivered to it." },
  "default": {
    description:
      "Any other response, or none, is retried: 13 attempts over about 76 hours. After a 429 or a 503, the " +
      "retry waits for `Retry-After`."
  }
}

const parameterName = (header: string): string =>
  header.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

/** Describes every delivery, with its headers, as `webhooks`. */
export const describeDeliveries = (document: Node): void => {
  const { components } = document
  for (const { name } of sent) {
    components.schemas[name].properties.data.description = "The resource after the event."
  }
  for (const [name, [description, schema, example]] of Object.entries(headerTexts)) {
    const required = !optional.has(name)
    components.parameters[parameterName(name)] = { name, in: "header", required, description, schema, example }
  }
  components.responses["Delivered"] = answers["2XX"]
  components.responses["EndpointGone"] = answers["410"]
  components.responses["DeliveryRetried"] = answers["default"]
  document["webhooks"] = Object.fromEntries(sent.map(({ description, name, type }) => [type, {
    post: {
      tags: ["Webhooks"],
      operationId: `on${name.replace(/Delivery$/, "")}`,
      summary: type,
      description,
      security: [],
      parameters: Object.keys(headerTexts).map((name) => ({ $ref: `#/components/parameters/${parameterName(name)}` })),
      requestBody: {
        description: "Canonical JSON (RFC 8785), signed as it is.",
        required: true,
        content: { "application/json": { schema: reference(name) } }
      },
      responses: {
        "2XX": { $ref: "#/components/responses/Delivered" },
        "410": { $ref: "#/components/responses/EndpointGone" },
        "default": { $ref: "#/components/responses/DeliveryRetried" }
      }
    }
  }]))
}
