import { useEffect } from "preact/hooks"
import { nameProducts, productName } from "../../ground/session/Names.ts"

/** How many names stand in a line, before the rest is a number. */
const named = 2

/** The products that something is limited to, by name; undefined where there is no limit. */
export const productsLine = (ids: ReadonlyArray<string> | undefined): string | undefined => {
  if (ids === undefined) return undefined
  const first = ids.slice(0, named).map(productName).join(", ")
  return ids.length > named ? `${first} and ${ids.length - named} more` : first
}

/** Has the names of products loaded. */
export const useProductNames = (): void => {
  useEffect(() => void nameProducts(), [])
}
