import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Countersign, Feature, ManagementScope } from "../../../client/api/index.ts"
import type { Weight } from "../../ground/design/Button.tsx"
import { Check, Choice, NumberField, TextField } from "../../ground/design/Field.tsx"
import { WhileOpen } from "../../ground/forms/WhileOpen.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import type { Draft } from "../../ground/session/Draft.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { DurationField, OverageField } from "../policies/OptionalFields.tsx"
import { carriedPeriods, carriedUnits, isComplete, periods, quotas } from "./GrantDraft.ts"
import type { GrantDraft } from "./GrantDraft.ts"
import { ValueField } from "./ValueField.tsx"

/** The most features that are offered. */
const most = 1000

interface GrantProps {
  readonly label: string
  /** The ID of the policy or of the license. */
  readonly about: string
  /** The product whose features are offered. */
  readonly productId: string
  /** The grant as it is; one without a feature where that is chosen. */
  readonly loaded: GrantDraft
  /** Whether it is granted already, so that only a change is sent. */
  readonly isGranted: boolean
  /** Whether a license gets the feature, instead of all licenses of a policy. */
  readonly isOwn?: boolean
  readonly scope: ManagementScope
  readonly says: ComponentChildren
  readonly perform: (
    client: Countersign,
    draft: GrantDraft,
    feature: Feature,
    options: { readonly idempotencyKey: string }
  ) => Promise<{ readonly feature_name: string }>
  readonly onDone: () => void
  readonly weight?: Weight
}

/** The features of a product, and the one that is asked for where it is of another product. */
const findFeatures = async (client: Countersign, productId: string, featureId: string, signal: AbortSignal) => {
  const all = await firstOf(client.features.list(productId, { limit: 200 }, { signal }), most)
  return featureId === "" || all.some(({ id }) => id === featureId)
    ? all
    : [...all, await client.features.get(featureId, { signal })]
}

/** When the feature ends: after a time under a policy, on a day at a license. */
const Ends = ({ isOwn, onChange, value }: {
  readonly isOwn: boolean
  readonly value: string
  readonly onChange: (value: string) => void
}) =>
  isOwn
    ? (
      <TextField
        label="Ends on"
        type="date"
        path="expires_at"
        value={value}
        onChange={onChange}
        hint="Empty: as the policy says"
      />
    )
    : (
      <DurationField
        label="Ends after"
        path="expires_after"
        value={value}
        onChange={onChange}
        hint="From the start of each license. Not set: as long as the license"
      />
    )

/** At what use of a quota an event tells of it. */
const Thresholds = ({ draft, isOwn, set }: {
  readonly draft: GrantDraft
  readonly set: Draft<GrantDraft>["set"]
  readonly isOwn: boolean
}) => (
  <>
    <TextField
      label="Events at percentages"
      path="quota_thresholds"
      value={draft.thresholds}
      onChange={(thresholds) => set({ thresholds })}
      placeholder="80, 100"
      autocomplete="off"
      hint={`An event is sent when so much of the quota is used. Empty: ${isOwn ? "as the policy says" : "none"}`}
    />
    <TextField
      label="Events at units left"
      path="remaining_thresholds"
      value={draft.rests}
      onChange={(rests) => set({ rests })}
      placeholder="100, 10"
      autocomplete="off"
      hint={`An event is sent when no more is left of the quota and its grants. Empty: ${
        isOwn ? "as the policy says" : "none"
      }`}
    />
  </>
)

/** The units of a quota that are carried into the next periods. */
const Carried = ({ decimals, draft, set }: {
  readonly draft: GrantDraft
  readonly decimals: number | undefined
  readonly set: Draft<GrantDraft>["set"]
}) => (
  <>
    <NumberField
      label="Carried units"
      path="rollover/cap"
      value={draft.carried}
      onChange={(carried) => set({ carried })}
      {...carriedUnits}
      decimals={decimals}
      hint="At most so many unused units of each period can be used later. Empty: none"
    />
    {draft.carried.trim() === "" ? null : (
      <NumberField
        label="Carried for periods"
        path="rollover/periods"
        value={draft.carriedFor}
        onChange={(carriedFor) => set({ carriedFor })}
        {...carriedPeriods}
      />
    )}
  </>
)

/** The quota of a feature, and what is beyond it. */
const Quota = ({ decimals, draft, isOwn, set }: {
  readonly draft: GrantDraft
  /** Decimal places of the amounts of the feature. */
  readonly decimals: number | undefined
  readonly set: Draft<GrantDraft>["set"]
  readonly isOwn: boolean
}) => (
  <>
    <NumberField
      label="Quota"
      path="max_consumptions"
      value={draft.quota}
      onChange={(quota) => set({ quota })}
      {...quotas}
      decimals={decimals}
      hint="Empty: usage is counted and not limited"
    />
    {draft.quota.trim() === "" ? null : (
      <>
        <Choice
          label="Quota resets"
          path="period"
          value={draft.period}
          options={periods}
          onChange={(period) => set({ period })}
        />
        <OverageField
          label="Overage"
          path="overage"
          value={draft.overage}
          onChange={(overage) => set({ overage })}
          hint="Usage above the quota is refused, counted, or allowed up to a limit"
        />
        <Thresholds draft={draft} set={set} isOwn={isOwn} />
        {isOwn || draft.period === "" || draft.period === "subscription"
          ? null
          : <Carried draft={draft} set={set} decimals={decimals} />}
      </>
    )}
  </>
)

const Fields = ({ draft, features, isChosen, isOwn, set }: {
  readonly draft: GrantDraft
  readonly set: Draft<GrantDraft>["set"]
  readonly features: Loaded<ReadonlyArray<Feature>>
  /** Whether the feature is fixed. */
  readonly isChosen: boolean
  readonly isOwn: boolean
}) => {
  const feature = features.data?.find(({ id }) => id === draft.featureId)
  return (
    <>
      {features.error === undefined ? null : <Failure error={features.error} onRetry={features.reload} />}
      {isChosen ? null : (
        <Choice
          label="Feature"
          path="feature_id"
          value={draft.featureId}
          options={[
            ["", "Select a feature"],
            ...(features.data ?? []).filter(({ archived_at }) => archived_at === undefined)
              .map(({ code, id, name }) => [id, `${name} (${code})`] as const)
          ]}
          // A value is of the kind of its feature.
          onChange={(featureId) => set({ featureId, value: "" })}
        />
      )}
      {feature === undefined ? null : (
        <>
          <ValueField
            feature={feature}
            value={draft.value}
            onChange={(value) => set({ value })}
            unset={isOwn ? "As the policy says" : "No value"}
          />
          <Quota decimals={feature.decimals} draft={draft} isOwn={isOwn} set={set} />
          <details class="more">
            <summary>More</summary>
            <div class="stack">
              <Check path="enabled" isOn={draft.isOn} onChange={(isOn) => set({ isOn })}>
                Switched on: otherwise apps are refused the feature
              </Check>
              <Ends isOwn={isOwn} value={draft.ends} onChange={(ends) => set({ ends })} />
              <TextField
                label="Metadata (JSON)"
                path="metadata"
                value={draft.metadata}
                onChange={(metadata) => set({ metadata })}
                autocomplete="off"
              />
            </div>
          </details>
        </>
      )}
    </>
  )
}

/** Grants a feature, by a policy or to one license, or changes how. Only what differs is written. */
export const GrantAction = (of: GrantProps) => {
  const { about, isGranted, isOwn = false, label, loaded, onDone, perform, productId, says, scope, weight = "plain" } =
    of
  const [isOpen, setIsOpen] = useState(false)
  const draft = useDraft(`grant ${about} ${loaded.featureId}`, loaded)
  const isChosen = loaded.featureId !== ""
  const features = useLoad(
    (client, signal) => findFeatures(client, productId, loaded.featureId, signal),
    [productId, loaded.featureId],
    { when: isOpen }
  )
  const feature = features.data?.find(({ id }) => id === draft.values.featureId)
  return (
    <Action
      label={label}
      small
      weight={weight}
      scope={scope}
      says={says}
      about={`${about} ${loaded.featureId}`}
      fields={
        <>
          <WhileOpen begin={() => setIsOpen(true)} end={() => setIsOpen(false)} />
          <Fields draft={draft.values} set={draft.set} {...{ features, isChosen, isOwn }} />
        </>
      }
      draft={draft}
      isReady={isComplete(draft.values, feature) && (!isGranted || draft.changed.length > 0)}
      perform={(client, options) => {
        if (feature === undefined) throw new Error("No feature is chosen.")
        return perform(client, draft.values, feature, options)
      }}
      done={({ feature_name }) => (
        <span>
          Feature <bdi class="strong">{feature_name}</bdi> {isGranted ? "changed" : "granted"}.
        </span>
      )}
      onDone={onDone}
    />
  )
}
