import type { ProductVersion } from "../../client/api/index.ts"
import { Empty } from "../design/Feedback.tsx"
import { Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import type { Column } from "../design/Table.tsx"
import { Day } from "../design/Time.tsx"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import type { OfProduct } from "./OfProduct.ts"

const columns: ReadonlyArray<Column<ProductVersion>> = [
  { name: "Version", cell: ({ version }) => <bdi class="strong wrap">{version}</bdi> },
  { name: "Released", cell: ({ released_at }) => <Day at={released_at} isQuiet /> }
]

/** The versions of a product. */
export const VersionsTab = ({ product }: OfProduct) => {
  const pages = usePages<ProductVersion>(
    "versions",
    (client, page, signal) => client.versions.list(product.id, { limit: 50, ...page }, { signal }),
    [product.id]
  )
  return (
    <Panel flush footer={<More of={pages} />}>
      <Rows
        of={pages}
        empty={
          <Empty title="No versions yet">
            Without versions, every version of the app is covered while its maintenance runs.
          </Empty>
        }
      >
        {(rows) => <Table label="Versions" rows={rows} keyOf={({ id }) => id} columns={columns} />}
      </Rows>
    </Panel>
  )
}
