import { useLayoutEffect, useRef } from "preact/hooks"
import { onReturn } from "../design/Entry.ts"
import { keep, kept } from "../session/Kept.ts"

/** Where somebody was on a page. */
interface Place {
  readonly scroll: number
  /** Where the link led that had the focus. */
  readonly link: string | undefined
}

const name = "place"

/** The input after which nothing may scroll by itself: the person has gone on. */
const acts = ["wheel", "touchstart", "pointerdown", "keydown"] as const

/** Puts the focus on what names a part of the page, from where the keyboard goes on; a screen reader says it. */
const focusOn = (part: Element): void => {
  const named = part.querySelector<HTMLElement>("h1, h2") ?? part as HTMLElement
  named.tabIndex = -1
  named.focus({ preventScroll: true })
}

const linkTo = (href: string | undefined): HTMLAnchorElement | undefined =>
  href === undefined
    ? undefined
    : [...document.querySelectorAll<HTMLAnchorElement>("main a[href]")].find((link) =>
      link.getAttribute("href") === href
    )

/** Notes where somebody is, for when they come back; answers a way to stop. */
const noteWhile = (isHere: () => boolean): () => void => {
  const note = () => {
    const link = document.activeElement?.closest("main a[href]")?.getAttribute("href")
    if (isHere()) keep(name, { scroll: scrollY, link: link ?? undefined } satisfies Place)
  }
  addEventListener("scroll", note, { passive: true })
  addEventListener("focusin", note)
  return () => {
    removeEventListener("scroll", note)
    removeEventListener("focusin", note)
  }
}

/** Goes to where somebody was, as soon as what was there is there again, unless they go on by themselves before. */
const goBackTo = ({ link, scroll }: Place, done: () => void): () => void => {
  const tries = new ResizeObserver(() => settle())
  const end = () => {
    tries.disconnect()
    for (const act of acts) removeEventListener(act, end)
    done()
  }
  const settle = () => {
    const left = linkTo(link)
    left?.focus({ preventScroll: true })
    scrollTo(0, scroll)
    if (Math.abs(scrollY - scroll) < 2 && (link === undefined || left !== undefined)) end()
  }
  for (const act of acts) addEventListener(act, end)
  tries.observe(document.body)
  settle()
  return end
}

/**
 * Prepares a page that is opened: the focus is on its heading, which screen readers then say. Who comes back to a page
 * by Back or Forward is where they were, with the focus on the link that they had followed.
 */
export const useArrival = (url: string, path: string): void => {
  const isComing = useRef(false)
  const end = useRef(() => {})
  const last = useRef<string | undefined>(undefined)
  const back = useRef<Place | undefined>(undefined)
  useLayoutEffect(() => {
    // The browser would scroll before there is anything to scroll to.
    history.scrollRestoration = "manual"
    const stop = noteWhile(() => !isComing.current)
    const stopReturns = onReturn(() => {
      end.current()
      // From now on scrolling comes from the earlier page, which goes.
      isComing.current = true
      back.current = kept<Place>(name)
    })
    return () => {
      stop()
      stopReturns()
      end.current()
      history.scrollRestoration = "auto"
    }
  }, [])
  useLayoutEffect(() => {
    const place = back.current
    back.current = undefined
    const main = document.getElementById("main")
    if (last.current !== path && main !== null) focusOn(main)
    last.current = path
    if (place === undefined) isComing.current = false
    else {
      end.current = goBackTo(place, () => {
        isComing.current = false
      })
    }
  }, [url])
}

/**
 * Keeps the focus near what had it and is gone, as a row that was taken away or a button that was pressed: on the heading of
 * what it stood in. On nothing, the keyboard would begin at the top of the page, and a screen reader would be silent.
 */
export const useFocusKept = (): void =>
  useLayoutEffect(() => {
    let around: ReadonlyArray<Element> = []
    const onFocus = ({ target }: FocusEvent) => {
      const found: Array<Element> = []
      for (let at = target instanceof Element ? target : null; at !== null; at = at.parentElement) found.push(at)
      around = found
    }
    const onChange = () => {
      if (document.activeElement !== document.body || around.length === 0 || around[0]!.isConnected) return
      const near = around.find((element) => element.isConnected && element.matches("section, dialog, main"))
      if (near !== undefined) focusOn(near)
    }
    const changes = new MutationObserver(onChange)
    changes.observe(document.body, { childList: true, subtree: true })
    addEventListener("focusin", onFocus)
    return () => {
      changes.disconnect()
      removeEventListener("focusin", onFocus)
    }
  }, [])
