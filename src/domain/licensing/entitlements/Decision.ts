import { Result, Schema } from "effect"
import { codeFor } from "../../catalog/Product.ts"
import type { ProductCodes } from "../../catalog/Product.ts"
import type { LicenseType, Rules } from "../../catalog/terms/Rules.ts"
import { cannotStart } from "../licenses/LicenseIssue.ts"
import { hasNotStarted } from "../licenses/LicenseStatus.ts"
import type { DecisionInput, Refusals, RuleName, RuleSubject, RuntimeOperation } from "./DecisionInput.ts"
import { rules } from "./DecisionRules.ts"
import { Entitlement } from "./Entitlement.ts"
import type { RuntimeRequest } from "./RuntimeRequest.ts"
import { statusAt } from "./Snapshot.ts"
import type { Snapshot } from "./Snapshot.ts"

/**
 * Whether a copy may run. Every finding is computed, then the one of highest rank decides: nothing returns early, so
 * no permissive branch can skip a check that comes after it.
 */

/** What a rule found. */
export interface Judgement<Operation extends RuntimeOperation> {
  readonly rule: RuleName
  readonly refusal: Refusals[Operation]
}

/** Every finding with the rule that made it, the deciding one first; of the rules about the given subjects only. */
export const judgements = <Operation extends RuntimeOperation>(
  input: DecisionInput & { readonly operation: Operation },
  about: ReadonlyArray<RuleSubject> = ["license", "device", "feature"]
): ReadonlyArray<Judgement<Operation>> => {
  const found: Array<Judgement<Operation>> = []
  for (const rule of rules) {
    if (!rule.governs.includes(input.operation) || !about.includes(rule.about)) continue
    const finding = rule.finding(input)
    if (finding !== undefined) found.push({ rule: rule.name, refusal: finding as Refusals[Operation] })
  }
  return found
}

/** Every finding, the deciding one first. */
export const findings = <Operation extends RuntimeOperation>(
  input: DecisionInput & { readonly operation: Operation }
): ReadonlyArray<Refusals[Operation]> => judgements(input).map(({ refusal }) => refusal)

/** What a decision needs beside the snapshot and the request. */
export type DecisionMore = Partial<
  Pick<
    DecisionInput,
    | "otherActiveDevices"
    | "heldSeats"
    | "otherLiveLeases"
    | "lease"
    | "consumption"
    | "bindingKind"
    | "isVm"
    | "deviceStatus"
    | "selfService"
    | "user"
  >
>

const inputOf = <Operation extends RuntimeOperation>(
  operation: Operation,
  snapshot: Snapshot,
  request: RuntimeRequest,
  more: DecisionMore
) => ({
  operation,
  status: statusAt(snapshot),
  notStarted: hasNotStarted({ starts_at: snapshot.starts_at?.getTime(), now: snapshot.now.getTime() }),
  cannotStart: snapshot.awaits_activation &&
    cannotStart({ ...snapshot, maintenance_expires_at: snapshot.maintenance_expires_at?.toISOString() }, snapshot.now),
  expiresAt: snapshot.expires_at?.getTime(),
  productCode: snapshot.product_code,
  requestedProductCode: request.product_code,
  bindingKind: request.is_container === true ? "container" as const : "hardware" as const,
  isVm: request.is_vm === true,
  deviceStatus: snapshot.device_status ?? undefined,
  deviceFloating: snapshot.device_floating,
  otherActiveDevices: 0,
  otherLiveLeases: 0,
  lease: "unknown" as const,
  user: snapshot.user,
  policy: snapshot,
  ...more
})

const failWithFirst = <E>([finding]: ReadonlyArray<E>): Result.Result<void, E> =>
  finding === undefined ? Result.void : Result.fail(finding)

/** Fails with the finding of highest rank, if there is any. */
export const decide = <Operation extends RuntimeOperation>(
  operation: Operation,
  snapshot: Snapshot,
  request: RuntimeRequest,
  more: DecisionMore = {}
): Result.Result<void, Refusals[Operation]> => failWithFirst(findings(inputOf(operation, snapshot, request, more)))

/** Fails as the use of a feature would by no device: with the finding of highest rank about the license or the feature. */
export const decideReported = (
  snapshot: Snapshot,
  request: Pick<RuntimeRequest, "product_code">,
  consumption: NonNullable<DecisionInput["consumption"]>
): Result.Result<void, Refusals["consume"]> =>
  failWithFirst(
    judgements(inputOf("consume", snapshot, request, { consumption }), ["license", "feature"])
      .map(({ refusal }) => refusal)
  )

/** What writes change, of their own device or of others: it was judged when the write was made. */
const moving: ReadonlySet<RuleName> = new Set([
  "self_service_limit",
  "activation_limit",
  "user_device_limit",
  "lease_not_found",
  "lease_expired",
  "floating_limit",
  "feature_quota"
])

/**
 * The findings that a write meets which was made before and is repeated: those about license, policy and device as they
 * stand now. Seats, leases and quotas are not judged again, because the write has changed them itself; a device that gave
 * its seat back is not active because of that.
 */
const standing = <Operation extends RuntimeOperation>(
  input: DecisionInput & { readonly operation: Operation }
): ReadonlyArray<Refusals[Operation]> =>
  judgements(input)
    .filter(({ rule }) => !moving.has(rule) && !(rule === "device_not_activated" && input.operation === "deactivate"))
    .map(({ refusal }) => refusal)

/** The same for a write that is repeated: only what {@link standing} still judges. */
export const decideReplay = <Operation extends RuntimeOperation>(
  operation: Operation,
  snapshot: Snapshot,
  request: RuntimeRequest,
  more: DecisionMore = {}
): Result.Result<void, Refusals[Operation]> => failWithFirst(standing(inputOf(operation, snapshot, request, more)))

/** What opening a trial answers, signed. */
export const TrialEntitlement = Schema.Struct({
  ...Entitlement.fields,
  license_key: Schema.optionalKey(Schema.String.annotate({
    description:
      "The key of the trial license, for all other runtime calls. A repeated request shows it again while the " +
      "license is a trial. Absent once it was rotated by management.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  }))
}).annotate({
  identifier: "RuntimeTrialResponseData",
  description: "The entitlement of the trial for this device, with the key of its license.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    status: "active",
    license_type: "trial",
    entitlement_version: 1,
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    product_code: "acme-studio",
    policy_code: "trial-14",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    fingerprint_hash: "5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b",
    issued_at: "2026-11-21T10:30:00.000Z",
    valid_until: "2026-11-23T10:30:00.000Z",
    expires_at: "2026-12-05T10:30:00.000Z",
    nonce: "n-7f3a9c21d0",
    next_check_at: "2026-11-22T10:30:00.000Z",
    features: [],
    license_key: "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"
  }]
})
export type TrialEntitlement = typeof TrialEntitlement.Type

/** The license of a trial, as it is now. */
export interface TrialLicense {
  /** Of the policy that it is under. */
  readonly license_type: LicenseType
  readonly order_id: string | null
  readonly subscription_id: string | null
}

/**
 * Whether a license is still the trial that an app opened, and not one that was bought since. A publishable key and a
 * fingerprint are no secrets, so they speak for a trial alone.
 */
export const isStillTrial = ({ license_type, order_id, subscription_id }: TrialLicense): boolean =>
  license_type === "trial" && order_id === null && subscription_id === null

/** What a new trial is opened under. */
export interface TrialOffer {
  readonly product: ProductCodes
  readonly rules: Rules
  /** Unix milliseconds on the database's clock. */
  readonly now: number
}

/** Why a device that never had one may not open a trial, the deciding refusal first: nothing is stored of it yet. */
export const trialFindings = (
  request: RuntimeRequest,
  { now, product, rules }: TrialOffer
): ReadonlyArray<Refusals["activate"]> =>
  findings({
    operation: "activate",
    status: "active",
    notStarted: false,
    // It is started by being opened.
    cannotStart: cannotStart({ ...rules, awaits_activation: true }, new Date(now)),
    productCode: codeFor(product, request.product_code),
    requestedProductCode: request.product_code,
    bindingKind: request.is_container === true ? "container" : "hardware",
    isVm: request.is_vm === true,
    deviceStatus: undefined,
    deviceFloating: false,
    otherActiveDevices: 0,
    otherLiveLeases: 0,
    lease: "unknown",
    policy: {
      ...rules,
      max_container_instances: rules.max_container_instances ?? null,
      max_floating_users: rules.max_floating_users ?? null
    }
  })
