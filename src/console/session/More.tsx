import { useEffect, useState } from "preact/hooks"
import type { Countersign, Paged, WithResponse } from "../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import { Failure } from "./Failure.tsx"
import { client, heed } from "./Session.ts"

interface Pages<A> {
  readonly rows: ReadonlyArray<A> | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly more: () => void
  readonly reload: () => void
}

/** Of a list, what was asked for so far, page by page. Other inputs begin anew, and keep what was there until they answer. */
export const usePages = <A,>(
  ask: (client: Countersign, cursor: string | undefined, signal: AbortSignal) => {
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
  useEffect(() => {
    const abort = new AbortController()
    setIsLoading(true)
    ask(client, at, abort.signal).withResponse().then(
      ({ data, page_info }) => {
        if (abort.signal.aborted) return
        setRows((before) => at === undefined ? data : [...before ?? [], ...data])
        setNext(page_info.has_more ? page_info.next_cursor : null)
        setError(undefined)
        setIsLoading(false)
      },
      (cause: unknown) => {
        if (abort.signal.aborted) return
        heed(cause)
        setError(cause instanceof Error ? cause : new Error(String(cause)))
        setIsLoading(false)
      }
    )
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

/** The end of a list: what failed, or the button for what comes next. */
export const More = ({ of }: { readonly of: Pages<unknown> }) => (
  <>
    {of.error === undefined ? null : <Failure error={of.error} onRetry={of.reload} />}
    {of.hasMore && of.rows !== undefined
      ? (
        <Button small weight="bare" onClick={of.more} disabled={of.isLoading}>
          {of.isLoading ? "Loading…" : `Show more than these ${of.rows.length}`}
        </Button>
      )
      : of.rows === undefined || of.rows.length === 0
      ? null
      : <span class="small quiet">{of.rows.length === 1 ? "That is the only one." : `These are all ${of.rows.length}.`}</span>}
  </>
)
