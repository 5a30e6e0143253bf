import { Schema } from "effect"
import { didYouMean, listed } from "../ground/parsing/Nearest.ts"
import { matches } from "./Subscription.ts"

/** Every kind of event, named `<family>.<past participle>`. The registry is closed: what is not here is not sent. */
export const kinds = [
  "product.created",
  "product.updated",
  "product.deleted",
  "policy.created",
  "policy.updated",
  "policy.deleted",
  "policy.feature_assigned",
  "policy.feature_removed",
  "feature.created",
  "feature.updated",
  "feature.deleted",
  "version.created",
  "version.updated",
  "version.deleted",
  "customer.created",
  "customer.updated",
  "customer.deleted",
  "customer.erased",
  "customer.pool_given",
  "customer.pool_revoked",
  "customer.portal_link_created",
  "customer.portal_link_mailed",
  "customer.portal_link_failed",
  "order.created",
  "order.updated",
  "order.deleted",
  "subscription.created",
  "subscription.updated",
  "subscription.deleted",
  "billing_connection.created",
  "billing_connection.updated",
  "billing_connection.secret_rotated",
  "billing_connection.deleted",
  "purchase.done",
  "purchase.waiting",
  "purchase.failed",
  "custom_field.created",
  "custom_field.updated",
  "custom_field.deleted",
  "job.created",
  "job.done",
  "job.stopped",
  "job.failed",
  "note.created",
  "note.updated",
  "note.deleted",
  "license.created",
  "license.updated",
  "license.started",
  "license.activated",
  "license.deactivated",
  "license.suspended",
  "license.reinstated",
  "license.revoked",
  "license.renewed",
  "license.policy_changed",
  "license.transferred",
  "license.key_rotated",
  "license.grace_started",
  "license.expiring",
  "license.expired",
  "license.feature_assigned",
  "license.feature_removed",
  "license.usage_recorded",
  "license.usage_reset",
  "license.quota_reached",
  "license.quota_threshold",
  "license.grant_given",
  "license.grant_revoked",
  "license.overage_started",
  "license.transfer_requested",
  "license.transfer_canceled",
  "license.user_invited",
  "license.user_joined",
  "license.user_removed",
  "license.user_device_changed",
  "mail.sent",
  "mail.failed",
  "device.reset",
  "device.blacklisted",
  "device.expired",
  "device.components_changed",
  "device.renamed",
  "lease.checked_out",
  "lease.checked_in",
  "lease.expired",
  "offline.issued",
  "offline_file.issued",
  "offline_file.revoked",
  "api_key.created",
  "api_key.updated",
  "api_key.revoked",
  "api_key.rotated",
  "api_key.signed_in",
  "person.created",
  "person.updated",
  "person.removed",
  "person.reinstated",
  "person.invited",
  "session.opened",
  "session.ended",
  "session.refused",
  "passkey.created",
  "passkey.updated",
  "passkey.deleted",
  "role.created",
  "role.updated",
  "role.deleted",
  "role.second_look_changed",
  "approval.requested",
  "approval.approved",
  "approval.declined",
  "approval.canceled",
  "approval.expired",
  "settings.updated",
  "mail_template.updated",
  "mail_template.reset",
  "mail_suppression.created",
  "mail_suppression.lifted",
  "publishable_key.created",
  "publishable_key.revoked",
  "signing_key.created",
  "signing_key.retired",
  "signing_key.revoked",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.disabled",
  "webhook.secret_rotated",
  "webhook.skipped",
  "webhook.delivery_exhausted",
  "report_export.created",
  "report_export.ready",
  "report_export.failed",
  "report_export.downloaded",
  "log.epoch_started",
  "log.key_introduced",
  "log.dropped"
] as const

export type EventKind = typeof kinds[number]

/** Every kind of event whose data holds the whole license, perhaps with more beside it. */
export const wholeLicenseKinds: ReadonlyArray<EventKind> = [
  "license.created",
  "license.updated",
  "license.started",
  "license.activated",
  "license.deactivated",
  "license.suspended",
  "license.reinstated",
  "license.revoked",
  "license.renewed",
  "license.policy_changed",
  "license.transferred",
  "license.key_rotated",
  "license.grace_started",
  "license.expiring",
  "license.expired"
]

type FamilyOf<Kind extends EventKind> = Kind extends `${infer Family}.${string}` ? Family : never

/** The part of a kind before the dot. */
export type Family = FamilyOf<EventKind>

/** The family of a kind: `license.activated` is of the family `license`. */
export const familyOf = (kind: EventKind): Family => kind.slice(0, kind.indexOf(".")) as Family

/** Every family, in the order of the registry. */
export const families: ReadonlyArray<Family> = [...new Set(kinds.map(familyOf))]

/** The resource of an event. Neither an offline envelope nor a mail is a resource: their events are about the license. */
export type ResourceType = Exclude<Family, "offline" | "mail">

/** The resource type of the events of a kind. */
export const resourceTypeOf = (kind: EventKind): ResourceType => {
  const family = familyOf(kind)
  return family === "offline" || family === "mail" ? "license" : family
}

/** Every resource type, in the order of the registry. */
export const resourceTypes: ReadonlyArray<ResourceType> = [...new Set(kinds.map(resourceTypeOf))]

/** An entry of a subscription: a kind, or a family written `license.*`. */
export type SubscriptionEntry = EventKind | `${Family}.*`

const subscriptionEntries: ReadonlyArray<SubscriptionEntry> = [
  ...families.map((family): `${Family}.*` => `${family}.*`),
  ...kinds
]
const knownEntries: ReadonlySet<string> = new Set(subscriptionEntries)

/** Whether the text may stand in a subscription. */
export const isSubscription = (text: string): text is SubscriptionEntry => knownEntries.has(text)

/** A filter by a kind, or by all kinds of a family. */
export const EventTypeFilter = Schema.String.check(
  Schema.makeFilter(
    (input: string) =>
      isSubscription(input)
        ? undefined
        : `must be a kind of events, or a family such as license.*: one of ${listed(subscriptionEntries, input)}.` +
          didYouMean(input, subscriptionEntries),
    { toJsonSchema: () => ({ enum: subscriptionEntries }) }
  )
).annotate({ identifier: "EventTypeFilter", description: "A type of events, or all types of a family: `license.*`." })

/** A filter by what events are about. */
export const ResourceTypeFilter = Schema.String.check(
  Schema.makeFilter(
    (input: string) =>
      resourceTypes.some((type) => type === input)
        ? undefined
        : `must be one of ${listed(resourceTypes, input)}.${didYouMean(input, resourceTypes)}`.replace(/\.$/, ""),
    { toJsonSchema: () => ({ enum: resourceTypes }) }
  )
)

/** The kinds that both filters let through; undefined where neither is given. */
export const kindsOfFilters = (
  { event_type, resource_type }: { readonly event_type?: string; readonly resource_type?: string }
): ReadonlyArray<EventKind> | undefined =>
  event_type === undefined && resource_type === undefined
    ? undefined
    : kinds.filter((kind) =>
      (event_type === undefined || matches([event_type], kind)) &&
      (resource_type === undefined || resourceTypeOf(kind) === resource_type)
    )

/** Schema of an event kind. */
export const EventKindSchema = Schema.Literals(kinds).annotate({
  identifier: "EventKind",
  description: "The event type: `<family>.<past participle>`."
})

/** Schema of an entry of a webhook subscription. */
export const SubscriptionEntrySchema = Schema.Literals(subscriptionEntries).annotate({
  identifier: "EventSubscription",
  description: "An event type, or a whole family such as `license.*`."
})

/**
 * The kind of actor: an API key, a customer in the portal, who has a license key in the portal, a license key at run time, a person, or the
 * service. Nothing writes `oidc_subject`.
 */
export const AuditActorType = Schema.Literals([
  "api_key",
  "customer",
  "license",
  "license_holder",
  "oidc_subject",
  "person",
  "system"
])
  .annotate({
    identifier: "AuditActorType",
    description: "The kind of actor."
  })

export type AuditActorType = typeof AuditActorType.Type
