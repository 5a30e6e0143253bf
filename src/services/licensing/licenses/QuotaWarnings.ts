import { Effect, Schema } from "effect"
import type { LicenseFeature } from "../../../domain/catalog/Feature.ts"
import { Period } from "../../../domain/catalog/terms/Period.ts"
import { warningsAboutQuotas } from "../../../domain/catalog/terms/QuotaWarnings.ts"
import type { GrantedQuota } from "../../../domain/catalog/terms/QuotaWarnings.ts"
import type { Warning } from "../../../domain/ground/wire/Errors.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { listQuotasBySubscription } from "./IssueSql.ts"

const readGrant = rowReader(Schema.Struct({
  feature_code: Schema.String,
  enabled: Schema.Boolean,
  max_consumptions: Schema.optionalKey(Schema.Finite),
  period: Schema.optionalKey(Period)
}))

const quotaOf = (
  feature: Pick<LicenseFeature, "feature_code" | "enabled" | "max_consumptions" | "period" | "period_start">
): GrantedQuota => ({
  code: feature.feature_code,
  enabled: feature.enabled,
  quota: feature.max_consumptions ?? null,
  period: feature.period ?? null,
  periodStart: feature.period_start
})

/** The warning about one feature of a license, as an answer shows it. */
export const warningsAboutFeatureQuota = (feature: LicenseFeature): ReadonlyArray<Warning> =>
  warningsAboutQuotas([quotaOf(feature)], "period")

/**
 * Warnings about quotas that count by the periods of a subscription which their license does not have. They are read in
 * the transaction of the write that they are about: a write that is done is answered.
 */
export const makeQuotaWarnings = (sql: Database) => {
  /** About a license as it is left, with all its features. */
  const about = Effect.fnUntraced(function*({ id, subscription_id }: License) {
    if (subscription_id !== undefined) return []
    const granted = yield* readFeatureTerms(sql, id)
    return warningsAboutQuotas(granted.map(({ feature }) => feature), "subscription_id")
  })

  /** About licenses that were just issued: they have what their policies grant. One statement, however many they are. */
  const aboutIssued = Effect.fnUntraced(function*(licenses: ReadonlyArray<License>) {
    const policies = licenses.flatMap(({ policy_id, subscription_id }) =>
      subscription_id === undefined ? policy_id : []
    )
    if (policies.length === 0) return []
    const granted = yield* listQuotasBySubscription(sql, [...new Set(policies)])
    return warningsAboutQuotas(granted.map((row) => quotaOf(readGrant(row))), "subscription_id")
  })

  return { about, aboutIssued }
}
