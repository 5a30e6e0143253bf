import { Schema } from "effect"
import { furtherProducts } from "../licenses/License.ts"
import { LicenseOverridesInput, nullable } from "../terms/Rules.ts"
import { EmailOrClear, Metadata, text, TimestampInput } from "../wire/Fields.ts"

const instant = Schema.optionalKey(Schema.NullOr(TimestampInput))

/** What may be edited. The empty string clears a text, null clears an instant; what is left out stays as it is. */
export const LicenseUpdate = Schema.Struct({
  customer_email: Schema.optionalKey(EmailOrClear),
  customer_name: Schema.optionalKey(text(0, 255)),
  starts_at: instant,
  expires_at: instant,
  maintenance_expires_at: instant,
  product_ids: Schema.optionalKey(nullable(furtherProducts)),
  follows_subscription: Schema.optionalKey(Schema.Boolean.annotate({
    description: "Whether the license follows its subscription. From `true` on, it is at once as the subscription says."
  })),
  overrides: Schema.optionalKey(
    Schema.NullOr(LicenseOverridesInput).annotate({
      description: "What changes of the license's own rules; `null` takes all of them away."
    })
  ),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "LicenseUpdateRequest",
  examples: [{ expires_at: "2028-11-21T10:30:00Z", metadata: { seats: "studio" } }]
})
export type LicenseUpdate = typeof LicenseUpdate.Type
