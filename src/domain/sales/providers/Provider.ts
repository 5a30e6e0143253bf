import { Schema } from "effect"

/** The payment providers whose events become purchases. */
export const Provider = Schema.Literals(["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"]).annotate({
  identifier: "BillingProvider",
  description: "The payment provider of a connection."
})
export type Provider = typeof Provider.Type

/**
 * Whether a provider has the IDs of customers and subscriptions chosen by each site of a vendor: two sites may give one to two people. The
 * others' are the same nowhere else.
 */
export const isNamedBySite = (provider: Provider): boolean => provider === "chargebee"
