import { Schema } from "effect"
import { bigCount, field } from "../wire/Fields.ts"
import { Customer } from "./Customer.ts"

/** The name of a customer whose own was erased. */
export const erasedName = "Erased customer"

/** What an erasure left of a customer, and how many events and exports lost personal values. */
export const CustomerErasure = Schema.Struct({
  customer: Customer,
  events: field(
    bigCount(0),
    "Events that lost their personal values; their hashes, and every proof of them, stay as they are."
  ),
  exports: field(
    bigCount(0),
    "Exports that contained the customer's name or address. They have expired; their digests remain."
  )
}).annotate({
  identifier: "CustomerErasure",
  description: "The result of an erasure.",
  examples: [{
    customer: {
      id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
      name: erasedName,
      code: "beispiel",
      metadata: {},
      created_at: "2026-11-21T10:30:00.000Z",
      updated_at: "2026-11-21T10:30:00.000Z"
    },
    events: 12,
    exports: 1
  }]
})
export type CustomerErasure = typeof CustomerErasure.Type
