import { Result, Schema, Struct } from "effect"
import type { FieldFinding, ValidationError } from "../ground/wire/Errors.ts"
import { invalidRequest } from "../ground/wire/FieldFindings.ts"
import { CreatedAt, Metadata, optional, Timestamp, TimestampInput, UpdatedAt } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import {
  clearable,
  ExternalId,
  ExternalSystem,
  paidPeriod,
  paidPeriodChange,
  paidPeriodInput,
  present,
  Quantity,
  QuantityChange,
  ShownExternalId,
  ShownExternalSystem
} from "./BillingFields.ts"
import { isOutdated, sourceFindings, SourceInstant, SourceInstantInput } from "./SourceInstant.ts"
import { periodFindings } from "./Subscription.ts"

const OrderStatus = Schema.Literals([
  "pending",
  "paid",
  "fulfilled",
  "canceled",
  "refunded",
  "partially_refunded",
  "disputed"
])
  .annotate({
    identifier: "OrderStatus",
    description: "The status of the order in its billing system. It has no effect on licenses."
  })

const endText = "Time at which what was bought ended, for example of a refund."

/** A purchase in a billing system, mirrored here so that licenses can be traced to it. */
export const Order = Schema.Struct({
  id: Id.text("ord"),
  product_id: Id.text("prod"),
  customer_id: Schema.optionalKey(Id.text("cus")),
  subscription_id: Schema.optionalKey(Id.text("sub")),
  external_system: ShownExternalSystem,
  external_id: ShownExternalId,
  status: OrderStatus,
  ...paidPeriod,
  quantity: Quantity,
  ended_at: optional(Timestamp, endText),
  source_updated_at: SourceInstant,
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "Order",
  description: "A purchase in a billing system. Licenses can refer to it.",
  examples: [{
    id: "ord_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    external_system: "stripe",
    external_id: "in_1QXyz",
    status: "paid",
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Order = typeof Order.Type

export const OrderCreate = Schema.Struct({
  customer_id: Schema.optionalKey(Id.reference("cus")),
  subscription_id: Schema.optionalKey(Id.reference("sub")),
  external_system: ExternalSystem,
  external_id: ExternalId,
  status: OrderStatus,
  ...paidPeriodInput,
  quantity: Quantity,
  ended_at: optional(TimestampInput, endText),
  source_updated_at: SourceInstantInput,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "OrderCreateRequest",
  description: "An order to record.",
  examples: [{ external_system: "stripe", external_id: "in_1QXyz", status: "paid" }]
})
export type OrderCreate = typeof OrderCreate.Type

/** What a change may take away of what a billing system said. */
const changeable = { ...paidPeriodChange, quantity: QuantityChange, ended_at: clearable(TimestampInput, endText) }

/** An order as its billing system has it now; its path names it. */
export const OrderPut = Schema.Struct({
  ...Struct.omit(OrderCreate.fields, ["external_system", "external_id"]),
  ...changeable
}).annotate({
  identifier: "OrderPutRequest",
  description: "An order to create, or to change into what is sent. Of one that exists, an omitted `customer_id`, " +
    "`subscription_id`, `source_updated_at` or `metadata` stays as it is. All other omitted fields are removed.",
  examples: [{ status: "paid", source_updated_at: "2026-11-21T10:30:00Z" }]
})
export type OrderPut = typeof OrderPut.Type

export const OrderUpdate = Schema.Struct({
  customer_id: Schema.optionalKey(Id.referenceOrClear("cus")),
  subscription_id: Schema.optionalKey(Id.referenceOrClear("sub")),
  external_system: Schema.optionalKey(ExternalSystem),
  external_id: Schema.optionalKey(ExternalId),
  status: Schema.optionalKey(OrderStatus),
  ...changeable,
  source_updated_at: SourceInstantInput,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "OrderUpdateRequest",
  description: "Changes of an order. Omitted fields stay as they are.",
  examples: [{ status: "fulfilled" }]
})
export type OrderUpdate = typeof OrderUpdate.Type

/**
 * What a PUT changes of an order that exists. It says all that its billing system has, so that what it leaves out is there
 * no more; links and metadata are of this service, and stay.
 */
export const orderReplacement = (input: OrderPut): OrderUpdate => ({
  period_start: null,
  period_end: null,
  quantity: null,
  ended_at: null,
  ...input
})

/** The finding about a period that has one date alone, or ends before it starts. */
const paidPeriodFindings = (
  left: Pick<OrderCreate, "period_start" | "period_end">
): ReadonlyArray<FieldFinding> => {
  if ((left.period_start === undefined) === (left.period_end === undefined)) {
    return periodFindings(left, "period_start", "period_end")
  }
  const [path, other] = left.period_start === undefined
    ? ["period_start", "period_end"]
    : ["period_end", "period_start"]
  return [{ path, code: "both_or_none", message: `is required with ${other}` }]
}

/** What is wrong with an order as it would be left; `now` is Unix milliseconds. */
export const orderFindings = (
  left: Pick<OrderCreate, "period_start" | "period_end" | "source_updated_at">,
  now: number
): ReadonlyArray<FieldFinding> => [...paidPeriodFindings(left), ...sourceFindings(left, now)]

/** What an update changes of an order; null where a member is cleared. */
export type OrderChange = Omit<OrderUpdate, "customer_id" | "subscription_id"> & {
  readonly customer_id?: string | null
  readonly subscription_id?: string | null
}

/**
 * What an update changes, or every finding against it; undefined for one that is older than what is stored. An empty
 * `customer_id` or `subscription_id` clears it. `now` is Unix milliseconds.
 */
export const orderChange = (
  before: Order,
  changes: OrderUpdate,
  now: number
): Result.Result<OrderChange | undefined, ValidationError> => {
  if (isOutdated(before, changes)) return Result.succeed(undefined)
  const found = orderFindings(present({ ...before, ...changes }), now)
  return found.length > 0 ? Result.fail(invalidRequest(found)) : Result.succeed({
    ...changes,
    ...(changes.customer_id === "" ? { customer_id: null } : {}),
    ...(changes.subscription_id === "" ? { subscription_id: null } : {})
  })
}
