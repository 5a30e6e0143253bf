import type { ReportExport, ReportFormat } from "../../../client/api/index.ts"
import { Choice } from "../../ground/design/Field.tsx"
import { kinds } from "../../ground/period/Kinds.ts"
import type { SheetKind } from "../../ground/period/Kinds.ts"
import type { Period } from "../../ground/period/Period.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"

const formats: ReadonlyArray<readonly [ReportFormat, string]> = [
  ["pdf", "PDF (for filing and printing)"],
  ["csv", "CSV (for spreadsheets)"],
  ["json", "JSON (all values, for programs)"]
]

interface FreezeProps {
  readonly kind: SheetKind
  readonly period: Period
  readonly zone: string
  /** As the export takes them, with the window. */
  readonly filters: Readonly<Record<string, string>>
  readonly onFrozen: (made: ReportExport) => void
}

const pdf: { readonly format: ReportFormat } = { format: "pdf" }

/** Exports a report to a file. */
export const Freeze = ({ filters, kind, onFrozen, period, zone }: FreezeProps) => {
  const draft = useDraft("export", pdf)
  const { format } = draft.values
  return (
    <Action
      label="Export report"
      weight="main"
      scope="report:export"
      says={
        <div class="stack">
          <p>
            Exports{" "}
            <span class="strong">{kinds[kind].name}, {period.name}</span>, to a signed file with the current data.
            Anyone can verify later that the file was not changed.
          </p>
          {period.isRunning
            ? <p>The period has not ended, so the export is marked "to date". Export it again after the period ends.</p>
            : null}
          <p class="quiet small">Time zone: {zone}.</p>
        </div>
      }
      fields={
        <Choice
          label="Format"
          value={format}
          options={formats}
          onChange={(value) => draft.set({ format: value as ReportFormat })}
        />
      }
      draft={draft}
      perform={async (client, options) => {
        const begun = await client.reportExports.create(
          { report_kind: kind, format, time_zone: zone, filters },
          options
        )
        onFrozen(begun)
        return begun
      }}
      done={() => "Export started. Download and verify the file at the top of the report."}
    />
  )
}
