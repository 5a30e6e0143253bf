import { Result } from "effect"
import { cannotStart } from "../licenses/LicenseIssue.ts"
import { hasNotStarted } from "../licenses/LicenseStatus.ts"
import type { DecisionInput, Refusals, RuleName, RuleSubject, RuntimeOperation } from "./DecisionInput.ts"
import { rules } from "./DecisionRules.ts"
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
