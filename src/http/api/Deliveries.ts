import { Schema } from "effect"
import { eventData } from "../../domain/audit/EventData.ts"
import { kinds } from "../../domain/events/EventKind.ts"
import type { EventKind } from "../../domain/events/EventKind.ts"
import { bigCount, Timestamp } from "../../domain/wire/Fields.ts"

/** The name of the payload of a kind: `LicenseActivatedDelivery`. */
const nameOf = (kind: EventKind): string =>
  `${kind.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Delivery`

const deliveryOf = (kind: EventKind) =>
  Schema.Struct({
    id: Schema.String.annotate({ description: "The id of the event. The feed lists it under the same id." }),
    type: Schema.Literal(kind).annotate({ description: "What happened." }),
    event_type: Schema.Literal(kind).annotate({ description: "The same as `type`, as the feed calls it." }),
    sequence: bigCount(1).annotate({ description: "Its place in the feed, as `X-Service-Event-Sequence`." }),
    created_at: Timestamp.annotate({ description: "When it happened." }),
    data: eventData[kind]
  }).annotate({ identifier: nameOf(kind), description: `What is delivered for \`${kind}\`.` })

/** What is delivered for each kind of event, with the name of its schema. */
export const deliveries = kinds.map((kind) => ({ kind, name: nameOf(kind), schema: deliveryOf(kind) }))
