import { useState } from "preact/hooks"
import type { Feature } from "../../client/api/index.ts"
import { Badge } from "../ground/design/Badge.tsx"
import { Empty } from "../ground/design/Feedback.tsx"
import { Panel } from "../ground/design/Panel.tsx"
import { Table, TwoLines } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { NewFeature } from "./FeatureForms.tsx"
import { kindText } from "./features/FeatureKinds.ts"
import { findGrants, grantedIn } from "./features/Grants.ts"
import type { Grants } from "./features/Grants.ts"
import type { OfProduct } from "./OfProduct.ts"

const columnsOf = (grants: Grants | undefined): ReadonlyArray<Column<Feature>> => [
  { name: "Feature", cell: ({ code, name }) => <TwoLines first={name} second={code} /> },
  {
    name: "Kind",
    cell: (feature) => (
      <span class="row wraps">
        <bdi class="wrap">{kindText(feature)}</bdi>
        {feature.archived_at === undefined ? null : <Badge>archived</Badge>}
      </span>
    )
  },
  {
    name: "Granted",
    cell: ({ id }) => <span class="quiet">{grants === undefined ? "–" : grantedIn(grants, id)}</span>
  }
]

/** The features of a product. */
export const FeaturesTab = ({ product }: OfProduct) => {
  const [turn, setTurn] = useState(0)
  const pages = usePages<Feature>(
    "features",
    (client, page, signal) => client.features.list(product.id, { limit: 50, ...page }, { signal }),
    [product.id],
    { turn }
  )
  const grants = useLoad((client, signal) => findGrants(client, product.id, signal), [product.id])
  return (
    <>
      <span class="row ends">
        <NewFeature product={product} onChange={() => setTurn((turn) => turn + 1)} />
      </span>
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          empty={
            <Empty title="No features yet">
              <p>
                A feature is something your app asks for: <code>license.has("export")</code>.
              </p>
            </Empty>
          }
        >
          {(rows) => (
            <Table
              label="Features"
              rows={rows}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/console/products/${product.id}/features/${id}`}
              columns={columnsOf(grants.data)}
            />
          )}
        </Rows>
      </Panel>
    </>
  )
}
