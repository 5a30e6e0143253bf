import { Schema } from "effect"
import { CustomFieldDefinition, CustomFieldValue } from "../../catalog/CustomField.ts"
import { Feature, LicenseFeature } from "../../catalog/Feature.ts"
import { Policy } from "../../catalog/Policy.ts"
import { PolicyFeature } from "../../catalog/PolicyFeature.ts"
import { Product } from "../../catalog/Product.ts"
import { ProductVersion } from "../../catalog/ProductVersion.ts"
import { OverageStarted } from "../../catalog/terms/Overage.ts"
import { QuotaThresholdReached } from "../../catalog/terms/QuotaThresholds.ts"
import { Customer } from "../../customers/Customer.ts"
import { Order } from "../../customers/Order.ts"
import { PortalLinkCreated } from "../../customers/PortalLink.ts"
import { Subscription } from "../../customers/Subscription.ts"
import { TransferCanceled, TransferRequested } from "../../customers/TransferRequest.ts"
import { WebhookEndpointInEvent } from "../../delivery/webhooks/Webhook.ts"
import { bigCount, count, exampleOf, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { JobInEvent } from "../../jobs/Job.ts"
import { ManagementKey } from "../../keys/security/ManagementKey.ts"
import { PublishableKey, SigningKey } from "../../keys/security/SigningKey.ts"
import { ServiceSettingsInEvent } from "../../keys/settings/ServiceSettings.ts"
import { Lease } from "../../licensing/entitlements/Lease.ts"
import { UsageInEvent } from "../../licensing/entitlements/UsageInEvent.ts"
import { Grant, Pool } from "../../licensing/grants/Grant.ts"
import { ComponentsChanged } from "../../licensing/licenses/Components.ts"
import { Device } from "../../licensing/licenses/Device.ts"
import { License } from "../../licensing/licenses/License.ts"
import { OfflineFile } from "../../licensing/offline/OfflineFile.ts"
import { LicenseUser } from "../../licensing/users/LicenseUser.ts"
import { EventKindSchema, familyOf, kinds, wholeLicenseKinds } from "../../log/EventKind.ts"
import type { EventKind, Family } from "../../log/EventKind.ts"
import { epochExample, EpochStarted } from "../../log/LogEpoch.ts"
import { CustomerMailFailed, CustomerMailSent, MailFailed, MailSent } from "../../mail/Mail.ts"
import { MailSuppressionInEvent } from "../../mail/MailSuppression.ts"
import { MailTemplateInEvent } from "../../mail/MailTemplate.ts"
import { ApprovalInEvent } from "../../people/approvals/Approval.ts"
import { NoteInEvent } from "../../people/notes/Note.ts"
import { Passkey } from "../../people/Passkey.ts"
import { Person } from "../../people/Person.ts"
import { Role } from "../../people/Role.ts"
import { AdminSignIn, SessionInEvent } from "../../people/Session.ts"
import { RefusedSignIn } from "../../people/SignInFlow.ts"
import { BillingConnectionInEvent } from "../../sales/billing/BillingConnection.ts"
import { PurchaseInEvent } from "../../sales/billing/Purchase.ts"
import { ReportExport } from "../exports/ReportExport.ts"
import { Checkpoint } from "../transparency/Checkpoint.ts"
import { LogKeyIntroduced } from "../transparency/LogKeyIntroduced.ts"

/** What the event of an envelope for use without a network says. */
const OfflineIssuedData = Schema.Struct({
  license_id: Id.text("lic"),
  device_id: Id.text("dev"),
  kid: field(Schema.String, "The ID of the signing key."),
  offline_counter: field(
    bigCount(1),
    "Increases with each envelope of the device. A device accepts no lower number than it has seen."
  ),
  issued_at: field(Timestamp, "Time of the signature."),
  valid_until: field(Timestamp, "Time until which the response may be relied on without another check.")
}).annotate({
  identifier: "OfflineIssuedEventData",
  description: "An envelope for offline use was issued.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    offline_counter: 1,
    issued_at: "2026-11-21T10:30:00.000Z",
    valid_until: "2026-12-21T10:30:00.000Z"
  }]
})

/** What the event of a delivery that was given up says. */
const ExhaustedData = Schema.Struct({
  webhook_id: Id.text("whk"),
  event_id: Id.text("evt"),
  event_type: EventKindSchema,
  event_sequence: field(bigCount(1), "The sequence number of the event in the feed."),
  attempts: field(count(0), "Number of attempts of the delivery."),
  last_outcome: field(Schema.String, "How the last attempt ended.")
}).annotate({
  identifier: "DeliveryExhaustedEventData",
  description: "All retries of a delivery failed.",
  examples: [{
    webhook_id: "whk_06eqpx1trxz3h94vqjm3a6kz7c",
    event_id: "evt_06eqpx1trxz3h94vqjm3a6kz7c",
    event_type: "license.activated",
    event_sequence: 42,
    attempts: 13,
    last_outcome: "status 500"
  }]
})

/** What the event of an endpoint that went on from now says. */
const SkippedData = Schema.Struct({
  webhook_id: Id.text("whk"),
  skipped_events: field(bigCount(0), "Number of events that the endpoint receives and that were skipped."),
  after_sequence: field(bigCount(0), "Up to here everything was settled, but for what was retried."),
  up_to_sequence: field(bigCount(0), "The end of the feed when it went on.")
}).annotate({
  identifier: "WebhookSkippedEventData",
  description: "Pending events of an endpoint were skipped.",
  examples: [{
    webhook_id: "whk_06eqpx1trxz3h94vqjm3a6kz7c",
    skipped_events: 1204,
    after_sequence: 42,
    up_to_sequence: 1260
  }]
})

const BootstrapToken = Schema.Struct({ id: field(Schema.String, "The token that was replaced.") }).annotate({
  identifier: "TokenRotatedEventData",
  description: "The admin token was replaced.",
  examples: [{ id: "bootstrap" }]
})

const Dropped = Schema.Struct({
  dropped_sequence: field(bigCount(1), "The `sequence` of the last event that was archived and dropped."),
  dropped_hash: field(Schema.String, "The `hash` of the last dropped event."),
  checkpoint: Checkpoint
}).annotate({
  identifier: "LogDroppedEventData",
  description: "The oldest events were archived and dropped.",
  examples: [{
    dropped_sequence: 4096,
    dropped_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    checkpoint: exampleOf(Checkpoint)
  }]
})

const ClearedValue = Schema.Struct({
  definition_id: Id.text("fld"),
  code: field(Schema.String, "The code of the custom field."),
  cleared: field(Schema.Literal(true), "Always `true`: the value was removed.")
})
  .annotate({
    identifier: "ClearedCustomFieldValue",
    description: "A custom field value that was taken away.",
    examples: [{ definition_id: "fld_06eqpx1trxz3h94vqjm3a6kz7c", code: "region", cleared: true }]
  })

const withCustomField = {
  custom_field: optional(
    Schema.Union([CustomFieldValue, ClearedValue]),
    "The custom field value that was set or cleared; absent for other changes."
  )
}

const LicenseData = Schema.Struct({ ...License.fields, ...withCustomField, device: Schema.optionalKey(Device) })
  .annotate({
    identifier: "LicenseEventData",
    description: "The license as the event left it, with the device that took or gave back a seat.",
    examples: [exampleOf(License)]
  })

// Its name may have been erased since.
const CustomerData = Schema.Struct({
  ...Customer.fields,
  name: Schema.optionalKey(Customer.fields.name),
  ...withCustomField
}).annotate({
  identifier: "CustomerEventData",
  description: "The customer as the event left it; personal values that were erased since are absent.",
  examples: [exampleOf(Customer)]
})

// Its personal values may have been erased since.
const PersonData = Schema.Struct({
  ...Person.fields,
  name: Schema.optionalKey(Person.fields.name),
  identities: Schema.optionalKey(Person.fields.identities)
}).annotate({
  identifier: "PersonEventData",
  description: "The person as the event left it; personal values that were erased since are absent.",
  examples: [exampleOf(Person)]
})

// Its name may be erased, as every value behind a commitment.
const PasskeyData = Schema.Struct({ ...Passkey.fields, name: Schema.optionalKey(Passkey.fields.name) }).annotate({
  identifier: "PasskeyEventData",
  description: "The passkey as the event left it; a name that was erased since is absent.",
  examples: [exampleOf(Passkey)]
})

const LeaseData = Schema.Struct({ ...Lease.fields, device: Schema.optionalKey(Device) }).annotate({
  identifier: "FloatingLeaseEventData",
  description: "The floating seat as the event left it.",
  examples: [exampleOf(Lease)]
})

const UserDeviceData = Schema.Struct({
  license_id: Id.text("lic"),
  user_id: field(Id.text("usr"), "The user whose device it is from now on."),
  device_id: field(Id.text("dev"), "The device.")
}).annotate({
  identifier: "LicenseUserDeviceEventData",
  description: "The user who activated a device, or took a floating seat on it, and was not the last one to do so.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    user_id: "usr_06eqpx1trxz3h94vqjm3a6kz7c",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c"
  }]
})

const EpochData = EpochStarted.annotate({
  identifier: "EpochStartedEventData",
  description: "The log continues after a restore.",
  examples: [epochExample]
})

/** What the events of a family show, unless their kind says something else. */
const ofFamily: Readonly<Record<Exclude<Family, "license" | "log" | "mail">, Schema.Top>> = {
  product: Product,
  policy: Policy,
  feature: Feature,
  version: ProductVersion,
  customer: CustomerData,
  order: Order,
  subscription: Subscription,
  billing_connection: BillingConnectionInEvent,
  purchase: PurchaseInEvent,
  custom_field: CustomFieldDefinition,
  job: JobInEvent,
  note: NoteInEvent,
  device: Device,
  lease: LeaseData,
  offline: OfflineIssuedData,
  offline_file: OfflineFile,
  api_key: ManagementKey,
  person: PersonData,
  role: Role,
  approval: ApprovalInEvent,
  session: SessionInEvent,
  passkey: PasskeyData,
  settings: ServiceSettingsInEvent,
  mail_template: MailTemplateInEvent,
  mail_suppression: MailSuppressionInEvent,
  publishable_key: PublishableKey,
  signing_key: SigningKey,
  webhook: WebhookEndpointInEvent,
  report_export: ReportExport
}

const ofKind: Readonly<Partial<Record<EventKind, Schema.Top>>> = {
  "license.feature_assigned": LicenseFeature,
  "license.feature_removed": LicenseFeature,
  "license.usage_recorded": UsageInEvent,
  "license.usage_reset": LicenseFeature,
  "license.quota_reached": UsageInEvent,
  "license.quota_threshold": QuotaThresholdReached,
  "license.grant_given": Grant,
  "license.grant_revoked": Grant,
  "license.overage_started": OverageStarted,
  "license.transfer_requested": TransferRequested,
  "license.transfer_canceled": TransferCanceled,
  "license.user_invited": LicenseUser,
  "license.user_joined": LicenseUser,
  "license.user_removed": LicenseUser,
  "license.user_device_changed": UserDeviceData,
  "customer.pool_given": Pool,
  "customer.pool_revoked": Pool,
  "customer.portal_link_created": PortalLinkCreated,
  "customer.portal_link_mailed": CustomerMailSent,
  "customer.portal_link_failed": CustomerMailFailed,
  "mail.sent": MailSent,
  "mail.failed": MailFailed,
  "policy.feature_assigned": PolicyFeature,
  "policy.feature_removed": PolicyFeature,
  "device.components_changed": ComponentsChanged,
  "api_key.rotated": BootstrapToken,
  "api_key.signed_in": AdminSignIn,
  "session.refused": RefusedSignIn,
  "webhook.skipped": SkippedData,
  "webhook.delivery_exhausted": ExhaustedData,
  "log.epoch_started": EpochData,
  "log.key_introduced": LogKeyIntroduced,
  "log.dropped": Dropped
}

const dataOf = (kind: EventKind): Schema.Top => {
  const family = familyOf(kind)
  const own = wholeLicenseKinds.includes(kind) ? LicenseData : ofKind[kind]
  if (own !== undefined) return own
  if (family === "license" || family === "log" || family === "mail") {
    throw new TypeError(`EventData.ts has no schema for the data of ${kind}`)
  }
  return ofFamily[family]
}

/**
 * What `data` of the events of each kind is, as they are written now. Events of earlier releases may lack members that
 * came later; none has a member of another type. Whoever reads events reads them by this table.
 */
export const eventData: Readonly<Record<EventKind, Schema.Top>> = Object.fromEntries(
  kinds.map((kind) => [kind, dataOf(kind)])
) as Record<EventKind, Schema.Top>
