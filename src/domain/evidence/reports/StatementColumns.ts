import { column, overageColumn } from "./Column.ts"
import type { ReportColumn } from "./Report.ts"

/** The columns of a statement, which verifiers compute again. */
export const statementColumns = (
  { hasDecimals, hasOverage }: Record<"hasDecimals" | "hasOverage", boolean>
): ReadonlyArray<ReportColumn> => [
  column("key", "Key"),
  column("feature_code", "Feature"),
  ...(hasDecimals ? [column("decimals", "Decimal places", "integer")] : []),
  column("opening", "Opening balance", "integer"),
  column("given", "Given", "integer"),
  column("carried", "Carried over", "integer"),
  column("corrected", "Corrected", "integer"),
  column("refunded", "Refunded", "integer"),
  column("used", "Used", "integer"),
  column("ended", "Ended", "integer"),
  column("revoked", "Revoked", "integer"),
  column("closing", "Closing balance", "integer"),
  column("uses", "Usage events", "integer"),
  column("amount", "Amount", "integer"),
  column("within_quota", "Within quota", "integer"),
  column("from_pools", "From pools", "integer"),
  ...(hasOverage ? [overageColumn] : []),
  column("adjusted", "Correction", "integer"),
  column("license_id", "License"),
  column("product_id", "Product")
]
