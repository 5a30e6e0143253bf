import { useRef, useState } from "preact/hooks"
import type { License } from "../../client/api/index.ts"
import type { Ticks } from "../design/Table.tsx"

/** The licenses that are selected: some rows, or all that match the filters, seen or not. */
export type Selected =
  | { readonly kind: "ids"; readonly ids: ReadonlySet<string> }
  | { readonly kind: "filter" }

const none = { kind: "ids", ids: new Set<string>() } satisfies Selected

/** The selection after a row was ticked; with a row before, after all rows in between were. */
export const ticked = (
  selected: ReadonlySet<string>,
  rows: ReadonlyArray<string>,
  row: string,
  before: string | undefined
): ReadonlySet<string> => {
  const isOn = !selected.has(row)
  const [from, to] = [rows.indexOf(before ?? row), rows.indexOf(row)]
  const between = from < 0 ? [row] : rows.slice(Math.min(from, to), Math.max(from, to) + 1)
  const after = new Set(selected)
  for (const id of between) {
    if (isOn) after.add(id)
    else after.delete(id)
  }
  return after
}

/** The scope of a selection in words. */
export const scopeOf = (selected: Selected, loaded: number, hasMore: boolean): string => {
  if (selected.kind === "filter") return "All licenses that match are selected, also those not shown."
  const { size } = selected.ids
  return size === loaded && hasMore
    ? `${size} on this page selected.`
    : `${size} selected.`
}

/** The selection of a list, which other filters empty. */
export const useSelection = (rows: ReadonlyArray<License>, nameOf: (license: License) => string, filters: object) => {
  const key = JSON.stringify(filters)
  const [state, setState] = useState<{ readonly key: string; readonly selected: Selected }>({ key, selected: none })
  const before = useRef<string | undefined>(undefined)
  const selected: Selected = state.key === key ? state.selected : none
  const set = (selected: Selected) => setState({ key, selected })
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
