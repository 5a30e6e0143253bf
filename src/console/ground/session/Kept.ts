import { useEffect, useState } from "preact/hooks"
import { entryNow } from "../design/Entry.ts"
import { onVisitEnd } from "./Session.ts"

/** The values that pages keep for a return by Back, the newest last. */
const store = new Map<string, unknown>()

/** The most values that are kept. */
const most = 100

const nameHere = (name: string): string | undefined => {
  const entry = entryNow()
  return entry === undefined ? undefined : `${entry.key} ${name}`
}

/** The value kept under a name when this entry of the history was shown before; undefined on a page that is newly opened. */
export const kept = <A>(name: string): A | undefined => {
  const here = nameHere(name)
  return here === undefined ? undefined : store.get(here) as A | undefined
}

/** Keeps a value under a name with the current history entry. The oldest value is dropped if there is no room. */
export const keep = (name: string, value: unknown): void => {
  const here = nameHere(name)
  if (here === undefined) return
  store.delete(here)
  store.set(here, value)
  const [oldest] = store.keys()
  if (store.size > most && oldest !== undefined) store.delete(oldest)
}

onVisitEnd(() => store.clear())

/** The state of a page, restored when the person returns. */
export const useKept = <A>(name: string, initial: A): readonly [A, (value: A) => void] => {
  const [value, setValue] = useState<A>(() => kept<A>(name) ?? initial)
  useEffect(() => keep(name, value), [value])
  return [value, setValue]
}
