import type { ReportExport, ReportExportStatus, ReportFormat, ReportKind } from "../../../client/api/index.ts"
import { labels, titleOf } from "../../../client/api/Labels.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { oneOf } from "../../ground/lists/Filters.ts"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import type { Selection } from "../../ground/period/Period.ts"
import { ReportTabs } from "../../ground/period/PeriodFields.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { FrozenList } from "./FrozenList.tsx"

const kindNames: ReadonlyArray<readonly [ReportKind | "", string]> = [
  ["", "Any"],
  ...Object.entries(labels.report).map(([kind, name]) => [kind as ReportKind, name] as const)
]

const formats: ReadonlyArray<readonly [ReportFormat | "", string]> = [
  ["", "Any"],
  ...Object.entries(labels.format).map(([format, name]) => [format as ReportFormat, name] as const)
]

const statuses: ReadonlyArray<ReportExportStatus> = ["ready", "running", "queued", "failed", "expired"]

const states: ReadonlyArray<readonly [ReportExportStatus | "", string]> = [
  ["", "Any"],
  ...statuses.map((status) => [status, titleOf("state", status)] as const)
]

/** The reports that were frozen, newest first. */
export const FrozenPage = ({ selection }: { readonly selection: Selection }) => {
  const { query, set } = selection
  useTitle("Exports")
  const kind = oneOf(query["report_kind"], kindNames)
  const format = oneOf(query["format"], formats)
  const status = oneOf(query["status"], states)
  const filters = {
    ...(kind === undefined ? {} : { report_kind: kind }),
    ...(format === undefined ? {} : { format }),
    ...(status === undefined ? {} : { status })
  }
  const pages = usePages<ReportExport>(
    "exports",
    (client, page, signal) => client.reportExports.list({ ...filters, limit: 25, ...page }, { signal }),
    [filters]
  )
  return (
    <main class="page sheet" id="main">
      <header>
        <div>
          <h1>Exports</h1>
          <p class="quiet small">Signed report files. A changed file fails verification.</p>
        </div>
      </header>
      <ReportTabs selection={selection} at="frozen" />
      <div class="filters" role="search" aria-label="Filters">
        <Choice
          label="Report"
          value={kind ?? ""}
          options={kindNames}
          onChange={(report_kind) => set({ report_kind })}
        />
        <Choice label="Format" value={format ?? ""} options={formats} onChange={(value) => set({ format: value })} />
        <Choice label="Status" value={status ?? ""} options={states} onChange={(value) => set({ status: value })} />
      </div>
      {pages.rows === undefined || pages.rows.length === 0
        ? (
          <Panel footer={<More of={pages} />}>
            <Rows
              of={pages}
              lines={8}
              empty={Object.keys(filters).length > 0
                ? <Empty title="No matching exports">Remove a filter.</Empty>
                : (
                  <Empty title="No exports yet">
                    Open a report, select a period and export it. The file appears here with its digests.
                  </Empty>
                )}
            >
              {() => null}
            </Rows>
          </Panel>
        )
        : <FrozenList rows={pages.rows} footer={<More of={pages} />} />}
    </main>
  )
}
