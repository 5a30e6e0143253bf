import { Button } from "../design/Button.tsx"
import { some } from "../design/Numbers.ts"
import { Failure } from "../session/Failure.tsx"
import type { Pages } from "./Pages.ts"

/** The end of a list: what failed, or the button for what comes next. */
export const More = ({ of }: { readonly of: Pages<unknown> }) => (
  <>
    {of.error === undefined ? null : <Failure error={of.error} onRetry={of.retry} />}
    {of.hasMore && of.rows !== undefined
      ? (
        <Button small weight="bare" onClick={of.more} isBusy={of.isLoading}>
          {of.isLoading ? "Loading…" : "Load more"}
        </Button>
      )
      : of.rows === undefined || of.rows.length === 0
      ? null
      : (
        <span class="small quiet">
          {some(of.rows.length, "result")}
        </span>
      )}
  </>
)
