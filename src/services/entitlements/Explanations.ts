import { Context, Effect, Layer } from "effect"
import { codeFor, hasCode } from "../../domain/catalog/Product.ts"
import { decidingTerm } from "../../domain/entitlements/DecidingTerm.ts"
import { judgements } from "../../domain/entitlements/Decision.ts"
import type { RuleSubject, RuntimeOperation } from "../../domain/entitlements/DecisionInput.ts"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import { findingOf } from "../../domain/entitlements/Explanation.ts"
import type { ExplainRequest, Explanation } from "../../domain/entitlements/Explanation.ts"
import { cannotStart } from "../../domain/licenses/LicenseIssue.ts"
import { hasNotStarted, statusOf, withoutGrace } from "../../domain/licenses/LicenseStatus.ts"
import { effectiveRules, effectiveTerms } from "../../domain/terms/EffectiveTerms.ts"
import { rulesOf } from "../../domain/terms/Rules.ts"
import type { NotFound, ValidationError } from "../../domain/wire/Errors.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { LicenseHistory } from "./LicenseHistory.ts"
import { LicenseStandingReader } from "./LicenseStandingReader.ts"
import type { LicenseStanding } from "./LicenseStandingReader.ts"
import { findExplainedTime, readInstant } from "./LicenseStandingSql.ts"

const millis = (instant: string | undefined): number | undefined =>
  instant === undefined ? undefined : Date.parse(instant)

/** The rules that can be judged: a request without a binding says nothing of a device, one without a feature of no feature. */
const judgedSubjects = ({ binding, feature_code }: ExplainRequest): ReadonlyArray<RuleSubject> => [
  "license",
  ...(binding === undefined ? [] : ["device" as const]),
  ...(feature_code === undefined ? [] : ["feature" as const])
]

/** The calls that know a device by its components. */
const knownByComponents: ReadonlySet<RuntimeOperation | undefined> = new Set(["activate", "checkout"])

/** Decides a hypothetical call by the standing of the license at an instant. */
const judge = (standing: LicenseStanding, request: ExplainRequest, at: Date) => {
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
        : Math.max(0, feature.ceiling - feature.consumed),
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

/** Explains how a runtime call would be decided, now or at another instant, without making it. */
export class Explanations extends Context.Service<Explanations, {
  readonly explain: (id: string, request: ExplainRequest) => Effect.Effect<Explanation, NotFound | ValidationError>
}>()("countersign/services/entitlements/Explanations") {
  static readonly layer = Layer.effect(
    Explanations,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const past = yield* LicenseHistory
      const present = yield* LicenseStandingReader

      const explain = Effect.fn("Explanations.explain")(function*(id: string, request: ExplainRequest) {
        const [time] = yield* findExplainedTime(sql, request.at)
        const { at, is_past } = readInstant(time!)
        const question = {
          licenseId: id,
          at,
          binding: request.binding && bindingOf(request.binding),
          deviceRequest: request.binding !== undefined && knownByComponents.has(request.operation)
            ? { licenseId: id, request: request.binding }
            : undefined,
          takeSeatOf: request.take_seat_of,
          call: { operation: request.operation, process_id: request.process_id },
          featureCode: request.feature_code
        }
        if (is_past) yield* licenses.get(id)
        const standing = yield* is_past ? past.read(question) : present.read(question)
        const { found, operation, status, terms } = judge(standing, request, at)
        return {
          license_id: id,
          operation,
          at: at.toISOString(),
          source: is_past ? "log" : "current",
          is_allowed: found.length === 0,
          status,
          ...(found[0] === undefined ? {} : { deciding_rule: found[0].rule }),
          findings: found.map(findingOf),
          judged: judgedSubjects(request),
          // The status at the instant that was asked about; the stored one is of the time when it was written.
          license: { ...standing.license, status },
          policy: standing.policy,
          terms,
          ...(standing.device === undefined ? {} : { device: standing.device })
        } satisfies Explanation
      })

      return Explanations.of({ explain })
    })
  )
}
