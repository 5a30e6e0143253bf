import { useEffect, useRef } from "preact/hooks"
import { Choice, TextField } from "../design/Field.tsx"
import { currentTime, dayIn, timeZone } from "../design/Time.tsx"
import { may } from "../session/Session.ts"
import { kinds, pathOf } from "./Kinds.ts"
import type { SheetKind } from "./Kinds.ts"
import { byDays, itsOwn, monthsOf, timeQuery } from "./Period.ts"
import type { Selection } from "./Period.ts"

/** The tabs of the reports; the time that one is about goes along. */
export const ReportTabs = (
  { selection, at }: { readonly selection: Selection; readonly at: SheetKind | "frozen" }
) => {
  const tabs = useRef<HTMLElement>(null)
  // On a phone they do not all fit.
  useEffect(() => tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [at])
  return (
    <nav class="tabs" aria-label="Reports" ref={tabs}>
      {Object.entries(kinds).map(([kind, { name }]) => (
        <a
          key={kind}
          href={pathOf(kind as SheetKind, timeQuery(selection))}
          {...(kind === at ? { "aria-current": "page" as const } : {})}
        >
          {name}
        </a>
      ))}
      {may("report:export")
        ? (
          <a
            href={pathOf("frozen", timeQuery(selection))}
            {...(at === "frozen" ? { "aria-current": "page" as const } : {})}
          >
            Exports
          </a>
        )
        : null}
    </nav>
  )
}

/** The day before an instant, in a zone. */
const lastDay = (to: string, zone: string): string => dayIn(Date.parse(to) - 1, zone)

/** The fields for the period of a report and its time zone. */
export const PeriodFields = (
  { selection, hasOwn = false }: { readonly selection: Selection; readonly hasOwn?: boolean }
) => {
  const { period, query, set, setTyped, zone } = selection
  const months = monthsOf(zone)
  const month = query["month"] ?? (hasOwn ? itsOwn : "")
  const known = [...months.map(([value]) => value), byDays, ...(hasOwn ? [itsOwn] : [])]
  const choose = (value: string) => {
    if (value !== byDays) return set({ month: value, first: "", last: "" })
    const { from = startOfMonths(months), to } = period
    set({
      month: value,
      first: from.length === 10 ? from : dayIn(Date.parse(from), zone),
      last: period.isRunning || to === undefined ? dayIn(currentTime(), zone) : lastDay(to, zone)
    })
  }
  return (
    <>
      <Choice
        label="Period"
        value={known.includes(month) ? month : months[0]![0]}
        options={[
          ...(hasOwn ? [[itsOwn, "Billing period"] as const] : []),
          ...months,
          [byDays, "Custom range…"]
        ]}
        onChange={choose}
        isLong
      />
      {month === byDays
        ? (
          <>
            <TextField
              label="Start date"
              type="date"
              value={query["first"] ?? ""}
              onChange={(first) => setTyped({ first })}
            />
            <TextField
              label="End date"
              type="date"
              value={query["last"] ?? ""}
              onChange={(last) => setTyped({ last })}
              wrong={period.wrong}
            />
          </>
        )
        : null}
      <Choice
        label="Time zone"
        value={zone}
        options={[...new Set([timeZone, "UTC", zone])].map((name) => [
          name,
          name === timeZone ? `${name} (yours)` : name
        ])}
        onChange={(name) => set({ zone: name })}
        isLong
      />
    </>
  )
}

/** The first day of the last full month. */
const startOfMonths = (months: ReadonlyArray<readonly [string, string]>): string => `${months[0]![0]}-01`
