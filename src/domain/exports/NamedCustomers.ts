import { erasedName } from "../commerce/CustomerErasure.ts"
import type { ReportFilters, ReportKind, ReportRow } from "../reports/Report.ts"

/**
 * Whom a report names: the customers whose name or address it holds. They stand in the summary of a customer, and in use
 * added up by customer as the labels of its rows.
 */
export const namedBy = (kind: ReportKind, filters: ReportFilters, summary: Readonly<Record<string, unknown>>): {
  /** In the head of the report. */
  readonly inSummary: ReadonlyArray<string>
  readonly inRow: (row: ReportRow) => ReadonlyArray<string>
} => {
  const none = () => []
  if (kind === "customer-summary") {
    const { email, id, name } = summary["customer"] as { readonly [member in "email" | "id" | "name"]?: string }
    return { inSummary: name === erasedName && email === undefined ? [] : [id!], inRow: none }
  }
  return kind === "usage-summary" && (filters as ReportFilters<"usage-summary">).group_by === "customer_id"
    ? {
      inSummary: [],
      inRow: ({ group, label }) => typeof label === "string" && label !== erasedName ? [String(group)] : []
    }
    : { inSummary: [], inRow: none }
}
