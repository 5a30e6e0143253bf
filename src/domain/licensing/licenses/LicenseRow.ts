import { Result, Schema } from "effect"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import { kindOf } from "../../ground/wire/Expected.ts"
import { finding, maximumFindings, summary } from "../../ground/wire/FieldFindings.ts"
import { payloadFindings } from "../../ground/wire/PayloadFindings.ts"
import { LicenseCreate } from "./License.ts"
import type { LicenseOfKnown } from "./License.ts"
import type { BulkRefused, LicenseBulk } from "./LicenseBulk.ts"

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
