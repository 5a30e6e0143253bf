/** The licenses that are selected: some rows, or all that match the filters, seen or not. */
export type Selected =
  | { readonly kind: "ids"; readonly ids: ReadonlySet<string> }
  | { readonly kind: "filter" }

/** Nothing that is selected. */
export const none = { kind: "ids", ids: new Set<string>() } satisfies Selected

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
