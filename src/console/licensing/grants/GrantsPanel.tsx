import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { Grant, LicenseFeature } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { amount as amountIn } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Day } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { GiveUnits } from "./GiveUnits.tsx"
import { unitColumns } from "./UnitColumns.tsx"

const Revoke = ({ grant, onChange }: {
  readonly grant: Grant
  readonly onChange: () => void
}) => (
  <Action
    label="Revoke"
    small
    scope="license:write"
    asksWhy="license"
    says={consequenceOf("revokeLicenseGrant")}
    perform={(client, options) => client.licenses.revokeGrant(grant.license_id, grant.id, options)}
    done={({ decimals, used }) => `Revoked. ${amountIn(used, decimals)} units were used.`}
    onDone={onChange}
  />
)

/** Units of earlier periods that the next use makes grants: they are in no list yet. */
const Carried = ({ features }: { readonly features: ReadonlyArray<LicenseFeature> }) =>
  features.flatMap(({ carried = [], decimals, feature_id, feature_name }) =>
    carried.map(({ amount, expires_at }) => (
      <p key={`${feature_id} ${expires_at}`} class="padded">
        <bdi class="strong">{feature_name}</bdi>: {amountIn(amount, decimals)} carried from an earlier period, until
        {" "}
        <Day at={expires_at} />
      </p>
    ))
  )

/** The units that a license has beside its quotas: what is left of each, and when it ends. */
export const GrantsPanel = ({ features, licenseId, onChange, turn }: {
  readonly licenseId: string
  readonly features: ReadonlyArray<LicenseFeature>
  /** Changes when the license does, so that the grants are read again. */
  readonly turn: number
  readonly onChange: () => void
}) => {
  const metered = features.filter(({ max_consumptions }) => max_consumptions !== undefined)
  const grants = usePages<Grant>(
    "grants",
    (client, page, signal) => client.licenses.listGrants(licenseId, { limit: 20, ...page }, { signal }),
    [licenseId],
    { turn, when: metered.length > 0 }
  )
  const featureOf = ({ feature_id }: Grant) => features.find((feature) => feature.feature_id === feature_id)
  if (metered.length === 0) return null
  return (
    <Panel
      title="Grants"
      flush
      aside={<GiveUnits licenseId={licenseId} features={metered} onChange={onChange} />}
      footer={grants.hasMore ? <More of={grants} /> : undefined}
    >
      <Carried features={metered} />
      <Rows
        of={grants}
        lines={2}
        empty={
          <Empty title="No grants">Units that you give are used in addition to the quota, such as a credit pack.</Empty>
        }
      >
        {(rows) => (
          <Table
            label="Grants"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "Feature",
                cell: (grant) => (
                  <TwoLines
                    first={featureOf(grant)?.feature_name ?? grant.feature_code}
                    second={[labelOf("grantSource", grant.source), grant.reference].filter(Boolean).join(" · ")}
                  />
                )
              },
              ...unitColumns,
              {
                name: "",
                cell: (grant) => (
                  <span class="row ends">
                    {grant.revoked_at === undefined && (grant.remaining > 0 || grant.amount < 0)
                      ? <Revoke grant={grant} onChange={onChange} />
                      : null}
                  </span>
                )
              }
            ]}
          />
        )}
      </Rows>
      {grants.rows === undefined && grants.error !== undefined ? <More of={grants} /> : null}
    </Panel>
  )
}
