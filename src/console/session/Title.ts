import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { brandName } from "../brand/Brand.tsx"
import { environment, isBesideLive } from "./Environment.ts"

/** The title of the page, which screen readers hear when another one opens. */
export const pageTitle = signal("")

/** Names the page, in the tab, in the history and for screen readers. */
export const useTitle = (title: string): void => {
  const product = brandName()
  const name = isBesideLive() ? environment.value?.name : undefined
  useEffect(() => {
    // The name comes first, because a tab shows the beginning only.
    document.title = `${name === undefined ? "" : `[${name}] `}${title} · ${product}`
    pageTitle.value = title
  }, [title, name, product])
}
