import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { WebhookHealth } from "../../domain/delivery/WebhookHealth.ts"
import { testType, WebhookTestResult } from "../../domain/delivery/webhooks/LastOutcome.ts"
import type { TestType } from "../../domain/delivery/webhooks/LastOutcome.ts"
import {
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointInEvent,
  WebhookEndpointResumed,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret
} from "../../domain/delivery/webhooks/Webhook.ts"
import { eventData } from "../../domain/evidence/audit/EventData.ts"
import { PreconditionFailed, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { bigCount, count, field, optional, Timestamp } from "../../domain/ground/wire/Fields.ts"
import { environmentMember } from "../../domain/ground/wire/Signed.ts"
import { kinds } from "../../domain/log/EventKind.ts"
import type { EventKind } from "../../domain/log/EventKind.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { changedQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

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

export class Webhooks extends HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.get("listWebhookEndpoints", "/api/v1/webhooks", {
    query: changedQuery,
    success: page(WebhookEndpoint),
    error: listErrors
  }).pipe(
    declare({
      scope: "webhook:write",
      products: "refused",
      summary: "List webhook endpoints",
      description: "All webhook endpoints, newest first. No secret is shown."
    })
  ),
  HttpApiEndpoint.post("createWebhookEndpoint", "/api/v1/webhooks", {
    payload: WebhookEndpointCreate,
    success: created(WebhookEndpointWithSecret),
    error: bodyErrors
  }).pipe(declare({
    scope: "webhook:write",
    products: "refused",
    action: "webhook.created",
    answerKept: "last-step",
    summary: "Create a webhook endpoint",
    description:
      "Registers an endpoint URL for events. Events that are committed afterwards are delivered to it. The " +
      "secret is shown only in this response. `meta.warnings` has a warning if DNS cannot resolve the name in " +
      "`url` now."
  })),
  HttpApiEndpoint.get("getWebhookEndpoint", "/api/v1/webhooks/:id", {
    params: { id: pathId },
    success: one(WebhookEndpoint),
    error: resourceErrors
  }).pipe(
    declare({
      scope: "webhook:write",
      products: "refused",
      conditional: "resource",
      summary: "Read a webhook endpoint",
      description: "One webhook endpoint by its ID, without its secret."
    })
  ),
  HttpApiEndpoint.patch("updateWebhookEndpoint", "/api/v1/webhooks/:id", {
    params: { id: pathId },
    payload: WebhookEndpointUpdate,
    success: one(
      Schema.Union([WebhookEndpointWithSecret, WebhookEndpoint]).annotate({
        identifier: "WebhookEndpointUpdateResponse",
        description: "With the secret when it was given or rotated, otherwise the endpoint alone."
      })
    ),
    error: [...resourceErrors, ...bodyErrors, PreconditionFailed]
  }).pipe(declare({
    scope: "webhook:write",
    products: "refused",
    action: "webhook.updated",
    conditional: "resource",
    answerKept: "last-step",
    summary: "Change a webhook endpoint",
    consequenceOf: {
      url: "Deliveries go to the new URL from now on, including the backlog.",
      secret:
        "Deliveries are signed with the new secret. Until the overlap ends, they carry signatures of both secrets.",
      "is_active=false":
        "Deliveries stop. New events queue up and are delivered in order after the endpoint is resumed.",
      "is_active=true": "The backlog is delivered in order, oldest first.",
      "ordered=true": "Deliveries are sent one at a time, in order. A failed delivery blocks the ones after it.",
      "ordered=false": "Several deliveries are sent at once.",
      "rotate_secret=true":
        "The endpoint gets a new signing secret, which is shown only once. Until the overlap ends, " +
        "deliveries carry signatures of both secrets."
    },
    description: "Changes, pauses or resumes a webhook endpoint, or rotates its secret. A paused endpoint keeps its " +
      "position in the feed and continues there when it is resumed. After a rotation, previous secrets " +
      "continue to sign for a day, or for `secret_overlap_seconds`."
  })),
  HttpApiEndpoint.delete("deleteWebhookEndpoint", "/api/v1/webhooks/:id", {
    params: { id: pathId },
    success: noContent,
    error: [...resourceErrors, PreconditionFailed]
  }).pipe(declare({
    scope: "webhook:write",
    products: "refused",
    action: "webhook.deleted",
    conditional: "resource",
    summary: "Delete a webhook endpoint",
    consequence: "The endpoint receives no more events, and its backlog is discarded.",
    risk: "final",
    description: "Ends its deliveries: no delivery starts later than a second after this."
  })),
  HttpApiEndpoint.post("resumeWebhookEndpointFromNow", "/api/v1/webhooks/:id/resume-from-now", {
    params: { id: pathId },
    success: one(WebhookEndpointResumed),
    error: [...resourceErrors, StateConflict]
  }).pipe(declare({
    scope: "webhook:write",
    products: "refused",
    action: "webhook.skipped",
    answerKept: "last-step",
    summary: "Resume an endpoint from now",
    consequence: "The backlog is discarded. Only new events are delivered.",
    description:
      "Resumes a paused or disabled endpoint with new events only. Pending events and retries are skipped; " +
      "`skipped_events` and the event `webhook.skipped` have their number. An active endpoint is 409. To " +
      "deliver the pending events instead, `PATCH` the endpoint with `is_active: true`."
  })),
  HttpApiEndpoint.post("testWebhookEndpoint", "/api/v1/webhooks/:id/test", {
    params: { id: pathId },
    success: one(WebhookTestResult),
    error: resourceErrors
  }).pipe(declare({
    scope: "webhook:write",
    products: "refused",
    action: "webhook.tested",
    answerKept: "none",
    summary: "Test a webhook endpoint",
    description:
      "Sends one delivery of the type `webhook.test` now, with the signatures and headers of any other, and " +
      "returns the result within 15 seconds. Works for a paused endpoint too. The test is not in the feed or " +
      "in any metric, and no response to it disables the endpoint. At most ten per minute and endpoint."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

export class Ops extends HttpApiGroup.make("ops").add(
  HttpApiEndpoint.get("getWebhookHealth", "/api/v1/ops/webhook-health", {
    success: one(WebhookHealth)
  }).pipe(declare({
    scope: "ops:read",
    products: "refused",
    summary: "Read delivery health",
    description: "How deliveries are doing, over all endpoints. " +
      "At most 2 seconds old. `down` is the service's own fault, `degraded` that of receivers."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
