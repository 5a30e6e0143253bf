import { Metric } from "effect"
import { fromStartBy } from "../../ground/platform/SeriesFromStart.ts"

const formats = ["json", "csv", "pdf"] as const

/** The exports of the whole cluster that are not done, by `state`. */
export const unfinished = fromStartBy(["queued", "running"], (state) =>
  Metric.gauge("countersign_exports", {
    description: "Exports of all nodes that are not done, by state.",
    attributes: { state }
  }))

/** How long the work on exports took, by `format`. */
export const duration = fromStartBy(formats, (format) =>
  Metric.histogram("countersign_export_duration_seconds", {
    description: "How long this node worked on an export at a time, whatever came of it, in seconds.",
    boundaries: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600],
    attributes: { format }
  }))

/** The rows that were read for exports, by `format`. */
export const rows = fromStartBy(formats, (format) =>
  Metric.counter("countersign_export_rows_total", {
    description: "Rows that this node has frozen or rendered for exports, those of unfinished ones included.",
    incremental: true,
    attributes: { format }
  }))
