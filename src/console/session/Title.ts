import { useEffect } from "preact/hooks"

/** Names the page, in the tab and in the history. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Countersign`
  }, [title])
}
