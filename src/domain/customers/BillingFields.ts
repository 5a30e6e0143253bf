import { Schema } from "effect"
import { bigCount, label, optional, Timestamp, TimestampInput } from "../ground/wire/Fields.ts"

const systemText = "The billing system that the record comes from, for example `stripe`."
const systemIdText = "The ID in that system; unique together with `external_system` within the product."

/** The billing system that a commercial record comes from, in a request. */
export const ExternalSystem = label(64).annotate({ description: systemText })

/** The billing system of a commercial record, in a response. */
export const ShownExternalSystem = Schema.String.annotate({ description: systemText })

/** The ID of a commercial record in its billing system, in a request. */
export const ExternalId = label(255).annotate({ description: systemIdText })

/** The ID of a commercial record in its billing system, in a response. */
export const ShownExternalId = Schema.String.annotate({ description: systemIdText })

/** Filters of a list by where a record comes from. */
export const externalFilters = {
  external_system: optional(ExternalSystem, "Only records of this billing system.", "stripe"),
  external_id: optional(ExternalId, "Only the record with this ID in its billing system.", "sub_1QXyz")
}

/** The values that the filters ask for. */
export interface ExternalFilters {
  readonly external_system?: string
  readonly external_id?: string
}

const paidFrom = "Start of the paid period. Send both dates or neither."
const paidUntil = "End of the paid period. Send both dates or neither."

/** The period that an order pays for, in a request. */
export const paidPeriodInput = {
  period_start: optional(TimestampInput, paidFrom),
  period_end: optional(TimestampInput, paidUntil)
}

/** A member of a change that `null` takes away. */
export const clearable = <S extends Schema.Top>(schema: S, description: string) =>
  optional(Schema.NullOr(schema), `${description} \`null\` removes it.`)

/** Members without those that are cleared. */
export type Present<A> = { readonly [Member in keyof A]: Exclude<A[Member], null> }

/** What a record has after a change: the members that are not cleared. */
export const present = <A extends object>(values: A): Present<A> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Present<A>

/** The period that an order pays for, in a change. */
export const paidPeriodChange = {
  period_start: clearable(TimestampInput, paidFrom),
  period_end: clearable(TimestampInput, paidUntil)
}

/** The period that an order pays for, in a response. */
export const paidPeriod = { period_start: optional(Timestamp, paidFrom), period_end: optional(Timestamp, paidUntil) }

const quantityText = "How many were bought, for example seats."

/** How many were bought. */
export const Quantity = optional(bigCount(1), quantityText)

/** The same in a change. */
export const QuantityChange = clearable(bigCount(1), quantityText)
