import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { ReportExport, ReportFormat } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { currentTime } from "../../ground/design/Time.tsx"
import { kinds } from "../../ground/period/Kinds.ts"
import type { SheetKind } from "../../ground/period/Kinds.ts"
import { limitsOf, spanOf, windowOf } from "../../ground/period/Period.ts"
import type { Period, Selection } from "../../ground/period/Period.ts"
import { PeriodFields, ReportTabs } from "../../ground/period/PeriodFields.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { FrozenList } from "./FrozenList.tsx"

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
const Freeze = ({ filters, kind, onFrozen, period, zone }: FreezeProps) => {
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

interface SheetProps {
  readonly kind: SheetKind
  readonly selection: Selection
  /** The filters besides its period; undefined until a subject is chosen. */
  readonly filters: Readonly<Record<string, string>> | undefined
  /** The period of the subject, if it has its own. */
  readonly limits?: { readonly from: string; readonly to: string } | undefined
  readonly fields?: ComponentChildren
  readonly hasOwn?: boolean
  readonly children: ComponentChildren
}

/** The frame of every report: its title and period, its filters, the report, and its new exports. */
export const Sheet = ({ selection, children, fields, filters, hasOwn = false, kind, limits }: SheetProps) => {
  const [fresh, setFresh] = useState<ReadonlyArray<ReportExport>>([])
  const { name } = kinds[kind]
  const { zone } = selection
  // A report with a period of its own is named after it.
  const period = limits === undefined
    ? selection.period
    : {
      ...selection.period,
      name: spanOf(limits, new Date(currentTime()).toISOString(), zone) ?? selection.period.name,
      isRunning: Date.parse(limits.to) > currentTime()
    }
  useTitle(`${name}, ${period.name}`)
  return (
    <main class="page sheet" id="main">
      <header>
        <div>
          <h1>{name}: {period.name}</h1>
          <p class="quiet small">{limitsOf({ ...period, ...limits }, zone)}</p>
        </div>
        {filters === undefined || period.wrong !== undefined
          ? null
          : (
            <Freeze
              kind={kind}
              period={period}
              zone={zone}
              filters={{ ...filters, ...windowOf(selection.period) }}
              onFrozen={(made) => setFresh((before) => [made, ...before])}
            />
          )}
      </header>
      <ReportTabs selection={selection} at={kind} />
      <div class="filters" role="search" aria-label="Filters">
        <PeriodFields selection={selection} hasOwn={hasOwn} />
        {fields}
      </div>
      {fresh.length === 0 ? null : <FrozenList title="New exports" rows={fresh} />}
      {period.wrong === undefined ? children : (
        <Panel>
          <Empty title="Invalid period">Select a start date, and an end date on or after it.</Empty>
        </Panel>
      )}
    </main>
  )
}
