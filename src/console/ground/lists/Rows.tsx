import type { ComponentChildren } from "preact"
import { Skeleton } from "../design/Feedback.tsx"
import type { Pages } from "./Pages.ts"

/** The rows of a list: loading, empty, or loaded. `More` shows a failure at the end of the list. */
export function Rows<A>({ children, empty, lines = 6, of }: {
  readonly of: Pages<A>
  /** Shown if the list is empty. */
  readonly empty: ComponentChildren
  readonly children: (rows: ReadonlyArray<A>) => ComponentChildren
  /** The lines of the skeleton. */
  readonly lines?: number
}) {
  if (of.rows === undefined) return of.error === undefined ? <Skeleton lines={lines} /> : null
  return <>{of.rows.length === 0 ? empty : children(of.rows)}</>
}
