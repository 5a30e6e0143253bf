import { Schema } from "effect"
import type { FieldFinding } from "../wire/Errors.ts"
import { Metadata, Timestamp, TimestampInput } from "../wire/Fields.ts"
import { SourceInstant, SourceInstantInput } from "./SourceInstant.ts"
import { ExternalId, ExternalSystem, periodFindings, reference, referenceOrClear } from "./Subscription.ts"

const OrderStatus = Schema.Literals(["pending", "paid", "fulfilled", "canceled", "refunded"])
  .annotate({ identifier: "OrderStatus" })

/** A purchase in a billing system, mirrored here so that licenses can be traced to it. */
export const Order = Schema.Struct({
  id: Schema.String,
  product_id: Schema.String,
  customer_id: Schema.optionalKey(Schema.String),
  subscription_id: Schema.optionalKey(Schema.String),
  external_system: Schema.String,
  external_id: Schema.String,
  status: OrderStatus,
  period_start: Schema.optionalKey(Timestamp),
  period_end: Schema.optionalKey(Timestamp),
  source_updated_at: SourceInstant,
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Order",
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
  customer_id: Schema.optionalKey(reference),
  subscription_id: Schema.optionalKey(reference),
  external_system: ExternalSystem,
  external_id: ExternalId,
  status: OrderStatus,
  period_start: Schema.optionalKey(TimestampInput),
  period_end: Schema.optionalKey(TimestampInput),
  source_updated_at: SourceInstantInput,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "OrderCreateRequest",
  examples: [{ external_system: "stripe", external_id: "in_1QXyz", status: "paid" }]
})
export type OrderCreate = typeof OrderCreate.Type

export const OrderUpdate = Schema.Struct({
  customer_id: Schema.optionalKey(referenceOrClear),
  subscription_id: Schema.optionalKey(referenceOrClear),
  external_system: Schema.optionalKey(ExternalSystem),
  external_id: Schema.optionalKey(ExternalId),
  status: Schema.optionalKey(OrderStatus),
  period_start: Schema.optionalKey(TimestampInput),
  period_end: Schema.optionalKey(TimestampInput),
  source_updated_at: SourceInstantInput,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "OrderUpdateRequest",
  examples: [{ status: "fulfilled" }]
})
export type OrderUpdate = typeof OrderUpdate.Type

/** What is wrong with an order as it would be left. */
export const orderFindings = (
  left: Pick<OrderUpdate, "period_start" | "period_end">
): ReadonlyArray<FieldFinding> => {
  if ((left.period_start === undefined) === (left.period_end === undefined)) {
    return periodFindings(left, "period_start", "period_end")
  }
  const [path, other] = left.period_start === undefined
    ? ["period_start", "period_end"]
    : ["period_end", "period_start"]
  return [{ path, code: "both_or_none", message: `is required with ${other}` }]
}
