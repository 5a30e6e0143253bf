import { useState } from "preact/hooks"
import type { PolicyFeature, QuotaPeriod } from "../../client/api/index.ts"
import { labelOf, titleOf } from "../../client/api/Labels.ts"
import { Empty } from "../design/Feedback.tsx"
import { Choice, NumberField, wholeOf } from "../design/Field.tsx"
import { count } from "../design/Numbers.ts"
import { Panel } from "../design/Panel.tsx"
import { Table, TwoLines } from "../design/Table.tsx"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { Action } from "../session/Action.tsx"
import { firstOf } from "../session/FirstOf.ts"
import { useLoad } from "../session/Load.ts"

interface OfPolicy {
  readonly productId: string
  readonly policyId: string
}

/** How many features can be chosen from. */
const most = 1000

const whole = { min: 0, max: Number.MAX_SAFE_INTEGER }

const periods: ReadonlyArray<readonly [QuotaPeriod | "", string]> = [
  ["", "Never"],
  ...(["day", "week", "month", "year"] as const).map((period) => [period, titleOf("period", period)] as const)
]

const quotaText = ({ enabled, max_consumptions, period }: PolicyFeature): string =>
  !enabled
    ? "off"
    : max_consumptions === undefined
    ? "no quota"
    : `${count(max_consumptions)}${period === undefined ? "" : ` per ${labelOf("period", period)}`}`

const blank = { feature: "", quota: "", period: "" as QuotaPeriod | "" }

const Grant = ({ onChange, policyId, productId }: OfPolicy & { readonly onChange: () => void }) => {
  const [entered, setEntered] = useState(blank)
  const { feature, period, quota } = entered
  const features = useLoad(
    (client, signal) => firstOf(client.features.list(productId, { limit: 200 }, { signal }), most),
    [productId]
  )
  const set = (changes: Partial<typeof blank>) => setEntered((now) => ({ ...now, ...changes }))
  return (
    <Action
      label="Grant feature"
      small
      scope="product:write"
      says="Every license of the policy has the feature from its next request."
      fields={
        <>
          <Choice
            label="Feature"
            path="feature_id"
            value={feature}
            options={[
              ["", "Select a feature"],
              ...(features.data ?? []).map(({ code, id, name }) => [id, `${name} (${code})`] as const)
            ]}
            onChange={(feature) => set({ feature })}
          />
          <NumberField
            label="Quota"
            path="max_consumptions"
            value={quota}
            onChange={(quota) => set({ quota })}
            {...whole}
            hint="Empty: usage is counted and not limited"
          />
          {quota === "" ? null : (
            <Choice
              label="Quota resets"
              path="period"
              value={period}
              options={periods}
              onChange={(period) => set({ period: period as QuotaPeriod | "" })}
            />
          )}
        </>
      }
      isReady={feature !== "" && (quota.trim() === "" || wholeOf(quota, whole) !== undefined)}
      perform={(client, options) =>
        client.policies.assignFeature(productId, policyId, {
          feature_id: feature,
          ...(quota.trim() === "" ? {} : { max_consumptions: Number(quota) }),
          ...(quota.trim() === "" || period === "" ? {} : { period })
        }, options)}
      done={({ feature_name }) => (
        <span>
          Feature <bdi class="strong">{feature_name}</bdi> granted.
        </span>
      )}
      onDone={() => {
        setEntered(blank)
        onChange()
      }}
    />
  )
}

/** The features that a policy grants. */
export const GrantedFeatures = (of: OfPolicy) => {
  const { policyId, productId } = of
  const [turn, setTurn] = useState(0)
  const pages = usePages<PolicyFeature>(
    "granted",
    (client, page, signal) => client.policies.listFeatures(productId, policyId, { limit: 50, ...page }, { signal }),
    [policyId],
    { turn }
  )
  return (
    <Panel
      title="Features and quotas"
      flush
      aside={<Grant {...of} onChange={() => setTurn((turn) => turn + 1)} />}
      footer={<More of={pages} />}
    >
      <Rows of={pages} lines={3} empty={<Empty title="No features granted" />}>
        {(rows) => (
          <Table
            label="Features and quotas"
            rows={rows}
            keyOf={({ feature_id }) => feature_id}
            columns={[
              {
                name: "Feature",
                cell: ({ feature_code, feature_name }) => <TwoLines first={feature_name} second={feature_code} />
              },
              { name: "Quota", cell: quotaText }
            ]}
          />
        )}
      </Rows>
    </Panel>
  )
}
