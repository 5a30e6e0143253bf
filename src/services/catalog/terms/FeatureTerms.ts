import { Effect, Schema, Struct } from "effect"
import type { LicenseFeature } from "../../../domain/catalog/Feature.ts"
import {
  effectiveFeatures,
  policyFeatureTermsOf,
  quotaStanding
} from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import type {
  EffectiveFeature,
  LicenseFeatureTerms,
  PolicyFeatureTerms
} from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { effectiveRules } from "../../../domain/catalog/terms/EffectiveTerms.ts"
import { FeatureValue } from "../../../domain/catalog/terms/FeatureValue.ts"
import { openGrantOf, sharedPoolOf } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { OpenGrant, SharedPool } from "../../../domain/catalog/terms/GrantBalance.ts"
import { grantStanding } from "../../../domain/catalog/terms/GrantStanding.ts"
import { decimalsMember, Meter, meteredBy, meterMembers } from "../../../domain/catalog/terms/Measure.ts"
import { Period } from "../../../domain/catalog/terms/Period.ts"
import { PastTerms, Rollover } from "../../../domain/catalog/terms/Rollover.ts"
import { LicenseOverrides, ruleFields } from "../../../domain/catalog/terms/Rules.ts"
import { selfServiceOf } from "../../../domain/catalog/terms/SelfService.ts"
import type { SelfService } from "../../../domain/catalog/terms/SelfService.ts"
import { Metadata } from "../../../domain/ground/wire/Fields.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { listSharedPools } from "./OpenGrantSql.ts"
import { findPeriodClock, listOwnTerms, listPolicyTerms, listSelfService } from "./TermsSql.ts"

const readRow = rowReader(Schema.Struct({
  license_id: Schema.String,
  now: Schema.DateFromString,
  overrides: Schema.optionalKey(LicenseOverrides),
  rules: Schema.Struct(Struct.pick(ruleFields, [
    "self_service",
    "max_self_service_resets",
    "self_service_period",
    "self_service_transfer"
  ])),
  self_service_start: Schema.optionalKey(Schema.DateFromString),
  self_service_resets: Schema.optionalKey(Schema.Int)
}))

/**
 * Reads what self-service licenses have, by their ids: now on the database's clock, or at an instant with what is
 * counted now. It is read where a call is about it alone, so that all others pay nothing for it.
 */
export const readSelfService = (
  sql: Database,
  licenseIds: ReadonlyArray<string>,
  at?: Date
): Effect.Effect<ReadonlyMap<string, SelfService>> =>
  Effect.map(
    listSelfService(sql, licenseIds, at),
    (rows) =>
      new Map(
        rows.map(readRow).map((row) => [
          row.license_id,
          selfServiceOf(
            effectiveRules({
              policy: row.rules,
              overrides: row.overrides,
              withoutGrace: undefined
            }),
            { start: row.self_service_start?.getTime(), resets: row.self_service_resets ?? 0 },
            row.now.getTime()
          )
        ])
      )
  )

/** A grant that is neither spent nor revoked, as statements show it. */
const OpenGrantRow = Schema.Struct({
  id: Schema.String,
  starts_at: Schema.String,
  expires_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  priority: Schema.Int,
  left: Schema.Finite
})

const SharedPoolRow = Schema.Struct({
  ...OpenGrantRow.fields,
  feature: Schema.String,
  cap: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  mine: Schema.Finite
})

const poolOf = (row: typeof SharedPoolRow.Type): SharedPool => sharedPoolOf({ ...row, cap: row.cap ?? null })

const readThen = rowReader(Schema.Struct({ ...SharedPoolRow.fields, is_shared: Schema.Boolean }))

/** Reads grants as they were: those of a license, and those of customers, which it shared. */
export const readGrantsThen = (rows: ReadonlyArray<object>): {
  readonly grants: ReadonlyArray<OpenGrant>
  readonly pools: ReadonlyArray<SharedPool>
} => {
  const then = rows.map(readThen)
  return {
    grants: then.flatMap((row) => row.is_shared ? [] : openGrantOf(row)),
    pools: then.flatMap((row) => row.is_shared ? poolOf(row) : [])
  }
}

const readPools = rowReader(Schema.Struct({ pools: Schema.optionalKey(Schema.Array(SharedPoolRow)) }))

/** Reads the column of a license that has its pools. */
const readSharedPools = ([row]: ReadonlyArray<object>): ReadonlyArray<SharedPool> =>
  row === undefined ? [] : (readPools(row).pools ?? []).map(poolOf)

const named = {
  feature_id: Schema.String,
  feature_code: Schema.String,
  feature_name: Schema.String,
  decimals: Schema.optionalKey(Schema.Int),
  meter: Schema.optionalKey(Meter),
  meter_dimension: Schema.optionalKey(Schema.String)
}

const thresholds = {
  quota_thresholds: Schema.optionalKey(Schema.Array(Schema.Int)),
  remaining_thresholds: Schema.optionalKey(Schema.Array(Schema.Int))
}

const quota = {
  enabled: Schema.Boolean,
  value: Schema.optionalKey(FeatureValue),
  max_consumptions: Schema.optionalKey(Schema.Finite),
  period: Schema.optionalKey(Period),
  overage: Schema.optionalKey(Schema.String),
  metadata: Metadata
}

/** A feature of a policy. */
const OfPolicy = Schema.Struct({
  ...named,
  ...quota,
  expires_after: Schema.optionalKey(Schema.String),
  ...thresholds,
  rollover: Schema.optionalKey(Rollover),
  rollover_since: Schema.optionalKey(Schema.String),
  past_terms: Schema.optionalKey(Schema.Array(PastTerms))
})

/** The grant and the counter of a feature in a license. */
const Own = Schema.Struct({
  ...named,
  ...quota,
  ...thresholds,
  is_counter: Schema.optionalKey(Schema.Boolean),
  total_consumptions: Schema.Finite,
  expires_at: Schema.optionalKey(Schema.String),
  period_start: Schema.optionalKey(Schema.String),
  period_consumptions: Schema.optionalKey(Schema.Finite),
  credits: Schema.optionalKey(Schema.Finite),
  credits_start: Schema.optionalKey(Schema.String),
  granted_consumptions: Schema.optionalKey(Schema.Finite),
  granted_period_consumptions: Schema.optionalKey(Schema.Finite),
  announced_threshold: Schema.optionalKey(Schema.Finite),
  announced_remaining: Schema.optionalKey(Schema.Finite),
  announced_period_start: Schema.optionalKey(Schema.String),
  grants: Schema.optionalKey(Schema.Array(OpenGrantRow)),
  recounted: Schema.optionalKey(
    Schema.Struct({ start: Schema.String, consumed: Schema.Finite, drawn: Schema.Finite })
  )
})

/** The time by which the periods of a license are counted. */
const Clock = Schema.Struct({
  now: Schema.DateFromString,
  license_start: Schema.DateFromString,
  rolled_until: Schema.DateFromString,
  period_start: Schema.optionalKey(Schema.DateFromString),
  period_end: Schema.optionalKey(Schema.DateFromString)
})

const readOfPolicy = rowReader(OfPolicy)
const readOwn = rowReader(Own)
const readClock = rowReader(Clock)

const millis = (instant: string | undefined): number | null => instant === undefined ? null : Date.parse(instant)

const ownOf = (row: typeof Own.Type): LicenseFeatureTerms => ({
  id: row.feature_id,
  code: row.feature_code,
  assigned: row.is_counter !== true,
  enabled: row.enabled,
  value: row.value ?? null,
  ...meteredBy(row),
  expires_at: millis(row.expires_at),
  quota: row.max_consumptions ?? null,
  period: row.period ?? null,
  overage: row.overage ?? null,
  thresholds: row.quota_thresholds ?? null,
  remaining_thresholds: row.remaining_thresholds ?? null,
  consumed: row.total_consumptions,
  period_start: millis(row.period_start),
  period_consumed: row.period_consumptions ?? null,
  credits: row.credits ?? null,
  credits_start: millis(row.credits_start),
  recounted: row.recounted === undefined ? null : { ...row.recounted, start: Date.parse(row.recounted.start) },
  announced: {
    percentage: row.announced_threshold ?? null,
    remaining: row.announced_remaining ?? null,
    period_start: millis(row.announced_period_start)
  },
  granted: row.granted_consumptions === undefined ? null : {
    drawn: row.granted_consumptions,
    period_drawn: row.granted_period_consumptions ?? null,
    grants: (row.grants ?? []).map(openGrantOf)
  }
})

/** The terms of a policy with those by which units are carried. */
const policyTermsOf = (row: typeof OfPolicy.Type): PolicyFeatureTerms => ({
  ...policyFeatureTermsOf(row),
  carrying: row.rollover_since === undefined && row.past_terms === undefined ? null : {
    rollover: row.rollover ?? null,
    since: row.rollover_since ?? null,
    past: row.past_terms ?? null
  }
})

const instant = (at: number): string => new Date(at).toISOString()

/** A feature as it is in force, with what is said of it. */
export interface FeatureInForce {
  readonly feature: EffectiveFeature
  readonly name: string
  readonly metadata: Metadata
  /** The product that grants it; undefined for the license alone. */
  readonly from: "policy" | "both" | undefined
  /** The thresholds that the license has of its own. */
  readonly thresholds: Pick<LicenseFeature, "quota_thresholds" | "remaining_thresholds">
}

/** The credits of a feature in wire form, as an answer and as an event tell them. */
const creditsOf = ({ credits, from, periodStart }: EffectiveFeature) =>
  credits === 0 ? {} : {
    credits,
    ...(periodStart === undefined ? {} : { credits_start: instant(periodStart) }),
    quota_from: from.quota
  }

/** A feature in wire form. */
export const licenseFeatureOf = (
  licenseId: string,
  { feature, from, metadata, name, thresholds }: FeatureInForce
): LicenseFeature => {
  const { carried, consumed, granted, overage, period, periodEnd, periodStart, quota, value } = feature
  return {
    license_id: licenseId,
    feature_id: feature.id,
    feature_code: feature.code,
    feature_name: name,
    enabled: feature.isOn,
    ...(value === null ? {} : { value, value_from: feature.from.value }),
    ...decimalsMember(feature.decimals),
    ...meterMembers(feature),
    ...(quota === null ? {} : { max_consumptions: quota }),
    ...creditsOf(feature),
    ...grantStanding(feature),
    ...(carried.length === 0 ? {} : {
      carried: carried.map(({ amount, expires_at, starts_at }) => ({
        amount,
        starts_at: instant(starts_at),
        expires_at: instant(expires_at)
      }))
    }),
    total_consumptions: feature.total,
    ...(granted === undefined ? {} : { granted_consumptions: granted.totalDrawn }),
    ...quotaStanding(feature),
    ...(period === null ? {} : { period }),
    ...(periodStart === undefined ? {} : { period_start: instant(periodStart), period_consumptions: consumed }),
    ...(granted === undefined || periodStart === undefined ? {} : { granted_period_consumptions: granted.drawn }),
    ...(periodEnd === undefined ? {} : { period_ends_at: instant(periodEnd) }),
    ...(overage === null ? {} : { overage }),
    ...thresholds,
    ...(from === undefined ? {} : { from }),
    ...(feature.expiresAt === undefined ? {} : { expires_at: instant(feature.expiresAt) }),
    metadata
  }
}

/** The instant by which the periods of a license are counted; undefined without the license. */
export const readPeriodNow = (sql: Database, licenseId: string) =>
  Effect.map(findPeriodClock(sql, licenseId, undefined), ([row]) => row && readClock(row).now)

/**
 * Reads the features that are in force for a license, in the order of their codes: at an instant, or now on the
 * database's clock. A license that does not exist has none.
 */
export const readFeatureTerms = Effect.fnUntraced(function*(sql: Database, licenseId: string, at?: Date) {
  const [clocks, granted, own, pools] = yield* Effect.all([
    findPeriodClock(sql, licenseId, at),
    listPolicyTerms(sql, licenseId),
    listOwnTerms(sql, licenseId),
    listSharedPools(sql, licenseId)
  ])
  if (clocks[0] === undefined) return []
  const { license_start, now, period_end, period_start, rolled_until } = readClock(clocks[0])
  const ofPolicy = granted.map(readOfPolicy)
  const ofLicense = own.map(readOwn)
  const features = effectiveFeatures(ofPolicy.map(policyTermsOf), ofLicense.map(ownOf), {
    now: now.getTime(),
    licenseStart: license_start.getTime(),
    rolledUntil: rolled_until.getTime(),
    subscription: period_start === undefined || period_end === undefined
      ? undefined
      : { start: period_start.getTime(), end: period_end.getTime() }
  }, readSharedPools(pools))
  return features.map((feature): FeatureInForce => {
    const grant = ofPolicy.find(({ feature_id }) => feature_id === feature.id)
    const assigned = ofLicense.find(({ feature_id, is_counter }) => feature_id === feature.id && is_counter !== true)
    return {
      feature,
      name: (grant ?? assigned)!.feature_name,
      metadata: (assigned ?? grant)!.metadata,
      from: grant === undefined ? undefined : assigned === undefined ? "policy" : "both",
      thresholds: assigned === undefined ? {} : Struct.pick(assigned, ["quota_thresholds", "remaining_thresholds"])
    }
  })
})
