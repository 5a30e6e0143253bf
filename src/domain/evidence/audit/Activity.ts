import { Schema } from "effect"
import { ShownDimensions } from "../../catalog/Dimensions.ts"
import { membersOf } from "../../ground/parsing/JsonMembers.ts"
import { anyBigCount, field, httpStatus, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { AuditActorType, kinds } from "../../log/EventKind.ts"
import type { EventKind, ResourceType } from "../../log/EventKind.ts"
import { resourceTypeOf } from "../../log/EventKind.ts"
import { ActivityChange } from "./ActivityChange.ts"

/** Operations that leave no event when they succeed. Only their refusals are activities. */
const silentActions = [
  "license.validated",
  "license.checked",
  "lease.extended",
  "webhook.tested",
  "purchase.owner_decided",
  "purchase.retried",
  "billing_connection.reconciled"
] as const

/** What happened, or what a refused request asked for: an event kind, or an operation that leaves no event. */
export const ActivityAction = Schema.Literals([...kinds, ...silentActions]).annotate({
  identifier: "ActivityAction",
  description:
    `An event type. A refusal has the type that the request would have caused, or one of ${
      silentActions.join(", ")
    }, which have ` +
    "no event if they succeed."
})
export type ActivityAction = typeof ActivityAction.Type

/** The origin of the request. */
export const ActivitySource = Schema.Literals(["management", "runtime", "system"]).annotate({
  identifier: "ActivitySource",
  description: "`management`: an API key or a person. `runtime`: a license key. `system`: the service itself."
})
export type ActivitySource = typeof ActivitySource.Type

/** How it ended. */
export const ActivityResult = Schema.Literals(["success", "refused", "failed"]).annotate({
  identifier: "ActivityResult",
  description: "`refused`: the response had the error in `code`, and nothing changed. `failed`: work of the service " +
    "itself failed."
})
export type ActivityResult = typeof ActivityResult.Type

/** What the ids in an activity stand for, in words, so that nobody has to ask for each of them. */
const ActivityNames = Schema.Struct({
  product: optional(Schema.String, "The name of the product."),
  policy: optional(Schema.String, "The name of the policy of the license."),
  customer: optional(Schema.String, "The name of the customer, or the one on a license that has no customer."),
  device: optional(Schema.String, "The host name of the device."),
  resource: optional(Schema.String, "The name of any other resource as the event has it, for example of a policy.")
}).annotate({
  identifier: "ActivityNames",
  description:
    "The names behind the IDs in an activity. Erased names are absent, and those that the caller may not see.",
  examples: [{ product: "Acme Draft", policy: "Team, yearly", customer: "Ada Lovelace" }]
})
export type ActivityNames = typeof ActivityNames.Type

/** Who did what to which license, when, and with what outcome. */
export const Activity = Schema.Struct({
  id: Id.text("act"),
  occurred_at: field(Timestamp, "Time when it happened."),
  action: ActivityAction,
  source: ActivitySource,
  actor_type: AuditActorType,
  actor_id: field(
    Schema.String,
    "The actor: the ID of the API key, of the person or of the license; `system` for the service."
  ),
  result_class: ActivityResult,
  status_code: optional(httpStatus, "The status of the response; absent for work of the service itself."),
  code: optional(Schema.String, "The error code of a refusal."),
  resource_type: optional(Schema.String, "The type of the resource."),
  resource_id: optional(Schema.String, "The ID of the resource."),
  product_id: Schema.optionalKey(Id.text("prod")),
  customer_id: optional(Schema.String, "Whose it was at that time."),
  license_id: Schema.optionalKey(Id.text("lic")),
  order_id: Schema.optionalKey(Id.text("ord")),
  subscription_id: Schema.optionalKey(Id.text("sub")),
  device_id: Schema.optionalKey(Id.text("dev")),
  feature_code: optional(Schema.String, "The code of the feature."),
  amount: optional(anyBigCount, "The amount of the usage event."),
  dimensions: Schema.optionalKey(ShownDimensions),
  request_id: optional(Schema.String, "The ID of the request. Include it when you contact support."),
  audit_event_id: optional(Schema.String, "The event of the audit-backed feed; a refusal has none."),
  reason: optional(
    Schema.String,
    "Why, as the person said who did it; absent where nothing was said, or the customer was erased."
  ),
  actor_name: optional(
    Schema.String,
    "The name of the actor: of a person as it was then, or of an API key. Only with `include_names`."
  ),
  actor_roles: optional(
    Schema.Array(Schema.String),
    "The names of the roles that the person had then. Only with `include_names`."
  ),
  opened_by: optional(
    Schema.String,
    "The ID of the person or API key by whose link or invitation the session of the actor was opened. Only with `include_names`."
  ),
  opener_name: optional(
    Schema.String,
    "The name of the person by whose link or invitation the session of the actor was opened. Only with `include_names`."
  ),
  names: Schema.optionalKey(ActivityNames),
  changes: optional(
    Schema.Array(ActivityChange),
    "The fields that changed. Only with `include_changes`, and absent where the resource was created, nothing can be compared, or " +
      "what was before is archived."
  ),
  withheld: optional(
    Schema.String,
    "The scope that the caller lacks to see what was changed, and the resource as it was."
  )
}).annotate({
  identifier: "Activity",
  description: "The actor, the action, the license, the time and the result.",
  examples: [{
    id: "act_06eqpx1trxz3h94vqjm3a6kz7c",
    occurred_at: "2026-11-21T10:30:00.000Z",
    action: "license.activated",
    source: "runtime",
    actor_type: "license",
    actor_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    result_class: "refused",
    status_code: 403,
    code: "ACTIVATION_LIMIT_EXCEEDED",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c"
  }]
})
export type Activity = typeof Activity.Type

/** An activity by itself, with the resource as it was then. */
export const ActivityRecord = Schema.Struct({
  ...Activity.fields,
  resource: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description:
        "The resource as the activity left it, or the part of it that changed; absent for a refusal. Erased values are absent.",
      examples: [{ id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "suspended" }]
    })
  ),
  license: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description:
        "The whole license as it was right after the activity, where `resource` is only a part or a device of it.",
      examples: [{ id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "active" }]
    })
  ),
  is_erased: field(Schema.Boolean, "Whether personal values of the event were erased since.")
}).annotate({
  identifier: "ActivityRecord",
  description: "An activity with what it changed, the names behind its IDs, and the resource as it was then.",
  examples: [{
    id: "act_06eqpx1trxz3h94vqjm3a6kz7c",
    occurred_at: "2026-11-21T10:30:00.000Z",
    action: "license.suspended",
    source: "management",
    actor_type: "person",
    actor_id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    result_class: "success",
    status_code: 200,
    resource_type: "license",
    resource_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c",
    audit_event_id: "evt_06eqpx1trxz3h94vqjm3a6kz7c",
    reason: "Chargeback in_77",
    actor_name: "Jun Sato",
    actor_roles: ["Support"],
    names: { product: "Acme Draft", policy: "Team, yearly", customer: "Ada Lovelace" },
    changes: [{ member: "status", before: "active", after: "suspended" }],
    resource: { id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "suspended" },
    is_erased: false
  }]
})
export type ActivityRecord = typeof ActivityRecord.Type

/** What an activity is about, as far as its event says; the license says the rest. */
export interface ActivitySubject {
  readonly product_id?: string
  readonly customer_id?: string
  readonly license_id?: string
  readonly order_id?: string
  readonly subscription_id?: string
  readonly device_id?: string
  readonly feature_code?: string
}

const ownId: Readonly<Partial<Record<ResourceType, keyof ActivitySubject>>> = {
  product: "product_id",
  customer: "customer_id",
  license: "license_id",
  order: "order_id",
  subscription: "subscription_id",
  device: "device_id"
}

const mentioned = [
  "product_id",
  "customer_id",
  "license_id",
  "order_id",
  "subscription_id",
  "device_id",
  "feature_code"
] as const

const text = (value: unknown): string | undefined => typeof value === "string" && value !== "" ? value : undefined

/**
 * What an event is about, read from its resource, from the order and the subscription in its metadata, and from the
 * state in which it left the resource.
 */
export const subjectOf = (event: {
  readonly type: EventKind
  readonly resourceId: string
  readonly data: object
  readonly metadata?: object
}): ActivitySubject => {
  const data = membersOf(event.data)
  const metadata = membersOf(event.metadata)
  const subject: { -readonly [Member in keyof ActivitySubject]: ActivitySubject[Member] } = {}
  for (const member of mentioned) {
    const value = text(metadata[member]) ?? text(data[member])
    if (value !== undefined) subject[member] = value
  }
  const device = text(membersOf(data["device"])["id"])
  if (device !== undefined) subject.device_id = device
  const code = event.type.startsWith("feature.") ? text(data["code"]) : undefined
  if (code !== undefined) subject.feature_code = code
  const own = ownId[resourceTypeOf(event.type)]
  if (own !== undefined) subject[own] = event.resourceId
  return subject
}

/** Which door an actor of this type comes through. */
export const sourceOf = (actor: AuditActorType): ActivitySource =>
  actor === "license" ? "runtime" : actor === "system" ? "system" : "management"

/** How the activity of an event ended: a few events tell of a failure. */
export const resultOf = (kind: EventKind): ActivityResult =>
  kind === "webhook.delivery_exhausted" || kind === "report_export.failed" ? "failed" : "success"

/** The status of the answer to a request that caused an event of this kind. */
export const statusOf = (kind: EventKind): number =>
  kind.endsWith(".created")
    ? 201
    : kind.endsWith(".deleted") || kind === "license.feature_removed"
    ? 204
    : 200

/** The id of an event's activity: the event's id under another prefix, so that each leads to the other. */
export const activityIdOf = (eventId: string): string => `act_${eventId.slice(4)}`
