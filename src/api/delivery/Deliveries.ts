import { Schema } from "effect"
import { WebhookEndpointInEvent } from "../../domain/delivery/webhooks/Webhook.ts"
import { testType } from "../../domain/delivery/webhooks/WebhookTest.ts"
import type { TestType } from "../../domain/delivery/webhooks/WebhookTest.ts"
import { eventData } from "../../domain/evidence/audit/EventData.ts"
import { bigCount, count, field, optional, Timestamp } from "../../domain/ground/wire/Fields.ts"
import { environmentMember } from "../../domain/ground/wire/Signed.ts"
import { kinds } from "../../domain/log/EventKind.ts"
import type { EventKind } from "../../domain/log/EventKind.ts"

/** The name of the payload of a type: `LicenseActivatedDelivery`. */
const nameOf = (type: EventKind | TestType): string =>
  `${type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Delivery`

const deliveryOf = <Data extends Schema.Top>(
  type: EventKind | TestType,
  data: Data,
  descriptions: { readonly id: string; readonly sequence: string }
) =>
  Schema.Struct({
    id: field(Schema.String, descriptions.id),
    type: field(Schema.Literal(type), "The event type."),
    event_type: field(Schema.Literal(type), "The same as `type`, as the feed calls it."),
    sequence: field(bigCount(1), descriptions.sequence),
    epoch: optional(
      count(1),
      "The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name."
    ),
    created_at: field(Timestamp, "When it happened."),
    ...environmentMember,
    data
  }).annotate({ identifier: nameOf(type), description: `The delivery of \`${type}\`.` })

const ofEvent = {
  id: "The id of the event. The feed lists it under the same id.",
  sequence: "The position in the feed, as `X-Service-Event-Sequence`."
}

const ofTest = {
  id: "The id of the test. The feed does not have it.",
  sequence: "The end of the feed; a test has no position."
}

/** The delivery of each event type, with the name of its schema. */
export const deliveries = kinds.map((kind) => ({
  kind,
  name: nameOf(kind),
  schema: deliveryOf(kind, eventData[kind], ofEvent)
}))

/** The delivery of a test of an endpoint. It is not an event type. */
export const testDelivery = {
  name: nameOf(testType),
  schema: deliveryOf(testType, WebhookEndpointInEvent, ofTest)
}
