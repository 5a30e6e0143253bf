import type {
  ActivityAction,
  ActivityResult,
  ApprovalState,
  AuditActorType,
  DeviceStatus,
  FeatureValueType,
  GrantSource,
  JobRowOutcome,
  JobState,
  LeaseStatus,
  LicenseStatus,
  LicenseTerms,
  OfflineFileStatus,
  OrderStatus,
  PersonStatus,
  Policy,
  PurchaseState,
  PurchaseStatus,
  QuotaPeriod,
  ReadyData,
  ReconciliationFindingKind,
  RefusedSignInMethod,
  ReportBucket,
  ReportExportStatus,
  ReportFormat,
  ReportKind,
  RuntimeOperation,
  SecondLookAction,
  SigningKey,
  SubscriptionStatus,
  TermSource,
  UsageGroup,
  WebhookDisabledReason,
  WebhookEndpoint,
  WebhookHealth,
  WebhookHealthLane,
  WebhookOutcomeClass
} from "./types.gen.ts"

/** The states of everything that has one. A state has one label, whatever it is the state of. */
type State =
  | LicenseStatus
  | ApprovalState
  | DeviceStatus
  | JobRowOutcome
  | JobState
  | LeaseStatus
  | OfflineFileStatus
  | OrderStatus
  | SubscriptionStatus
  | PersonStatus
  | PurchaseStatus
  | PurchaseState
  | ReportExportStatus
  | SigningKey["status"]
  | WebhookEndpoint["status"]
  | WebhookHealth["status"]
  | WebhookHealthLane["state"]
  | ReadyData["status"]
  | ReadyData["phase"]

/** The values that people see, by what they are values of. The types are those of the contract: none is forgotten. */
interface Shown {
  readonly state: State
  readonly action: ActivityAction
  readonly result: ActivityResult
  readonly actor: AuditActorType
  readonly operation: RuntimeOperation
  readonly term: keyof LicenseTerms
  readonly termSource: TermSource
  readonly expiryBasis: NonNullable<Policy["expiry_basis"]>
  readonly period: QuotaPeriod
  readonly report: ReportKind
  readonly format: ReportFormat
  readonly group: UsageGroup
  readonly bucket: ReportBucket
  readonly outcome: WebhookOutcomeClass
  readonly disabledReason: WebhookDisabledReason
  readonly finding: ReconciliationFindingKind
  readonly signInMethod: RefusedSignInMethod
  readonly valueType: FeatureValueType
  readonly grantSource: GrantSource
  /** As an infinitive. */
  readonly secondLook: SecondLookAction
}

/**
 * The label of each value of the contract that people see: in the console, on the command line and in PDF reports. PDF
 * files print the titles of reports, groups and buckets: to change one of these takes a new edition (reportWords.ts).
 */
export const labels: { readonly [Kind in keyof Shown]: Readonly<Record<Shown[Kind], string>> } = {
  state: {
    active: "active",
    approved: "approved",
    blacklisted: "blocked",
    breaker_open: "circuit open",
    canceled: "canceled",
    checked_in: "checked in",
    deactivated: "deactivated",
    declined: "declined",
    degraded: "degraded",
    disabled: "disabled",
    disputed: "disputed",
    done: "done",
    down: "down",
    draining: "draining",
    expired: "expired",
    failed: "failed",
    failing: "failing",
    fulfilled: "fulfilled",
    future: "not started",
    grace_period: "grace period",
    incomplete: "incomplete",
    incomplete_expired: "never paid",
    invited: "invited",
    new: "new",
    not_ready: "not ready",
    ok: "ok",
    paid: "paid",
    partially_refunded: "partially refunded",
    past_due: "past due",
    paused: "paused",
    pending: "pending",
    queued: "queued",
    ready: "ready",
    refunded: "refunded",
    released: "released",
    removed: "removed",
    reset: "reset",
    retired: "retired",
    revoked: "revoked",
    running: "running",
    skipped: "skipped",
    starting: "starting",
    stopped: "stopped",
    suspended: "suspended",
    transferred: "transferred",
    trialing: "trialing",
    unpaid: "unpaid",
    waiting: "waiting"
  },
  secondLook: {
    revoke_license: "revoke licenses",
    rotate_license_key: "rotate license keys",
    erase_customer: "erase customers",
    create_api_key: "create API keys",
    rotate_api_key: "rotate API keys",
    rotate_signing_key: "rotate the signing key",
    revoke_signing_key: "revoke signing keys",
    rotate_webhook_secret: "rotate webhook secrets",
    change_people: "add, change and remove people",
    change_roles: "create, change and delete roles"
  },
  action: {
    "product.created": "Product created",
    "product.updated": "Product updated",
    "product.deleted": "Product deleted",
    "policy.created": "Policy created",
    "policy.updated": "Policy updated",
    "policy.deleted": "Policy deleted",
    "policy.feature_assigned": "Feature added to policy",
    "policy.feature_removed": "Feature removed from policy",
    "feature.created": "Feature created",
    "feature.updated": "Feature updated",
    "feature.deleted": "Feature deleted",
    "version.created": "Version created",
    "version.updated": "Version updated",
    "version.deleted": "Version deleted",
    "customer.created": "Customer created",
    "customer.updated": "Customer updated",
    "customer.deleted": "Customer deleted",
    "customer.erased": "Customer erased",
    "order.created": "Order created",
    "order.updated": "Order updated",
    "order.deleted": "Order deleted",
    "subscription.created": "Subscription created",
    "subscription.updated": "Subscription updated",
    "subscription.deleted": "Subscription deleted",
    "billing_connection.created": "Billing connection created",
    "billing_connection.updated": "Billing connection changed",
    "billing_connection.secret_rotated": "Billing secret rotated",
    "billing_connection.deleted": "Billing connection deleted",
    "purchase.done": "Purchase done",
    "purchase.waiting": "Purchase waiting",
    "purchase.failed": "Purchase failed",
    "purchase.retried": "Purchase retried",
    "billing_connection.reconciled": "Billing connection reconciled",
    "custom_field.created": "Custom field created",
    "custom_field.updated": "Custom field updated",
    "custom_field.deleted": "Custom field deleted",
    "job.created": "Job started",
    "job.done": "Job done",
    "job.stopped": "Job stopped",
    "job.failed": "Job failed",
    "note.created": "Note written",
    "note.updated": "Note changed",
    "note.deleted": "Note deleted",
    "license.created": "License issued",
    "license.updated": "License updated",
    "license.started": "License started",
    "license.activated": "Activation",
    "license.deactivated": "Deactivation",
    "license.validated": "Validation",
    "license.checked": "Feature check",
    "license.suspended": "License suspended",
    "license.reinstated": "License reinstated",
    "license.revoked": "License revoked",
    "license.renewed": "License renewed",
    "license.policy_changed": "Policy changed",
    "license.transferred": "License transferred",
    "license.key_rotated": "License key rotated",
    "license.grace_started": "Grace period started",
    "license.expiring": "License expires soon",
    "license.expired": "License expired",
    "license.feature_assigned": "Feature added",
    "license.feature_removed": "Feature removed",
    "license.usage_recorded": "Usage",
    "license.usage_reset": "Correction",
    "license.quota_reached": "Quota reached",
    "license.quota_threshold": "Quota threshold reached",
    "license.grant_given": "Units given",
    "license.grant_revoked": "Grant revoked",
    "license.overage_started": "Overage started",
    "device.reset": "Device reset",
    "device.blacklisted": "Device blocked",
    "device.expired": "Device expired after inactivity",
    "device.components_changed": "Device components changed",
    "lease.checked_out": "Floating seat checkout",
    "lease.checked_in": "Floating seat release",
    "lease.expired": "Floating seat expired",
    "lease.extended": "Floating seat heartbeat",
    "offline.issued": "Offline envelope",
    "offline_file.issued": "Offline file issued",
    "offline_file.revoked": "Offline file revoked",
    "api_key.created": "API key created",
    "api_key.updated": "API key replaced",
    "api_key.revoked": "API key revoked",
    "api_key.rotated": "API key rotated",
    "api_key.signed_in": "Signed in with the admin token",
    "person.created": "Person added",
    "person.updated": "Person changed",
    "person.removed": "Person removed",
    "person.reinstated": "Person reinstated",
    "person.invited": "Person invited",
    "session.opened": "Signed in",
    "session.ended": "Session ended",
    "session.refused": "Sign-in refused",
    "passkey.created": "Passkey added",
    "passkey.updated": "Passkey renamed",
    "passkey.deleted": "Passkey removed",
    "role.created": "Role created",
    "role.updated": "Role changed",
    "role.deleted": "Role deleted",
    "role.second_look_changed": "Second look changed",
    "approval.requested": "Approval requested",
    "approval.approved": "Approval given",
    "approval.declined": "Approval declined",
    "approval.canceled": "Approval canceled",
    "approval.expired": "Approval expired",
    "settings.updated": "Settings changed",
    "publishable_key.created": "Publishable key created",
    "publishable_key.revoked": "Publishable key revoked",
    "signing_key.created": "Signing key created",
    "signing_key.retired": "Signing key retired",
    "signing_key.revoked": "Signing key revoked",
    "webhook.created": "Endpoint created",
    "webhook.updated": "Endpoint updated",
    "webhook.deleted": "Endpoint deleted",
    "webhook.disabled": "Endpoint disabled",
    "webhook.secret_rotated": "Signing secret rotated",
    "webhook.skipped": "Deliveries skipped",
    "webhook.delivery_exhausted": "Delivery exhausted",
    "webhook.tested": "Endpoint tested",
    "report_export.created": "Export created",
    "report_export.ready": "Export ready",
    "report_export.failed": "Export failed",
    "report_export.downloaded": "Export downloaded",
    "log.epoch_started": "Log epoch started",
    "log.dropped": "Log dropped"
  },
  result: { success: "successful", refused: "refused", failed: "failed" },
  actor: { api_key: "API key", license: "App", oidc_subject: "Signed-in user", person: "Person", system: "System" },
  operation: {
    validate: "Validate",
    activate: "Activate",
    check: "Check a feature",
    consume: "Consume a feature",
    checkout: "Check out a seat",
    heartbeat: "Send a heartbeat",
    offline: "Issue an offline envelope",
    checkin: "Release a seat",
    deactivate: "Deactivate"
  },
  term: {
    max_activations: "Device limit",
    max_floating_users: "Floating seat limit",
    max_container_instances: "Container limit",
    floating_timeout_minutes: "Floating seat timeout",
    grace_period_days: "Grace period",
    validation_interval_minutes: "Validation interval",
    require_heartbeat: "Heartbeat",
    allow_offline_activation: "Offline use",
    offline_grace_days: "Offline duration",
    allow_vm: "Virtual machines",
    allow_container: "Containers",
    max_transfers: "Transfer limit",
    duration: "License duration",
    expiry_basis: "Expiration basis",
    maintenance_duration: "Maintenance period",
    activation_overage: "Device overage",
    floating_overage: "Floating seat overage",
    lease_unit: "One floating seat per",
    follows_subscription: "Follows the subscription",
    component_match: "Matching components",
    self_service: "Self-service",
    max_self_service_resets: "Self-service reset limit",
    self_service_period: "Reset period",
    offline_file_days: "Offline file duration"
  },
  grantSource: { purchase: "purchase", gift: "gift", correction: "correction" },
  termSource: { policy: "policy", override: "override", license: "license", subscription: "subscription" },
  expiryBasis: { creation: "creation", first_activation: "first activation" },
  period: {
    day: "day",
    week: "week",
    month: "month",
    year: "year",
    license_month: "license month",
    subscription: "subscription"
  },
  report: {
    "usage-summary": "Usage summary",
    "usage-ledger": "Usage ledger",
    "customer-summary": "Customer summary",
    "subscription-settlement": "Subscription settlement",
    purchases: "Purchases",
    licenses: "Licenses",
    "license-audit": "License audit"
  },
  format: { pdf: "PDF", csv: "CSV", json: "JSON" },
  group: {
    feature_code: "feature",
    customer_id: "customer",
    product_id: "product",
    license_id: "license",
    subscription_id: "subscription",
    order_id: "order"
  },
  bucket: { "1h": "hour", "1d": "day", "1w": "week", "1mo": "month", "1y": "year" },
  outcome: {
    delivered: "Delivered",
    throttled: "Rate limited by the receiver",
    dropped: "Aborted by the receiver",
    gone: "Endpoint gone",
    redirected: "Redirected",
    rejected: "Rejected by the receiver",
    server_error: "Server error",
    dns: "DNS lookup failed",
    address_not_allowed: "IP address not allowed",
    connect: "Connection refused",
    tls: "TLS certificate rejected",
    timeout: "Timed out",
    reset: "Connection reset",
    protocol: "Invalid HTTP response"
  },
  disabledReason: {
    gone: "Disabled: the receiver responded 410 Gone",
    requested_by_receiver: "Disabled at the receiver's request",
    failing: "Disabled: all deliveries failed for 120 hours"
  },
  finding: { missing: "missing here", differs: "differs", unknown: "unknown to the provider" },
  signInMethod: { invitation: "Invitation", openid_connect: "Identity provider", passkey: "Passkey", token: "Token" },
  valueType: { boolean: "Yes or no", enum: "One of", integer: "Whole number", list: "List", string: "Text" }
}

/** A code as words: `grace_period` as "grace period". */
const wordsOf = (code: string): string => code.replaceAll(/[_.-]/g, " ")

/** The label of a value; of one that a newer service has, its words. */
export const labelOf = (kind: keyof Shown, value: string): string => {
  const known: Readonly<Record<string, string>> = labels[kind]
  return Object.hasOwn(known, value) ? known[value]! : wordsOf(value)
}

/** {@link labelOf} at the beginning of a line, as in a filter. */
export const titleOf = (kind: keyof Shown, value: string): string => {
  const label = labelOf(kind, value)
  return label.charAt(0).toUpperCase() + label.slice(1)
}
