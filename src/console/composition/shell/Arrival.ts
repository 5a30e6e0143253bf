import { useLayoutEffect, useRef } from "preact/hooks"
import { onReturn } from "../../ground/design/Entry.ts"
import { keep, kept } from "../../ground/session/Kept.ts"
import { focusOn } from "../../ground/session/Title.ts"

/** Where somebody was on a page. */
interface Place {
  readonly scroll: number
  /** Where the link led that had the focus. */
  readonly link: string | undefined
}

const name = "place"

/** The input events after which nothing may scroll by itself: the person has moved on. */
const acts = ["wheel", "touchstart", "pointerdown", "keydown"] as const

const linkTo = (href: string | undefined): HTMLAnchorElement | undefined =>
  href === undefined
    ? undefined
    : [...document.querySelectorAll<HTMLAnchorElement>("main a[href]")].find((link) =>
      link.getAttribute("href") === href
    )

/** Records the position on the page for a return. Answers a function that stops it. */
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

/** Restores the position as soon as its content is loaded, unless the person moves on before. */
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
 * Prepares an opened page: the focus is on its heading, which screen readers announce. After Back or Forward the
 * position is restored, with the focus on the link that was followed.
 */
export const useArrival = (url: string, path: string, isThere: boolean): void => {
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
      // From here on scroll events belong to the page that is left.
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
    if (!isThere) return
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
  }, [url, isThere])
}

/**
 * Keeps the focus near an element that was removed, such as a deleted row or a pressed button: on the heading of its
 * part. Otherwise the keyboard would start at the top of the page, and a screen reader would be silent.
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
