import { useLocation } from "preact-iso"
import type { Sorted } from "../design/Table.tsx"

/** The filters of a page, which stand in its address so that it can be shared. An empty value takes a filter away. */
export const useFilters = () => {
  const { path, query, route } = useLocation()
  const go = (changes: Readonly<Record<string, string>>, isReplaced: boolean): void => {
    const next = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== "")
    route(next.length === 0 ? path : `${path}?${new URLSearchParams(next)}`, isReplaced)
  }
  return {
    query,
    /** Sets a choice, which Back undoes. */
    set: (changes: Readonly<Record<string, string>>): void => go(changes, false),
    /** Sets a text that is being typed, without a history entry for each character. */
    setTyped: (changes: Readonly<Record<string, string>>): void => go(changes, true)
  }
}

/** The order of a list that stands in its address, where the newest first has no name. */
export const sortedBy = ({ query, set }: ReturnType<typeof useFilters>): Sorted => ({
  order: query["order"] ?? "desc",
  onOrder: (order) => set({ order: order === "desc" ? "" : order })
})

/** The value of a filter if it is one of the known options, and not the empty one. */
export const oneOf = <A extends string>(
  text: string | undefined,
  known: ReadonlyArray<readonly [A | "", string]>
): A | undefined => known.map(([value]) => value).find((value): value is A => value !== "" && value === text)
