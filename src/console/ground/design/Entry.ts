import { useLayoutEffect, useRef } from "preact/hooks"

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

/** Asks whether the page is to be left, and then calls `go`. */
type Ask = (go: () => void) => void

/** Something that holds a page open. */
interface Holder {
  /** The index of the history entry of the page; undefined where the browser does not say it. */
  readonly at: number | undefined
  /** Asks whether the page is to be left; undefined where it is not, such as with a secret on it. */
  readonly ask: Ask | undefined
}

/** The holders of the page, the newest last. */
const held: Array<Holder> = []

/** Whether the page is about to be left by Back or Forward: nobody asks once more. */
let isLeft = false

/** Leaves the page, once its holder lets it go. */
export const whenLeft = (go: () => void): void => {
  const holder = held.at(-1)
  if (holder?.ask === undefined) go()
  else holder.ask(go)
}

/** The listeners of {@link onReturn}. */
const listeners = new Set<() => void>()

// Listens from the start, before the router does: a window calls its listeners in the order of their registration,
// and the router must not draw a page while another one is held.
globalThis.addEventListener?.("popstate", (event) => {
  const { ask, at } = held.at(-1) ?? {}
  const to = entryNow()?.index
  if (at === undefined || to === undefined || isLeft) {
    isLeft = false
    return listeners.forEach((listen) => listen())
  }
  event.stopImmediatePropagation()
  if (to === at) return
  history.go(at - to)
  ask?.(() => {
    isLeft = true
    history.go(to - at)
  })
})

/** Calls a listener before a page reached by Back or Forward is drawn. Answers a function that removes it. */
export const onReturn = (listen: () => void): () => void => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/**
 * Keeps a page open while something on it would be lost: Back and Forward do nothing, or `ask`, and the browser asks before
 * it closes or reloads the page. Answers a function that lets the page go.
 */
export const useStay = (isHeld: boolean, ask?: Ask): () => void => {
  const latest = useRef(ask)
  latest.current = ask
  const release = useRef(() => {})
  // At once, and not once it is painted: hands are faster on a slow machine.
  useLayoutEffect(() => {
    if (!isHeld) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const holder: Holder = {
      at: entryNow()?.index,
      ask: latest.current === undefined ? undefined : (go) => latest.current?.(go)
    }
    addEventListener("beforeunload", onUnload)
    held.push(holder)
    release.current = () => {
      removeEventListener("beforeunload", onUnload)
      const index = held.indexOf(holder)
      if (index >= 0) held.splice(index, 1)
    }
    return () => release.current()
  }, [isHeld])
  return () => release.current()
}
