import type { PolicyPreview } from "../../../client/api/index.ts"
import { Badge, Code } from "../../ground/design/Badge.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import type { PolicyDraft } from "./PolicyDraft.ts"
import { labelOf, policyGroups, shownIn } from "./PolicyGroups.ts"
import type { Effect } from "./PolicyReview.tsx"

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

const situationText = ({ max_activations }: PolicyDraft): { readonly [At in PolicyPreview["situation"]]: string } => ({
  first_device: "First device",
  device_beyond_limit: `Device ${Number(max_activations) + 1}`,
  after_end: "When the license ends",
  after_grace: "When the grace period ends",
  offline: "Without network",
  virtual_machine: "In a virtual machine",
  container: "In a container"
})

/** The answers to an app under the policy as it is entered. */
export const PolicyPreviewPanel = (
  { draft, effect, hasFailed }: {
    readonly draft: PolicyDraft
    readonly effect: Effect | undefined
    readonly hasFailed: boolean
  }
) => {
  const text = situationText(draft)
  return (
    <Panel title="Responses to an app">
      {hasFailed ? <Note title="Preview isn't available">You can still save.</Note> : null}
      {effect === undefined || effect.preview.length === 0
        ? hasFailed ? null : <span class="small quiet">Appears once the fields are valid.</span>
        : (
          <dl class="facts" aria-live="polite">
            {effect.preview.map(({ findings, is_allowed, situation }) => (
              <>
                <dt>{text[situation]}</dt>
                <dd class="verdict">
                  <Badge tone={is_allowed ? "good" : "bad"}>{is_allowed ? "yes" : "no"}</Badge>
                  {findings[0] === undefined ? null : (
                    <span class="tiny quiet">
                      <Code of={findings[0].code} />
                    </span>
                  )}
                </dd>
              </>
            ))}
          </dl>
        )}
    </Panel>
  )
}
