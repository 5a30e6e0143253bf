import type { Policy } from "../../client/api/index.ts"
import { Empty } from "../design/Feedback.tsx"
import { Panel } from "../design/Panel.tsx"
import { Table, TwoLines } from "../design/Table.tsx"
import type { Column } from "../design/Table.tsx"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { may } from "../session/Session.ts"
import type { OfProduct } from "./OfProduct.ts"
import { devicesText, timeText, typeName } from "./PolicyWords.ts"

const columns: ReadonlyArray<Column<Policy>> = [
  { name: "Policy", cell: ({ code, name }) => <TwoLines first={name} second={code} /> },
  { name: "Type", cell: ({ license_type }) => typeName(license_type) },
  { name: "Devices", isMinor: true, cell: devicesText },
  { name: "Time", isMinor: true, cell: timeText }
]

const licenses: Column<Policy> = {
  name: "",
  cell: ({ id }) => <a class="small" href={`/console/licenses?policy_id=${id}`}>Licenses</a>
}

/** The policies of a product. */
export const PoliciesTab = ({ product }: OfProduct) => {
  const pages = usePages<Policy>(
    "policies",
    (client, page, signal) => client.policies.list(product.id, { limit: 50, ...page }, { signal }),
    [product.id]
  )
  return (
    <Panel flush footer={<More of={pages} />}>
      <Rows
        of={pages}
        empty={<Empty title="No policies yet">A policy says what a buyer gets: devices, time and features.</Empty>}
      >
        {(rows) => (
          <Table
            label="Policies"
            rows={rows}
            keyOf={({ id }) => id}
            columns={may("license:read") ? [...columns, licenses] : columns}
          />
        )}
      </Rows>
    </Panel>
  )
}
