import { useLocation } from "preact-iso"

/** The filters of a page, which stand in its address so that it can be shared. An empty value takes a filter away. */
export const useFilters = () => {
  const { path, query, route } = useLocation()
  const set = (changes: Readonly<Record<string, string>>): void => {
    const next = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== "")
    route(next.length === 0 ? path : `${path}?${new URLSearchParams(next)}`, true)
  }
  return { query, set }
}
