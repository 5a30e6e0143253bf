import type { ComponentChildren } from "preact"
import { Skeleton } from "../design/Feedback.tsx"
import { Failure } from "./Failure.tsx"
import type { Loaded } from "./Load.ts"

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
