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

/** Puts the focus on the heading of a part of the page, where the keyboard continues. A screen reader announces it. */
export const focusOn = (part: Element): void => {
  const named = part.querySelector<HTMLElement>("h1, h2") ?? part as HTMLElement
  named.tabIndex = -1
  named.focus({ preventScroll: true })
}

/** Introduces a page outside the frame of the console: its title, and the focus on its heading unless a field has it. */
export const useIntroduced = (title: string, stage: unknown): void => {
  const inTab = tabTitle(title)
  useEffect(() => {
    document.title = inTab
  }, [inTab])
  useEffect(() => {
    const main = document.querySelector("main:has(h1)")
    if (main !== null && document.activeElement === document.body) focusOn(main)
  }, [stage])
}
