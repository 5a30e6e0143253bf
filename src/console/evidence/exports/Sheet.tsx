import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { ReportExport } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { currentTime } from "../../ground/design/Time.tsx"
import { kinds } from "../../ground/period/Kinds.ts"
import type { SheetKind } from "../../ground/period/Kinds.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { limitsOf, spanOf, windowOf } from "../../ground/period/Period.ts"
import { PeriodFields } from "../../ground/period/PeriodFields.tsx"
import { ReportTabs } from "../../ground/period/ReportTabs.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { Freeze } from "./Freeze.tsx"
import { FrozenList } from "./FrozenList.tsx"

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
