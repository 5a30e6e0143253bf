import { Result, Schema } from "effect"
import type { FieldFinding, ValidationError } from "../wire/Errors.ts"
import { invalidRequest } from "../wire/FieldFindings.ts"
import { label, Metadata, text, Timestamp, TimestampInput } from "../wire/Fields.ts"
import { isOutdated, sourceFindings, SourceInstant, SourceInstantInput } from "./SourceInstant.ts"

const SubscriptionStatus = Schema.Literals(["trialing", "active", "past_due", "paused", "canceled"])
  .annotate({ identifier: "SubscriptionStatus" })

/** The billing system that a commercial record comes from. */
export const ExternalSystem = label(64)
/** The id of a commercial record in its billing system. */
export const ExternalId = label(255)
/** The id of one of our resources, or the empty string, which clears the link. */
export const referenceOrClear = text(0, 64)
/** The id of one of our resources. */
export const reference = text(1, 64)

/** A recurring contract in a billing system, mirrored here so that licenses can be traced to it. */
export const Subscription = Schema.Struct({
  id: Schema.String,
  product_id: Schema.String,
  customer_id: Schema.optionalKey(Schema.String),
  external_system: Schema.String,
  external_id: Schema.String,
  status: SubscriptionStatus,
  current_period_start: Timestamp,
  current_period_end: Timestamp,
  cancel_at_period_end: Schema.Boolean,
  canceled_at: Schema.optionalKey(Timestamp),
  source_updated_at: SourceInstant,
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Subscription",
  examples: [{
    id: "sub_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    external_system: "stripe",
    external_id: "sub_1QXyz",
    status: "active",
    current_period_start: "2026-11-21T10:30:00.000Z",
    current_period_end: "2027-11-21T10:30:00.000Z",
    cancel_at_period_end: false,
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Subscription = typeof Subscription.Type

export const SubscriptionCreate = Schema.Struct({
  customer_id: Schema.optionalKey(reference),
  external_system: ExternalSystem,
  external_id: ExternalId,
  status: SubscriptionStatus,
  current_period_start: TimestampInput,
  current_period_end: TimestampInput,
  cancel_at_period_end: Schema.optionalKey(Schema.Boolean),
  canceled_at: Schema.optionalKey(TimestampInput),
  source_updated_at: SourceInstantInput,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "SubscriptionCreateRequest",
  examples: [{
    external_system: "stripe",
    external_id: "sub_1QXyz",
    status: "active",
    current_period_start: "2026-11-21T10:30:00Z",
    current_period_end: "2027-11-21T10:30:00Z"
  }]
})
export type SubscriptionCreate = typeof SubscriptionCreate.Type

export const SubscriptionUpdate = Schema.Struct({
  customer_id: Schema.optionalKey(referenceOrClear),
  external_system: Schema.optionalKey(ExternalSystem),
  external_id: Schema.optionalKey(ExternalId),
  status: Schema.optionalKey(SubscriptionStatus),
  current_period_start: Schema.optionalKey(TimestampInput),
  current_period_end: Schema.optionalKey(TimestampInput),
  cancel_at_period_end: Schema.optionalKey(Schema.Boolean),
  canceled_at: Schema.optionalKey(TimestampInput),
  source_updated_at: SourceInstantInput,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "SubscriptionUpdateRequest",
  examples: [{ status: "canceled", canceled_at: "2027-02-01T09:00:00Z" }]
})
export type SubscriptionUpdate = typeof SubscriptionUpdate.Type

/** The finding about a period that ends before it starts; `start` and `end` name the members, instants are RFC 3339. */
export const periodFindings = (
  values: Readonly<Record<string, unknown>>,
  start: string,
  end: string
): ReadonlyArray<FieldFinding> => {
  const from = values[start]
  const to = values[end]
  return typeof from === "string" && typeof to === "string" && Date.parse(to) < Date.parse(from)
    ? [{ path: end, code: "before_start", message: `must not be before ${start}` }]
    : []
}

/** What is wrong with a subscription as it would be left; `now` is Unix milliseconds. */
export const subscriptionFindings = (
  left: Pick<
    SubscriptionUpdate,
    "status" | "current_period_start" | "current_period_end" | "canceled_at" | "source_updated_at"
  >,
  now: number
): ReadonlyArray<FieldFinding> => [
  ...periodFindings(left, "current_period_start", "current_period_end"),
  ...(left.canceled_at !== undefined && left.status !== "canceled"
    ? [{ path: "canceled_at", code: "not_canceled", message: "is for the status canceled only" }]
    : []),
  ...sourceFindings(left, now)
]

/** What an update changes of a subscription; null where a member is cleared. */
export type SubscriptionChange = Omit<SubscriptionUpdate, "customer_id" | "canceled_at"> & {
  readonly customer_id?: string | null
  readonly canceled_at?: string | null
}

/**
 * What an update changes, or every finding against it; undefined for one that is older than what is stored. A status other
 * than canceled clears `canceled_at`, an empty `customer_id` the customer. `now` is Unix milliseconds.
 */
export const subscriptionChange = (
  before: Subscription,
  changes: SubscriptionUpdate,
  now: number
): Result.Result<SubscriptionChange | undefined, ValidationError> => {
  if (isOutdated(before, changes)) return Result.succeed(undefined)
  const { canceled_at, ...rest } = before
  const stays = (changes.status ?? before.status) === "canceled" && canceled_at !== undefined
  const found = subscriptionFindings({ ...rest, ...(stays ? { canceled_at } : {}), ...changes }, now)
  return found.length > 0 ? Result.fail(invalidRequest(found)) : Result.succeed({
    ...(stays || changes.canceled_at !== undefined ? {} : { canceled_at: null }),
    ...changes,
    ...(changes.customer_id === "" ? { customer_id: null } : {})
  })
}
