import type { ComponentChildren } from "preact"
import { Skeleton } from "../design/Feedback.tsx"
import { Failure } from "./Failure.tsx"
import type { Loaded } from "./Load.ts"

/** Something that a page reads: a request, or a list. */
interface Read {
  readonly error: Error | undefined
  readonly isLoading: boolean
  readonly isAnswered?: boolean
  readonly rows?: ReadonlyArray<unknown> | undefined
}

/** Whether it was answered or refused at least once, or is not asked for. */
const isPlaced = ({ error, isAnswered = false, isLoading, rows }: Read): boolean =>
  isAnswered || rows !== undefined || error !== undefined || !isLoading

/**
 * The parts of a page below something whose height is known once it was read: they are shown then, so that nothing moves that
 * somebody reads or is about to press. Until then a skeleton stands there.
 */
export const Placed = ({ after, children, lines = 8 }: {
  readonly after: ReadonlyArray<Read>
  readonly children: ComponentChildren
  /** The lines of the skeleton. */
  readonly lines?: number
}) => after.every(isPlaced) ? <>{children}</> : <Skeleton lines={lines} />

/** The states of a request: loading, failed with its cure, or loaded. An old answer stays readable. */
export function Loading<A>({ children, lines = 4, of }: {
  readonly of: Loaded<A>
  readonly children: (data: A) => ComponentChildren
  /** The lines of the skeleton. */
  readonly lines?: number
}) {
  return (
    <>
      {of.error === undefined ? null : <Failure error={of.error} onRetry={of.reload} />}
      {of.data !== undefined ? children(of.data) : of.error === undefined ? <Skeleton lines={lines} /> : null}
    </>
  )
}
