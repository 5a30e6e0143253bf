import type { LicenseJobFilter } from "../../../client/api/index.ts"
import { Button } from "../../ground/design/Button.tsx"
import { BulkActions } from "./BulkActions.tsx"
import type { useSelection } from "./KeptSelection.ts"
import { scopeOf } from "./Selection.ts"

/** The scope of a selection in words, and what can be done with it. */
export const SelectionBar = (
  { filter, hasMore, loaded, of }: {
    readonly of: ReturnType<typeof useSelection>
    readonly filter: LicenseJobFilter
    readonly loaded: number
    readonly hasMore: boolean
  }
) =>
  of.isEmpty ? null : (
    <div class="selection" role="group" aria-label="Selection">
      <span class="grow row wraps">
        <span role="status">{scopeOf(of.selected, loaded, hasMore)}</span>
        {of.selected.kind === "ids" && hasMore && of.selected.ids.size === loaded
          ? <Button small weight="bare" onClick={of.takeAll}>Select all that match</Button>
          : null}
        <Button small weight="bare" onClick={of.clear}>Clear</Button>
      </span>
      <BulkActions selected={of.selected} filter={filter} />
    </div>
  )
