import type { Activity, License } from "../../../client/api/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import type { Column } from "../../ground/design/Table.tsx"
import { Day } from "../../ground/design/Time.tsx"
import { oneOf, useFilters } from "../../ground/lists/Filters.ts"
import { More } from "../../ground/lists/More.tsx"
import { outcomes } from "../../log/ActivityFilter.ts"
import { ActivityList, useActivities } from "../../log/ActivityList.tsx"
import { Undo } from "../../log/Undo.tsx"
import { undoOf } from "../../log/Undoing.ts"
import { TagList } from "../../people/notes/TagList.tsx"
import { keyOf, Owner, productOf } from "./Owner.tsx"

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

/** The columns of the tables of licenses. */
export const licenseColumns = {
  owner: {
    name: "Owner",
    orders: { up: "owner_asc", down: "owner_desc", first: "up" },
    cell: (license) => <Owner of={license} />
  },
  status: { name: "Status", cell: ({ status }) => <State of={status} /> },
  product: {
    name: "Product",
    orders: { up: "product_asc", down: "product_desc", first: "up" },
    cell: (license) => <bdi class="clip">{productOf(license)}</bdi>
  },
  policy: { name: "Policy", cell: ({ names }) => <bdi class="clip">{names?.policy}</bdi> },
  key: { name: "Key", cell: (license) => <code class="quiet">{keyOf(license)}</code> },
  expires: {
    name: "Expires",
    label: "Expires",
    orders: { up: "expires_asc", down: "expires_desc", first: "up" },
    cell: ({ awaits_activation, expires_at }) =>
      expires_at === undefined
        ? <span class="quiet">{awaits_activation === true ? "after first use" : "never"}</span>
        : <Day at={expires_at} />
  },
  tags: { name: "Tags", isMinor: true, cell: ({ tags = [] }) => <TagList of={tags} /> },
  devices: {
    name: "Devices",
    isNumber: true,
    isMinor: true,
    cell: ({ active_device_count }) => count(active_device_count)
  },
  issued: {
    name: "Issued",
    isMinor: true,
    orders: { up: "asc", down: "desc", first: "down" },
    cell: ({ created_at }) => <Day at={created_at} isQuiet />
  },
  email: { name: "Email", isMinor: true, cell: ({ customer_email }) => <bdi class="clip">{customer_email}</bdi> },
  order: { name: "Order", isMinor: true, cell: ({ names }) => <bdi class="clip">{names?.order}</bdi> },
  changed: { name: "Changed", isMinor: true, cell: ({ updated_at }) => <Day at={updated_at} isQuiet /> }
} satisfies Readonly<Record<string, Column<License>>>
