import { Schema } from "effect"
import { field, Timestamp } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"

const example = "lic_06eqpx1trxz3h94vqjm3a6kz7c"

/** What the event of a transfer says that a customer has asked for. To whom is not in it: that person has not agreed to anything yet. */
export const TransferRequested = Schema.Struct({
  license_id: Id.text("lic"),
  expires_at: field(
    Timestamp,
    "Time until which the new owner can accept, unless the request is canceled or replaced before."
  )
}).annotate({
  identifier: "TransferRequestedEventData",
  description: "A customer asked to transfer a license. The event does not have the address of the new owner.",
  examples: [{ license_id: example, expires_at: "2026-11-24T10:30:00.000Z" }]
})
export type TransferRequested = typeof TransferRequested.Type

/** What the event of such a request says that the customer took back. */
export const TransferCanceled = Schema.Struct({ license_id: Id.text("lic") }).annotate({
  identifier: "TransferCanceledEventData",
  description: "A customer canceled a transfer that was not accepted yet.",
  examples: [{ license_id: example }]
})
export type TransferCanceled = typeof TransferCanceled.Type
