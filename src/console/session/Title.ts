import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"

/** The title of the page, which screen readers hear when another one opens. */
export const pageTitle = signal("")

/** Names the page, in the tab and in the history, and to who hears it. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Countersign`
    pageTitle.value = title
  }, [title])
}
