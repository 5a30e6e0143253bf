import { useState } from "preact/hooks"
import type { ReportExport, ReportFormat, ReportKind } from "../../client/api/index.ts"
import { Choice } from "../design/Field.tsx"
import { kinds } from "../period/Kinds.ts"
import type { Period } from "../period/Period.ts"
import { Action } from "../session/Action.tsx"

const formats: ReadonlyArray<readonly [ReportFormat, string]> = [
  ["pdf", "PDF, to be filed and printed"],
  ["csv", "CSV, for spreadsheets"],
  ["json", "JSON, every figure for programs"]
]

interface FreezeProps {
  readonly kind: ReportKind
  readonly period: Period
  readonly zone: string
  /** As the export takes them, with the window. */
  readonly filters: Readonly<Record<string, string>>
  readonly onFrozen: (made: ReportExport) => void
}

/** Freezes a report into a file. */
export const Freeze = ({ filters, kind, onFrozen, period, zone }: FreezeProps) => {
  const [format, setFormat] = useState<ReportFormat>("pdf")
  return (
    <Action
      label="Freeze this report"
      weight="main"
      scope="report:export"
      says={
        <div class="stack">
          <p>
            <span class="strong">{kinds[kind].name}, {period.name}</span>, is read once as it is now, written into a
            file and signed, so that anybody can check later that no figure was changed.
          </p>
          {period.isRunning
            ? <p>The period is not over: the file says that it is to date. Freeze it again when it is over.</p>
            : null}
          <p class="quiet small">Times are printed in {zone}.</p>
        </div>
      }
      fields={
        <Choice
          label="Format"
          value={format}
          options={formats}
          onChange={(value) => setFormat(value as ReportFormat)}
        />
      }
      perform={async (client, options) => {
        const begun = await client.reportExports.create(
          { report_kind: kind, format, time_zone: zone, filters },
          options
        )
        onFrozen(begun)
        return begun
      }}
      done={() => "The file is being made. Follow it at the top of the report, and download and verify it there."}
    />
  )
}
