import type { PolicyWritten } from "../../../client/api/index.ts"
import { count, some } from "../../ground/design/Numbers.ts"
import { Table } from "../../ground/design/Table.tsx"
import type { FieldName, PolicyDraft } from "./PolicyDraft.ts"
import { labelOf, shownIn } from "./PolicyGroups.ts"

/** The effect of a write, as the service says it before. */
export type Effect = NonNullable<PolicyWritten["dry_run"]>

/** How many licenses a change reaches, in words. */
export const reachedText = ({ is_complete, licenses }: Effect["reach"]): string =>
  `${count(licenses)}${is_complete ? "" : " or more"} ${licenses === 1 ? "license" : "licenses"}`

type RuleChange = Effect["reach"]["changes"][number]

/** The licenses that a changed rule is not the same for, in words. */
const exceptions = ({ beyond = 0, name, overridden }: RuleChange): ReadonlyArray<string> => {
  const label = labelOf(name as FieldName)
  return [
    ...(overridden === 0
      ? []
      : [
        `${label}: ${
          some(overridden, "license has its own value and keeps it", "licenses have their own value and keep it")
        }.`
      ]),
    ...(beyond === 0
      ? []
      : [
        `${label}: ${
          some(beyond, "license uses", "licenses use")
        } more today, and nothing is taken away. New seats are refused.`
      ])
  ]
}

/** The changes of a policy, and how many licenses they reach. */
export const PolicyReview = (
  { changed, draft, effect, loaded }: {
    readonly loaded: PolicyDraft
    readonly draft: PolicyDraft
    readonly changed: ReadonlyArray<FieldName>
    readonly effect: Effect | undefined
  }
) => (
  <div class="stack">
    <Table
      label="Changes"
      isCompared
      rows={changed}
      keyOf={(name) => name}
      columns={[
        { name: "Term", cell: labelOf },
        { name: "Now", cell: (name) => <bdi class="wrap">{shownIn(name, loaded[name])}</bdi> },
        { name: "After", cell: (name) => <bdi class="wrap strong">{shownIn(name, draft[name])}</bdi> }
      ]}
    />
    {effect === undefined || effect.reach.licenses === 0 ? null : (
      <p>
        {reachedText(effect.reach)} {effect.reach.licenses === 1 ? "follows" : "follow"}{" "}
        this policy, from the next request of each app. {effect.reach.changes.flatMap(exceptions).join(" ")}
      </p>
    )}
  </div>
)
