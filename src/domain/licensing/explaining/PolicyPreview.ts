import { Result, Schema } from "effect"
import type { Policy } from "../../catalog/Policy.ts"
import type { ProductCodes } from "../../catalog/Product.ts"
import { rulesOf } from "../../catalog/terms/Rules.ts"
import { field, Timestamp } from "../../ground/wire/Fields.ts"
import type { DecidedLicense } from "../entitlements/DecidingTerm.ts"
import { LicenseStatus } from "../licenses/License.ts"
import { issueOf, startOf } from "../licenses/LicenseIssue.ts"
import { servesUntil } from "../licenses/LicenseStatus.ts"
import { Finding, findingOf, RuntimeOperationSchema } from "./Explanation.ts"
import type { ExplainRequest } from "./Explanation.ts"
import { judgeCall } from "./JudgedCall.ts"
import type { DecidingStanding } from "./JudgedCall.ts"

/** The answer to an app under a policy, in one situation. */
export const PolicyPreview = Schema.Struct({
  situation: field(
    Schema.Literals([
      "first_device",
      "device_beyond_limit",
      "after_end",
      "after_grace",
      "offline",
      "virtual_machine",
      "container"
    ]),
    "The call that is judged: the activation of a `first_device`, and of one more than the device limit " +
      "(`device_beyond_limit`); a validation when the license ends (`after_end`), and when its grace period ends " +
      "(`after_grace`); an envelope for `offline` use; the first activation in a `virtual_machine`, and in a " +
      "`container`. Those about an end are absent for a license that never ends."
  ),
  operation: RuntimeOperationSchema,
  at: field(Timestamp.annotate({ examples: ["2026-11-21T10:30:00.000Z"] }), "The time for which the call was judged."),
  is_allowed: field(Schema.Boolean, "Whether the call would be granted."),
  status: field(LicenseStatus, "The state of the license at the time `at`."),
  findings: field(Schema.Array(Finding), "Every finding in order of rank; empty when allowed.")
}).annotate({
  identifier: "PolicyPreview",
  description: "The response to an app under the policy in one situation.",
  examples: [{
    situation: "first_device",
    operation: "activate",
    at: "2026-11-21T10:30:00.000Z",
    is_allowed: true,
    status: "active",
    findings: []
  }]
})
export type PolicyPreview = typeof PolicyPreview.Type

const day = 86_400_000

/** The end of what can be written as an instant. */
const lastInstant = Date.parse("9999-12-31T23:59:59.999Z")

/** How long the period of a subscription is taken to be, where licenses end with it. */
const subscriptionPeriod = 30 * day

/** A new license, and the same once its first device is activated; undefined where none can be issued or started. */
const licensesUnder = (
  policy: Policy,
  now: Date
): { readonly issued: DecidedLicense; readonly started: DecidedLicense } | undefined => {
  const rules = rulesOf(policy)
  const issued = issueOf(
    rules.follows_subscription === true
      ? { follows_subscription: false, expires_at: new Date(now.getTime() + subscriptionPeriod).toISOString() }
      : {},
    { id: policy.id, license_type: policy.license_type, rules },
    now.getTime()
  )
  if (Result.isFailure(issued)) return undefined
  const license = { product_id: policy.product_id, ...issued.success }
  if (license.awaits_activation !== true) return { issued: license, started: license }
  const start = startOf(rules, license.maintenance_expires_at, now)
  if (Result.isFailure(start)) return undefined
  const { awaits_activation: _awaits, ...rest } = license
  const { expires_at, maintenance_expires_at, starts_at } = start.success
  return {
    issued: license,
    started: {
      ...rest,
      starts_at,
      ...(expires_at === null ? {} : { expires_at }),
      ...(maintenance_expires_at === null ? {} : { maintenance_expires_at })
    }
  }
}

/** A call that is judged on a license of the policy. */
interface Call extends ExplainRequest {
  readonly operation: NonNullable<ExplainRequest["operation"]>
  readonly license: DecidedLicense
  readonly instant: Date
  readonly deviceStatus?: "active"
  readonly otherActiveDevices?: number
}

/**
 * The answers to an app under a policy, decided as the runtime decides, on a new license that is not stored. A license that
 * follows its subscription is taken to have a period of 30 days. Empty where no license can be issued.
 */
export const previewsOf = (policy: Policy, product: ProductCodes, now: Date): ReadonlyArray<PolicyPreview> => {
  const licenses = licensesUnder(policy, now)
  if (licenses === undefined) return []
  const { issued, started } = licenses
  const preview = (
    situation: PolicyPreview["situation"],
    { deviceStatus, instant, license, otherActiveDevices = 0, ...request }: Call
  ): PolicyPreview => {
    const standing: DecidingStanding = {
      license,
      state: "active",
      policy,
      products: [product],
      deviceStatus,
      deviceFloating: false,
      otherActiveDevices,
      otherLiveLeases: 0,
      lease: "unknown",
      selfService: undefined,
      feature: undefined
    }
    const { found, operation, status } = judgeCall(standing, request, instant)
    return {
      situation,
      operation: operation as Call["operation"],
      at: instant.toISOString(),
      is_allowed: found.length === 0,
      status,
      findings: found.map(findingOf)
    }
  }
  const binding = { fingerprint: "preview" }
  const activate = { operation: "activate", license: issued, instant: now, binding } as const
  const running = { license: started, instant: now, binding, deviceStatus: "active" } as const
  const expires = started.expires_at === undefined ? undefined : Date.parse(started.expires_at)
  const { grace_period_days } = policy
  const served = servesUntil({ expires_at: expires, grace_period_days })
  return [
    preview("first_device", activate),
    preview("device_beyond_limit", { ...activate, license: started, otherActiveDevices: policy.max_activations }),
    ...(expires === undefined
      ? []
      : [preview("after_end", { ...running, operation: "validate", instant: new Date(expires) })]),
    ...(served === undefined || grace_period_days === 0 || served > lastInstant
      ? []
      : [preview("after_grace", { ...running, operation: "validate", instant: new Date(served) })]),
    preview("offline", { ...running, operation: "offline" }),
    preview("virtual_machine", { ...activate, binding: { ...binding, is_vm: true } }),
    preview("container", { ...activate, binding: { container_id: "preview", is_container: true } })
  ]
}
