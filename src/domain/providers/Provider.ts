import { Schema } from "effect"

/** The payment providers whose events become purchases. */
export const Provider = Schema.Literals(["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"]).annotate({
  identifier: "BillingProvider",
  description: "The payment provider of a connection."
})
export type Provider = typeof Provider.Type
