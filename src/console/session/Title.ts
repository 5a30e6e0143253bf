import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { tabTitle } from "../brand/Brand.tsx"
import { environment, isBesideLive } from "./Environment.ts"

/** The title of the page, which screen readers hear when another one opens. */
export const pageTitle = signal("")

/** Names the page, in the tab, in the history and for screen readers. */
export const useTitle = (title: string): void => {
  const name = isBesideLive() ? environment.value?.name : undefined
  const inTab = `${name === undefined ? "" : `[${name}] `}${tabTitle(title)}`
  useEffect(() => {
    document.title = inTab
    pageTitle.value = title
  }, [title, inTab])
}
