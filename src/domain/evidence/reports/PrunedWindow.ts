import { dimensionOf } from "../../catalog/Dimensions.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import type { ReportFilters, ReportKind, Window } from "./Report.ts"
import { usageParts } from "./UsageParts.ts"

/** From when on the tables that are pruned by age are whole; undefined where nothing was pruned. */
export interface Pruned {
  readonly activities: Date | undefined
  readonly uses: Date | undefined
}

/** Reports that count activities. */
const readingActivities: ReadonlySet<ReportKind> = new Set(["license-audit", "subscription-settlement"])

/**
 * Whether entries of these filters may be uses. A statement reads each use since its beginning: what grants had left then is what
 * they have left now, and what was used of them since.
 */
export const listsUses = (kind: ReportKind, filters: ReportFilters): boolean => {
  if (kind === "license-audit" || kind === "statement") return true
  const { action } = filters as ReportFilters<"usage-ledger">
  return kind === "usage-ledger" && (action === undefined || action === "license.usage_recorded")
}

/**
 * Reports that count neither uses nor activities: they are of what stands in tables that nothing is pruned of, or say themselves what
 * they do not know any more.
 */
const readingNeither: ReadonlySet<ReportKind> = new Set(["purchases", "licenses", "adoption", "rehearsal"])

const finding = (pruned: Date, what: string): FieldFinding => ({
  path: "from",
  code: "pruned",
  message: `must be ${pruned.toISOString()} or later: ${what}`
})

/**
 * What is wrong with a window for a report of this kind once rows that it counts are gone: what is left would be a
 * smaller count that nobody notices. Of uses the sums of days are kept, so that a report without entries may begin
 * earlier, as long as only full days of it lie before the pruned uses.
 */
export const prunedFindings = (
  kind: ReportKind,
  filters: ReportFilters & Window,
  pruned: Pruned,
  waitingSince?: Date
): ReadonlyArray<FieldFinding> => {
  if (readingNeither.has(kind)) return []
  const { activities, uses } = pruned
  const from = Date.parse(filters.from)
  const { bucket, group_by } = filters as ReportFilters<"usage-summary">
  const dimension = dimensionOf(group_by)
  const needed = listsUses(kind, filters)
    ? [from]
    : usageParts(filters, { bucket, dimension, waitingSince }).records.map(([start]) => start)
  const withoutActivities = activities !== undefined && readingActivities.has(kind) && from < activities.getTime()
  const withoutUses = uses !== undefined && needed.some((start) => start < uses.getTime())
  if (withoutActivities && !(withoutUses && uses > activities)) {
    return [finding(activities, "earlier activities were deleted")]
  }
  if (!withoutUses) return []
  return [
    finding(
      uses,
      listsUses(kind, filters) || bucket === "1h" || dimension !== undefined
        ? "earlier uses were deleted"
        : "of earlier uses only the sums of full days of UTC are kept"
    )
  ]
}
