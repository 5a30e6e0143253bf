import type { ComponentChildren } from "preact"
import { matching } from "./Matching.ts"
import type { Pages } from "./Pages.ts"

/** The head of a list: how many rows match, and what is done with all of them. */
export const ListHead = ({ children, isFiltered, noun, of }: {
  readonly of: Pages<unknown>
  /** The noun of a row, such as `license`. */
  readonly noun: string
  readonly isFiltered: boolean
  readonly children?: ComponentChildren
}) =>
  of.rows === undefined || of.rows.length === 0 ? null : (
    <div class="listed row wraps">
      <span class="grow small" role="status">
        {of.total === undefined ? null : matching(of.total, noun, isFiltered)}
      </span>
      {children}
    </div>
  )
