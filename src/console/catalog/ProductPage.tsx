import type { ComponentType } from "preact"
import { useLocation, useRoute } from "preact-iso"
import type { Product } from "../../client/api/index.ts"
import { Id } from "../ground/design/Copy.tsx"
import { Empty } from "../ground/design/Feedback.tsx"
import { some } from "../ground/design/Numbers.ts"
import { inUse, matching } from "../ground/lists/Matching.ts"
import { useLoad } from "../ground/session/Load.ts"
import { Loading, Placed } from "../ground/session/Loading.tsx"
import { useTitle } from "../ground/session/Title.ts"
import { CustomFieldsTab } from "./CustomFieldsTab.tsx"
import { DeleteUnused } from "./DeleteUnused.tsx"
import { FeaturesTab } from "./FeaturesTab.tsx"
import type { OfProduct } from "./OfProduct.ts"
import { PoliciesTab } from "./PoliciesTab.tsx"
import { TrialKeysTab } from "./TrialKeysTab.tsx"
import { VersionsTab } from "./VersionsTab.tsx"

const tabs: ReadonlyArray<readonly [tab: string, name: string, shown: ComponentType<OfProduct>]> = [
  ["", "Policies", PoliciesTab],
  ["features", "Features", FeaturesTab],
  ["versions", "Versions", VersionsTab],
  ["fields", "Custom fields", CustomFieldsTab],
  ["trial-keys", "Trial keys", TrialKeysTab]
]

/** The counts of a product, in a line. */
const countsText = (counts: Product["counts"]): string =>
  counts === undefined ? "" : [
    some(counts.policies, "policy", "policies"),
    ...(counts.licenses === undefined ? [] : [matching(counts.licenses, "license", false)]),
    ...(counts.licenses_in_use === undefined ? [] : [`${inUse(counts.licenses_in_use)} in use within 30 days`]),
    ...(counts.newest_version === undefined ? [] : [`version ${counts.newest_version}`])
  ].join(" · ")

const Tabs = ({ at, id }: { readonly at: string; readonly id: string }) => (
  <nav class="tabs" aria-label="Product">
    {tabs.map(([tab, name]) => (
      <a
        key={tab}
        href={`/console/products/${id}${tab === "" ? "" : `/${tab}`}`}
        {...(tab === at ? { "aria-current": "page" as const } : {})}
      >
        {name}
      </a>
    ))}
  </nav>
)

const ProductOf = ({ id, tab }: { readonly id: string; readonly tab: string }) => {
  const { route } = useLocation()
  const product = useLoad((client, signal) => client.products.get(id, { signal }), [id])
  const counted = useLoad(
    (client, signal) => client.products.list({ product_id: id, include_counts: true, limit: 1 }, { signal }),
    [id]
  )
  useTitle(product.data?.name ?? "Product")
  const Shown = tabs.find(([name]) => name === tab)?.[2]
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/products">Products</a>
          <h1>
            <bdi class="wrap">{product.data?.name ?? "Product"}</bdi>
          </h1>
          {product.data === undefined ? null : (
            <span class="row wraps named small">
              <bdi class="quiet wrap">{product.data.code}</bdi>
              <Id of={product.data.id} />
              <span class="quiet">{countsText(counted.data?.[0]?.counts)}</span>
            </span>
          )}
        </div>
        {product.data === undefined ? null : (
          <DeleteUnused
            name={product.data.name}
            says="A product can be deleted while it has no policy, feature, version, field, key or license."
            perform={(client, options) => client.products.delete(id, options)}
            onChange={() => route("/console/products")}
          />
        )}
      </header>
      <Placed after={[product, counted]}>
        <Tabs at={tab} id={id} />
        {Shown === undefined
          ? <Empty title="No such tab">A product has policies, features, versions, custom fields and trial keys.</Empty>
          : <Loading of={product}>{(found) => <Shown product={found} />}</Loading>}
      </Placed>
    </main>
  )
}

/** The page of one product: its policies, features and versions. */
export const ProductPage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <ProductOf key={id} id={id} tab={params["tab"] ?? ""} />
}
