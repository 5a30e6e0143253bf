import type { ReportExport } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { count, some } from "../../ground/design/Numbers.ts"
import { dateOf } from "../../ground/design/Time.tsx"
import { dimensionIn } from "../../ground/period/Kinds.ts"
import { spanOf } from "../../ground/period/Period.ts"
import { zoneOf } from "../../ground/period/Period.ts"

/** An export as its list shows it. */
interface ExportView {
  /** The time that the report is about. */
  readonly span: string
  /** The filters besides the time. */
  readonly filters: ReadonlyArray<string>
  /** The file and how long it is kept. */
  readonly facts: ReadonlyArray<string>
  /** How much is written; undefined once the export has ended. */
  readonly progress: { readonly text: string; readonly value?: number; readonly max?: number } | undefined
}

/** A number of bytes in a unit that people read. */
const sizeOf = (bytes: number): string =>
  bytes < 1000 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

const textOf = (value: unknown): string => typeof value === "string" ? value : ""

/** The period of a report that was requested without one (see the reports reference). */
const usualSpan: Readonly<Record<ReportExport["report_kind"], string>> = {
  "usage-summary": "the previous 30 days",
  "usage-ledger": "all time",
  "license-audit": "the previous 30 days",
  "customer-summary": "the previous 30 days",
  "subscription-settlement": "billing period",
  purchases: "the previous 30 days",
  licenses: "as they were then",
  adoption: "as it was then",
  rehearsal: "the previous 30 days",
  statement: "the previous 30 days"
}

const filterText = (name: string, value: string): string =>
  name === "group_by"
    ? `by ${dimensionIn(value) ?? labelOf("group", value)}`
    : name === "bucket"
    ? `per ${labelOf("bucket", value)}`
    : value

/** A change of rules, as an export of a rehearsal has it. */
const changeText = (change: unknown): string =>
  typeof change === "object" && change !== null
    ? Object.entries(change).map(([name, value]) => `${name}: ${value === null ? "none" : String(value)}`).join(", ")
    : ""

const filtersOf = (filters: ReportExport["filters"]): ReadonlyArray<string> =>
  Object.entries(filters).filter(([name]) => !["from", "to"].includes(name)).flatMap(([name, value]) => {
    const text = name === "change" ? changeText(value) : textOf(value)
    return text === "" ? [] : [filterText(name, text)]
  })

/** Whether an export is still being made. */
export const isMoving = ({ status }: Pick<ReportExport, "status">): boolean =>
  status === "queued" || status === "running"

const factsOf = (report: ReportExport): ReadonlyArray<string> => {
  const { artifact_size, expired_reason, expires_at, progress: { total }, status } = report
  return [
    ...(artifact_size === undefined ? [] : [sizeOf(artifact_size)]),
    ...(total === undefined || isMoving(report) ? [] : [some(total, "row")]),
    ...(status === "ready" && expires_at !== undefined ? [`kept until ${dateOf(expires_at)}`] : []),
    ...(status !== "expired"
      ? []
      : [expired_reason === "customer_erased" ? "deleted: a customer in it was erased" : "deleted after retention"])
  ]
}

const progressOf = ({ progress: { rows, total } }: ReportExport) =>
  total === undefined
    ? { text: "Counting the rows…" }
    : { text: `${count(rows)} of ${count(total)} rows`, value: rows, max: Math.max(1, total) }

/** An export as the list shows it. */
export const exportView = (report: ReportExport): ExportView => ({
  span: spanOf(report.filters, report.frozen_at ?? report.created_at, zoneOf(report.time_zone ?? "UTC")) ??
    usualSpan[report.report_kind],
  filters: filtersOf(report.filters),
  facts: factsOf(report),
  progress: isMoving(report) ? progressOf(report) : undefined
})
