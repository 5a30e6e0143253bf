import { Schema } from "effect"
import { EmailOrClear, text } from "../wire/Fields.ts"

/** Who owns the license from now on. The empty string clears a member; one that is left out stays as it is. */
export const LicenseTransfer = Schema.Struct({
  customer_id: Schema.optionalKey(text(0, 64)),
  customer_email: Schema.optionalKey(EmailOrClear),
  customer_name: Schema.optionalKey(text(0, 255)),
  reset_devices: Schema.optionalKey(Schema.Boolean)
}).annotate({
  // Behind the check the example would not reach the contract.
  examples: [{ customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c", reset_devices: true }]
}).check(
  Schema.makeFilter((request: {
    readonly customer_id?: string
    readonly customer_email?: string
    readonly customer_name?: string
    readonly reset_devices?: boolean
  }) =>
    request.customer_id === undefined && request.customer_email === undefined && request.customer_name === undefined &&
      request.reset_devices !== true
      ? {
        path: ["customer_id"],
        issue: "is required without customer_email, customer_name and reset_devices: true"
      }
      : undefined
  )
).annotate({ identifier: "LicenseTransferRequest" })
export type LicenseTransfer = typeof LicenseTransfer.Type
