import { useLocation, useRoute } from "preact-iso"
import type { Feature, Policy, PolicyFeature } from "../../client/api/index.ts"
import { Badge } from "../ground/design/Badge.tsx"
import { Id } from "../ground/design/Copy.tsx"
import { Empty, Note } from "../ground/design/Feedback.tsx"
import { some } from "../ground/design/Numbers.ts"
import { Panel } from "../ground/design/Panel.tsx"
import { Table, TwoLines } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { Loading } from "../ground/session/Loading.tsx"
import { may } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { DeleteUnused } from "./CustomFieldsTab.tsx"
import { EditFeature } from "./FeatureForms.tsx"
import { kindText, meterText } from "./features/FeatureKinds.ts"
import { grantText } from "./features/GrantDraft.ts"
import { GrantByPolicy, RemoveGrant } from "./features/GrantedFeatures.tsx"
import { findGrants } from "./features/Grants.ts"
import type { Grants } from "./features/Grants.ts"

/** A policy, and how it grants the feature. */
interface Row {
  readonly policy: Policy
  readonly grant: PolicyFeature | undefined
}

const rowsOf = ({ grants, policies }: Grants, featureId: string): ReadonlyArray<Row> =>
  policies.map((policy) => ({
    policy,
    grant: grants.find(({ feature_id, policy_id }) => feature_id === featureId && policy_id === policy.id)
  }))

const columns: ReadonlyArray<Column<Row>> = [
  { name: "Policy", cell: ({ policy: { code, name } }) => <TwoLines first={name} second={code} /> },
  {
    name: "Grants it",
    cell: ({ grant }) => (
      <bdi class={`wrap ${grant === undefined ? "quiet" : ""}`}>
        {grant === undefined ? "not granted" : grantText(grant)}
      </bdi>
    )
  }
]

/** The feature in each policy of its product. */
const InPolicies = ({ feature, of, onChange }: {
  readonly feature: Feature
  readonly of: Grants
  readonly onChange: () => void
}) => {
  const productId = feature.product_id
  const actions: Column<Row> = {
    name: "",
    cell: ({ grant, policy }) => (
      <span class="row ends">
        {grant === undefined && feature.archived_at !== undefined
          ? null
          : (
            <GrantByPolicy
              productId={productId}
              policyId={policy.id}
              grant={grant}
              featureId={feature.id}
              label={grant === undefined ? "Grant" : "Edit"}
              onChange={onChange}
            />
          )}
        {grant === undefined ? null : <RemoveGrant grant={grant} productId={productId} onChange={onChange} />}
      </span>
    )
  }
  return (
    <Panel title="In policies" flush>
      {of.isWhole ? null : <Note>The newest policies are shown. Others grant the feature on their own pages.</Note>}
      {of.policies.length === 0
        ? <Empty title="No policies yet">Policies grant the feature to licenses.</Empty>
        : (
          <Table
            label="In policies"
            rows={rowsOf(of, feature.id)}
            keyOf={({ policy }) => policy.id}
            hrefOf={({ policy }) => `/console/products/${productId}/policies/${policy.id}`}
            columns={may("product:write") ? [...columns, actions] : columns}
          />
        )}
    </Panel>
  )
}

const FeatureOf = ({ id, productId }: { readonly id: string; readonly productId: string }) => {
  const { route } = useLocation()
  const found = useLoad(async (client, signal) => {
    const [feature, grants] = await Promise.all([
      client.features.get(id, { signal }),
      findGrants(client, productId, signal)
    ])
    return { feature, grants }
  }, [id, productId])
  const feature = found.data?.feature
  const list = `/console/products/${productId}/features`
  useTitle(feature?.name ?? "Feature")
  const hasValue = found.data?.grants.grants.some(({ feature_id, value }) => feature_id === id && value !== undefined)
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href={list}>Features</a>
          <h1>
            <bdi class="wrap">{feature?.name ?? "Feature"}</bdi>
          </h1>
          {feature === undefined ? null : (
            <span class="row wraps named small">
              <bdi class="quiet wrap">{feature.code}</bdi>
              <bdi class="quiet wrap">{kindText(feature)}</bdi>
              {feature.decimals === undefined
                ? null
                : <span class="quiet">{some(feature.decimals, "decimal place")}</span>}
              {feature.meter === undefined ? null : <span class="quiet">{meterText(feature)}</span>}
              {feature.archived_at === undefined ? null : <Badge>archived</Badge>}
              <Id of={feature.id} />
            </span>
          )}
        </div>
        {feature === undefined ? null : (
          <span class="row wraps">
            <EditFeature feature={feature} isUsed={hasValue ?? false} onChange={found.reload} />
            <DeleteUnused
              name={feature.name}
              says="A feature can be deleted while no policy and no license has it."
              perform={(client, options) => client.features.delete(id, options)}
              onChange={() => route(list)}
            />
          </span>
        )}
      </header>
      <Loading of={found} lines={6}>
        {({ feature, grants }) => <InPolicies feature={feature} of={grants} onChange={found.reload} />}
      </Loading>
    </main>
  )
}

/** The page of one feature: what it is, and how each policy grants it. */
export const FeaturePage = () => {
  const { params } = useRoute()
  const id = params["feature"] ?? ""
  return <FeatureOf key={id} id={id} productId={params["id"] ?? ""} />
}
