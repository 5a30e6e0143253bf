import type { ComponentType } from "preact"
import { useLocation, useRoute } from "preact-iso"
import { useState } from "preact/hooks"
import type { Feature, Policy, Product, PublishableKey } from "../../client/api/index.ts"
import { Badge, State } from "../ground/design/Badge.tsx"
import { Id } from "../ground/design/Copy.tsx"
import { Empty } from "../ground/design/Feedback.tsx"
import { Choice, TextField } from "../ground/design/Field.tsx"
import { some } from "../ground/design/Numbers.ts"
import { Panel } from "../ground/design/Panel.tsx"
import { Table, TwoLines } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { Day } from "../ground/design/Time.tsx"
import { inUse, matching } from "../ground/lists/Matching.ts"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { firstOf, useLoad } from "../ground/session/Load.ts"
import { Loading, Placed } from "../ground/session/Loading.tsx"
import { may } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { CustomFieldsTab, DeleteUnused } from "./CustomFieldsTab.tsx"
import { NewFeature } from "./FeatureForms.tsx"
import { kindText } from "./features/FeatureKinds.ts"
import { findGrants, grantedIn } from "./features/Grants.ts"
import type { Grants } from "./features/Grants.ts"
import type { OfProduct } from "./OfProduct.ts"
import { devicesText, timeText, typeName } from "./policies/PolicyWords.ts"
import { VersionsTab } from "./VersionsTab.tsx"

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
const FeaturesTab = ({ product }: OfProduct) => {
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
const PoliciesTab = ({ product }: OfProduct) => {
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

/** The most policies that are offered. */
const most = 1000

interface NewKeyProps extends OfProduct {
  readonly policies: ReadonlyArray<Policy>
  readonly onChange: () => void
}

const NewTrialKey = ({ onChange, policies, product }: NewKeyProps) => {
  const draft = useDraft("trial key", { name: "", policy: "" })
  const { name, policy: chosen } = draft.values
  const policy = chosen === "" ? policies[0]?.id ?? "" : chosen
  return (
    <Action
      label="New trial key"
      weight="main"
      scope="product:write"
      says="Your app opens trials with this key, one on each device. It is no secret: it may be in the app."
      fields={
        <>
          <TextField
            label="Name"
            path="name"
            value={name}
            onChange={(name) => draft.set({ name })}
            placeholder="Trial in the app"
            maxLength={255}
            autocomplete="off"
            required
            isFirst
          />
          <Choice
            label="Policy of the trial"
            path="policy_id"
            value={policy}
            options={policies.map(({ id, name }) => [id, name] as const)}
            onChange={(policy) => draft.set({ policy })}
            {...(policies.length === 0 ? { hint: "Create a policy of the type Trial first." } : {})}
          />
        </>
      }
      draft={draft}
      isReady={name.trim() !== "" && policy !== ""}
      perform={(client, options) =>
        client.publishableKeys.create(product.id, { name: name.trim(), policy_id: policy }, options)}
      done={({ name }) => (
        <span>
          Trial key <bdi class="strong">{name}</bdi> created.
        </span>
      )}
      onDone={onChange}
    />
  )
}

const Revoke = ({ of, onChange }: { readonly of: PublishableKey; readonly onChange: () => void }) => (
  <span class="row ends">
    <Action
      label="Revoke"
      about={of.id}
      small
      weight="danger"
      scope="product:write"
      asksWhy
      isOffered={of.revoked_at === undefined}
      says={
        <>
          <bdi class="strong">{of.name}</bdi>: this key no longer opens trials. Trials that run continue.
        </>
      }
      perform={(client, options) => client.publishableKeys.revoke(of.id, options)}
      done={() => "Trial key revoked."}
      onDone={onChange}
    />
  </span>
)

/** The keys by which an app opens trials of a product. */
const TrialKeysTab = ({ product }: OfProduct) => {
  const [turn, setTurn] = useState(0)
  const onChange = () => setTurn((before) => before + 1)
  const pages = usePages<PublishableKey>(
    "trial keys",
    (client, page, signal) => client.publishableKeys.list(product.id, { limit: 50, ...page }, { signal }),
    [product.id],
    { turn }
  )
  const policies = useLoad(
    (client, signal) => firstOf(client.policies.list(product.id, { limit: 200 }, { signal }), most),
    [product.id]
  )
  const all = policies.data ?? []
  return (
    <>
      {may("product:write")
        ? (
          <span class="row ends">
            <NewTrialKey
              product={product}
              policies={all.filter(({ license_type }) => license_type === "trial")}
              onChange={onChange}
            />
          </span>
        )
        : null}
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          empty={<Empty title="No trial keys yet">With one, your app opens a trial on each device by itself.</Empty>}
        >
          {(rows) => (
            <Table
              label="Trial keys"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { name: "Name", cell: ({ name }) => <bdi class="strong clip">{name}</bdi> },
                { name: "Key", cell: ({ key }) => <Id of={key} /> },
                {
                  name: "Policy",
                  cell: ({ policy_id }) => <bdi class="clip">{all.find(({ id }) => id === policy_id)?.name}</bdi>
                },
                {
                  name: "Status",
                  cell: ({ revoked_at }) => <State of={revoked_at === undefined ? "active" : "revoked"} />
                },
                { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> },
                { name: "", cell: (of) => <Revoke of={of} onChange={onChange} /> }
              ]}
            />
          )}
        </Rows>
      </Panel>
    </>
  )
}

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
