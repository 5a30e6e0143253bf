import type { ComponentChildren } from "preact"
import type { LicenseTerms, Policy } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { Badge } from "../../ground/design/Badge.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { termText } from "../changes/TermWords.ts"

/** The effective policy of a license, with a badge where a rule is overridden. */
export const Terms = ({ action, policy, terms }: {
  readonly terms: LicenseTerms
  readonly policy: Policy
  /** The button that changes them. */
  readonly action: ComponentChildren
}) => (
  <Panel
    title="Effective policy"
    aside={
      <span class="row wraps">
        <bdi class="small quiet">{policy.name}</bdi>
        {action}
      </span>
    }
  >
    <Facts
      of={Object.entries(terms).map(([name, { from, value }]) => [
        labelOf("term", name),
        <>
          {termText(name, value)}{" "}
          {from === "policy" ? null : <Badge tone="accent">{labelOf("termSource", from)}</Badge>}
        </>
      ])}
    />
  </Panel>
)
