import type { ManagementScope } from "../../../client/api/index.ts"
import { wordsOf } from "./Areas.ts"
import "./rights.css"

/** The things that scopes allow and those that they do not, in words; the scopes themselves are for developers. */
export const RightsWords = ({ scopes }: { readonly scopes: ReadonlyArray<ManagementScope> }) => {
  const { can, cannot } = wordsOf(scopes)
  return (
    <div class="stack">
      <div class="cans small">
        <div>
          <span class="strong">Can</span>
          <ul>{can.map((each) => <li key={each}>{each}</li>)}</ul>
        </div>
        {cannot.length === 0 ? null : (
          <div class="quiet">
            <span class="strong">Cannot</span>
            <ul>{cannot.map((each) => <li key={each}>{each}</li>)}</ul>
          </div>
        )}
      </div>
      <details class="more">
        <summary>For developers</summary>
        <code class="small">{scopes.join(" ")}</code>
      </details>
    </div>
  )
}
