import { Schema } from "effect"
import { bigCount, count, field } from "../ground/wire/Fields.ts"
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
  ),
  licenses: field(count(0), "Licenses that lost the customer's name or email address."),
  devices: field(count(0), "Devices that lost their name, hostname or network address."),
  users: field(count(0), "Users of the licenses who lost their name, address and account."),
  custom_field_values: field(count(0), "Custom field values of the customer and of the licenses that were deleted."),
  notes: field(count(0), "Notes about the customer and the licenses that were deleted."),
  jobs: field(count(0), "Jobs that lost their reason and what their filter says of the customer."),
  reasons: field(count(0), "Activities that lost the reason that was given.")
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
    exports: 1,
    licenses: 2,
    devices: 3,
    users: 0,
    custom_field_values: 1,
    notes: 2,
    jobs: 0,
    reasons: 1
  }]
})
/** What loses personal values in an erasure, counted. */
export type ErasedCounts = Omit<CustomerErasure, "customer">

export type CustomerErasure = typeof CustomerErasure.Type
