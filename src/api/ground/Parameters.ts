import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { documentedAs, inThousands, optional, text, TimestampInput } from "../../domain/ground/wire/Fields.ts"
import { ListOrder, pageLimit, totalLimit } from "../../domain/ground/wire/Page.ts"
import type { PageRequest, Sorting } from "../../domain/ground/wire/Page.ts"
import { exampleUserToken } from "../../domain/licensing/users/UserSignIn.ts"
import { userTokenLength } from "../../domain/licensing/users/UserToken.ts"

/** The parameters that operations share, and what a decoded query says. */

/** A page size: a whole number of at least 1, clamped to the maximum. */
const Limit = Schema.String.annotate(documentedAs({
  type: "integer",
  minimum: 1,
  maximum: 999_999_999,
  default: pageLimit.default
})).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transformEffect((input: string) => {
      const value = /^\d{1,9}$/.test(input) ? Number(input) : 0
      return value >= 1
        ? Effect.succeed(Math.min(value, pageLimit.maximum))
        : Effect.fail(
          new SchemaIssue.InvalidValue({
            message: "must be a whole number from 1 to 999999999; more than 200 is taken as 200"
          })
        )
    }),
    encode: SchemaGetter.transform((value: number) => String(value))
  })
)

/** The query parameters of every list. */
export const listQuery = {
  limit: optional(
    Limit,
    `The maximum number of entries of a page. Default: ${pageLimit.default}; more than ${pageLimit.maximum} counts as ${pageLimit.maximum}.`,
    pageLimit.default
  ),
  cursor: optional(
    Schema.String.check(Schema.isBetweenLength(1, 1024)),
    "`next_cursor` of the previous page, with the same filters. Omit for the first page.",
    "eyJhZnRlciI6InByb2RfMDZlcXB4MSJ9"
  )
}

/** The query parameters of a list whose rows are ordered by their creation. */
export const createdQuery = {
  ...listQuery,
  order: optional(
    Schema.Literals(["desc", "asc"]),
    "`desc`, the default, starts with the newest; `asc` with the oldest.",
    "asc"
  ),
  created_from: optional(TimestampInput, "Only what was created at this time or later.", "2026-11-01T00:00:00Z"),
  created_to: optional(TimestampInput, "Only what was created before this time.", "2026-12-01T00:00:00Z")
}

const byTimes =
  "By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: " +
  "`updated_desc` and `updated_asc`."

/** The order of a list that has others beside those by time; `text` says which. */
export const orderOf = <Order extends Schema.Top>(order: Order, text: string) =>
  optional(order, `${byTimes} ${text}`, "asc")

/** The query parameters of a list whose rows are ordered by their creation or their last change. */
export const changedQuery = {
  ...createdQuery,
  order: optional(ListOrder, byTimes, "asc"),
  updated_from: optional(
    TimestampInput,
    "Only what changed at this time or later; without `order`, the latest change comes first. To follow " +
      "changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is " +
      "returned again.",
    "2026-11-21T10:30:00Z"
  )
}

/** A filter of a list that asks for those that are, or that are not. */
export const YesOrNo = Schema.Literals(["true", "false"]).annotate(documentedAs({ type: "boolean" }))

/** The query parameters of a list that says how many rows match. */
export const countedQuery = {
  ...changedQuery,
  include_total: optional(
    YesOrNo,
    `\`true\` adds \`total\` to \`page_info\`: how many entries match, counted to ${inThousands(totalLimit)}. ` +
      "Ask for it with the first page. Default: `false`.",
    true
  )
}

/** Whether something is shown with the counts of what belongs to it. */
export const includeCounts = {
  include_counts: optional(YesOrNo, "`true` adds `counts`: what belongs to it. Default: `false`.", true)
}

/** The search text of a list. A license key is a secret and does not belong in a URL: `lookupLicense` finds it. */
export const SearchText = text(1, 320).check(
  Schema.makeFilter((input: string) =>
    /^\s*cs[\s-]*([0-9a-z][\s-]*){25}$/i.test(input)
      ? "must not be a license key, which is a secret: POST /api/v1/licenses/lookup finds it"
      : undefined
  )
)

/** A decoded list query, whatever else it asks for. */
interface ListQuery extends Sorting {
  readonly limit?: number
  readonly cursor?: string
  readonly include_total?: typeof YesOrNo.Type
}

/** Reads what a decoded list query says about the page. */
export const pageOf = (
  { created_from, created_to, cursor, include_total, limit, order, updated_from }: ListQuery
): PageRequest => ({
  limit: limit ?? pageLimit.default,
  cursor,
  sorting: {
    ...(order === undefined ? {} : { order }),
    ...(created_from === undefined ? {} : { created_from }),
    ...(created_to === undefined ? {} : { created_to }),
    ...(updated_from === undefined ? {} : { updated_from })
  },
  isCounted: include_total === "true"
})

/** The filters of a decoded list query, without the page. */
export const filtersOf = <Query extends ListQuery>(query: Query): Omit<Query, keyof ListQuery> => {
  const { created_from: _from, created_to: _to, cursor: _cursor, limit: _limit, order: _order, ...rest } = query
  const { include_total: _total, updated_from: _updated, ...filters } = rest
  return filters as Omit<Query, keyof ListQuery>
}

/** A path parameter. An unknown id is 404, so this only bounds it to what the database can look up. */
export const pathId = text(1, 128)

/** The longest value of a path parameter, in UTF-16 code units: an ID of a billing system. */
const longestValue = 255

/** The path of a record by the names of its billing system, within the product `id`. */
export const externalPath = { id: pathId, system: text(1, 64), external_id: text(1, longestValue) }

/** The most characters that the value of a path parameter takes in a URL: percent-encoded, a code unit takes up to nine. */
export const longestParameter = longestValue * 9

const ifNoneMatchText = "The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2)."
const ifNoneMatchExample = "\"5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e\""

/** The parameter of an operation whose response has an `ETag`, as the document has it. */
export const ifNoneMatch = {
  name: "if-none-match",
  in: "header",
  required: false,
  description: ifNoneMatchText,
  example: ifNoneMatchExample,
  schema: { type: "string" }
}

/** The headers of a request for a file that the caller may have in part or in whole. */
export const fileHeaders = Schema.Struct({
  range: optional(
    Schema.String,
    "One range of bytes (RFC 9110 section 14.2). For several ranges, the response is the whole file.",
    "bytes=0-1023"
  ),
  "if-none-match": optional(Schema.String, ifNoneMatchText, ifNoneMatchExample),
  "if-range": optional(
    Schema.String,
    "The `ETag` of the part that you have. If the file has changed, `Range` is ignored (RFC 9110 section 13.1.5).",
    "\"sha256:1d1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b5f0c4a1f0e2f0bb1\""
  )
})

/** The person who asks: a credential in an address would stand in logs. */
export const userHeader = {
  "x-user-token": optional(
    text(1, userTokenLength),
    "The `user_token` of the person who is signed in, if the license has users. Without it, only devices without a user are listed and " +
      "released, and receipts are refused.",
    exampleUserToken
  )
}
