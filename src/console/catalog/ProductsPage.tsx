import { useLocation } from "preact-iso"
import { useRef } from "preact/hooks"
import type { Product } from "../../client/api/index.ts"
import { Empty } from "../ground/design/Feedback.tsx"
import { count } from "../ground/design/Numbers.ts"
import { Panel } from "../ground/design/Panel.tsx"
import { Table, TwoLines } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { Day } from "../ground/design/Time.tsx"
import { inUse, upTo } from "../ground/lists/Matching.ts"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { nameProduct } from "../ground/session/Names.ts"
import { may } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { isNamed, NameAndCode, namedBody, noName } from "./NameAndCode.tsx"

/** Makes a product, and leads to it. */
const NewProduct = () => {
  const { route } = useLocation()
  const draft = useDraft("product", noName)
  const made = useRef("")
  return (
    <Action
      label="New product"
      weight="main"
      scope="product:write"
      says="A product is an app that you sell. Its policies set how many devices a license has, and how long it works."
      fields={
        <NameAndCode
          of={draft.values}
          set={draft.set}
          example="Acme Draft"
          says="Your app sends it, so that a key of another product is refused"
        />
      }
      draft={draft}
      isReady={isNamed(draft.values)}
      perform={async (client, options) => {
        const product = await client.products.create(namedBody(draft.values), options)
        made.current = product.id
        nameProduct(product)
        return product
      }}
      done={({ name }) => (
        <span>
          Product <bdi class="strong">{name}</bdi> created.
        </span>
      )}
      onDone={() => route(`/console/products/${made.current}`)}
    />
  )
}

const columns: ReadonlyArray<Column<Product>> = [
  { name: "Product", cell: ({ code, name }) => <TwoLines first={name} second={code} /> },
  {
    name: "Policies",
    label: "Policies",
    isNumber: true,
    cell: ({ counts }) => counts === undefined ? null : count(counts.policies)
  },
  {
    name: "Licenses",
    label: "Licenses",
    isNumber: true,
    cell: ({ counts }) => counts?.licenses === undefined ? null : upTo(counts.licenses)
  },
  {
    name: "In use, 30 days",
    label: "In use",
    isNumber: true,
    cell: ({ counts }) => counts?.licenses_in_use === undefined ? null : inUse(counts.licenses_in_use)
  },
  { name: "Newest version", cell: ({ counts }) => <bdi class="clip">{counts?.newest_version}</bdi> },
  { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> }
]

/** The products of the vendor. */
export const ProductsPage = () => {
  useTitle("Products")
  const pages = usePages<Product>(
    "products",
    (client, page, signal) => client.products.list({ limit: 50, include_counts: true, ...page }, { signal }),
    []
  )
  return (
    <main class="page" id="main">
      <header>
        <h1>Products</h1>
        <NewProduct />
      </header>
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          lines={6}
          empty={
            <Empty title="No products yet">
              {may("product:write")
                ? "Create your first product: the app that you sell. Then a policy for it, and a license."
                : "A token with product:write can create one."}
            </Empty>
          }
        >
          {(rows) => (
            <Table
              label="Products"
              rows={rows}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/console/products/${id}`}
              columns={columns}
            />
          )}
        </Rows>
      </Panel>
    </main>
  )
}
