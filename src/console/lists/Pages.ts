import { useLayoutEffect, useState } from "preact/hooks"
import type { Countersign, Paged, WithResponse } from "../../client/api/index.ts"
import { client, heed } from "../session/Session.ts"
import { arrived, begun, continuing, failed, reloading, retrying } from "./PageList.ts"
import type { PageList } from "./PageList.ts"

/** What is known of a list. */
export interface Pages<A> {
  readonly rows: ReadonlyArray<A> | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly more: () => void
  /** Asks again for the page that failed. */
  readonly retry: () => void
  readonly reload: () => void
}

/** Which page of a list is asked for: the first, or the one behind a cursor. */
export interface PageAsked {
  readonly cursor?: string
}

/**
 * Of a list, what was asked for so far, page by page. Other inputs begin anew, and keep what was there until they answer.
 * Without `when` nothing is asked.
 */
export const usePages = <A>(
  ask: (client: Countersign, page: PageAsked, signal: AbortSignal) => {
    withResponse: () => Promise<WithResponse<Paged & { readonly data: ReadonlyArray<A> }>>
  },
  inputs: ReadonlyArray<unknown>,
  when = true
): Pages<A> => {
  const [list, setList] = useState<PageList<A>>(begun)
  const key = JSON.stringify(inputs)
  const [of, setOf] = useState(key)
  if (of !== key) {
    setOf(key)
    setList(reloading)
  }
  const { error, isLoading, next, rows, wanted } = list
  useLayoutEffect(() => {
    // A render that has other inputs is followed at once by one that wants their first page.
    if (!when || of !== key) return
    const abort = new AbortController()
    const run = async () => {
      try {
        const { data, page_info } = await ask(
          client,
          wanted.cursor === undefined ? {} : { cursor: wanted.cursor },
          abort.signal
        ).withResponse()
        if (abort.signal.aborted) return
        setList((list) =>
          arrived(list, wanted, { rows: data, next: page_info.has_more ? page_info.next_cursor : null })
        )
      } catch (cause) {
        if (abort.signal.aborted) return
        const error = heed(cause)
        setList((list) => failed(list, wanted, error))
      }
    }
    void run()
    return () => abort.abort()
  }, [key, of, wanted.turn, when])
  return {
    rows,
    error,
    isLoading: when && isLoading,
    hasMore: next !== null,
    more: () => setList(continuing),
    retry: () => setList(retrying),
    reload: () => setList(reloading)
  }
}
