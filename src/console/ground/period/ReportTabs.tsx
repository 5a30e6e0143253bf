import { useEffect, useRef } from "preact/hooks"
import { may } from "../session/Session.ts"
import { kinds, pathOf } from "./Kinds.ts"
import type { SheetKind } from "./Kinds.ts"
import type { Selection } from "./Period.ts"
import { timeQuery } from "./Period.ts"

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
