import { column, overageColumn } from "./Column.ts"
import type { ReportColumn } from "./Report.ts"

/** The columns that a statement has only where a row has a value there. */
type Seldom = "decimals" | "told_before" | "told_after" | "overage"

/** The columns of a statement with these sums, which verifiers compute again: some only where a row has them. */
export const statementColumns = (
  sums: ReadonlyArray<{ readonly [Name in Seldom]?: unknown }>
): ReadonlyArray<ReportColumn> => {
  const where = (name: Seldom, shown: ReportColumn) => sums.some((sum) => sum[name] !== undefined) ? [shown] : []
  return [
    column("key", "Key"),
    column("feature_code", "Feature"),
    ...where("decimals", column("decimals", "Decimal places", "integer")),
    column("opening", "Opening balance", "integer"),
    ...where("told_before", column("told_before", "Late before", "integer")),
    column("given", "Given", "integer"),
    column("carried", "Carried over", "integer"),
    column("corrected", "Corrected", "integer"),
    column("refunded", "Refunded", "integer"),
    column("used", "Used", "integer"),
    column("ended", "Ended", "integer"),
    column("revoked", "Revoked", "integer"),
    ...where("told_after", column("told_after", "Late after", "integer")),
    column("closing", "Closing balance", "integer"),
    column("uses", "Usage events", "integer"),
    column("amount", "Amount", "integer"),
    column("within_quota", "Within quota", "integer"),
    column("from_pools", "From pools", "integer"),
    ...where("overage", overageColumn),
    column("adjusted", "Correction", "integer"),
    column("license_id", "License"),
    column("product_id", "Product")
  ]
}
