import type { Policy } from "../../catalog/Policy.ts"
import { codeFor, hasCode } from "../../catalog/Product.ts"
import type { ProductCodes } from "../../catalog/Product.ts"
import { servable } from "../../catalog/terms/EffectiveFeatures.ts"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { effectiveRules, effectiveTerms } from "../../catalog/terms/EffectiveTerms.ts"
import { unitsOf } from "../../catalog/terms/Measure.ts"
import { rulesOf } from "../../catalog/terms/Rules.ts"
import { decidingTerm } from "../entitlements/DecidingTerm.ts"
import type { DecidedLicense } from "../entitlements/DecidingTerm.ts"
import { judgements } from "../entitlements/Decision.ts"
import type { LeaseStanding, RuleSubject, RuntimeOperation } from "../entitlements/DecisionInput.ts"
import type { SeatsInput } from "../entitlements/Seats.ts"
import type { Device, DeviceStatus } from "../licenses/Device.ts"
import type { License, LicenseState } from "../licenses/License.ts"
import { cannotStart } from "../licenses/LicenseIssue.ts"
import { hasNotStarted, statusOf, withoutGrace } from "../licenses/LicenseStatus.ts"
import type { UserStanding } from "../users/UserStanding.ts"
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
  readonly heldSeats?: SeatsInput["heldSeats"]
  readonly otherLiveLeases: number
  readonly lease: LeaseStanding
  /** The self-service of an activation that would take a seat. */
  readonly selfService: SeatsInput["selfService"]
  /** How the user of the call stands; undefined where the terms have no users. */
  readonly user?: UserStanding | undefined
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

/** The use that a call would make of a feature. Which values the period has had is not asked: its value counts as a new one. */
const consumptionOf = (feature: EffectiveFeature | undefined, amount: number) => ({
  entitled: feature?.enabled === true,
  remaining: feature === undefined || feature.quota === null ? undefined : servable(feature),
  amount: feature === undefined ? amount : unitsOf(feature, { amount, isNewest: true, isSeen: false })
})

/** The rules that a license is under, and its terms as they come about. */
const termsOf = ({ license, policy }: Pick<DecidingStanding, "license" | "policy">) => {
  const terms = { policy: rulesOf(policy), overrides: license.overrides, withoutGrace: withoutGrace(license) }
  return { rules: effectiveRules(terms), terms }
}

/** The rules that decide calls on a license under a policy. */
export type DecidingRules = ReturnType<typeof termsOf>["rules"]

/** The rules that decide calls on a license under a policy, for {@link findingsOf}. */
export const decidingRulesOf = (standing: Pick<DecidingStanding, "license" | "policy">): DecidingRules =>
  termsOf(standing).rules

/** What decides a call beside the policy, whose rules are given. */
type RuledStanding = Omit<DecidingStanding, "policy">

const clockOf = ({ license, state }: RuledStanding, rules: DecidingRules, at: Date) => ({
  state,
  starts_at: millis(license.starts_at),
  expires_at: millis(license.expires_at),
  grace_period_days: rules.grace_period_days,
  now: at.getTime()
})

/** Every finding about a hypothetical call by the standing of the license at an instant, the deciding one first. */
export const findingsOf = (standing: RuledStanding, rules: DecidingRules, request: ExplainRequest, at: Date) => {
  const { feature, license } = standing
  const clock = clockOf(standing, rules, at)
  const operation: RuntimeOperation = request.operation ?? "validate"
  return judgements({
    operation,
    status: statusOf(clock),
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
    heldSeats: standing.heldSeats,
    otherLiveLeases: standing.otherLiveLeases,
    lease: standing.lease,
    selfService: standing.selfService,
    user: standing.user,
    consumption: consumptionOf(feature, request.amount ?? 1),
    policy: {
      ...rules,
      max_container_instances: rules.max_container_instances ?? null,
      max_floating_users: rules.max_floating_users ?? null
    }
  }, judgedSubjects(request))
}

/** Decides a hypothetical call by the standing of the license at an instant. */
export const judgeCall = (standing: DecidingStanding, request: ExplainRequest, at: Date) => {
  const { feature, license } = standing
  const { rules, terms } = termsOf(standing)
  const operation: RuntimeOperation = request.operation ?? "validate"
  const found = findingsOf(standing, rules, request, at)
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
    status: statusOf(clockOf(standing, rules, at)),
    found: found.map(({ refusal, rule }) => ({ refusal, rule, term: decidingTerm(rule, context) })),
    terms: effectiveTerms(terms)
  }
}
