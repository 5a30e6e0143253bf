import { useLayoutEffect, useState } from "preact/hooks"
import type { Countersign } from "../../client/api/index.ts"
import { ask as askService, errorOf } from "./Session.ts"

/** The state of a request. The last data stays while it is requested again, and when that fails. */
export interface Loaded<A> {
  readonly data: A | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
  /** Whether an answer came at least once, be it empty. */
  readonly isAnswered: boolean
  readonly reload: () => void
}

interface LoadOptions {
  /** The interval at which it is loaded again while the page is visible, in milliseconds. */
  readonly every?: number
  /** Whether it is requested after `every` only: what it is about is known already. */
  readonly later?: boolean
  /** Whether it is requested at all; otherwise it stays without data. */
  readonly when?: boolean
}

const idle = { data: undefined, error: undefined, isLoading: false, isAnswered: false }

/** Loads data, and again when an input changes. A request that is no longer needed is aborted. */
export const useLoad = <A>(
  ask: (client: Countersign, signal: AbortSignal) => Promise<A>,
  inputs: ReadonlyArray<unknown>,
  { every, later = false, when = true }: LoadOptions = {}
): Loaded<A> => {
  const [turn, setTurn] = useState(0)
  const [state, setState] = useState<Omit<Loaded<A>, "reload">>({ ...idle, isLoading: when && !later })
  // The request does not wait until the page is painted.
  useLayoutEffect(() => {
    if (!when) {
      setState(idle)
      return
    }
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      if (every === undefined || abort.signal.aborted) return
      timer = setTimeout(() => document.hidden ? again() : void run(), every)
    }
    const run = async () => {
      setState((before) => ({ ...before, isLoading: true }))
      try {
        const data = await askService((client) => ask(client, abort.signal))
        if (!abort.signal.aborted) setState({ data, error: undefined, isLoading: false, isAnswered: true })
      } catch (cause) {
        if (abort.signal.aborted) return
        const error = errorOf(cause)
        setState((before) => ({ ...before, error, isLoading: false }))
      }
      again()
    }
    if (later) again()
    else void run()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [...inputs, turn, when, every])
  return { ...state, reload: () => setTurn((before) => before + 1) }
}
