import { Schema } from "effect"
import { field, text } from "../../ground/wire/Fields.ts"
import { ListOrder } from "../../ground/wire/Page.ts"
import { longestPaste } from "../../keys/security/Credential.ts"
import { License } from "./License.ts"

/** The orders of the list of licenses. Each is one that an index has. */
export const LicenseOrder = Schema.Literals([
  ...ListOrder.literals,
  "expires_asc",
  "expires_desc",
  "owner_asc",
  "owner_desc",
  "product_asc",
  "product_desc"
])
export type LicenseOrder = typeof LicenseOrder.Type

/** The longest text that a list is searched by. Only a license key may stand in a longer one. */
export const longestSearch = 320

/** How many licenses are found at a time, unless the caller says otherwise, and at most. */
export const foundLimit = { default: 10, maximum: 50 } as const

export const LicenseSearch = Schema.Struct({
  text: text(1, longestPaste).annotate({
    description: "The whole license key, as typed or pasted, or a text for `q` of the list.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  }),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: foundLimit.maximum })).annotate({
      description: `Maximum number of licenses in the response. Default: ${foundLimit.default}.`,
      examples: [10]
    })
  )
}).annotate({
  identifier: "LicenseSearchRequest",
  description: "The text to search for, and the maximum number of results.",
  examples: [{ text: "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X" }]
})
export type LicenseSearch = typeof LicenseSearch.Type

export const LicensesFound = Schema.Struct({
  licenses: field(
    Schema.Array(License),
    "The licenses, each with `names`. For a license key, the license that has it or had it."
  ),
  has_more: field(Schema.Boolean, "Whether more licenses match than the response includes.")
}).annotate({ identifier: "LicenseSearchResponse", description: "The licenses that match the text." })
export type LicensesFound = typeof LicensesFound.Type
