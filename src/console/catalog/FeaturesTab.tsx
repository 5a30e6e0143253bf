import { useState } from "preact/hooks"
import type { Feature } from "../../client/api/index.ts"
import { Id } from "../design/Copy.tsx"
import { Empty } from "../design/Feedback.tsx"
import { Panel } from "../design/Panel.tsx"
import { Table, TwoLines } from "../design/Table.tsx"
import type { Column } from "../design/Table.tsx"
import { Day } from "../design/Time.tsx"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { Action } from "../session/Action.tsx"
import { DeleteUnused } from "./DeleteUnused.tsx"
import { NameAndCode, useNamed } from "./NameAndCode.tsx"
import type { OfProduct } from "./OfProduct.ts"

const columns: ReadonlyArray<Column<Feature>> = [
  { name: "Feature", cell: ({ code, name }) => <TwoLines first={name} second={code} /> },
  { name: "ID", isMinor: true, cell: ({ id }) => <Id of={id} /> },
  { name: "Since", cell: ({ created_at }) => <Day at={created_at} isQuiet /> }
]

const deletion = (onChange: () => void): Column<Feature> => ({
  name: "",
  cell: ({ id, name }) => (
    <DeleteUnused
      name={name}
      says="A feature can be deleted while no policy and no license has it."
      perform={(client, options) => client.features.delete(id, options)}
      onChange={onChange}
    />
  )
})

const NewFeature = ({ onChange, product }: OfProduct & { readonly onChange: () => void }) => {
  const named = useNamed()
  return (
    <Action
      label="New feature"
      weight="main"
      scope="product:write"
      says="A feature is something that your app asks for. Policies grant it, with or without a quota."
      fields={<NameAndCode of={named} example="Renders" says="Your app asks for it by this code" />}
      isReady={named.isReady}
      perform={(client, options) => client.features.create(product.id, named.body, options)}
      done={({ name }) => (
        <span>
          Feature <bdi class="strong">{name}</bdi> created.
        </span>
      )}
      onDone={() => {
        named.clear()
        onChange()
      }}
    />
  )
}

/** The features of a product. */
export const FeaturesTab = ({ product }: OfProduct) => {
  const [turn, setTurn] = useState(0)
  const pages = usePages<Feature>(
    "features",
    (client, page, signal) => client.features.list(product.id, { limit: 50, ...page }, { signal }),
    [product.id],
    { turn }
  )
  const onChange = () => setTurn((turn) => turn + 1)
  return (
    <>
      <span class="row ends">
        <NewFeature product={product} onChange={onChange} />
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
              columns={[...columns, deletion(onChange)]}
            />
          )}
        </Rows>
      </Panel>
    </>
  )
}
