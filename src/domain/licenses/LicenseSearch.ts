import { Schema } from "effect"
import { longestPaste } from "../security/Credential.ts"
import { field, text } from "../wire/Fields.ts"
import { License } from "./License.ts"

/** The longest text that a list is searched by. Only a license key may stand in a longer one. */
export const longestSearch = 320

/** How many licenses are found at a time, unless the caller says otherwise, and at most. */
export const foundLimit = { default: 10, maximum: 50 } as const

export const LicenseSearch = Schema.Struct({
  text: text(1, longestPaste).annotate({
    description: "What a person knows of a license: its whole key, as typed or pasted, or what `q` of the list takes.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  }),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: foundLimit.maximum })).annotate({
      description: `How many licenses are answered at most; ${foundLimit.default} when left out.`,
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
    "The licenses, each with `names`; the one that has, or had, the key where the text is one."
  ),
  has_more: field(Schema.Boolean, "Whether more licenses fit than are answered.")
}).annotate({ identifier: "LicenseSearchResponse", description: "The licenses that match the text." })
export type LicensesFound = typeof LicensesFound.Type
