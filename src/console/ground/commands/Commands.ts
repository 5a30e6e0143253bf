import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** Whether each word of a text begins a word of the name, in any order. An empty text matches all names. */
export const isMatch = (text: string, name: string): boolean => {
  const own = wordsOf(name)
  const asked = wordsOf(text)
  if (asked.length === 0) return text.trim() === ""
  return asked.every((word) => own.some((each) => each.startsWith(word)))
}

/** Something that can be done on the open page. */
export interface PageCommand {
  readonly name: string
  /** Opens its dialog. Nothing is done before somebody confirms there. */
  readonly open: () => void
}

/** The commands of the open page, in the order of their buttons. */
export const pageCommands = signal<ReadonlyArray<PageCommand>>([])

/** Offers a command in the command menu while a page shows its button. */
export const useCommand = (name: string, isOffered: boolean, open: () => void): void => {
  const latest = useRef(open)
  latest.current = open
  useEffect(() => {
    if (!isOffered) return
    const command: PageCommand = { name, open: () => latest.current() }
    pageCommands.value = [...pageCommands.value, command]
    return () => {
      pageCommands.value = pageCommands.value.filter((each) => each !== command)
    }
  }, [name, isOffered])
}
