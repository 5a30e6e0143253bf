import type { License, LicenseFeature } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { Choice, NumberField, wholeOf } from "../../ground/design/Field.tsx"
import { amount } from "../../ground/design/Numbers.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"

/** How many credits are added at once. */
const credits = { min: 1, max: 1_000_000_000 }

/** Adds to the quota of a metered feature of a license. */
export const AddCredits = ({ features, license, onChange }: {
  readonly license: Pick<License, "id">
  readonly features: ReadonlyArray<LicenseFeature>
  readonly onChange: () => void
}) => {
  const metered = features.filter(({ max_consumptions }) => max_consumptions !== undefined)
  const draft = useDraft("credits", { feature: "", credits: "" })
  const { credits: typed, feature: chosen } = draft.values
  const feature = metered.find(({ feature_id }) => feature_id === chosen) ?? metered[0]
  if (feature === undefined) return null
  const { decimals } = feature
  const many = wholeOf(typed, { ...credits, decimals })
  const quota = feature.max_consumptions ?? 0
  return (
    <Action
      label="Add credits"
      small
      scope="license:write"
      asksWhy="license.usage_reset"
      says={many === undefined
        ? "Credits add to the quota of a feature."
        : `The quota goes from ${amount(quota, decimals)} to ${amount(quota + many, decimals)}${
          feature.period === undefined ? "" : `, for this ${labelOf("period", feature.period)} only`
        }. Recorded usage stays.`}
      fields={
        <div class="filters">
          <Choice
            label="Feature"
            value={feature.feature_id}
            options={metered.map(({ feature_id, feature_name }) => [feature_id, feature_name])}
            onChange={(feature) => draft.set({ feature })}
          />
          <NumberField
            label="Credits to add"
            path="add_credits"
            {...credits}
            decimals={decimals}
            value={typed}
            onChange={(credits) => draft.set({ credits })}
          />
        </div>
      }
      draft={draft}
      about={license.id}
      isReady={many !== undefined}
      perform={(client, options) =>
        client.licenses.resetUsage(license.id, { feature_id: feature.feature_id, add_credits: many ?? 0 }, options)}
      done={(left) => `The quota of ${left.feature_name} is ${amount(left.max_consumptions ?? 0, left.decimals)} now.`}
      onDone={onChange}
    />
  )
}
