import { useState } from "preact/hooks"
import { onVisitEnd } from "../session/Session.ts"

const prefix = "countersign.draft "

/** Drafts belong to a visit: another person does not see them. */
onVisitEnd(() => {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  }
})

/** The texts that were entered under a name in this tab, where they are still to be saved. */
const keptUnder = <Texts>(name: string): Partial<Texts> => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(prefix + name) ?? "{}")
    const texts = typeof kept === "object" && kept !== null ? Object.entries(kept) : []
    return Object.fromEntries(texts.filter(([, text]) => typeof text === "string")) as Partial<Texts>
  } catch {
    return {}
  }
}

/** The texts that are entered over those that were loaded. */
export interface Draft<Texts> {
  readonly texts: Texts
  /** The names of what differs from what was loaded. */
  readonly changed: ReadonlyArray<keyof Texts & string>
  readonly set: (texts: Partial<Texts>) => void
  /** Forgets what was entered: it is saved, or not wanted. */
  readonly discard: () => void
}

/**
 * Texts that are entered over those that were loaded. Only what differs is kept, so that it stays when others change the
 * rest; it is given back after a reload and on return, until it is saved or discarded. Nothing secret goes in here.
 * `begun` is what is entered at first.
 */
export const useDraft = <Texts extends Readonly<Record<string, string>>>(
  name: string,
  loaded: Texts,
  begun: Partial<Texts> = {}
): Draft<Texts> => {
  const [entered, setEntered] = useState<Partial<Texts>>(() => ({ ...begun, ...keptUnder<Texts>(name) }))
  const keep = (next: Partial<Texts>): void => {
    const left = Object.fromEntries(Object.entries(next).filter(([key, text]) => text !== loaded[key])) as Partial<
      Texts
    >
    setEntered(left)
    if (Object.keys(left).length === 0) sessionStorage.removeItem(prefix + name)
    else sessionStorage.setItem(prefix + name, JSON.stringify(left))
  }
  const texts = { ...loaded, ...entered }
  return {
    texts,
    changed: Object.keys(loaded).filter((key) => texts[key] !== loaded[key]),
    set: (changes) => keep({ ...entered, ...changes }),
    discard: () => keep({})
  }
}
