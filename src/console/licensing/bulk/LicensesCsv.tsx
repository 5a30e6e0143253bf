import { useEffect, useRef, useState } from "preact/hooks"
import type { License, ReportExport } from "../../../client/api/index.ts"
import { newKey } from "../../../client/transport/Credentials.ts"
import { Button } from "../../ground/design/Button.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { csvFileOf } from "../../ground/lists/Csv.ts"
import type { CsvColumn } from "../../ground/lists/Csv.ts"
import type { Total } from "../../ground/lists/PageList.ts"
import { saveAnswer, saveFile } from "../../ground/lists/SaveFile.ts"
import { Failure } from "../../ground/session/Failure.tsx"
import { askAgain } from "../../ground/session/Load.ts"
import { ask, errorOf, may } from "../../ground/session/Session.ts"

/** The most licenses that are read page by page: more take minutes, and are exported by the service. */
const most = 10_000

/** How many a page of the service has at most. */
const perPage = 200

/** How often an export that is being made is asked for, in milliseconds. */
const pollMillis = 1000

const columns: ReadonlyArray<CsvColumn<License>> = [
  ["id", ({ id }) => id],
  ["status", ({ status }) => status],
  ["owner", ({ customer_name, names }) => customer_name ?? names?.customer ?? ""],
  ["email", ({ customer_email }) => customer_email ?? ""],
  ["product", ({ names, product_id }) => names?.product ?? product_id],
  ["policy", ({ names, policy_id }) => names?.policy ?? policy_id],
  ["key", ({ license_key_last4, license_key_prefix }) => `${license_key_prefix}…${license_key_last4}`],
  ["issued", ({ created_at }) => created_at],
  ["expires", ({ expires_at }) => expires_at ?? ""],
  ["devices", ({ active_device_count }) => String(active_device_count)],
  ["tags", ({ tags = [] }) => tags.join(", ")]
]

type Filters = Readonly<Record<string, string>>

/** All licenses that match, in the order of the list, up to the most of one file. */
const readAll = async (filters: Filters, onRead: (many: number) => void) => {
  const rows: Array<License> = []
  for (let cursor: string | undefined;;) {
    const { data, page_info } = await ask((client) =>
      client.licenses.list({
        ...filters,
        include_names: true,
        limit: perPage,
        ...(cursor === undefined ? {} : { cursor })
      }).withResponse()
    )
    for (const row of data) rows.push(row)
    onRead(rows.length)
    if (!page_info.has_more || page_info.next_cursor === null) return { rows, isWhole: true }
    if (rows.length >= most) return { rows, isWhole: false }
    cursor = page_info.next_cursor
  }
}

/** Whether there are more licenses than are read page by page, of a list that the service exports: it keeps no search. */
const isLong = async (filters: Filters, total: Total | undefined): Promise<boolean> => {
  if (total?.has_more !== true || filters["q"] !== undefined || !may("report:export") || !may("report:read")) {
    return false
  }
  const { summary } = await ask((client) => client.reports.licenses({ ...filters, limit: 1 }))
  return summary.licenses > most
}

/** Has the service export all licenses that match, and waits for the file; undefined once `isGone`. */
const exported = async (
  filters: Filters,
  { isGone, onProgress }: { readonly isGone: () => boolean; readonly onProgress: (report: ReportExport) => void }
): Promise<ReportExport | undefined> => {
  let report = await ask((client) =>
    client.reportExports.create(
      { report_kind: "licenses", format: "csv", filters: { ...filters } },
      { idempotencyKey: newKey() }
    )
  )
  while (report.status === "queued" || report.status === "running") {
    onProgress(report)
    await new Promise((resolve) => setTimeout(resolve, pollMillis))
    if (isGone()) return undefined
    report = await askAgain((client) => client.reportExports.get(report.id))
  }
  if (report.status !== "ready") throw new Error(report.failure?.message ?? "The export was not made.")
  return report
}

type Stage =
  | { readonly name: "idle" }
  | { readonly name: "reading"; readonly many: number }
  | { readonly name: "exporting"; readonly progress: ReportExport["progress"] }
  | { readonly name: "failed"; readonly error: Error }
  | { readonly name: "cut" }

const busyText = (stage: Stage): string | undefined =>
  stage.name === "reading"
    ? `Reading ${count(stage.many)}…`
    : stage.name === "exporting"
    ? `Writing ${count(stage.progress.rows)} of ${
      stage.progress.total === undefined ? "all" : count(stage.progress.total)
    }…`
    : undefined

/** The text beside the button. */
const Said = ({ onRetry, stage }: { readonly stage: Stage; readonly onRetry: () => void }) =>
  stage.name === "cut"
    ? (
      <span class="small quiet" role="status">
        The file has the first {count(most)}. Narrow the filters for the rest.
      </span>
    )
    : stage.name === "exporting"
    ? (
      <span class="small quiet" role="status">
        You can leave: the file will be in <a href="/console/reports/frozen">Exports</a>.
      </span>
    )
    : stage.name === "failed"
    ? <Failure error={stage.error} onRetry={onRetry} />
    : null

/** Saves all licenses that match the filters as CSV, in the order of the list; of very many the service makes the file. */
export const LicensesCsv = ({ filters, total }: { readonly filters: Filters; readonly total: Total | undefined }) => {
  const [stage, setStage] = useState<Stage>({ name: "idle" })
  const isGone = useRef(false)
  useEffect(() => () => void (isGone.current = true), [])
  const save = async (): Promise<Stage> => {
    if (await isLong(filters, total)) {
      const report = await exported(filters, {
        isGone: () => isGone.current,
        onProgress: ({ progress }) => setStage({ name: "exporting", progress })
      })
      if (report === undefined) return { name: "idle" }
      await saveAnswer(await ask((client) => client.reportExports.download(report.id)))
      return { name: "idle" }
    }
    const { isWhole, rows } = await readAll(filters, (many) => setStage({ name: "reading", many }))
    saveFile(new Blob([csvFileOf(columns, rows)], { type: "text/csv" }), "licenses.csv")
    return { name: isWhole ? "idle" : "cut" }
  }
  const run = async () => {
    setStage({ name: "reading", many: 0 })
    try {
      setStage(await save())
    } catch (cause) {
      setStage({ name: "failed", error: errorOf(cause) })
    }
  }
  const busy = busyText(stage)
  return (
    <span class="row wraps">
      <Button small weight="bare" onClick={() => void run()} isBusy={busy !== undefined}>
        {busy ?? "Save as CSV"}
      </Button>
      <Said stage={stage} onRetry={() => void run()} />
    </span>
  )
}
