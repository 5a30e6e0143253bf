import { Schema } from "effect"
import type { EventKind, Family } from "../../log/EventKind.ts"

/** The tables of the state, whose rows the log rebuilds. */
export const Replayed = Schema.Literals([
  "product",
  "policy",
  "policy_feature",
  "feature",
  "version",
  "customer",
  "order",
  "subscription",
  "billing_connection",
  "purchase",
  "custom_field",
  "custom_field_value",
  "license",
  "license_key",
  "license_feature",
  "license_grant",
  "license_user",
  "pool",
  "pool_use",
  "device",
  "lease",
  "offline_file",
  "trial",
  "api_key",
  "person",
  "passkey",
  "role",
  "mail_suppression",
  "publishable_key",
  "webhook",
  "signing_key",
  "log_epoch"
])
export type Replayed = typeof Replayed.Type

/**
 * How an event changes the state: its resource is as the event shows it (`put`), or is there no more (`remove`); it is
 * replayed by the rules of licenses, devices, leases, offline envelopes or offline files; or it changes nothing.
 */
type Replay =
  | "put"
  | "remove"
  | "license"
  | "device"
  | "lease"
  | "offline"
  | "offline_file"
  | "policy_feature"
  | "pool"
  | "nothing"

/** How each kind of event is replayed. The compiler asks for a new kind, so that none is forgotten. */
export const replayOf: Readonly<Record<EventKind, Replay>> = {
  "product.created": "put",
  "product.updated": "put",
  "product.deleted": "remove",
  "policy.created": "put",
  "policy.updated": "put",
  "policy.deleted": "remove",
  "policy.feature_assigned": "policy_feature",
  "policy.feature_removed": "policy_feature",
  "feature.created": "put",
  "feature.updated": "put",
  "feature.deleted": "remove",
  "version.created": "put",
  "version.updated": "put",
  "version.deleted": "remove",
  "customer.created": "put",
  "customer.updated": "put",
  "customer.deleted": "remove",
  "customer.pool_given": "pool",
  "customer.pool_revoked": "pool",
  "customer.portal_link_created": "nothing",
  "customer.portal_link_mailed": "nothing",
  "customer.portal_link_failed": "nothing",
  "customer.erased": "put",
  "order.created": "put",
  "order.updated": "put",
  "order.deleted": "remove",
  "subscription.created": "put",
  "subscription.updated": "put",
  "subscription.deleted": "remove",
  "billing_connection.created": "put",
  "billing_connection.updated": "put",
  "billing_connection.secret_rotated": "put",
  "billing_connection.deleted": "remove",
  "purchase.done": "put",
  "purchase.waiting": "put",
  "purchase.failed": "put",
  "custom_field.created": "put",
  "custom_field.updated": "put",
  "custom_field.deleted": "remove",
  // A job is done by the events of its licenses.
  "job.created": "nothing",
  "job.done": "nothing",
  "job.stopped": "nothing",
  "job.failed": "nothing",
  // What a note says is in no event.
  "note.created": "nothing",
  "note.updated": "nothing",
  "note.deleted": "nothing",
  "license.created": "license",
  "license.updated": "license",
  "license.started": "license",
  "license.policy_changed": "license",
  "license.activated": "license",
  "license.deactivated": "license",
  "license.suspended": "license",
  "license.reinstated": "license",
  "license.revoked": "license",
  "license.renewed": "license",
  "license.transferred": "license",
  "license.key_rotated": "license",
  // Time alone brings these; what they say follows from the expiry of the license.
  "license.grace_started": "nothing",
  "license.expiring": "nothing",
  "license.expired": "nothing",
  "license.feature_assigned": "license",
  "license.feature_removed": "license",
  "license.usage_recorded": "license",
  "license.usage_reset": "license",
  "license.grant_given": "license",
  "license.grant_revoked": "license",
  // The use that reached the quota has an event of its own.
  "license.quota_reached": "nothing",
  "license.quota_threshold": "nothing",
  "license.overage_started": "nothing",
  // It is offered, and is the owner's until it is accepted.
  "license.transfer_requested": "nothing",
  "license.transfer_canceled": "nothing",
  "license.user_invited": "license",
  "license.user_joined": "license",
  "license.user_removed": "license",
  // Whose a device is has no resource of its own.
  "license.user_device_changed": "nothing",
  "mail.sent": "nothing",
  "mail.failed": "nothing",
  "device.reset": "device",
  "device.blacklisted": "device",
  "device.expired": "device",
  "device.components_changed": "device",
  "device.renamed": "device",
  "lease.checked_out": "lease",
  "lease.checked_in": "lease",
  "lease.expired": "lease",
  "offline.issued": "offline",
  "offline_file.issued": "offline_file",
  "offline_file.revoked": "offline_file",
  "api_key.created": "put",
  "api_key.updated": "put",
  "api_key.revoked": "put",
  // Only the bootstrap token can be rotated, and it has no row.
  "api_key.rotated": "nothing",
  "api_key.signed_in": "nothing",
  "person.created": "put",
  "person.updated": "put",
  "person.removed": "put",
  "person.reinstated": "put",
  "person.invited": "put",
  // A session ends by time too, which no event tells.
  "session.opened": "nothing",
  "session.ended": "nothing",
  "session.refused": "nothing",
  "passkey.created": "put",
  "passkey.updated": "put",
  "passkey.deleted": "remove",
  "role.created": "put",
  "role.updated": "put",
  "role.deleted": "remove",
  // A built-in role has no row.
  "role.second_look_changed": "nothing",
  // What was approved is told by its own events.
  "approval.requested": "nothing",
  "approval.approved": "nothing",
  "approval.declined": "nothing",
  "approval.canceled": "nothing",
  "approval.expired": "nothing",
  // Settings say what people are asked for, and nothing of what they do. The bytes of a logo are in no event.
  "settings.updated": "nothing",
  // Templates are words: a mail says the same of a license, whatever they are.
  "mail_template.updated": "nothing",
  "mail_template.reset": "nothing",
  "mail_suppression.created": "put",
  "mail_suppression.lifted": "remove",
  "publishable_key.created": "put",
  "publishable_key.revoked": "put",
  "signing_key.created": "put",
  "signing_key.retired": "put",
  "signing_key.revoked": "put",
  "webhook.created": "put",
  "webhook.updated": "put",
  "webhook.deleted": "remove",
  "webhook.disabled": "put",
  "webhook.secret_rotated": "put",
  "webhook.skipped": "nothing",
  "webhook.delivery_exhausted": "nothing",
  // An export is a file made of the log and no state of the log.
  "report_export.created": "nothing",
  "report_export.ready": "nothing",
  "report_export.failed": "nothing",
  "report_export.downloaded": "nothing",
  "log.epoch_started": "put",
  // The key itself is that of `signing_key.created`.
  "log.key_introduced": "nothing",
  // What is dropped is in the archive, and says nothing about what is.
  "log.dropped": "nothing"
}

/** The table of the resources of each family. Some events are about the resource of another family, or rebuild none. */
export const replayedAs: Readonly<Record<Family, Replayed | undefined>> = {
  product: "product",
  policy: "policy",
  feature: "feature",
  version: "version",
  customer: "customer",
  order: "order",
  subscription: "subscription",
  billing_connection: "billing_connection",
  purchase: "purchase",
  custom_field: "custom_field",
  job: undefined,
  note: undefined,
  license: "license",
  mail: undefined,
  device: "device",
  lease: "lease",
  offline: undefined,
  offline_file: "offline_file",
  api_key: "api_key",
  person: "person",
  session: undefined,
  passkey: "passkey",
  role: "role",
  approval: undefined,
  settings: undefined,
  mail_template: undefined,
  mail_suppression: "mail_suppression",
  publishable_key: "publishable_key",
  signing_key: "signing_key",
  webhook: "webhook",
  report_export: undefined,
  log: "log_epoch"
}
