import { Schema, Struct } from "effect"
import { LicenseFeature, ownQuota } from "../../catalog/Feature.ts"
import { Policy } from "../../catalog/Policy.ts"
import { PolicyFeature } from "../../catalog/PolicyFeature.ts"
import { ProductRecord } from "../../catalog/Product.ts"
import { policyFeatureTermsOf } from "../../catalog/terms/EffectiveFeatures.ts"
import type { LicenseFeatureTerms, PolicyFeatureTerms } from "../../catalog/terms/EffectiveFeatures.ts"
import type { OpenGrant } from "../../catalog/terms/GrantBalance.ts"
import { Customer } from "../../customers/Customer.ts"
import { Subscription } from "../../customers/Subscription.ts"
import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { Components } from "../../licensing/licenses/Components.ts"
import { Device } from "../../licensing/licenses/Device.ts"
import { License } from "../../licensing/licenses/License.ts"
import { familyOf, kinds, wholeLicenseKinds } from "../../log/EventKind.ts"
import type { EventKind, Family } from "../../log/EventKind.ts"

/**
 * Where an event says which product it belongs to.
 * - `resource`: it is about the product itself
 * - a member of its data: the product, or the license or policy whose product it is
 * - `none`: it belongs to no product
 */
export type EventProduct = "resource" | "product_id" | "license_id" | "policy_id" | "none"

const ofFamily: Readonly<Record<Family, EventProduct>> = {
  product: "resource",
  policy: "product_id",
  feature: "product_id",
  version: "product_id",
  customer: "none",
  order: "product_id",
  subscription: "product_id",
  billing_connection: "none",
  purchase: "none",
  custom_field: "product_id",
  job: "none",
  note: "license_id",
  license: "license_id",
  mail: "license_id",
  device: "license_id",
  lease: "license_id",
  offline: "license_id",
  offline_file: "license_id",
  api_key: "none",
  person: "none",
  session: "none",
  passkey: "none",
  role: "none",
  approval: "none",
  settings: "none",
  mail_template: "none",
  mail_suppression: "none",
  publishable_key: "product_id",
  signing_key: "none",
  webhook: "none",
  report_export: "none",
  log: "none"
}

const ofKind: Readonly<Partial<Record<EventKind, EventProduct>>> = {
  "policy.feature_assigned": "policy_id",
  "policy.feature_removed": "policy_id"
}

/** Where the events of a kind say which product they belong to. */
const productOf = (kind: EventKind): EventProduct =>
  ofKind[kind] ?? (wholeLicenseKinds.includes(kind) ? "product_id" : ofFamily[familyOf(kind)])

/** The kinds of event that say it in one way. */
export const kindsSaying = (place: EventProduct): ReadonlyArray<EventKind> =>
  kinds.filter((kind) => productOf(kind) === place)

/** The last event of a resource before an instant, with the personal values that are not erased. */
export interface LastEvent {
  readonly event_type: string
  /** Its place in the log. */
  readonly place: bigint
  readonly data: JsonObject
}

/**
 * Reads by a schema what an event says. Members that the schema does not have are left out: an event shows more than its
 * resource, and its shape may be that of an earlier release. So where not all of a resource is needed, not all is read,
 * and a value beyond a bound that came later is read as it is: the log cannot be corrected.
 */
const reads = <A, I>(schema: Schema.Codec<A, I>): (event: LastEvent) => A => {
  const decode = Schema.decodeUnknownSync(schema, { disableChecks: true })
  return ({ data }) => decode(data)
}

export const licenseIn = reads(License)

/** As much of a license as calls are decided by. */
export const decidedLicenseIn = reads(
  Schema.Struct(Struct.pick(License.fields, [
    "product_id",
    "policy_id",
    "status",
    "starts_at",
    "expires_at",
    "maintenance_expires_at",
    "awaits_activation",
    "follows_subscription",
    "suspended_by",
    "ends_without_grace",
    "overrides"
  ]))
)

/** As much of a license as what it may use is judged by, and who owned it. */
export const usingLicenseIn = reads(
  Schema.Struct(Struct.pick(License.fields, [
    "policy_id",
    "customer_id",
    "order_id",
    "subscription_id",
    "status",
    "starts_at",
    "expires_at",
    "maintenance_expires_at",
    "awaits_activation",
    "ends_without_grace",
    "overrides"
  ]))
)

export const policyIn = reads(Policy)

/** The codes of a product. */
export const codesIn = reads(Schema.Struct(Struct.pick(ProductRecord.fields, ["code", "former_codes"])))

/** The customer that another one belonged to. */
export const parentIn = reads(Schema.Struct(Struct.pick(Customer.fields, ["parent_id"])))

/** The current period of a subscription. */
export const periodIn = reads(
  Schema.Struct(Struct.pick(Subscription.fields, ["current_period_start", "current_period_end"]))
)

const readGrant = reads(Schema.Struct(Struct.omit(PolicyFeature.fields, ["policy_id", "feature_name", "metadata"])))

/** What a policy grants of a feature, by the last event about that. */
export const grantsIn = (last: LastEvent | undefined): ReadonlyArray<PolicyFeatureTerms> =>
  last?.event_type === "policy.feature_assigned" ? [policyFeatureTermsOf(readGrant(last))] : []

const counter = Struct.pick(LicenseFeature.fields, [
  "feature_id",
  "feature_code",
  "total_consumptions",
  "period_start",
  "period_consumptions",
  "granted_consumptions",
  "granted_period_consumptions"
])

const readCounter = reads(Schema.Struct(counter))

const readAssignment = reads(Schema.Struct({
  ...counter,
  ...Struct.pick(LicenseFeature.fields, [
    "enabled",
    "value",
    "max_consumptions",
    "credits",
    "credits_start",
    "quota_from",
    "period",
    "overage",
    "from",
    "expires_at"
  ])
}))

const millis = (instant: string | undefined): number | null => instant === undefined ? null : Date.parse(instant)

/** The grants of a feature that were open at an instant. */
interface GrantsOfFeature {
  readonly id: string
  readonly code: string
  readonly grants: ReadonlyArray<OpenGrant>
}

const undrawn = { drawn: 0, period_drawn: null }

/** A feature that a license was not assigned, and has not used. */
const unused = {
  assigned: false,
  enabled: true,
  value: null,
  expires_at: null,
  quota: null,
  period: null,
  overage: null,
  consumed: 0,
  period_start: null,
  period_consumed: null,
  credits: null,
  credits_start: null
}

/** Whether the last use of a feature was one of a period that had been over: it tells nothing of the running one. */
export const isLateUse = ({ data }: LastEvent): boolean => data["is_late"] === true

/** A late use with what the last event that told of the running period said of that: a use, or a change of the feature. */
export const withRunningPeriod = (late: LastEvent, told: ReadonlyArray<LastEvent | undefined>): LastEvent => {
  const { granted_period_consumptions: _drawn, period_consumptions: _count, period_start: _start, ...data } = late.data
  const last = told.reduce((a, b) => b === undefined || (a !== undefined && a.place > b.place) ? a : b, undefined)
  const running = last === undefined ? {} : Struct.pick(last.data, [
    "granted_period_consumptions",
    "period_consumptions",
    "period_start"
  ])
  return { ...late, data: { ...data, ...running } }
}

/** What a license had of a feature, by the last event of its assignment and that of its use, and its grants then. */
export const ownIn = (
  assigned: LastEvent | undefined,
  used: LastEvent | undefined,
  { code, grants, id }: GrantsOfFeature
): ReadonlyArray<LicenseFeatureTerms> => {
  const own = assigned === undefined || assigned.event_type === "license.feature_removed"
    ? undefined
    : readAssignment(assigned)
  const isUsed = used !== undefined && (assigned === undefined || used.place > assigned.place)
  const counted = isUsed ? readCounter(used) : own
  if (counted === undefined) {
    return grants.length === 0
      ? []
      : [{ ...unused, id, code, granted: { ...undrawn, grants } }]
  }
  return [{
    id: counted.feature_id,
    code: counted.feature_code,
    assigned: own !== undefined && own.from !== "policy",
    enabled: own?.enabled ?? true,
    value: own?.value ?? null,
    expires_at: millis(own?.expires_at),
    quota: own === undefined ? null : ownQuota(own) ?? null,
    period: own?.period ?? null,
    overage: own?.overage ?? null,
    consumed: counted.total_consumptions,
    period_start: millis(counted.period_start),
    period_consumed: counted.period_consumptions ?? null,
    credits: own?.credits ?? null,
    credits_start: millis(own?.credits_start),
    granted: grants.length === 0 && counted.granted_consumptions === undefined ? null : {
      drawn: counted.granted_consumptions ?? 0,
      period_drawn: counted.granted_period_consumptions ?? null,
      grants
    }
  }]
}

/** A device as it was, with its components. */
export interface LoggedDevice {
  readonly device: Device
  readonly components: Components
}

const readDevice = reads(Device)
const readShown = reads(Schema.Struct({ device: Device }))
const readChange = reads(Schema.Struct({ device: Device, components: Components }))

const isChange = ({ event_type }: LastEvent) => event_type === "device.components_changed"

/** The device of an event of its own, or of the seat that it took or gave back. */
export const shownIn = (event: LastEvent): Device =>
  event.event_type.startsWith("device.") ? readDevice(event) : readShown(event).device

/**
 * A device by its last event, and by that of the last change of its components, which tells the fingerprint but not the
 * seat: a device that is bound for a lease alone is active as long as that lives. Undefined without an event.
 */
export const deviceIn = (last: ReadonlyArray<LastEvent>): LoggedDevice | undefined => {
  const state = last.find((event) => !isChange(event))
  const shown = state && shownIn(state)
  const change = last.find(isChange)
  if (change === undefined) return shown && { device: shown, components: {} }
  const { components, device } = readChange(change)
  return state === undefined || shown === undefined
    ? { device: { ...device, status: "deactivated" }, components }
    : { device: { ...(change.place > state.place ? device : shown), status: shown.status }, components }
}
