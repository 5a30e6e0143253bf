import { CountersignError } from "../../../client/api/index.ts"
import type { LicenseFeature, UsageReportResponse } from "../../../client/api/index.ts"
import { Choice, NumberField, TextField, wholeOf } from "../../ground/design/Field.tsx"
import { amount as amountIn } from "../../ground/design/Numbers.ts"
import { startOfDay, timeZone } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import type { Draft } from "../../ground/session/Draft.tsx"

/** How much is reported at once. Nothing is an amount where it is the largest or the latest one that is measured. */
const amountsOf = ({ meter }: LicenseFeature) => ({
  min: meter === "max" || meter === "last" ? 0 : 1,
  max: 1_000_000_000
})

const longestEventId = 128

const nothing = { chosen: "", eventId: "", typed: "", usedOn: "" }

type Row = UsageReportResponse["results"][number]

/** The usage event that was counted; throws the refusal of the row, as that of a request that reports it alone. */
const countedIn = (row: Row | undefined) => {
  if (row === undefined) throw new Error("The response has no result.")
  if ("error" in row) throw new CountersignError({ ...row.error, status: 422 })
  return row
}

const Fields = ({ draft: { set, values: { eventId, typed, usedOn } }, feature, usable }: {
  readonly feature: LicenseFeature
  readonly usable: ReadonlyArray<LicenseFeature>
  readonly draft: Draft<typeof nothing>
}) => (
  <>
    <div class="filters">
      <Choice
        label="Feature"
        value={feature.feature_id}
        options={usable.map(({ feature_id, feature_name }) => [feature_id, feature_name])}
        onChange={(chosen) => set({ chosen })}
      />
      <NumberField
        label="Amount"
        path="amount"
        {...amountsOf(feature)}
        decimals={feature.decimals}
        value={typed}
        onChange={(typed) => set({ typed })}
      />
      <TextField
        label="Used on"
        type="date"
        path="used_at"
        value={usedOn}
        onChange={(usedOn) => set({ usedOn })}
        hint={`Optional. Start of the day, ${timeZone}; at most 7 days ago`}
      />
    </div>
    <TextField
      label="Event ID"
      path="event_id"
      value={eventId}
      maxLength={longestEventId}
      onChange={(eventId) => set({ eventId })}
      hint="Optional. Usage that is reported again with the same ID counts once."
    />
  </>
)

/** Reports usage of a license that neither its app nor a backend has reported. */
export const ReportUsage = ({ features, licenseId, onChange }: {
  readonly licenseId: string
  readonly features: ReadonlyArray<LicenseFeature>
  readonly onChange: () => void
}) => {
  // A feature with a value and without a quota is not used up.
  const usable = features.filter(({ enabled, max_consumptions, value }) =>
    enabled && (max_consumptions !== undefined || value === undefined)
  )
  const draft = useDraft("usage", nothing)
  const { chosen, eventId, typed, usedOn } = draft.values
  const feature = usable.find(({ feature_id }) => feature_id === chosen) ?? usable[0]
  if (feature === undefined) return null
  const { decimals } = feature
  const amount = wholeOf(typed, { ...amountsOf(feature), decimals })
  return (
    <Action
      label="Report usage"
      small
      scope="license:write"
      says={amount === undefined || feature.remaining === undefined
        ? "The usage counts as if a backend had reported it. Quotas apply."
        : `${feature.feature_name}: ${amountIn(feature.remaining, decimals)} are left, and the usage takes ${
          amountIn(amount, decimals)
        }.`}
      fields={<Fields feature={feature} usable={usable} draft={draft} />}
      draft={draft}
      about={licenseId}
      isReady={amount !== undefined}
      perform={async (client, { idempotencyKey }) => {
        const { results } = await client.usage.report({
          uses: [{
            license_id: licenseId,
            feature_code: feature.feature_code,
            amount: amount ?? 0,
            event_id: eventId.trim() === "" ? idempotencyKey : eventId.trim(),
            ...(usedOn === "" ? {} : { used_at: startOfDay(usedOn) })
          }]
        }, { idempotencyKey })
        return countedIn(results[0])
      }}
      done={({ amount, over_quota, repeated }) =>
        repeated === true
          ? "This event had been counted before, and counts once."
          : `${amountIn(amount, decimals)} of ${feature.feature_name} ${amount === 1 ? "was" : "were"} counted${
            over_quota === undefined ? "." : `, ${amountIn(over_quota, decimals)} of them above the quota.`
          }`}
      onDone={onChange}
    />
  )
}
