import { Result, Schema } from "effect"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import { kindOf } from "../../ground/wire/Expected.ts"
import { finding, maximumFindings, summary } from "../../ground/wire/FieldFindings.ts"
import { payloadFindings } from "../../ground/wire/PayloadFindings.ts"
import { LicenseCreate } from "./License.ts"
import type { LicenseOfKnown } from "./License.ts"
import type { BulkRefused, LicenseBulk } from "./LicenseBulk.ts"
import { issueOf } from "./LicenseIssue.ts"
import type { Issued, IssuingPolicy } from "./LicenseIssue.ts"
import type { FollowedSubscription } from "./SubscriptionStanding.ts"

interface OfProduct {
  readonly product_id: string
}

/** What exists of all that the rows of a bulk name, by id. */
export interface NamedByRows {
  readonly products: ReadonlyMap<string, unknown>
  readonly customers: ReadonlyMap<string, unknown>
  readonly policies: ReadonlyMap<string, OfProduct & IssuingPolicy>
  readonly orders: ReadonlyMap<string, OfProduct & { readonly subscription_id?: string }>
  readonly subscriptions: ReadonlyMap<string, OfProduct & FollowedSubscription>
  /** The findings about the further products of a license. */
  readonly further: (productId: string, ids: ReadonlyArray<string>) => ReadonlyArray<FieldFinding>
}

/** What a row is issued with; an order brings its subscription. */
export interface IssuedRow {
  readonly issued: Issued
  readonly subscription_id: string | undefined
}

/** The findings about a product or a customer that a row names. */
const missing = (path: "product_id" | "customer_id", id: string | undefined, found: ReadonlyMap<string, unknown>) =>
  id === undefined || found.has(id) ? [] : [{ path, code: "not_found", message: `names no ${path.slice(0, -3)}` }]

/** The findings about what a row names and must be of its product. */
const ofOther = (
  path: "policy_id" | "order_id" | "subscription_id",
  input: LicenseOfKnown,
  found: ReadonlyMap<string, OfProduct>
): ReadonlyArray<FieldFinding> => {
  const id = input[path]
  if (id === undefined) return []
  const named = found.get(id)
  if (named === undefined) return [{ path, code: "not_found", message: `names no ${path.slice(0, -3)}` }]
  return named.product_id === input.product_id
    ? []
    : [{ path, code: "other_product", message: "belongs to another product" }]
}

/**
 * What a row of a bulk is issued with, or every finding that goes beyond its own members: the same rules as for a single
 * license. `now` is Unix milliseconds on the database's clock.
 */
export const issueOfRow = (
  input: LicenseOfKnown,
  named: NamedByRows,
  now: number
): Result.Result<IssuedRow, ReadonlyArray<FieldFinding>> => {
  const policy = named.policies.get(input.policy_id)
  const brought = named.orders.get(input.order_id ?? "")?.subscription_id
  const subscription_id = input.subscription_id ?? brought
  const issued = policy === undefined ? Result.succeed({}) : issueOf(
    input,
    { ...policy, subscription: named.subscriptions.get(subscription_id ?? "") },
    now
  )
  const found: ReadonlyArray<FieldFinding> = [
    ...missing("product_id", input.product_id, named.products),
    ...named.further(input.product_id, input.product_ids ?? []),
    ...ofOther("policy_id", input, named.policies),
    ...missing("customer_id", input.customer_id, named.customers),
    ...ofOther("order_id", input, named.orders),
    ...ofOther("subscription_id", input, named.subscriptions),
    ...(brought === undefined || subscription_id === brought
      ? []
      : [{ path: "subscription_id", code: "not_of_order", message: "is another one than that of the order" }]),
    ...(Result.isFailure(issued) ? issued.failure : [])
  ]
  return found.length > 0
    ? Result.fail(found)
    : Result.succeed({ subscription_id, issued: Result.getOrThrow(issued) })
}

const decode = Schema.decodeUnknownResult(LicenseCreate, { errors: "first", onExcessProperty: "error" })
const judge = payloadFindings(LicenseCreate)

/** The finding about a row that would create its customer: rows at once would wait for each other's addresses. */
const singleOnly = finding(["customer"], "single_only", "is for a single license: name the customer by customer_id")

/**
 * A row with its defaults as a license to create, or the findings that a single create of it would be refused with, the
 * first `most` of them.
 */
export const licenseOf = (
  { defaults, most = maximumFindings, row }: {
    readonly defaults: LicenseBulk["defaults"]
    readonly row: unknown
    readonly most?: number
  }
): Result.Result<LicenseOfKnown, ReadonlyArray<FieldFinding>> => {
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    return Result.fail([finding([], "invalid_type", `must be a JSON object, not ${kindOf(row)}`)])
  }
  const license = { ...defaults, ...row }
  const tooLong = judge.tooLong(license, most)
  if (tooLong.length > 0) return Result.fail(tooLong)
  const decoded = Result.mapError(decode(license), () => judge.of(license, most))
  return Result.flatMap(
    decoded,
    ({ customer, ...known }) => customer === undefined ? Result.succeed(known) : Result.fail([singleOnly])
  )
}

/** A row that is not created, with all that is wrong with it. */
export interface RowRefusal {
  readonly index: number
  readonly fields: ReadonlyArray<FieldFinding>
}

/**
 * A row with at most so many of its findings. A reference that leads nowhere is NOT_FOUND, as in a single create, and named
 * first where there is no room for all.
 */
const refusedRow = ({ fields: all, index }: RowRefusal, most: number): BulkRefused => {
  const missing = all.find(({ code }) => code === "not_found")
  const fields = all.length <= most || missing === undefined
    ? all.slice(0, most)
    : [missing, ...all.filter((field) => field !== missing)].slice(0, most)
  return {
    index,
    error: missing === undefined
      ? { code: "VALIDATION_ERROR", message: summary("The row is not valid", fields), fields }
      : { code: "NOT_FOUND", message: summary("The row names something that does not exist", fields), fields }
  }
}

/** The most findings of one answer about rows: with all of them it could be many times as long as what was sent. */
const answerLimit = 1000

/** How many findings about a row are named in an answer that names some already: at least the first. */
export const findingsLeft = (named: number, mode: LicenseBulk["mode"]): number =>
  Math.max(1, Math.min(maximumFindings, (mode === "per_row" ? answerLimit : maximumFindings) - named))

/**
 * Rows that are not created, in their order. Each has at most as many findings as any refusal; once there are 1,000 in
 * all, a further row has its first one alone.
 */
export const refusedRows = (refusals: ReadonlyArray<RowRefusal>): ReadonlyArray<BulkRefused> => {
  let named = 0
  return refusals.toSorted((a, b) => a.index - b.index).map((refusal) => {
    const most = findingsLeft(named, "per_row")
    named += Math.min(most, refusal.fields.length)
    return refusedRow(refusal, most)
  })
}
