import { useLayoutEffect, useState } from "preact/hooks"
import type { Countersign, Paged, WithResponse } from "../../client/api/index.ts"
import { client, heed } from "../session/Session.ts"

/** What is known of a list. */
export interface Pages<A> {
  readonly rows: ReadonlyArray<A> | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly more: () => void
  readonly reload: () => void
}

/** Which page of a list is asked for: the first, or the one behind a cursor. */
export interface PageAsked {
  readonly cursor?: string
}

/** Of a list, what was asked for so far, page by page. Other inputs begin anew, and keep what was there until they answer. */
export const usePages = <A>(
  ask: (client: Countersign, page: PageAsked, signal: AbortSignal) => {
    withResponse: () => Promise<WithResponse<Paged & { readonly data: ReadonlyArray<A> }>>
  },
  inputs: ReadonlyArray<unknown>
): Pages<A> => {
  const [rows, setRows] = useState<ReadonlyArray<A>>()
  const [cursor, setCursor] = useState<string>()
  const [next, setNext] = useState<string | null>(null)
  const [error, setError] = useState<Error>()
  const [isLoading, setIsLoading] = useState(true)
  const [turn, setTurn] = useState(0)
  const key = JSON.stringify(inputs)
  const [begun, setBegun] = useState(key)
  if (begun !== key) {
    setBegun(key)
    setCursor(undefined)
  }
  const at = begun === key ? cursor : undefined
  useLayoutEffect(() => {
    const abort = new AbortController()
    setIsLoading(true)
    const run = async () => {
      try {
        const { data, page_info } = await ask(client, at === undefined ? {} : { cursor: at }, abort.signal)
          .withResponse()
        if (abort.signal.aborted) return
        setRows((before) => at === undefined ? data : [...before ?? [], ...data])
        setNext(page_info.has_more ? page_info.next_cursor : null)
        setError(undefined)
      } catch (cause) {
        if (abort.signal.aborted) return
        setError(heed(cause))
      }
      setIsLoading(false)
    }
    void run()
    return () => abort.abort()
  }, [key, at, turn])
  return {
    rows,
    error,
    isLoading,
    hasMore: next !== null,
    more: () => setCursor(next ?? undefined),
    reload: () => {
      setCursor(undefined)
      setTurn((before) => before + 1)
    }
  }
}
