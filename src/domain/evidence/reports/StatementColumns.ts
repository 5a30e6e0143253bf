import { column, overageColumn } from "./Column.ts"
import type { ReportColumn } from "./Report.ts"

/** The columns of a statement with these sums, which verifiers compute again: some only where a row has them. */
export const statementColumns = (
  sums: ReadonlyArray<{
    readonly decimals?: unknown
    readonly overage?: unknown
    readonly told_after?: unknown
    readonly told_before?: unknown
  }>
): ReadonlyArray<ReportColumn> => [
  column("key", "Key"),
  column("feature_code", "Feature"),
  ...(sums.some(({ decimals }) => decimals !== undefined) ? [column("decimals", "Decimal places", "integer")] : []),
  column("opening", "Opening balance", "integer"),
  ...(sums.some(({ told_before }) => told_before !== undefined)
    ? [column("told_before", "Late before", "integer")]
    : []),
  column("given", "Given", "integer"),
  column("carried", "Carried over", "integer"),
  column("corrected", "Corrected", "integer"),
  column("refunded", "Refunded", "integer"),
  column("used", "Used", "integer"),
  column("ended", "Ended", "integer"),
  column("revoked", "Revoked", "integer"),
  ...(sums.some(({ told_after }) => told_after !== undefined) ? [column("told_after", "Late after", "integer")] : []),
  column("closing", "Closing balance", "integer"),
  column("uses", "Usage events", "integer"),
  column("amount", "Amount", "integer"),
  column("within_quota", "Within quota", "integer"),
  column("from_pools", "From pools", "integer"),
  ...(sums.some(({ overage }) => overage !== undefined) ? [overageColumn] : []),
  column("adjusted", "Correction", "integer"),
  column("license_id", "License"),
  column("product_id", "Product")
]
