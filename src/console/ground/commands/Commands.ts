import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

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
