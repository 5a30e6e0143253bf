import { Result, Schema } from "effect"
import { LicenseFeature } from "../../catalog/Feature.ts"
import type { TakenUnits } from "../../catalog/terms/GrantBalance.ts"
import { reasoned } from "../../ground/wire/Action.ts"
import { failing, NotFound, RefundNotAllowed, StateConflict } from "../../ground/wire/Errors.ts"
import type { ValidationError } from "../../ground/wire/Errors.ts"
import { invalidField } from "../../ground/wire/FieldFindings.ts"
import { bigCount, Code, exampleOf, field, optional, text } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { UnitsOfGrant } from "./Grant.ts"

/** The refund of a metered use: what was used is given back, to the quota and the grants that served it. */
export const UsageRefund = Schema.Struct({
  license_id: Id.text("lic"),
  feature_id: Id.text("feat"),
  event_id: field(Schema.String, "The caller's ID of the usage event."),
  amount: field(bigCount(1), "The amount of the refund."),
  refunded: field(bigCount(1), "How much of the usage event is refunded by now."),
  grants: optional(
    Schema.Array(UnitsOfGrant),
    "Units that were returned to grants; the rest was returned to the quota."
  ),
  feature: LicenseFeature
}).annotate({
  identifier: "UsageRefund",
  description: "The refund of a usage event, and the feature as it left it.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    event_id: "export-2026-11-21-0001",
    amount: 1,
    refunded: 1,
    feature: exampleOf(LicenseFeature)
  }]
})
export type UsageRefund = typeof UsageRefund.Type

export const UsageRefundCreate = Schema.Struct({
  feature_id: optional(text(1, 64), "The ID of the feature. Send either this or `feature_code`."),
  feature_code: optional(Code, "The code of the feature. Send either this or `feature_id`."),
  event_id: field(text(1, 200), "The caller's ID of the usage event."),
  amount: optional(bigCount(1), "How much to refund. Default: all that is not refunded yet."),
  ...reasoned
}).annotate({
  description: "The usage event to refund, whole or in part. Send either `feature_id` or `feature_code`.",
  examples: [{ feature_code: "export-pdf", event_id: "export-2026-11-21-0001", reason: "the export failed" }]
}).check(
  Schema.makeFilter((input: { readonly feature_id?: string; readonly feature_code?: string }) =>
    (input.feature_id === undefined) === (input.feature_code === undefined)
      ? { path: ["feature_id"], issue: "is required without feature_code, and excluded with it" }
      : undefined
  )
).annotate({ identifier: "UsageRefundRequest" })
export type UsageRefundCreate = typeof UsageRefundCreate.Type

/** A use as it was counted, and what was refunded of it before. */
export interface RefundableUse {
  readonly amount: number
  readonly overage: number
  readonly taken: ReadonlyArray<TakenUnits>
  readonly refunded: number
}

/** A use by its device and its time. A use that a backend reported has no device. */
export interface MadeUse {
  readonly device_id?: string
  readonly created_at: string
  /** In milliseconds. */
  readonly age: number
}

/**
 * Whether an app may refund a use: one that its own device made, as long as the window of the terms is open. Uses of others do not
 * exist for it.
 */
export const ownUse = (
  { age, created_at, device_id }: MadeUse,
  { deviceId, windowMinutes }: { readonly deviceId: string; readonly windowMinutes: number }
): Result.Result<void, NotFound | RefundNotAllowed> => {
  if (device_id !== deviceId) {
    return Result.fail(failing(NotFound, "This device has made no usage event with this event_id."))
  }
  const window = windowMinutes * 60_000
  return age < window ? Result.void : Result.fail(
    failing(RefundNotAllowed, "The refund window of the usage event is over.", {
      detail: `until ${new Date(Date.parse(created_at) + window).toISOString()}`
    })
  )
}

/** What a refund gives back. */
export interface RefundIssued {
  readonly amount: number
  readonly refunded: number
  readonly grants: ReadonlyArray<TakenUnits>
}

/**
 * What a refund gives back, in this order: what lay over the quota, then the grants, the last taken first, then the quota.
 * Refunds of parts come to the same as one of the whole.
 */
export const refundIssued = (
  { amount, overage, refunded, taken }: RefundableUse,
  asked: number | undefined
): Result.Result<RefundIssued, StateConflict | ValidationError> => {
  const left = amount - refunded
  if (left === 0) {
    return Result.fail(failing(StateConflict, "The usage event is refunded already.", { detail: "refunded" }))
  }
  if (asked !== undefined && asked > left) {
    return Result.fail(invalidField("amount", "too_large", `is more than the ${left} that are not refunded yet`))
  }
  const given = asked ?? left
  let passed = Math.max(0, refunded - overage)
  let rest = given - Math.max(0, Math.min(given, overage - refunded))
  const grants: Array<TakenUnits> = []
  for (const { amount: units, grant_id } of taken.toReversed()) {
    const before = Math.min(passed, units)
    const back = Math.min(rest, units - before)
    passed -= before
    rest -= back
    if (back > 0) grants.push({ grant_id, amount: back })
  }
  return Result.succeed({ amount: given, refunded: refunded + given, grants })
}
