import type { Policy } from "../../client/api/index.ts"
import { Empty } from "../ground/design/Feedback.tsx"
import { Panel } from "../ground/design/Panel.tsx"
import { Table, TwoLines } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { matching } from "../ground/lists/Matching.ts"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { may } from "../ground/session/Session.ts"
import type { OfProduct } from "./OfProduct.ts"
import { devicesText, timeText, typeName } from "./policies/PolicyWords.ts"

const columns: ReadonlyArray<Column<Policy>> = [
  { name: "Policy", cell: ({ code, name }) => <TwoLines first={name} second={code} /> },
  { name: "Type", cell: ({ license_type }) => typeName(license_type) },
  { name: "Devices", isMinor: true, cell: devicesText },
  { name: "Time", isMinor: true, cell: timeText }
]

const licenses: Column<Policy> = {
  name: "Licenses",
  isNumber: true,
  cell: ({ counts, id }) => (
    <a class="small" href={`/console/licenses?policy_id=${id}`}>
      {counts === undefined ? "Licenses" : matching(counts.licenses, "license", false)}
    </a>
  )
}

/** The policies of a product. */
export const PoliciesTab = ({ product }: OfProduct) => {
  const pages = usePages<Policy>(
    "policies",
    (client, page, signal) =>
      client.policies.list(product.id, { limit: 50, include_counts: true, ...page }, { signal }),
    [product.id]
  )
  return (
    <>
      {may("product:write")
        ? (
          <span class="row ends">
            <a class="button main" href={`/console/products/${product.id}/policies/new`}>New policy</a>
          </span>
        )
        : null}
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
              hrefOf={({ id }) => `/console/products/${product.id}/policies/${id}`}
              columns={may("license:read") ? [...columns, licenses] : columns}
            />
          )}
        </Rows>
      </Panel>
    </>
  )
}
