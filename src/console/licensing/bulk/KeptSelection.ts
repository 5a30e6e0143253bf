import { useEffect, useRef } from "preact/hooks"
import type { License } from "../../../client/api/index.ts"
import type { Ticks } from "../../ground/design/Table.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { none, ticked } from "./Selection.ts"
import type { Selected } from "./Selection.ts"

/** A selection as a tab keeps it, with the filters that it was made under. */
interface KeptSelection {
  readonly under: string
  readonly ids: ReadonlyArray<string>
  readonly isAll: boolean
}

const nothing: KeptSelection = { under: "", ids: [], isAll: false }

/**
 * The selection of a list, which other filters and other pages empty. A reload gives it back, with the dialog that was open
 * over it.
 */
export const useSelection = (rows: ReadonlyArray<License>, nameOf: (license: License) => string, filters: object) => {
  const key = JSON.stringify(filters)
  const { saved: forget, set: keep, values: kept } = useDraft("selection", nothing)
  useEffect(() => forget, [])
  const before = useRef<string | undefined>(undefined)
  const selected: Selected = kept.under !== key
    ? none
    : kept.isAll
    ? { kind: "filter" }
    : { kind: "ids", ids: new Set(kept.ids) }
  const set = (selected: Selected) =>
    keep({
      under: key,
      isAll: selected.kind === "filter",
      ids: selected.kind === "ids" ? [...selected.ids] : []
    })
  const all = rows.map(({ id }) => id)
  const ids = selected.kind === "ids" ? selected.ids : new Set(all)
  const ticks: Ticks<License> = {
    has: ({ id }) => ids.has(id),
    toggle: ({ id }, isRange) => {
      set({ kind: "ids", ids: ticked(ids, all, id, isRange ? before.current : undefined) })
      before.current = id
    },
    toggleAll: () => set({ kind: "ids", ids: new Set(all.every((id) => ids.has(id)) ? [] : all) }),
    nameOf
  }
  return {
    selected,
    ticks,
    isEmpty: selected.kind === "ids" && ids.size === 0,
    clear: () => set(none),
    takeAll: () => set({ kind: "filter" })
  }
}
