import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { ReportExport, ReportKind } from "../../client/api/index.ts"
import { Empty } from "../design/Feedback.tsx"
import { Panel } from "../design/Panel.tsx"
import { Freeze } from "../frozen/Freeze.tsx"
import { FrozenList } from "../frozen/FrozenList.tsx"
import { kinds, pathOf } from "../period/Kinds.ts"
import type { Asked } from "../period/Period.ts"
import { limitsOf, spanOf, timeQuery, windowOf } from "../period/Period.ts"
import { PeriodFields } from "../period/PeriodFields.tsx"
import { may } from "../session/Session.ts"
import { useTitle } from "../session/Title.ts"

/** The tabs of the reports; the time that one is about goes along. */
export const ReportTabs = ({ asked, at }: { readonly asked: Asked; readonly at: ReportKind | "frozen" }) => {
  const tabs = useRef<HTMLElement>(null)
  // On a phone they do not all fit.
  useEffect(() => tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [at])
  return (
    <nav class="tabs" aria-label="Reports" ref={tabs}>
      {Object.entries(kinds).map(([kind, { name }]) => (
        <a
          key={kind}
          href={pathOf(kind as ReportKind, timeQuery(asked))}
          {...(kind === at ? { "aria-current": "page" as const } : {})}
        >
          {name}
        </a>
      ))}
      {may("report:export")
        ? (
          <a
            href={pathOf("frozen", timeQuery(asked))}
            {...(at === "frozen" ? { "aria-current": "page" as const } : {})}
          >
            Exports
          </a>
        )
        : null}
    </nav>
  )
}

interface SheetProps {
  readonly kind: ReportKind
  readonly asked: Asked
  /** What narrows it besides its period; undefined as long as it is about nobody. */
  readonly filters: Readonly<Record<string, string>> | undefined
  /** Its limits, where it has them of its own. */
  readonly limits?: { readonly from: string; readonly to: string } | undefined
  readonly fields?: ComponentChildren
  readonly hasOwn?: boolean
  readonly children: ComponentChildren
}

/** What every report stands in: which it is and about which time, its filters, itself, and those of it that are frozen. */
export const Sheet = ({ asked, children, fields, filters, hasOwn = false, kind, limits }: SheetProps) => {
  const [fresh, setFresh] = useState<ReadonlyArray<ReportExport>>([])
  const { name } = kinds[kind]
  const { zone } = asked
  // What has limits of its own is called by them.
  const period = limits === undefined
    ? asked.period
    : {
      ...asked.period,
      name: spanOf(limits, new Date().toISOString(), zone) ?? asked.period.name,
      isRunning: Date.parse(limits.to) > Date.now()
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
              filters={{ ...filters, ...windowOf(asked.period) }}
              onFrozen={(made) => setFresh((before) => [made, ...before])}
            />
          )}
      </header>
      <ReportTabs asked={asked} at={kind} />
      <div class="filters" role="search" aria-label="Filters">
        <PeriodFields asked={asked} hasOwn={hasOwn} />
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
