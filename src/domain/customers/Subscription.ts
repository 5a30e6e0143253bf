import { Result, Schema, Struct } from "effect"
import type { FieldFinding, ValidationError } from "../ground/wire/Errors.ts"
import { invalidRequest } from "../ground/wire/FieldFindings.ts"
import { CreatedAt, field, Metadata, optional, Timestamp, TimestampInput, UpdatedAt } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import {
  clearable,
  ExternalId,
  ExternalSystem,
  present,
  Quantity,
  QuantityChange,
  ShownExternalId,
  ShownExternalSystem
} from "./BillingFields.ts"
import { isOutdated, sourceFindings, SourceInstant, SourceInstantInput } from "./SourceInstant.ts"

/** The statuses of a subscription. */
export const SubscriptionStatus = Schema.Literals([
  "trialing",
  "active",
  "past_due",
  "paused",
  "canceled",
  "unpaid",
  "disputed",
  "incomplete",
  "incomplete_expired"
])
  .annotate({
    identifier: "SubscriptionStatus",
    description:
      "The status of the subscription in its billing system. It only affects licenses that follow their subscription."
  })

const canceledText = "Time of the cancellation. Only a subscription with the `status` `canceled` has it."

const endText =
  "Time at which a canceled subscription ended. Licenses that follow it end then, and not with the period. " +
  "Only a subscription with the `status` `canceled` or `incomplete_expired` has it."

/** A recurring contract in a billing system, mirrored here so that licenses can be traced to it. */
export const Subscription = Schema.Struct({
  id: Id.text("sub"),
  product_id: Id.text("prod"),
  customer_id: Schema.optionalKey(Id.text("cus")),
  external_system: ShownExternalSystem,
  external_id: ShownExternalId,
  status: SubscriptionStatus,
  current_period_start: field(Timestamp, "Start of the paid period."),
  current_period_end: field(Timestamp, "End of the paid period; not before its start."),
  cancel_at_period_end: field(
    Schema.Boolean,
    "Whether the subscription ends with the current period instead of being renewed. Default: `false`."
  ),
  canceled_at: optional(Timestamp, canceledText),
  ended_at: optional(Timestamp, endText),
  quantity: Quantity,
  source_updated_at: SourceInstant,
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "Subscription",
  description: "A recurring contract in a billing system. Licenses can refer to it.",
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
  customer_id: Schema.optionalKey(Id.reference("cus")),
  external_system: ExternalSystem,
  external_id: ExternalId,
  status: SubscriptionStatus,
  current_period_start: field(TimestampInput, "Start of the paid period."),
  current_period_end: field(TimestampInput, "End of the paid period; not before its start."),
  cancel_at_period_end: optional(
    Schema.Boolean,
    "Whether the subscription ends with the current period instead of being renewed. Default: `false`."
  ),
  canceled_at: optional(TimestampInput, canceledText),
  ended_at: optional(TimestampInput, endText),
  quantity: Quantity,
  source_updated_at: SourceInstantInput,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "SubscriptionCreateRequest",
  description: "A subscription to record.",
  examples: [{
    external_system: "stripe",
    external_id: "sub_1QXyz",
    status: "active",
    current_period_start: "2026-11-21T10:30:00Z",
    current_period_end: "2027-11-21T10:30:00Z"
  }]
})
export type SubscriptionCreate = typeof SubscriptionCreate.Type

/** What a change may take away of what a billing system said. */
const changeable = {
  canceled_at: clearable(TimestampInput, canceledText),
  ended_at: clearable(TimestampInput, endText),
  quantity: QuantityChange
}

/** A subscription as its billing system has it now; its path names it. */
export const SubscriptionPut = Schema.Struct({
  ...Struct.omit(SubscriptionCreate.fields, ["external_system", "external_id"]),
  ...changeable
}).annotate({
  identifier: "SubscriptionPutRequest",
  description:
    "A subscription to create, or to change into what is sent. Of one that exists, an omitted `customer_id`, " +
    "`source_updated_at` or `metadata` stays as it is. All other omitted fields are removed.",
  examples: [{
    status: "active",
    current_period_start: "2026-11-21T10:30:00Z",
    current_period_end: "2027-11-21T10:30:00Z",
    source_updated_at: "2026-11-21T10:30:00Z"
  }]
})
export type SubscriptionPut = typeof SubscriptionPut.Type

export const SubscriptionUpdate = Schema.Struct({
  customer_id: Schema.optionalKey(Id.referenceOrClear("cus")),
  external_system: Schema.optionalKey(ExternalSystem),
  external_id: Schema.optionalKey(ExternalId),
  status: Schema.optionalKey(SubscriptionStatus),
  current_period_start: optional(TimestampInput, "Start of the paid period."),
  current_period_end: optional(TimestampInput, "End of the paid period; not before its start."),
  cancel_at_period_end: optional(
    Schema.Boolean,
    "Whether the subscription ends with the current period instead of being renewed. Default: `false`."
  ),
  ...changeable,
  source_updated_at: SourceInstantInput,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "SubscriptionUpdateRequest",
  description: "Changes of a subscription. Omitted fields stay as they are.",
  examples: [{ status: "canceled", canceled_at: "2027-02-01T09:00:00Z" }]
})
export type SubscriptionUpdate = typeof SubscriptionUpdate.Type

/**
 * What a PUT changes of a subscription that exists. It says all that its billing system has, so that what it leaves out is
 * there no more; links and metadata are of this service, and stay.
 */
export const subscriptionReplacement = (input: SubscriptionPut): SubscriptionUpdate => ({
  cancel_at_period_end: false,
  canceled_at: null,
  ended_at: null,
  quantity: null,
  ...input
})

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

/** Whether a subscription of this status is over, so that it may say when it ended. */
const isOver = (status: SubscriptionUpdate["status"]): boolean =>
  status === "canceled" || status === "incomplete_expired"

/** What is wrong with a subscription as it would be left; `now` is Unix milliseconds. */
export const subscriptionFindings = (
  left: Partial<
    Pick<
      SubscriptionCreate,
      "status" | "current_period_start" | "current_period_end" | "canceled_at" | "ended_at" | "source_updated_at"
    >
  >,
  now: number
): ReadonlyArray<FieldFinding> => [
  ...periodFindings(left, "current_period_start", "current_period_end"),
  ...(left.canceled_at !== undefined && left.status !== "canceled"
    ? [{ path: "canceled_at", code: "not_canceled", message: "is for the status canceled only" }]
    : []),
  ...(left.ended_at !== undefined && !isOver(left.status)
    ? [{ path: "ended_at", code: "not_ended", message: "is for the statuses canceled and incomplete_expired only" }]
    : []),
  ...sourceFindings(left, now)
]

/** What an update changes of a subscription; null where a member is cleared. */
export type SubscriptionChange = Omit<SubscriptionUpdate, "customer_id"> & { readonly customer_id?: string | null }

/**
 * What an update changes, or every finding against it; undefined for one that is older than what is stored. A status other
 * than canceled clears `canceled_at`, one that is not over `ended_at`, an empty `customer_id` the customer. `now` is Unix
 * milliseconds.
 */
export const subscriptionChange = (
  before: Subscription,
  changes: SubscriptionUpdate,
  now: number
): Result.Result<SubscriptionChange | undefined, ValidationError> => {
  if (isOutdated(before, changes)) return Result.succeed(undefined)
  const { canceled_at, ended_at, ...rest } = before
  const status = changes.status ?? before.status
  const staysCanceled = status === "canceled" && canceled_at !== undefined
  const staysEnded = isOver(status) && ended_at !== undefined
  const left = present({
    ...rest,
    ...(staysCanceled ? { canceled_at } : {}),
    ...(staysEnded ? { ended_at } : {}),
    ...changes
  })
  const found = subscriptionFindings(left, now)
  return found.length > 0 ? Result.fail(invalidRequest(found)) : Result.succeed({
    ...(staysCanceled || changes.canceled_at !== undefined ? {} : { canceled_at: null }),
    ...(staysEnded || changes.ended_at !== undefined ? {} : { ended_at: null }),
    ...changes,
    ...(changes.customer_id === "" ? { customer_id: null } : {})
  })
}
