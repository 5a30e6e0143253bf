import { useEffect } from "preact/hooks"

/** Where the browser is in its history (HTML, the Navigation API); undefined in one that does not tell. */
interface Entry {
  /** The same each time this entry is shown. */
  readonly key: string
  readonly index: number
}

/** The entry of the history that is shown. */
export const entryNow = (): Entry | undefined =>
  (globalThis as { readonly navigation?: { readonly currentEntry: Entry | null } }).navigation?.currentEntry ??
    undefined

/** The index of the entry at which a page is held, once for each that holds it. */
const held: Array<number> = []

/** The listeners of {@link onReturn}. */
const listeners = new Set<() => void>()

// It listens from the start: a window calls its listeners in the order in which they came, the router draws at once, and is
// not to hear of a page that is held.
globalThis.addEventListener?.("popstate", (event) => {
  const [at] = held
  const to = entryNow()?.index
  if (at === undefined || to === undefined) return listeners.forEach((listen) => listen())
  event.stopImmediatePropagation()
  if (to !== at) history.go(at - to)
})

/** Calls a listener before a page is drawn that was reached by Back or Forward; answers a function that ends that. */
export const onReturn = (listen: () => void): () => void => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/**
 * Keeps a page where it is while something on it would be lost: Back and Forward do nothing, and before it is closed or
 * loaded anew the browser asks.
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
