import { Result, Schema } from "effect"
import { FieldFinding } from "../wire/Errors.ts"
import { findingsOf, summary } from "../wire/FieldFindings.ts"
import { count, documentedAs } from "../wire/Fields.ts"
import { License, LicenseCreate } from "./License.ts"

/** The most licenses that one call creates. */
const bulkLimit = 1000

const value = Schema.optionalKey(Schema.Json)

/** A license to create. Its members are judged row by row, so that one bad row need not refuse the others. */
const Row = Schema.Struct({
  product_id: value,
  product_ids: value,
  policy_id: value,
  customer_id: value,
  order_id: value,
  subscription_id: value,
  customer_email: value,
  customer_name: value,
  starts_at: value,
  expires_at: value,
  maintenance_expires_at: value,
  activate_before: value,
  follows_subscription: value,
  overrides: value,
  metadata: value,
  license_key: value
}).annotate(documentedAs({
  $ref: "#/components/schemas/LicenseBulkRow",
  description: "The members that differ from `defaults`. Each row is judged by itself."
}))

const { policy_id, product_id } = LicenseCreate.fields

export const LicenseBulk = Schema.Struct({
  mode: Schema.optionalKey(
    Schema.Literals(["all_or_nothing", "per_row"]).annotate({
      description:
        "`all_or_nothing` (when left out) refuses the call if any row is not valid and names every finding; " +
        "`per_row` creates the rows that are."
    })
  ),
  defaults: Schema.optionalKey(
    Schema.Struct({
      ...LicenseCreate.fields,
      product_id: Schema.optionalKey(product_id),
      policy_id: Schema.optionalKey(policy_id)
    }).annotate({
      identifier: "LicenseBulkRow",
      description: "The members of LicenseCreateRequest. `product_id` and `policy_id` may stand in the row or in " +
        "`defaults`; where a member stands in both, that of the row counts. A `license_key` serves one row."
    })
  ),
  licenses: Schema.Array(Row).check(Schema.isBetweenLength(1, bulkLimit))
}).annotate({
  identifier: "LicenseBulkCreateRequest",
  examples: [{
    defaults: {
      product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
      policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
      expires_at: "2027-11-21T10:30:00Z"
    },
    licenses: [{ customer_email: "a@beispiel.example" }, { customer_email: "b@beispiel.example" }]
  }]
})
export type LicenseBulk = typeof LicenseBulk.Type

const index = count(0).annotate({ description: "The position of the row in the request, from 0." })

export const BulkCreated = Schema.Struct({
  index,
  license: License,
  license_key: Schema.String.annotate({
    description: "Shown this once; only a keyed hash is stored.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  })
}).annotate({ identifier: "LicenseBulkCreated" })
export type BulkCreated = typeof BulkCreated.Type

export const BulkRefused = Schema.Struct({
  index,
  error: Schema.Struct({
    code: Schema.Literals(["VALIDATION_ERROR", "NOT_FOUND"]),
    message: Schema.String,
    fields: Schema.Array(FieldFinding)
  })
}).annotate({ identifier: "LicenseBulkRefused" })
export type BulkRefused = typeof BulkRefused.Type

export const LicenseBulkResult = Schema.Struct({
  created: count(0),
  refused: count(0),
  results: Schema.Array(Schema.Union([BulkCreated, BulkRefused])).annotate({ description: "In the order of the rows." })
}).annotate({ identifier: "LicenseBulkCreateResponse" })
export type LicenseBulkResult = typeof LicenseBulkResult.Type

const decode = Schema.decodeUnknownResult(LicenseCreate, { errors: "all", onExcessProperty: "error" })

/** A row with its defaults as a license to create, or every finding about it. */
export const licenseOf = (
  { defaults, row }: { readonly defaults: LicenseBulk["defaults"]; readonly row: LicenseBulk["licenses"][number] }
): Result.Result<LicenseCreate, ReadonlyArray<FieldFinding>> =>
  Result.mapError(decode({ ...defaults, ...row }), ({ issue }) => findingsOf(issue))

/** A row that is not created; a reference that leads nowhere is NOT_FOUND, as in a single create. */
export const refusedRow = (index: number, fields: ReadonlyArray<FieldFinding>): BulkRefused => {
  const missing = fields.find(({ code }) => code === "not_found")
  return {
    index,
    error: missing === undefined
      ? { code: "VALIDATION_ERROR", message: summary("The row is not valid", fields), fields }
      : { code: "NOT_FOUND", message: summary("The row names something that does not exist", fields), fields }
  }
}
