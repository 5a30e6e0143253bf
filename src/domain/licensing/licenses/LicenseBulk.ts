import { Schema } from "effect"
import { dryRun } from "../../ground/wire/Action.ts"
import { FieldFinding } from "../../ground/wire/Errors.ts"
import { count, documentedAs, field, optional } from "../../ground/wire/Fields.ts"
import { License, LicenseCreate } from "./License.ts"

/** The most licenses that one call creates. */
const bulkLimit = 1000

const value = Schema.optionalKey(Schema.Json)

/** The members of a license to create. What they must be is judged row by row, of the row with its defaults. */
const Row = Schema.Struct({
  product_id: value,
  product_ids: value,
  policy_id: value,
  customer_id: value,
  customer: value,
  order_id: value,
  subscription_id: value,
  customer_email: field(value, "The email address of the owner, at most 320 characters."),
  customer_name: field(value, "The name of the owner, at most 255 characters."),
  starts_at: field(value, "Time from which the license works; absent if it works at once."),
  expires_at: field(value, "Time of the end; absent if it never ends."),
  maintenance_expires_at: field(
    value,
    "Versions released until this time are covered; absent if all versions are. Only for perpetual licenses."
  ),
  activate_before: field(
    value,
    "Time until which a license that starts with its first activation can be started. Default: any time."
  ),
  follows_subscription: value,
  overrides: value,
  trusted_issuer: value,
  status: field(value, "The current status."),
  tags: value,
  metadata: value,
  license_key: value
})

/**
 * A row as it comes, whatever it is: what is wrong with one need not refuse the others. The type is for callers, and
 * `licenseOf` is the judge.
 */
const AnyRow = Schema.declare((_row): _row is typeof Row.Type => true, { toCodecJson: () => undefined }).annotate(
  documentedAs({
    $ref: "#/components/schemas/LicenseBulkRow",
    description: "The fields that differ from `defaults`. Each row is checked separately."
  })
)

const rowsOf = <S extends Schema.Top>(row: S) => Schema.Array(row).check(Schema.isBetweenLength(1, bulkLimit))

const { customer: _customer, policy_id, product_id, ...further } = LicenseCreate.fields

export const LicenseBulk = Schema.Struct({
  mode: optional(
    Schema.Literals(["all_or_nothing", "per_row"]),
    "`all_or_nothing`, the default, refuses the request if any row is invalid and lists every finding. " +
      "`per_row` creates the valid rows."
  ),
  defaults: Schema.optionalKey(
    Schema.Struct({
      ...further,
      product_id: Schema.optionalKey(product_id),
      policy_id: Schema.optionalKey(policy_id)
    }).annotate({
      identifier: "LicenseBulkRow",
      description:
        "The fields of LicenseCreateRequest but `customer`. `product_id` and `policy_id` may be in the row or in `defaults`. A " +
        "field of the row overrides the default. A `license_key` may be in one row only."
    })
  ),
  dry_run: dryRun,
  licenses: field(
    rowsOf(AnyRow),
    "The licenses to create, 1 to 1,000. With `mode: per_row`, an invalid row fails alone."
  )
}).annotate({
  identifier: "LicenseBulkCreateRequest",
  description: "Licenses to create in one request.",
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

/** A bulk that creates all of its rows or none: a row that has other members than a license refuses the call. */
export const WholeLicenseBulk = Schema.Struct({
  ...LicenseBulk.fields,
  licenses: field(rowsOf(Row), "Number of licenses.")
})

/** Whether a body asks that its rows be judged one by one. */
export const isPerRow = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "mode" in body && body.mode === "per_row"

const index = count(0).annotate({ description: "The position of the row in the request, from 0." })

const BulkCreated = Schema.Struct({
  index,
  license: License,
  license_key: Schema.String.annotate({
    description: "Shown this once; only a keyed hash is stored.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  })
}).annotate({ identifier: "LicenseBulkCreated", description: "A row whose license was created." })

export const BulkRefused = Schema.Struct({
  index,
  error: field(
    Schema.Struct({
      code: field(
        Schema.Literals(["VALIDATION_ERROR", "NOT_FOUND"]),
        "`NOT_FOUND` if the row refers to something that does not exist, otherwise `VALIDATION_ERROR`. An " +
          "unknown field is `VALIDATION_ERROR` too, unlike in a single create, where it is `UNKNOWN_FIELD`."
      ),
      message: field(Schema.String, "The message for people. The wording may change."),
      fields: field(
        Schema.Array(FieldFinding),
        "The invalid fields of the row, at most 20. After 1,000 in one response, each further row has only its " +
          "first one."
      )
    }),
    "The error."
  )
}).annotate({ identifier: "LicenseBulkRefused", description: "A row that was refused." })
export type BulkRefused = typeof BulkRefused.Type

export const LicenseBulkResult = Schema.Struct({
  created: field(count(0), "How many licenses were created; with `dry_run`, how many would be."),
  refused: field(count(0), "Number of refused rows."),
  results: field(
    Schema.Array(Schema.Union([BulkCreated, BulkRefused])),
    "In the order of the rows; with `dry_run`, the refused ones alone."
  )
}).annotate({ identifier: "LicenseBulkCreateResponse", description: "The result of each row." })
export type LicenseBulkResult = typeof LicenseBulkResult.Type
