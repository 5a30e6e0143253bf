import { Schema } from "effect"
import { leftOfQuota, quotaStanding } from "../../catalog/terms/EffectiveFeatures.ts"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { pooledLeft } from "../../catalog/terms/GrantBalance.ts"
import type { OpenGrant } from "../../catalog/terms/GrantBalance.ts"
import { Decimals, decimalsMember } from "../../catalog/terms/Measure.ts"
import { Period } from "../../catalog/terms/Period.ts"
import { carriedId } from "../../catalog/terms/Rollover.ts"
import { bigCount, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { statusAt } from "../entitlements/Snapshot.ts"
import type { Snapshot } from "../entitlements/Snapshot.ts"
import { LicenseStatus } from "../licenses/License.ts"

const instant = (millis: number): string => new Date(millis).toISOString()

const leftText = "How many units of it are left."
const endText = "The time when it ends; absent if it does not end."

/** A grant of the license that has begun, with what is left of it. */
const GrantLeft = Schema.Struct({
  grant_id: optional(
    Id.text("grant"),
    "The ID of the grant. Absent for unused units of an earlier period that are no grant yet."
  ),
  remaining: field(bigCount(1), leftText),
  expires_at: optional(Timestamp, endText)
}).annotate({
  identifier: "GrantLeft",
  description: "A grant of the license, with its remaining units.",
  examples: [{ grant_id: "grant_06eqpx1trxz3h94vqjm3a6kz7c", remaining: 80 }]
})

/** A pool that the license shares, with what is left of it for all. */
const PoolLeft = Schema.Struct({
  pool_id: Id.text("pool"),
  remaining: field(bigCount(0), "How many units of it are left, for all licenses that share it."),
  expires_at: optional(Timestamp, endText)
}).annotate({
  identifier: "PoolLeft",
  description: "A pool that the license shares, with its remaining units.",
  examples: [{ pool_id: "pool_06eqpx1trxz3h94vqjm3a6kz7c", remaining: 8800 }]
})

/** What a license may still use of a feature, and where from. */
const FeatureBalance = Schema.Struct({
  product_id: Id.text("prod"),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  decimals: Schema.optionalKey(Decimals),
  enabled: field(Schema.Boolean, "Whether the license may use the feature: it is switched on, and has not ended."),
  unlimited: field(
    Schema.Boolean,
    "`true`: the feature has no quota; usage is counted, and `remaining` is absent. `false`: `remaining` is what is left, and 0 is " +
      "nothing."
  ),
  used: field(bigCount(0), "Usage: of the running period, where the quota has one."),
  total_consumptions: field(bigCount(0), "Total usage."),
  max_consumptions: optional(bigCount(0), "The quota, with grants and pools."),
  remaining: optional(bigCount(0), "The units that the license may still use, of quota, grants and pools together."),
  over: optional(bigCount(1), "The overage: usage above the quota."),
  quota_remaining: optional(bigCount(0), "How much of that is left of the quota itself."),
  grants: optional(
    Schema.Array(GrantLeft),
    "The grants that units are left of, in the order in which they are used. Absent where the license never had one."
  ),
  pools: optional(
    Schema.Array(PoolLeft),
    "The open pools of the feature that the license shares, in the order in which they are used. Absent if it shares no pool."
  ),
  pool_remaining: optional(bigCount(0), "How much of them this license may still use."),
  period: optional(Period, "The period after which the quota resets. Without it, the quota never resets."),
  period_ends_at: optional(Timestamp, "The time of the next reset of the quota.")
}).annotate({
  identifier: "FeatureBalance",
  description: "The balance of a metered feature of a license: its remaining units, by what they are left of.",
  examples: [{
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    enabled: true,
    unlimited: false,
    used: 812,
    total_consumptions: 4012,
    max_consumptions: 1080,
    remaining: 268,
    quota_remaining: 188,
    grants: [{ grant_id: "grant_06eqpx1trxz3h94vqjm3a6kz7c", remaining: 80 }],
    period: "month",
    period_ends_at: "2026-12-01T00:00:00.000Z"
  }]
})
type FeatureBalance = typeof FeatureBalance.Type

/** The balances of a license, by feature. */
export const LicenseBalance = Schema.Struct({
  license_id: Id.text("lic"),
  status: field(
    LicenseStatus,
    "The status of the license. Only with `active` and `grace_period` the balances can be used."
  ),
  balances: field(
    Schema.Array(FeatureBalance),
    "By the codes of the features. A feature that the license does not have is no entry."
  )
}).annotate({
  identifier: "LicenseBalance",
  description: "The balances of a license of a customer, by feature.",
  examples: [{ license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "active", balances: [] }]
})
export type LicenseBalance = typeof LicenseBalance.Type

const endOf = ({ expires_at }: Pick<OpenGrant, "expires_at">) =>
  expires_at === null ? {} : { expires_at: instant(expires_at) }

/** What is left, by what it is left of; nothing of a feature without a quota, which grants and pools stand beside. */
const sourcesOf = ({ carried, granted, quota, ...feature }: EffectiveFeature) => {
  if (quota === null) return {}
  const own = leftOfQuota({ ...feature, granted, quota })
  if (granted === undefined) return { quota_remaining: own }
  const pooled = pooledLeft(granted)
  const provisional = new Set(carried.map(carriedId))
  return {
    quota_remaining: own,
    grants: granted.grants.map((grant) => ({
      ...(provisional.has(grant.id) ? {} : { grant_id: grant.id }),
      remaining: grant.left,
      ...endOf(grant)
    })),
    ...(granted.pools.length === 0 ? {} : {
      pools: granted.pools.map((pool) => ({ pool_id: pool.id, remaining: pool.left, ...endOf(pool) })),
      pool_remaining: pooled
    })
  }
}

const balanceOf = (productId: string, feature: EffectiveFeature): FeatureBalance => {
  const { consumed, decimals, enabled, period, periodEnd, quota, total } = feature
  return {
    product_id: productId,
    feature_id: feature.id,
    feature_code: feature.code,
    ...decimalsMember(decimals),
    enabled,
    unlimited: quota === null,
    used: consumed,
    total_consumptions: total,
    ...(quota === null ? {} : { max_consumptions: quota }),
    ...quotaStanding(feature),
    ...sourcesOf(feature),
    ...(period === null ? {} : { period }),
    ...(periodEnd === undefined ? {} : { period_ends_at: instant(periodEnd) })
  }
}

/** The balances of a license from the snapshots of its products, of one feature where a code is named. */
export const licenseBalance = (
  snapshots: readonly [Snapshot, ...ReadonlyArray<Snapshot>],
  code: string | undefined
): LicenseBalance => ({
  license_id: snapshots[0].license_id,
  status: statusAt(snapshots[0]),
  balances: snapshots
    .flatMap(({ features, product_id }) => features.map((feature) => balanceOf(product_id, feature)))
    .filter(({ feature_code }) => code === undefined || feature_code === code)
    .toSorted((a, b) => a.feature_code < b.feature_code ? -1 : a.feature_code > b.feature_code ? 1 : 0)
})
