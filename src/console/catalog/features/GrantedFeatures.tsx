import { useState } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { PolicyFeature } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import type { Column } from "../../ground/design/Table.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { may } from "../../ground/session/Session.ts"
import { durationText } from "../policies/PolicyWords.ts"
import { valueText } from "./FeatureKinds.ts"
import { GrantAction } from "./GrantAction.tsx"
import { grantOf, noGrant, policyGrant, quotaText } from "./GrantDraft.ts"

interface OfPolicy {
  readonly productId: string
  readonly policyId: string
}

interface ChangeProps extends OfPolicy {
  /** The grant that is changed; undefined where the policy does not grant the feature yet. */
  readonly grant?: PolicyFeature | undefined
  /** The feature, where it is fixed and not granted yet. */
  readonly featureId?: string
  readonly label: string
  readonly onChange: () => void
}

/** Grants a feature by a policy, or changes how it is granted. */
export const GrantByPolicy = ({ featureId = "", grant, label, onChange, policyId, productId }: ChangeProps) => {
  const loaded = grant === undefined ? { ...noGrant, featureId } : grantOf(grant)
  return (
    <GrantAction
      label={label}
      about={policyId}
      productId={productId}
      loaded={loaded}
      isGranted={grant !== undefined}
      scope="product:write"
      says="Every license of the policy has the feature like this from its next request, unless it has its own."
      perform={(client, draft, feature, options) =>
        client.policies.assignFeature(productId, policyId, policyGrant(loaded, draft, feature), options)}
      onDone={onChange}
    />
  )
}

/** Takes a feature from a policy. */
export const RemoveGrant = ({ grant, onChange, productId }: {
  readonly grant: PolicyFeature
  readonly productId: string
  readonly onChange: () => void
}) => (
  <Action
    label="Remove"
    small
    weight="danger"
    scope="product:write"
    asksWhy
    about={`${grant.policy_id} ${grant.feature_id}`}
    says={
      <>
        <bdi class="strong">{grant.feature_name}</bdi>: {consequenceOf("removePolicyFeature")}
      </>
    }
    perform={(client, options) => client.policies.removeFeature(productId, grant.policy_id, grant.feature_id, options)}
    done={() => "The policy no longer grants the feature."}
    onDone={onChange}
  />
)

const columns: ReadonlyArray<Column<PolicyFeature>> = [
  {
    name: "Feature",
    cell: ({ enabled, feature_code, feature_name }) => (
      <TwoLines first={feature_name} second={enabled ? feature_code : `${feature_code}, switched off`} />
    )
  },
  { name: "Value", cell: ({ value }) => <bdi class="wrap">{valueText(value)}</bdi> },
  { name: "Quota", cell: quotaText },
  {
    name: "Ends after",
    isMinor: true,
    cell: ({ expires_after }) => expires_after === undefined ? "–" : durationText(expires_after)
  }
]

/** The features that a policy grants. */
export const GrantedFeatures = (of: OfPolicy) => {
  const { policyId, productId } = of
  const [turn, setTurn] = useState(0)
  const onChange = () => setTurn((turn) => turn + 1)
  const pages = usePages<PolicyFeature>(
    "granted",
    (client, page, signal) => client.policies.listFeatures(productId, policyId, { limit: 50, ...page }, { signal }),
    [policyId],
    { turn }
  )
  const actions: Column<PolicyFeature> = {
    name: "",
    cell: (grant) => (
      <span class="row ends">
        <GrantByPolicy {...of} grant={grant} label="Edit" onChange={onChange} />
        <RemoveGrant grant={grant} productId={productId} onChange={onChange} />
      </span>
    )
  }
  return (
    <Panel
      title="Features and quotas"
      flush
      aside={<GrantByPolicy {...of} label="Grant feature" onChange={onChange} />}
      footer={<More of={pages} />}
    >
      <Rows of={pages} lines={3} empty={<Empty title="No features granted" />}>
        {(rows) => (
          <Table
            label="Features and quotas"
            rows={rows}
            keyOf={({ feature_id }) => feature_id}
            columns={may("product:write") ? [...columns, actions] : columns}
          />
        )}
      </Rows>
    </Panel>
  )
}
