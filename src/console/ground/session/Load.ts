import { signal } from "@preact/signals"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import type { Countersign } from "../../../client/api/index.ts"
import { polling } from "../requests/Sent.ts"
import { ask as askService, errorOf, identity } from "./Session.ts"

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

/** Asks for what a page looks at again by itself, which is no use of the session. */
export const askAgain = <A>(run: (client: Countersign) => Promise<A>): Promise<A> => askService(run, polling)

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
      timer = setTimeout(() => document.hidden ? again() : void run(polling), every)
    }
    const run = async (send?: typeof fetch) => {
      setState((before) => ({ ...before, isLoading: true }))
      try {
        const data = await askService((client) => ask(client, abort.signal), send)
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

/** The entries of a list, page after page, at most so many of them. */
export const firstOf = async <A>(list: AsyncIterable<A>, most: number): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const each of list) {
    found.push(each)
    if (found.length >= most) break
  }
  return found
}

/** The most requests that are counted. */
export const mostAwaiting = 100

/** How often they are counted again, in milliseconds. */
const again = 60_000

const turn = signal(0)

/** Has the number in the navigation loaded again. */
export const recountAwaiting = (): void => {
  turn.value += 1
}

/** How many requests wait for the decision of the person, at most {@link mostAwaiting}. */
export const useAwaitingCount = (path = ""): Loaded<number> => {
  const counted = useLoad(
    async (client, signal) =>
      (await client.approvals.list({ awaiting_me: true, limit: mostAwaiting }, { signal })).length,
    [turn.value],
    { every: again, when: identity.value?.kind === "person" }
  )
  useEffect(() => {
    if (path === "/console/people/approvals") recountAwaiting()
  }, [path])
  return counted
}
