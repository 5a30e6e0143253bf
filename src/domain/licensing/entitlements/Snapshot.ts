import type { SignedFields } from "../../catalog/CustomField.ts"
import { codeFor, hasCode } from "../../catalog/Product.ts"
import type { ProductCodes } from "../../catalog/Product.ts"
import { effectiveFeatures } from "../../catalog/terms/EffectiveFeatures.ts"
import type {
  EffectiveFeature,
  LicenseFeatureTerms,
  PolicyFeatureTerms
} from "../../catalog/terms/EffectiveFeatures.ts"
import { effectiveRules } from "../../catalog/terms/EffectiveTerms.ts"
import { openGrantOf, sharedPoolOf } from "../../catalog/terms/GrantBalance.ts"
import type { OpenGrantRow, SharedPoolRow, StoredGrants } from "../../catalog/terms/GrantBalance.ts"
import type { PeriodClock, RecountedPeriod } from "../../catalog/terms/Period.ts"
import type { LicenseOverrides, LicenseType, Rules } from "../../catalog/terms/Rules.ts"
import type { DeviceStatus } from "../licenses/Device.ts"
import type { LicenseState, LicenseStatus } from "../licenses/License.ts"
import { statusOf, withoutGrace } from "../licenses/LicenseStatus.ts"
import type { UserStanding } from "../users/UserStanding.ts"

/** The rules that a runtime call may be decided by. */
type RuntimeRules = Pick<
  Rules,
  | "max_activations"
  | "floating_timeout_minutes"
  | "grace_period_days"
  | "validation_interval_minutes"
  | "allow_vm"
  | "allow_container"
  | "allow_offline_activation"
  | "offline_grace_days"
>

/** What the statement of a snapshot reads. */
export interface SnapshotRow extends RuntimeRules {
  readonly now: Date
  readonly kid: string
  readonly license_id: string
  readonly state: LicenseState
  readonly starts_at: Date | null
  readonly expires_at: Date | null
  readonly maintenance_expires_at: Date | null
  readonly created_at: Date
  readonly entitlement_version: bigint
  readonly product_id: string
  readonly product_code: string
  /** Further products that the license carries; null where there is none. */
  readonly further: ReadonlyArray<ProductCodes & { readonly id: string }> | null
  readonly policy_code: string
  readonly license_type: LicenseType
  readonly max_container_instances: number | null
  readonly max_floating_users: number | null
  /** What only some policies and licenses have; null where there is nothing of it. */
  readonly more: {
    readonly awaits_activation: boolean | null
    readonly ends_without_grace: boolean | null
    readonly overrides: LicenseOverrides | null
    /** The optional rules of the policy that are in force. */
    readonly rules: Partial<Rules> | null
    /** The codes that the first product had before. */
    readonly former_codes?: ReadonlyArray<string> | null
    readonly rolled_until?: string | null
  } | null
  /** The current period of the license's subscription: from and until when. */
  readonly subscription_period: { readonly start: string; readonly end: string } | null
  readonly device_id: string | null
  /** A device that is bound through a lease only is `expired` once the lease has run out. */
  readonly device_status: DeviceStatus | null
  /** Whether the device is bound through a lease only. */
  readonly device_floating: boolean
  /** The features that the policy grants. */
  readonly granted: ReadonlyArray<PolicyFeatureTerms & OfProduct> | null
  /** What the license has of features itself. */
  readonly features: ReadonlyArray<StoredGrant> | null
  /** The pools of the license's customer that are open; null without one. */
  readonly pools: ReadonlyArray<SharedPoolRow> | null
  /** The values of the signed custom fields. */
  readonly custom_fields: SignedFields | null
  /** Whether the product lists any version; false where the caller named none. */
  readonly has_versions: boolean
  /** When the version that the caller named was released, if the product lists it. */
  readonly version_released_at: Date | null
}

/** Of which product a feature is. */
interface OfProduct {
  /** Null where it is the first product of the license. */
  readonly product: string | null
}

/**
 * Which product of a license a call is about: by its code as the app says it, or by the id that its lease has (null: the
 * first one), which is then called by the code if it is one of the product's.
 */
export interface ProductSelector {
  readonly code?: string | null | undefined
  readonly id?: string | null | undefined
}

/** What few licenses have of a feature. */
export interface StoredMore extends
  Pick<
    LicenseFeatureTerms,
    "value" | "period" | "overage" | "thresholds" | "remaining_thresholds" | "period_consumed" | "credits"
  >
{
  readonly is_counter: boolean | null
  readonly period_start: string | null
  readonly credits_start: string | null
  /** The grants of the feature, if it ever had one. */
  readonly granted: StoredGrantsRow | null
  /** The highest percentage of the quota that was announced, and the lowest number of units left. */
  readonly announced: number | null
  readonly announced_remaining: number | null
  readonly announced_start: string | null
  /** Whether uses were counted without a period since those that the counter of the period has. */
  readonly counted_apart?: boolean | null
  /** The count of the running period by the records, where the counter is of another one; the start as texts have it. */
  readonly recounted?: (Omit<RecountedPeriod, "start"> & { readonly start: string }) | null
}

/** A {@link LicenseFeatureTerms} as it is read. */
export interface StoredGrant extends
  Pick<
    LicenseFeatureTerms,
    "id" | "code" | "decimals" | "enabled" | "meter" | "meter_dimension" | "quota" | "consumed"
  >,
  OfProduct
{
  readonly expires_at: string | null
  readonly more: StoredMore | null
}

/** {@link StoredGrants} as they are read. */
interface StoredGrantsRow extends Omit<StoredGrants, "grants"> {
  readonly grants: ReadonlyArray<OpenGrantRow> | null
}

/** Everything one runtime answer depends on, at the instant that it was read on the database's clock. */
export interface Snapshot
  extends Omit<SnapshotRow, "more" | "granted" | "features" | "subscription_period" | "further">
{
  /** The product that the call is about: the one asked for, if the license carries it, else the first. */
  readonly product_id: string
  /** Its code as the app says it, also if it is a former one: an app compares it with its own. */
  readonly product_code: string
  /** Whether that is a former code. */
  readonly has_former_code: boolean
  readonly activation_overage: string | undefined
  readonly floating_overage: string | undefined
  /** What takes a floating seat; undefined: a device. */
  readonly lease_unit: Rules["lease_unit"]
  /** For how many days a file for a machine without a network is good; undefined: as long as an envelope. */
  readonly offline_file_days: number | undefined
  /** Whether a seat that a device gives back stays taken until what the device has for offline use has ended. */
  readonly hold_offline_seats: boolean | undefined
  /** For how many minutes a device may refund a use of its own; undefined: not at all. */
  readonly refund_window_minutes: number | undefined
  /** How many people may have a seat; undefined where the terms have no users. */
  readonly max_users: number | undefined
  readonly max_devices_per_user: number | undefined
  /** How the user of the call stands; undefined where the terms have no users, or the call is of nobody. */
  readonly user?: UserStanding | undefined
  readonly awaits_activation: boolean
  /** What the license starts with, if it awaits its first activation: ISO 8601. */
  readonly duration: string | undefined
  readonly maintenance_duration: string | undefined
  /** The features of the product that are in force, in the order of their codes. */
  readonly features: ReadonlyArray<EffectiveFeature>
  /** What was read. */
  readonly row: SnapshotRow
}

const millis = (instant: string | null): number | null => instant === null ? null : Date.parse(instant)

/** A grant of a license as the domain judges it. */
const grantOf = ({ expires_at, more, product: _product, ...grant }: StoredGrant): LicenseFeatureTerms => ({
  ...grant,
  expires_at: millis(expires_at),
  assigned: more?.is_counter !== true,
  value: more?.value ?? null,
  period: more?.period ?? null,
  overage: more?.overage ?? null,
  thresholds: more?.thresholds ?? null,
  remaining_thresholds: more?.remaining_thresholds ?? null,
  period_start: millis(more?.period_start ?? null),
  period_consumed: more?.period_consumed ?? null,
  credits: more?.credits ?? null,
  credits_start: millis(more?.credits_start ?? null),
  announced: more == null || (more.announced ?? more.announced_remaining) == null ? null : {
    percentage: more.announced,
    remaining: more.announced_remaining,
    period_start: millis(more.announced_start)
  },
  recounted: more?.recounted == null
    ? null
    : { ...more.recounted, start: Date.parse(more.recounted.start) },
  granted: more?.granted == null ? null : {
    ...more.granted,
    grants: (more.granted.grants ?? []).map(openGrantOf)
  }
})

/** What the periods of a license depend on, at the instant that it was read. */
export const periodClockOf = (
  { created_at, more, now, starts_at, subscription_period }: SnapshotRow
): PeriodClock => ({
  now: now.getTime(),
  licenseStart: (starts_at ?? created_at).getTime(),
  rolledUntil: Math.max(created_at.getTime(), Date.parse(more?.rolled_until ?? "") || 0),
  subscription: subscription_period === null
    ? undefined
    : { start: Date.parse(subscription_period.start), end: Date.parse(subscription_period.end) }
})

const noFeatures: ReadonlyArray<EffectiveFeature> = []

const featuresOf = (row: SnapshotRow, productId: string): ReadonlyArray<EffectiveFeature> => {
  if (row.granted === null && row.features === null) return noFeatures
  const isOfProduct = ({ product }: OfProduct) => (product ?? row.product_id) === productId
  return effectiveFeatures(
    (row.granted ?? []).filter(isOfProduct),
    (row.features ?? []).filter(isOfProduct).map(grantOf),
    periodClockOf(row),
    row.pools?.map(sharedPoolOf)
  )
}

const selectedProduct = ({ further, more, product_code, product_id }: SnapshotRow, { code, id }: ProductSelector) => {
  const selector = code ?? undefined
  const product = further?.find((product) => id === undefined ? hasCode(product, selector) : product.id === id) ??
    { id: product_id, code: product_code, former_codes: more?.former_codes }
  return { id: product.id, current: product.code, code: codeFor(product, selector) }
}

/** The snapshot of a row for one product of the license, by the terms that are in force. */
export const snapshotOf = <Row extends SnapshotRow>(
  row: Row,
  selector: ProductSelector = {}
): Snapshot & Omit<Row, "more" | "granted" | "features" | "subscription_period" | "further"> => {
  const { more } = row
  const product = selectedProduct(row, selector)
  const rules = more === null
    ? undefined
    : effectiveRules({
      policy: { ...more.rules, ...rulesIn(row) } as Rules,
      overrides: more.overrides ?? undefined,
      withoutGrace: withoutGrace({
        awaits_activation: more.awaits_activation === true,
        ends_without_grace: more.ends_without_grace === true
      })
    })
  return {
    ...row,
    ...rules,
    activation_overage: rules?.activation_overage,
    floating_overage: rules?.floating_overage,
    lease_unit: rules?.lease_unit,
    offline_file_days: rules?.offline_file_days,
    hold_offline_seats: rules?.hold_offline_seats,
    refund_window_minutes: rules?.refund_window_minutes,
    max_users: rules?.max_users,
    max_devices_per_user: rules?.max_devices_per_user,
    awaits_activation: more?.awaits_activation === true,
    duration: rules?.duration,
    maintenance_duration: rules?.maintenance_duration,
    product_id: product.id,
    product_code: product.code,
    has_former_code: product.code !== product.current,
    features: featuresOf(row, product.id),
    row
  }
}

/** The rules that every row has, without those that are null. */
const rulesIn = (row: SnapshotRow): Partial<Rules> => ({
  max_activations: row.max_activations,
  floating_timeout_minutes: row.floating_timeout_minutes,
  grace_period_days: row.grace_period_days,
  validation_interval_minutes: row.validation_interval_minutes,
  allow_vm: row.allow_vm,
  allow_container: row.allow_container,
  allow_offline_activation: row.allow_offline_activation,
  offline_grace_days: row.offline_grace_days,
  ...(row.max_container_instances === null ? {} : { max_container_instances: row.max_container_instances }),
  ...(row.max_floating_users === null ? {} : { max_floating_users: row.max_floating_users })
})

/** The license status that everyone sees at the snapshot's instant. */
export const statusAt = (snapshot: Snapshot): LicenseStatus =>
  statusOf({
    state: snapshot.state,
    starts_at: snapshot.starts_at?.getTime(),
    expires_at: snapshot.expires_at?.getTime(),
    grace_period_days: snapshot.grace_period_days,
    now: snapshot.now.getTime()
  })
