import { Result, Schema } from "effect"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import { failing, ValidationError } from "../../ground/wire/Errors.ts"
import { kindOf } from "../../ground/wire/Expected.ts"
import { finding, summary } from "../../ground/wire/FieldFindings.ts"
import { payloadFindings } from "../../ground/wire/PayloadFindings.ts"
import { lateDays } from "./LateUse.ts"
import { ReportedUse, skewMillis } from "./UsageReport.ts"

const decode = Schema.decodeUnknownResult(ReportedUse, { errors: "first", onExcessProperty: "error" })
const judge = payloadFindings(ReportedUse)

/** The refusal of a row for what is wrong with its members. */
export const invalidRow = (fields: ReadonlyArray<FieldFinding>): ValidationError =>
  failing(ValidationError, summary("The row is not valid", fields), { fields })

/** A row as a use, or the refusal of it. */
export const useOf = (row: unknown): Result.Result<ReportedUse, ValidationError> => {
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    return Result.fail(invalidRow([finding([], "invalid_type", `must be a JSON object, not ${kindOf(row)}`)]))
  }
  const tooLong = judge.tooLong(row)
  return tooLong.length > 0
    ? Result.fail(invalidRow(tooLong))
    : Result.mapError(decode(row), () => invalidRow(judge.of(row)))
}

const dayMillis = 86_400_000

/** The refusal of a use that is too late for its period. */
export const tooLate = (why: string): ValidationError => invalidRow([finding(["used_at"], "too_late", why)])

/** When a use was, and whether it is too old for its own period; Unix milliseconds. */
export interface UseTime {
  readonly at: number
  readonly isOld: boolean
}

/** The time of a use, on a clock that may be a little behind that of the backend. */
export const timeOfUse = (used_at: string | undefined, now: number): Result.Result<UseTime, ValidationError> => {
  const at = used_at === undefined ? now : Date.parse(used_at)
  return at > now + skewMillis
    ? Result.fail(invalidRow([finding(["used_at"], "in_future", "must not be in the future")]))
    : Result.succeed({ at: Math.min(at, now), isOld: at < now - lateDays * dayMillis })
}
