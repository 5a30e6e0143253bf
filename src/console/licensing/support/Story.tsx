import type { Activity, License } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { oneOf, useFilters } from "../../ground/lists/Filters.ts"
import { More } from "../../ground/lists/More.tsx"
import { outcomes } from "../../log/ActivityFilter.ts"
import { ActivityList, useActivities } from "../../log/ActivityList.tsx"
import { Undo } from "../../log/Undo.tsx"
import { undoOf } from "../../log/Undoing.ts"

/** The license or the customer whose activity is shown. */
type Whose = { readonly license: License } | { readonly customerId: string }

/** The activity of a license or a customer, refused requests included. The newest change of this visit can be undone. */
export const Story = (
  { onChange, turn, ...whose }: Whose & { readonly turn: number; readonly onChange: () => void }
) => {
  const { query, set } = useFilters()
  const outcome = oneOf(query["outcome"], outcomes)
  const license = "license" in whose ? whose.license : undefined
  const filter = {
    ...("license" in whose ? { license_id: whose.license.id } : { customer_id: whose.customerId }),
    ...(outcome === undefined ? {} : { result_class: outcome })
  }
  const pages = useActivities(filter, { limit: 20, turn })
  // Only what was done on this page since it was opened: what is older has been settled.
  const undo = license === undefined || turn === 0 ? undefined : undoOf(pages.rows ?? [], license)
  const asideOf = ({ id }: Activity) =>
    license === undefined || undo?.id !== id ? null : <Undo license={license} by={undo.by} onChange={onChange} />
  return (
    <Panel
      title="Activity"
      aside={
        <Choice
          label="Outcome"
          value={outcome ?? ""}
          options={outcomes}
          onChange={(outcome) => set({ outcome })}
        />
      }
      footer={<More of={pages} />}
    >
      <ActivityList
        filter={filter}
        of={pages}
        isOfOne={license !== undefined}
        asideOf={asideOf}
        empty={
          <Empty title="No activity">
            {license === undefined
              ? "Activity of this customer appears here."
              : "Activity of this license appears here."}
          </Empty>
        }
      />
    </Panel>
  )
}
