import { useEffect } from "preact/hooks"

/** The place of the browser in its history (HTML, Navigation API); undefined in a browser without that API. */
interface Entry {
  /** The same each time this entry is shown. */
  readonly key: string
  readonly index: number
}

/** The entry of the history that is shown. */
export const entryNow = (): Entry | undefined =>
  (globalThis as { readonly navigation?: { readonly currentEntry: Entry | null } }).navigation?.currentEntry ??
    undefined

/** The index of the history entry at which a page is held, once for each holder. */
const held: Array<number> = []

/** The listeners of {@link onReturn}. */
const listeners = new Set<() => void>()

// Listens from the start, before the router does: a window calls its listeners in the order of their registration,
// and the router must not draw a page while another one is held.
globalThis.addEventListener?.("popstate", (event) => {
  const [at] = held
  const to = entryNow()?.index
  if (at === undefined || to === undefined) return listeners.forEach((listen) => listen())
  event.stopImmediatePropagation()
  if (to !== at) history.go(at - to)
})

/** Calls a listener before a page reached by Back or Forward is drawn. Answers a function that removes it. */
export const onReturn = (listen: () => void): () => void => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/**
 * Keeps a page open while something on it would be lost: Back and Forward do nothing, and the browser asks before it
 * closes or reloads the page.
 */
export const useStay = (isHeld: boolean): void =>
  useEffect(() => {
    const at = entryNow()?.index
    if (!isHeld) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", onUnload)
    if (at !== undefined) held.push(at)
    return () => {
      removeEventListener("beforeunload", onUnload)
      if (at !== undefined) held.splice(held.indexOf(at), 1)
    }
  }, [isHeld])
