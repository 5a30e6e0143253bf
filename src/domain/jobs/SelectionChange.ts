/** How many licenses of a difference are named, of those that came and of those that went. */
const named = 5

/** Some IDs in words: the first of them, and how many more there are. */
const listed = (ids: ReadonlyArray<string>): string =>
  ids.length <= named
    ? ids.join(", ")
    : `${ids.slice(0, named).join(", ")} and ${ids.length - named} more`

/**
 * How the licenses that a filter matches differ from those that it matched before, in words; undefined where they are the same, in
 * whichever order.
 */
export const selectionChange = (
  before: ReadonlyArray<string>,
  now: ReadonlyArray<string>
): { readonly message: string; readonly detail: string } | undefined => {
  const had = new Set(before)
  const has = new Set(now)
  const gone = before.filter((id) => !has.has(id))
  const come = now.filter((id) => !had.has(id))
  if (gone.length === 0 && come.length === 0) return undefined
  const parts = [
    ...(gone.length === 0 ? [] : [`no longer ${listed(gone)}`]),
    ...(come.length === 0 ? [] : [`${gone.length === 0 ? "" : "but "}also ${listed(come)}`])
  ]
  return {
    message: `The filter matches other licenses than when this was asked for: ${parts.join(", ")}. Ask again.`,
    detail: `-${gone.length} +${come.length}`
  }
}
