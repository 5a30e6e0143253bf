import { Effect, Schema } from "effect"
import type { PolicyChange } from "../../../domain/catalog/Policy.ts"
import { grantFindings } from "../../../domain/catalog/PolicyFeature.ts"
import { Period } from "../../../domain/catalog/terms/Period.ts"
import type {
  QuotaChange,
  QuotaStep,
  RecordedUse,
  RehearsedQuota
} from "../../../domain/evidence/recording/DecidedUse.ts"
import type { PolicyRehearsal } from "../../../domain/evidence/rehearsals/PolicyRehearsal.ts"
import type { ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { listCodesOfFeatures, listOwnFeatures, listPolicyQuotas, listUsesInWindow } from "./QuotaSql.ts"
import type { OwnFeatureRow, PolicyQuotaRow, UseRow } from "./QuotaSql.ts"

type Asked = NonNullable<PolicyChange["features"]>[number]

/** A feature of a policy whose quota changes. */
export interface ChangedQuota {
  readonly featureId: string
  readonly codes: ReadonlyArray<string>
  readonly steps: ReadonlyArray<QuotaStep>
  readonly change: QuotaChange
  /** Whether units are carried, a meter measures them, or the code changed: then the record does not tell what is left. */
  readonly isOther: boolean
  readonly rules: PolicyRehearsal["rules"]
}

/** A window of time, and the licenses that are read of it. */
interface Read {
  readonly licenseIds: ReadonlyArray<string>
  readonly from: Date
  readonly to: Date
  readonly limit: number
}

const decodePeriod = Schema.decodeUnknownSync(Schema.NullOr(Period))

const stepOf = (row: PolicyQuotaRow): QuotaStep => ({
  at: row.created_at.getTime(),
  terms: row.is_assigned
    ? { quota: row.max_consumptions, overage: row.overage, period: decodePeriod(row.period) }
    : null
})

/** A rule of a quota, where the change makes it another one. */
const ruleOf = <Value extends number | string>(
  name: string,
  feature_code: string,
  before: Value | null,
  after: Value | null | undefined
): PolicyRehearsal["rules"] =>
  after === undefined || after === before ? [] : [{
    name,
    feature_code,
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
    is_rehearsed: true
  }]

const changedOf = (
  { feature_id: featureId, max_consumptions, overage }: Asked,
  rows: ReadonlyArray<PolicyQuotaRow>,
  codes: ReadonlyArray<string>
): ChangedQuota => {
  const last = rows.at(-1)!
  const code = last.feature_code
  const periods = new Set(rows.map(({ period }) => period))
  return {
    featureId,
    codes: [...new Set([code, ...codes])],
    steps: rows.map(stepOf),
    change: {
      ...(max_consumptions === undefined ? {} : { quota: max_consumptions }),
      ...(overage === undefined ? {} : { overage })
    },
    // When the period of a subscription began is not in the log of its license.
    isOther: rows.some(({ is_other }) => is_other) || periods.size > 1 || periods.has("subscription") ||
      codes.some((other) => other !== code),
    rules: [
      ...ruleOf("max_consumptions", code, last.max_consumptions, max_consumptions),
      ...ruleOf("overage", code, last.overage, overage)
    ]
  }
}

/** The features whose quotas a change makes other ones; a feature that the policy does not grant is a ValidationError. */
export const changedQuotas = Effect.fnUntraced(function*(
  sql: Database,
  policyId: string,
  asked: ReadonlyArray<Asked>
): Effect.fn.Return<ReadonlyArray<ChangedQuota>, ValidationError> {
  if (asked.length === 0) return []
  const featureIds = asked.map(({ feature_id }) => feature_id)
  const rows = yield* listPolicyQuotas(sql, { policyId, featureIds, until: new Date("9999-12-31T00:00:00Z") })
  const codes = yield* listCodesOfFeatures(sql, featureIds)
  const findings = asked.flatMap(({ feature_id, max_consumptions, overage }, index) => {
    const last = rows.findLast((row) => row.feature_id === feature_id)
    const path = `change.features[${index}]`
    if (featureIds.indexOf(feature_id) !== index) {
      return [{ path: `${path}.feature_id`, code: "duplicate", message: "is there twice" }]
    }
    if (last?.is_assigned !== true) {
      return [{
        path: `${path}.feature_id`,
        code: "not_granted",
        message: "names a feature that the policy does not grant"
      }]
    }
    const left = {
      max_consumptions: max_consumptions === undefined ? last.max_consumptions : max_consumptions,
      overage: overage === undefined ? last.overage : overage
    }
    return grantFindings(Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null)))
      .map(({ code, message, path: at }) => ({ path: `${path}.${at}`, code, message }))
  })
  if (findings.length > 0) return yield* invalidRequest(findings)
  return asked.map((each) =>
    changedOf(
      each,
      rows.filter(({ feature_id }) => feature_id === each.feature_id),
      codes.flatMap(({ feature_code, feature_id }) => feature_id === each.feature_id ? [feature_code] : [])
    )
  )
})

/** Uses as they were counted, each after the one before it in the log. */
const usesOf = (rows: ReadonlyArray<UseRow>): ReadonlyArray<RecordedUse> => {
  let last = 0
  return rows.map((row) => {
    // Transactions begin in another order than they are decided in.
    last = Math.max(last + 0.0001, row.created_at.getTime())
    return {
      at: last,
      device: row.device_id ?? undefined,
      amount: row.amount,
      consumed: row.consumed,
      period: row.period_start === null ? 0 : Date.parse(row.period_start),
      quota: row.max_consumptions ?? undefined
    }
  })
}

/** Whether a license has a quota of its own through a window, so that the one of the policy changes nothing. */
const isOwn = ({ change }: ChangedQuota, own: ReadonlyArray<OwnFeatureRow>, from: Date): boolean => {
  const said = own.filter(({ event_type }) => event_type.startsWith("license.feature_"))
  const before = said.findLast(({ created_at }) => created_at < from)
  return before !== undefined &&
    said.filter((row) => row === before || row.created_at >= from).every((row) =>
      row.event_type === "license.feature_assigned" && row.has_quota &&
      (change.overage === undefined || row.has_overage)
    )
}

const quotasOf = (
  changed: ChangedQuota,
  { from, own, uses }: {
    readonly from: Date
    readonly own: ReadonlyArray<OwnFeatureRow>
    readonly uses: ReadonlyArray<UseRow>
  }
): ReadonlyArray<RehearsedQuota> => {
  if (isOwn(changed, own, from)) return []
  const corrected = own.flatMap(({ created_at, event_type }) =>
    event_type === "license.usage_reset" && created_at >= from ? [created_at.getTime()] : []
  )
  const isTold = !changed.isOther && uses.every(({ is_other }) => !is_other) &&
    own.every(({ event_type }) => event_type === "license.usage_reset")
  const { change, codes, steps } = changed
  return codes.map((code, index) => ({
    code,
    steps,
    change,
    corrected,
    isTold,
    uses: index === 0 ? usesOf(uses) : []
  }))
}

/** Reads what the quotas of licenses are decided by; undefined where there are more uses than one request reads. */
export const readQuotas = Effect.fnUntraced(function*(sql: Database, changed: ReadonlyArray<ChangedQuota>, of: Read) {
  const quotas = new Map<string, ReadonlyArray<RehearsedQuota>>()
  if (changed.length === 0) return { quotas, rows: 0 }
  const featureIds = changed.map(({ featureId }) => featureId)
  const { from, licenseIds, to } = of
  const uses = yield* listUsesInWindow(sql, { ...of, featureIds })
  if (uses.length === of.limit) return undefined
  const own = yield* listOwnFeatures(sql, { licenseIds, featureIds, until: to })
  const [usesOfEach, ownOfEach] = [
    Map.groupBy(uses, ({ feature_id, license_id }) => `${license_id} ${feature_id}`),
    Map.groupBy(own, ({ feature_id, license_id }) => `${license_id} ${feature_id}`)
  ]
  for (const id of licenseIds) {
    quotas.set(
      id,
      changed.flatMap((each) => {
        const key = `${id} ${each.featureId}`
        return quotasOf(each, { from, own: ownOfEach.get(key) ?? [], uses: usesOfEach.get(key) ?? [] })
      })
    )
  }
  return { quotas, rows: uses.length + own.length }
})
