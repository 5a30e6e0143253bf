import type { ReportColumn } from "./Report.ts"

/** A column of a report by the member of its rows, with its title. */
export const column = (key: string, title: string, type: ReportColumn["type"] = "text"): ReportColumn => ({
  key,
  title,
  type
})

/** The column of overage, which is there only where some is. */
export const overageColumn = column("overage", "Overage", "integer")
