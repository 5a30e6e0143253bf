import { Result, Schema } from "effect"
import { defaultPriority } from "../../catalog/terms/GrantBalance.ts"
import { Decimals } from "../../catalog/terms/Measure.ts"
import { reasoned } from "../../ground/wire/Action.ts"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import type { ValidationError } from "../../ground/wire/Errors.ts"
import { bigCount, CreatedAt, field, optional, text, Timestamp, TimestampInput } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { priority } from "./Grant.ts"
import { endRefused, repeatsTerm, termOf } from "./GrantIssue.ts"

/** The most pools that a customer has open at a time: each use of a license reads them. */
const maximumOpenPools = 100

const priorityText = "Of two pools that end at the same time, the one with the lower priority is used first."

const capText = "The most that one license takes of the pool. Without it, as much as there is."

/** Units of a metered feature that a customer owns, and that its licenses share. */
export const Pool = Schema.Struct({
  id: Id.text("pool"),
  customer_id: Id.text("cus"),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  decimals: Schema.optionalKey(Decimals),
  amount: field(bigCount(1), "The number of units."),
  used: field(bigCount(0), "How many of them are used, by all licenses."),
  remaining: field(bigCount(0), "How many of them are left. 0 once the pool has ended or is revoked."),
  max_per_license: optional(bigCount(1), capText),
  starts_at: field(Timestamp, "The time from which the units can be used."),
  expires_at: optional(Timestamp, "The time when the pool ends; absent if it does not end."),
  priority: field(priority, priorityText),
  reference: optional(Schema.String, "Your name of the pool, unique in the customer."),
  revoked_at: optional(Timestamp, "The time of the revocation; absent if the pool is not revoked."),
  created_at: CreatedAt
}).annotate({
  identifier: "Pool",
  description:
    "Units of a metered feature that a customer owns. Its licenses, and those of customers that belong to it, share them in " +
    "addition to their own.",
  examples: [{
    id: "pool_06eqpx1trxz3h94vqjm3a6kz7c",
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    amount: 10000,
    used: 1200,
    remaining: 8800,
    max_per_license: 2000,
    starts_at: "2026-11-21T10:30:00.000Z",
    expires_at: "2027-11-21T10:30:00.000Z",
    priority: defaultPriority,
    reference: "order-4711",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Pool = typeof Pool.Type

/** Units to give to a customer. */
export const PoolCreate = Schema.Struct({
  feature_id: Id.reference("feat"),
  amount: field(bigCount(1), "The number of units."),
  max_per_license: optional(bigCount(1), capText),
  starts_at: optional(TimestampInput, "The time from which the units can be used. Default: now."),
  expires_at: optional(TimestampInput, "The time when the pool ends. Default: it does not end."),
  priority: optional(priority, `${priorityText} Default: ${defaultPriority}.`),
  reference: optional(
    text(1, 200),
    "Your name of the pool, such as the number of the order. Repeating a request with it returns the pool that is " +
      "there, so that a repeated webhook gives once."
  ),
  ...reasoned
}).annotate({
  identifier: "PoolCreateRequest",
  description: "Units to give to a customer, for its licenses to share.",
  examples: [{ feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c", amount: 10000, reference: "order-4711" }]
})
export type PoolCreate = typeof PoolCreate.Type

/** A pool as it is to be written; instants are Unix milliseconds. */
export interface PoolIssued {
  readonly amount: number
  readonly max_per_license: number | undefined
  readonly starts_at: number
  readonly expires_at: number | undefined
  readonly priority: number
  readonly reference: string | undefined
}

/** What giving units to a customer writes, or why it cannot have them so. `open` says how many of its pools are open. */
export const poolIssued = (
  { now, open }: { readonly open: number; readonly now: number },
  input: PoolCreate
): Result.Result<PoolIssued, StateConflict | ValidationError> => {
  const { amount, max_per_license, priority = defaultPriority, reference } = input
  const term = termOf(input, now)
  const refused = endRefused(term, now)
  if (refused !== undefined) return Result.fail(refused)
  if (open >= maximumOpenPools) {
    return Result.fail(failing(
      StateConflict,
      `The customer has ${maximumOpenPools} pools that are not used up. Give fewer, larger ones, or revoke some.`,
      { detail: "open_pools" }
    ))
  }
  return Result.succeed({ amount, max_per_license, ...term, priority, reference })
}

/** Whether a request repeats the one that a pool was given by. */
export const repeatsPool = (pool: Pool, input: PoolCreate): boolean =>
  pool.amount === input.amount && pool.feature_id === input.feature_id &&
  pool.max_per_license === input.max_per_license && repeatsTerm(pool, input)
