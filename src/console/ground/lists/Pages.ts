import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Countersign, Paged, WithResponse } from "../../../client/api/index.ts"
import { keep, kept } from "../session/Kept.ts"
import { ask as askService, errorOf } from "../session/Session.ts"
import { arrived, begun, continuing, failed, refreshing, reloading, retrying } from "./PageList.ts"
import type { Page, PageList, Total, Wanted } from "./PageList.ts"

/** A list as far as it is loaded. */
export interface Pages<A> {
  readonly rows: ReadonlyArray<A> | undefined
  /** How many rows match, of a list that asks for it. */
  readonly total: Total | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly more: () => void
  /** Asks again for the page that failed. */
  readonly retry: () => void
  /** Asks again for all that is there. */
  readonly reload: () => void
}

/** The page of a list that is requested: the first, or the one behind a cursor; of as many rows as the list has by itself, or more. */
interface PageAsked {
  readonly cursor?: string
  readonly limit?: number
}

type Ask<A> = (client: Countersign, page: PageAsked, signal: AbortSignal) => {
  withResponse: () => Promise<WithResponse<Paged & { readonly data: ReadonlyArray<A> }>>
}

/** How many rows a page has by itself, about, and at most. */
const usual = 50
const longest = 200

/** Asks for what is wanted: one page, or as many as make up the rows. */
const pageOf = async <A>(ask: Ask<A>, { cursor, many }: Wanted, signal: AbortSignal): Promise<Page<A>> => {
  const rows: Array<A> = []
  let total: Total | undefined
  let at = cursor
  for (;;) {
    const missing = many - rows.length
    const { data, page_info } = await askService((client) =>
      ask(client, {
        ...(at === undefined ? {} : { cursor: at }),
        ...(missing > usual ? { limit: Math.min(missing, longest) } : {})
      }, signal).withResponse()
    )
    for (const row of data) rows.push(row)
    total ??= page_info.total
    const next = page_info.has_more ? page_info.next_cursor : null
    if (next === null || rows.length >= many) return { rows, next, ...(total === undefined ? {} : { total }) }
    at = next
  }
}

/** The options of a list. */
interface PagesOptions {
  /** Whether anything is requested. */
  readonly when?: boolean
  /** Another value loads the list again. */
  readonly turn?: number
}

/**
 * Loads a list page by page. Other inputs start it again, and the old rows stay until the answer arrives. On return
 * to the page all rows are shown at once, and then updated. The `name` of a list is unique on its page.
 */
export const usePages = <A>(
  name: string,
  ask: Ask<A>,
  inputs: ReadonlyArray<unknown>,
  { turn = 0, when = true }: PagesOptions = {}
): Pages<A> => {
  const key = `${name} ${JSON.stringify(inputs)}`
  const keptAs = (key: string): PageList<A> | undefined => {
    const before = kept<PageList<A>>(key)
    return before?.rows === undefined ? undefined : refreshing(before)
  }
  const [list, setList] = useState<PageList<A>>(() => keptAs(key) ?? begun())
  const [of, setOf] = useState(key)
  const lastTurn = useRef(turn)
  if (of !== key) {
    setOf(key)
    setList((list) => {
      const before = keptAs(key)
      // The turn increases, so that an answer for earlier inputs is not taken for one to these.
      return before === undefined
        ? reloading(list)
        : { ...before, wanted: { ...before.wanted, turn: list.wanted.turn + 1 } }
    })
  } else if (lastTurn.current !== turn) {
    setList(refreshing)
  }
  lastTurn.current = turn
  const { error, isLoading, next, rows, total, wanted } = list
  useEffect(() => {
    if (of === key) keep(key, list)
  }, [list])
  useLayoutEffect(() => {
    // A render with other inputs is followed at once by one that requests their first page.
    if (!when || of !== key) return
    const abort = new AbortController()
    const run = async () => {
      try {
        const page = await pageOf(ask, wanted, abort.signal)
        if (!abort.signal.aborted) setList((list) => arrived(list, wanted, page))
      } catch (cause) {
        if (abort.signal.aborted) return
        const error = errorOf(cause)
        setList((list) => failed(list, wanted, error))
      }
    }
    void run()
    return () => abort.abort()
  }, [key, of, wanted.turn, when])
  return {
    rows,
    total,
    error,
    isLoading: when && isLoading,
    hasMore: next !== null,
    more: () => setList(continuing),
    retry: () => setList(retrying),
    reload: () => setList(refreshing)
  }
}
