import { actionLabels } from "./ActionLabels.ts"
import type {
  ActivityAction,
  ActivityResult,
  ApprovalState,
  AuditActorType,
  DeviceStatus,
  FeatureMeter,
  FeatureValueType,
  GrantSource,
  JobRowOutcome,
  JobState,
  LeaseStatus,
  LicenseStatus,
  LicenseTerms,
  MailFailure,
  MailKind,
  MailLanguage,
  MailSuppressionCoverage,
  MailSuppressionReason,
  OfflineFileStatus,
  OrderStatus,
  PersonStatus,
  Policy,
  PurchaseState,
  PurchaseStatus,
  QuotaPeriod,
  ReadyData,
  ReconciliationFindingKind,
  ReconciliationOutcome,
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
  UnitOwner,
  UsageGroup,
  WebhookDisabledReason,
  WebhookEndpoint,
  WebhookHealth,
  WebhookHealthLane,
  WebhookOutcomeClass
} from "./types.gen.ts"

/** The labels of the rules of policies and licenses. */
const termLabels: Readonly<Record<keyof LicenseTerms, string>> = {
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
  self_service_transfer: "Transfers by the owner",
  offline_file_days: "Offline file duration",
  hold_offline_seats: "Hold seats for offline use",
  refund_window_minutes: "Refund window (minutes)",
  max_users: "User limit",
  max_devices_per_user: "Devices of a user"
}

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
  readonly unitOwner: UnitOwner
  readonly report: ReportKind
  readonly format: ReportFormat
  readonly group: UsageGroup
  readonly bucket: ReportBucket
  readonly outcome: WebhookOutcomeClass
  readonly disabledReason: WebhookDisabledReason
  readonly finding: ReconciliationFindingKind
  readonly foreseen: ReconciliationOutcome
  readonly signInMethod: RefusedSignInMethod
  readonly mailKind: MailKind
  readonly mailFailure: MailFailure
  readonly mailLanguage: MailLanguage
  readonly mailSuppressionReason: MailSuppressionReason
  readonly mailCoverage: MailSuppressionCoverage
  readonly valueType: FeatureValueType
  readonly meter: FeatureMeter
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
  action: actionLabels,
  result: { success: "successful", refused: "refused", failed: "failed" },
  actor: {
    api_key: "API key",
    customer: "Customer",
    license: "App",
    license_holder: "Holder of the key",
    oidc_subject: "Signed-in user",
    person: "Person",
    system: "System"
  },
  operation: {
    validate: "Validate",
    activate: "Activate",
    check: "Check a feature",
    consume: "Consume a feature",
    refund: "Refund usage",
    checkout: "Check out a seat",
    heartbeat: "Send a heartbeat",
    offline: "Issue an offline envelope",
    checkin: "Release a seat",
    deactivate: "Deactivate"
  },
  term: termLabels,
  grantSource: { purchase: "purchase", gift: "gift", correction: "correction", rollover: "rollover" },
  termSource: { policy: "policy", override: "override", license: "license", subscription: "subscription" },
  mailKind: {
    device_added: "new device activated",
    key_changed: "key changed, with the new key",
    license_expired: "license expired, or in its grace period",
    license_expiring: "license expires soon",
    license_issued: "license issued, with the key",
    payment_failed: "payment failed",
    portal_link: "link into the portal",
    quota_threshold: "threshold of a quota reached",
    user_invited: "user invited",
    user_sign_in: "code for a user who signs in",
    license_transfer: "license offered by its owner",
    license_continued: "license continues, another key ends"
  },
  mailFailure: {
    refused: "refused by the mail server",
    gave_up: "not accepted within three days",
    bounced: "mailbox refused before",
    opted_out: "no notices wanted",
    suppressed: "address added to the list by hand",
    recipient_changed: "address changed before it was sent",
    key_changed: "key changed before it was sent",
    license_ended: "license revoked or suspended before it was sent",
    outdated: "no longer true when it was to be sent"
  },
  mailSuppressionReason: { bounced: "mailbox refused", opted_out: "no notices wanted", by_hand: "added by hand" },
  mailCoverage: { everything: "everything", notices: "notices" },
  mailLanguage: { de: "German", en: "English", es: "Spanish", fr: "French", ja: "Japanese" },
  expiryBasis: { creation: "creation", first_activation: "first activation" },
  unitOwner: {
    license: "the license, as a grant",
    customer: "the customer, as a pool that its licenses share"
  },
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
    statement: "Statement",
    adoption: "Adoption of versions",
    rehearsal: "Policy rehearsal",
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
  foreseen: {
    takes_over: "takes over",
    issues: "new license",
    doubles: "doubled",
    waits: "waits",
    fails: "fails",
    nothing: "no license"
  },
  signInMethod: { invitation: "Invitation", openid_connect: "Identity provider", passkey: "Passkey", token: "Token" },
  valueType: { boolean: "Yes or no", enum: "One of", integer: "Whole number", list: "List", string: "Text" },
  meter: {
    sum: "Sum of amounts",
    max: "Largest amount",
    last: "Latest amount",
    unique: "Distinct values"
  }
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
