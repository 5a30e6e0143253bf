import type { LicenseFeature } from "../../../client/api/index.ts"
import { Choice, wholeOf } from "../../ground/design/Field.tsx"
import { amount as amountIn } from "../../ground/design/Numbers.ts"
import { dateOf, startOfDay } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { EndField, units, UnitsField } from "./GrantFields.tsx"

const nothing = { chosen: "", end: "", typed: "" }

/** Gives a license units of a metered feature beside its quota. */
export const GiveUnits = ({ features, licenseId, onChange }: {
  readonly licenseId: string
  /** The features that have a quota. */
  readonly features: ReadonlyArray<LicenseFeature>
  readonly onChange: () => void
}) => {
  const draft = useDraft("units", nothing)
  const { chosen, end, typed } = draft.values
  const feature = features.find(({ feature_id }) => feature_id === chosen) ?? features[0]
  if (feature === undefined) return null
  const { decimals } = feature
  const amount = wholeOf(typed, { ...units, decimals })
  const expires_at = end === "" ? undefined : startOfDay(end)
  return (
    <Action
      label="Give units"
      small
      scope="license:write"
      asksWhy="license"
      says={amount === undefined
        ? "Units add to the quota of a feature, also in later periods and under another policy."
        : `${feature.feature_name}: ${amountIn((feature.remaining ?? 0) + amount, decimals)} are left then. ${
          expires_at === undefined ? "The units do not end." : `The units end on ${dateOf(expires_at)}.`
        }`}
      fields={
        <div class="filters">
          <Choice
            label="Feature"
            value={feature.feature_id}
            options={features.map(({ feature_id, feature_name }) => [feature_id, feature_name])}
            onChange={(chosen) => draft.set({ chosen })}
          />
          <UnitsField decimals={decimals} value={typed} onChange={(typed) => draft.set({ typed })} />
          <EndField value={end} onChange={(end) => draft.set({ end })} />
        </div>
      }
      draft={draft}
      isReady={amount !== undefined}
      perform={(client, options, reason) =>
        client.licenses.createGrant(licenseId, {
          feature_id: feature.feature_id,
          amount: amount ?? 0,
          source: "gift",
          ...(expires_at === undefined ? {} : { expires_at }),
          ...reason
        }, options)}
      done={({ amount }) => `The license has ${amountIn(amount, decimals)} more of ${feature.feature_name}.`}
      onDone={onChange}
    />
  )
}
