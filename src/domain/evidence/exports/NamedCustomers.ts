import { erasedName } from "../../customers/CustomerErasure.ts"
import type { ReportFilters, ReportKind, ReportRow } from "../reports/Report.ts"

const isCustomer = (id: string): boolean => id.startsWith("cus_")

/**
 * Whom a report names: the customers whose name or address it holds. They stand in the summary of a customer, in use
 * added up by customer as the labels of its rows, and among the names of ids that a document prints.
 */
export const namedBy = (
  kind: ReportKind,
  filters: ReportFilters,
  summary: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>> = {}
): {
  /** In the head of the report. */
  readonly inSummary: ReadonlyArray<string>
  readonly inRow: (row: ReportRow) => ReadonlyArray<string>
} => {
  const none = () => []
  const named = Object.entries(names).flatMap(([id, name]) => isCustomer(id) && name !== erasedName ? [id] : [])
  if (kind === "customer-summary" || (kind === "statement" && "customer" in summary)) {
    const { email, id, name } = summary["customer"] as { readonly [member in "email" | "id" | "name"]?: string }
    const isErased = name === erasedName && email === undefined
    return { inSummary: isErased ? named : [...new Set([id!, ...named])], inRow: none }
  }
  if (kind === "licenses") {
    return { inSummary: named, inRow: ({ customer_id }) => typeof customer_id === "string" ? [customer_id] : [] }
  }
  return kind === "usage-summary" && (filters as ReportFilters<"usage-summary">).group_by === "customer_id"
    ? {
      inSummary: named,
      inRow: ({ group, label }) => typeof label === "string" && label !== erasedName ? [String(group)] : []
    }
    : { inSummary: named, inRow: none }
}
