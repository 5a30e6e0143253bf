import type { Policy } from "../catalog/Policy.ts"
import { codeFor, hasCode } from "../catalog/Product.ts"
import type { ProductCodes } from "../catalog/Product.ts"
import { decidingTerm } from "../entitlements/DecidingTerm.ts"
import type { DecidedLicense } from "../entitlements/DecidingTerm.ts"
import { judgements } from "../entitlements/Decision.ts"
import type { LeaseStanding, RuleSubject, RuntimeOperation } from "../entitlements/DecisionInput.ts"
import type { SeatsInput } from "../entitlements/Seats.ts"
import type { Device, DeviceStatus } from "../licenses/Device.ts"
import type { License, LicenseState } from "../licenses/License.ts"
import { cannotStart } from "../licenses/LicenseIssue.ts"
import { hasNotStarted, statusOf, withoutGrace } from "../licenses/LicenseStatus.ts"
import { servable } from "../terms/EffectiveFeatures.ts"
import type { EffectiveFeature } from "../terms/EffectiveFeatures.ts"
import { effectiveRules, effectiveTerms } from "../terms/EffectiveTerms.ts"
import { rulesOf } from "../terms/Rules.ts"
import type { ExplainRequest } from "./Explanation.ts"

/** Everything that decides a call on a license, stored or not, at an instant. */
export interface DecidingStanding {
  readonly license: DecidedLicense
  readonly state: LicenseState
  readonly policy: Policy
  /** Its products by their codes, the first one first. */
  readonly products: ReadonlyArray<ProductCodes>
  readonly deviceStatus: DeviceStatus | undefined
  readonly deviceFloating: boolean
  readonly otherActiveDevices: number
  readonly otherLiveLeases: number
  readonly lease: LeaseStanding
  /** The self-service of an activation that would take a seat. */
  readonly selfService: SeatsInput["selfService"]
  /** The feature in question; undefined where the license does not have it. */
  readonly feature: EffectiveFeature | undefined
}

/** The same of a license that is stored, and its device. */
export interface LicenseStanding extends DecidingStanding {
  readonly license: License
  readonly device: Device | undefined
}

const millis = (instant: string | undefined): number | undefined =>
  instant === undefined ? undefined : Date.parse(instant)

/** The rules that can be judged: a request without a binding says nothing of a device, one without a feature of no feature. */
export const judgedSubjects = ({ binding, feature_code }: ExplainRequest): ReadonlyArray<RuleSubject> => [
  "license",
  ...(binding === undefined ? [] : ["device" as const]),
  ...(feature_code === undefined ? [] : ["feature" as const])
]

/** Decides a hypothetical call by the standing of the license at an instant. */
export const judgeCall = (standing: DecidingStanding, request: ExplainRequest, at: Date) => {
  const { feature, license, policy } = standing
  const terms = { policy: rulesOf(policy), overrides: license.overrides, withoutGrace: withoutGrace(license) }
  const rules = effectiveRules(terms)
  const operation: RuntimeOperation = request.operation ?? "validate"
  const clock = {
    state: standing.state,
    starts_at: millis(license.starts_at),
    expires_at: millis(license.expires_at),
    grace_period_days: rules.grace_period_days,
    now: at.getTime()
  }
  const status = statusOf(clock)
  const found = judgements({
    operation,
    status,
    notStarted: hasNotStarted(clock),
    cannotStart: cannotStart({ ...license, ...rules }, at),
    expiresAt: clock.expires_at,
    productCode: codeFor(
      standing.products.find((product) => hasCode(product, request.binding?.product_code)) ?? standing.products[0]!,
      request.binding?.product_code
    ),
    requestedProductCode: request.binding?.product_code,
    bindingKind: request.binding?.is_container === true ? "container" : "hardware",
    isVm: request.binding?.is_vm === true,
    deviceStatus: standing.deviceStatus,
    deviceFloating: standing.deviceFloating,
    otherActiveDevices: standing.otherActiveDevices,
    otherLiveLeases: standing.otherLiveLeases,
    lease: standing.lease,
    selfService: standing.selfService,
    consumption: {
      entitled: feature?.enabled === true,
      remaining: feature === undefined || feature.quota === null
        ? undefined
        : servable(feature),
      amount: request.amount ?? 1
    },
    policy: {
      ...rules,
      max_container_instances: rules.max_container_instances ?? null,
      max_floating_users: rules.max_floating_users ?? null
    }
  }, judgedSubjects(request))
  const context = {
    license,
    rules,
    isContainer: request.binding?.is_container === true,
    deviceStatus: standing.deviceStatus,
    deviceFloating: standing.deviceFloating,
    feature
  }
  return {
    operation,
    status,
    found: found.map(({ refusal, rule }) => ({ refusal, rule, term: decidingTerm(rule, context) })),
    terms: effectiveTerms(terms)
  }
}
