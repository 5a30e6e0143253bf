import { Schema } from "effect"
import { bigCount, field, optional } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"

/** Units that a purchase has given. */
export const PurchaseUnits = Schema.Struct({
  grant_id: field(Schema.String, "The ID of the grant of the license, or of the pool of the customer."),
  license_id: optional(Id.text("lic"), "The license that has the units; absent if the customer has them."),
  customer_id: optional(Id.text("cus"), "The customer who has the units; absent if a license has them."),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  amount: field(bigCount(1), "The number of units that were given."),
  paid_by: field(
    Schema.String,
    "The ID of what was paid at the provider: of the invoice, the payment, the order or the subscription."
  ),
  revoked: optional(
    Schema.Boolean,
    "`true` if they were revoked because the payment was refunded. Used units stay used."
  )
}).annotate({
  identifier: "PurchaseUnits",
  description: "Units of a metered feature that were given for a payment.",
  examples: [{
    grant_id: Id.exampleOf("grant"),
    license_id: Id.exampleOf("lic"),
    feature_id: Id.exampleOf("feat"),
    feature_code: "export-pdf",
    amount: 500,
    paid_by: "in_1QXyz"
  }]
})
