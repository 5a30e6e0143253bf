import type { Feature } from "../../../client/api/index.ts"
import { Choice, isWholeOrNone, NumberField, wholeOf } from "../../ground/design/Field.tsx"
import { amount as amountIn } from "../../ground/design/Numbers.ts"
import { dateOf, startOfDay } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import type { Draft } from "../../ground/session/Draft.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import { EndField, units, UnitsField } from "./GrantFields.tsx"

/** The most products, and features of one, that are offered. */
const most = 200

const nothing = { product: "", feature: "", end: "", typed: "", cap: "" }

/** The products, and the features of one of them that may be metered. */
const useOffered = (chosen: string) => {
  const products = useLoad((client, signal) => firstOf(client.products.list({ limit: most }, { signal }), most), [])
  const productId = chosen === "" ? products.data?.[0]?.id ?? "" : chosen
  const features = useLoad(
    (client, signal) =>
      productId === ""
        ? Promise.resolve<ReadonlyArray<Feature>>([])
        : firstOf(client.features.list(productId, { limit: most }, { signal }), most),
    [productId]
  )
  const open = (features.data ?? []).filter(({ archived_at }) => archived_at === undefined)
  return { productId, products: products.data ?? [], features: open }
}

const Fields = ({ draft, feature, offered: { features, productId, products } }: {
  readonly draft: Draft<typeof nothing>
  readonly offered: ReturnType<typeof useOffered>
  readonly feature: Feature | undefined
}) => (
  <div class="filters">
    <Choice
      label="Product"
      value={productId}
      options={products.map(({ id, name }) => [id, name])}
      onChange={(product) => draft.set({ product, feature: "" })}
    />
    <Choice
      label="Feature"
      path="feature_id"
      value={feature?.id ?? ""}
      options={features.map(({ id, name }) => [id, name])}
      onChange={(feature) => draft.set({ feature })}
    />
    <UnitsField
      decimals={feature?.decimals}
      value={draft.values.typed}
      onChange={(typed) => draft.set({ typed })}
    />
    <NumberField
      label="At most per license"
      path="max_per_license"
      {...units}
      decimals={feature?.decimals}
      value={draft.values.cap}
      onChange={(cap) => draft.set({ cap })}
      hint="Empty: as much as there is"
    />
    <EndField value={draft.values.end} onChange={(end) => draft.set({ end })} />
  </div>
)

/** Gives a customer units that its licenses share. */
export const GivePool = ({ customerId, onChange }: {
  readonly customerId: string
  readonly onChange: () => void
}) => {
  const draft = useDraft("pool", nothing)
  const { cap, end, feature: chosen, product, typed } = draft.values
  const offered = useOffered(product)
  const { features } = offered
  const feature = features.find(({ id }) => id === chosen) ?? features[0]
  const decimals = feature?.decimals
  const amount = wholeOf(typed, { ...units, decimals })
  const limit = wholeOf(cap, { ...units, decimals })
  const expires_at = end === "" ? undefined : startOfDay(end)
  return (
    <Action
      label="Give units"
      small
      scope="license:write"
      asksWhy
      says={`The customer's licenses with a quota of the feature share the units, after their own. ${
        expires_at === undefined ? "The units do not end." : `The units end on ${dateOf(expires_at)}.`
      }`}
      fields={<Fields draft={draft} offered={offered} feature={feature} />}
      draft={draft}
      isReady={feature !== undefined && amount !== undefined && isWholeOrNone(cap, { ...units, decimals })}
      perform={(client, options, reason) =>
        client.customers.createPool(customerId, {
          feature_id: feature?.id ?? "",
          amount: amount ?? 0,
          ...(limit === undefined ? {} : { max_per_license: limit }),
          ...(expires_at === undefined ? {} : { expires_at }),
          ...reason
        }, options)}
      done={({ amount, decimals, feature_code }) =>
        `The customer's licenses share ${amountIn(amount, decimals)} units of ${feature_code}.`}
      onDone={onChange}
    />
  )
}
