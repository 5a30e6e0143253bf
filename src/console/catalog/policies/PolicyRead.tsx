import { Note } from "../../ground/design/Feedback.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import type { PolicyDraft } from "./PolicyDraft.ts"
import { labelOf, policyGroups, shownIn } from "./PolicyGroups.ts"

/** A policy for who may only read it: its rules as text, in the groups of the form. */
export const PolicyRead = ({ of }: { readonly of: PolicyDraft }) => (
  <>
    <Note>
      <span>
        You can read this policy. Changing it needs <code>product:write</code>.
      </span>
    </Note>
    {policyGroups.map(({ members, says, title }) => (
      <Panel key={title} title={title} aside={<bdi class="quiet small wrap">{says(of)}</bdi>}>
        <Facts of={members.map((name) => [labelOf(name), <bdi class="wrap">{shownIn(name, of[name])}</bdi>])} />
      </Panel>
    ))}
  </>
)
