import type { CustomerSummaryReport } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { count } from "../../ground/design/Numbers.ts"
import { totalsOf } from "./Totals.ts"
import type { Total } from "./Totals.ts"

/** The figures of a customer summary. */
interface CustomerView {
  /** How many licenses have each status, in words. */
  readonly statuses: string
  /** Empty if rows are missing: their sum would be wrong. */
  readonly totals: ReadonlyArray<Total>
  readonly devices: number | undefined
}

/** A customer summary as its page shows it. */
export const customerView = ({ rows, summary, truncated }: CustomerSummaryReport): CustomerView => ({
  statuses: summary.license_statuses.map(({ count: many, status }) => `${count(many)} ${labelOf("state", status)}`)
    .join(", "),
  totals: truncated ? [] : totalsOf(rows, () => undefined),
  devices: truncated ? undefined : rows.reduce((sum, { active_device_count }) => sum + active_device_count, 0)
})
