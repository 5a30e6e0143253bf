import { useEffect } from "preact/hooks"
import type { BillingConnection, Feature, MatchedBy, UnitMapping } from "../../../client/api/index.ts"
import { DurationField } from "../../catalog/policies/OptionalFields.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { Choice, NumberField } from "../../ground/design/Field.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { nameProducts, products } from "../../ground/session/Names.ts"
import { may } from "../../ground/session/Session.ts"
import { changeMapping } from "./MappingChange.ts"
import { MatchFields } from "./MatchFields.tsx"
import { amounts, enteredUnits, noUnits, unitEnds, unitOwners, unitsEntered, withUnits } from "./UnitDraft.ts"
import type { UnitDraft } from "./UnitDraft.ts"

interface FieldsProps {
  readonly entered: UnitDraft
  readonly onChange: (changes: Partial<UnitDraft>) => void
}

/** Selects the price and the feature, after its product. */
const WhatFields = ({ entered, onChange, provider }: FieldsProps & Pick<MapUnitsProps, "provider">) => {
  const all = [...products.value?.values() ?? []]
  const product = entered.product === "" && all.length === 1 ? all[0]!.id : entered.product
  const features = useLoad(
    (client, signal) => client.features.list(product, { limit: 200 }, { signal }),
    [product],
    { when: product !== "" }
  )
  useEffect(() => void nameProducts(), [])
  // A feature that measures the latest amount uses no units up, so that none can be sold.
  const sold = (features.data ?? []).filter(({ meter }) => meter !== "last")
  return (
    <>
      <MatchFields entered={entered} provider={provider} onChange={onChange} />
      <Choice
        label="Product"
        value={product}
        options={[["", "Select a product"], ...all.map(({ id, name }) => [id, name] as const)]}
        onChange={(id) => onChange({ product: id, feature: undefined })}
      />
      <Choice
        label="Feature"
        value={entered.feature?.id ?? ""}
        options={[["", "Select a feature"], ...sold.map(({ id, name }) => [id, name] as const)]}
        onChange={(chosen) => onChange({ product, feature: sold.find(({ id }) => id === chosen) })}
        hint="Policies grant it with a quota, 0 if it is sold in packs alone"
      />
    </>
  )
}

/** How many units, whose they are, and when they end. */
const AmountFields = ({ entered, onChange }: FieldsProps) => {
  const limits = { ...amounts, decimals: entered.feature?.decimals }
  return (
    <>
      <NumberField
        label="Units"
        value={entered.amount}
        onChange={(amount) => onChange({ amount })}
        hint="One gives so many; a quantity of 5 gives five times as many"
        {...limits}
      />
      <Choice
        label="To"
        value={entered.to}
        options={unitOwners}
        onChange={(to) => onChange({ to: to === "customer" ? "customer" : "license" })}
      />
      {entered.to === "license" ? null : (
        <NumberField
          label="Most per license"
          value={entered.most}
          onChange={(most) => onChange({ most })}
          hint="Empty: a license may use all of the pool"
          {...limits}
        />
      )}
      <Choice
        label="End"
        value={entered.ends}
        options={unitEnds}
        onChange={(ends) => onChange({ ends: unitEnds.find(([end]) => end === ends)?.[0] ?? "never" })}
        hint="A one-time purchase has no period"
      />
      {entered.ends === "after"
        ? (
          <DurationField
            label="End after"
            path="expires_after"
            value={entered.after}
            onChange={(after) => onChange({ after })}
            hint="From the payment on"
          />
        )
        : null}
    </>
  )
}

interface MapUnitsProps {
  readonly of: Pick<BillingConnection, "id">
  /** By what this provider's prices are usually matched, and its name. */
  readonly by: MatchedBy
  readonly provider: string
  /** The entry that is changed, with its feature; none where one is added. */
  readonly there?: { readonly entry: UnitMapping; readonly feature: Feature } | undefined
  readonly onChange: () => void
}

/** Has a price give units of a feature, or changes what it gives. */
export const MapUnits = ({ by, of, onChange, provider, there }: MapUnitsProps) => {
  const loaded = there === undefined ? noUnits(by) : enteredUnits(there.entry, there.feature)
  const about = there === undefined ? "" : `${there.entry.value} ${there.entry.feature_id}`
  const draft = useDraft(`units ${about}`, loaded)
  const entered = draft.values
  const entry = unitsEntered(entered, there?.entry)
  return (
    <Action
      label={there === undefined ? "Add units" : "Change"}
      small
      isOffered={may("license:write")}
      scope="product:write"
      says={there === undefined
        ? "Each payment for what matches gives units of a feature, from now on. A price can become a license as well."
        : (
          <>
            Payments for <bdi class="strong wrap">{there.entry.name ?? there.entry.value}</bdi>{" "}
            give these units from now on. Units that were given stay as they are.
          </>
        )}
      fields={
        <>
          {there === undefined
            ? <WhatFields entered={entered} onChange={draft.set} provider={provider} />
            : <Note title={there.feature.name}>{there.entry.value}</Note>}
          <AmountFields entered={entered} onChange={draft.set} />
        </>
      }
      draft={draft}
      about={about}
      isReady={entry !== undefined}
      perform={(client, options) => changeMapping(client, of.id, (mapping) => withUnits(mapping, entry!), options)}
      done={() => <span>Saved. Payments that match give units.</span>}
      onDone={onChange}
    />
  )
}
