import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { License, LicenseFeature, LicenseUpdateRequest } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { GrantAction } from "../../catalog/features/GrantAction.tsx"
import { licenseGrant, noOwnFeature, ownFeatureOf } from "../../catalog/features/GrantDraft.ts"
import { Check, Choice, NumberField, TextField, wholeOf } from "../../ground/design/Field.tsx"
import { amount } from "../../ground/design/Numbers.ts"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import type { SetTexts } from "../../ground/forms/EditAction.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { may } from "../../ground/session/Session.ts"

const labels = {
  customer_name: "Owner's name",
  customer_email: "Owner's email",
  order_id: "Order ID",
  subscription_id: "Subscription ID",
  follows_subscription: "Follows the subscription"
} as const

type Details = Readonly<Record<keyof typeof labels, string>>

const isMember = (name: string): name is keyof typeof labels => Object.hasOwn(labels, name)

const detailsOf = (license: License): Details => ({
  customer_name: license.customer_name ?? "",
  customer_email: license.customer_email ?? "",
  order_id: license.order_id ?? "",
  subscription_id: license.subscription_id ?? "",
  follows_subscription: String(license.follows_subscription === true)
})

/** The request that writes what differs. An order or a subscription is replaced and never taken away. */
const requestOf = ({ follows_subscription, ...texts }: Partial<Details>): LicenseUpdateRequest => ({
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim()])),
  ...(follows_subscription === undefined ? {} : { follows_subscription: follows_subscription === "true" })
})

const Fields = ({ set, texts }: { readonly texts: Details; readonly set: SetTexts<Details> }) => (
  <>
    <TextField
      label={labels.customer_name}
      path="customer_name"
      value={texts.customer_name}
      onChange={(customer_name) => set({ customer_name })}
      maxLength={255}
      autocomplete="off"
    />
    <TextField
      label={labels.customer_email}
      path="customer_email"
      type="email"
      value={texts.customer_email}
      onChange={(customer_email) => set({ customer_email })}
      maxLength={320}
      autocomplete="off"
    />
    <TextField
      label={labels.order_id}
      path="order_id"
      value={texts.order_id}
      onChange={(order_id) => set({ order_id })}
      placeholder="ord_…"
      maxLength={64}
      autocomplete="off"
      hint="The order that the license comes from"
    />
    <TextField
      label={labels.subscription_id}
      path="subscription_id"
      value={texts.subscription_id}
      onChange={(subscription_id) => set({ subscription_id })}
      placeholder="sub_…"
      maxLength={64}
      autocomplete="off"
      hint="The subscription that pays for the license"
    />
    <Check
      path="follows_subscription"
      isOn={texts.follows_subscription === "true"}
      onChange={(isOn) => set({ follows_subscription: String(isOn) })}
    >
      {labels.follows_subscription}: it ends, renews and pauses with it
    </Check>
  </>
)

/** Corrects the owner of a license, and what it was bought by. Another owner is a transfer. */
export const EditLicense = ({ license, onChange }: {
  readonly license: Pick<License, "id">
  readonly onChange: () => void
}) => (
  <EditAction<Details, License>
    label="Edit details"
    small
    scope="license:write"
    says="Corrects the name and email of the owner, and links the order and the subscription. Another owner takes a transfer."
    read={async (client, signal) => {
      const { data, response } = await client.licenses.get(license.id, {}, signal === undefined ? {} : { signal })
        .withResponse()
      return { texts: detailsOf(data), etag: response.headers.get("etag") ?? undefined }
    }}
    labelOf={(name) => isMember(name) ? labels[name] : name}
    shown={(name, text) => name === "follows_subscription" ? text === "true" ? "yes" : "no" : text}
    fields={(texts, set) => <Fields {...{ set, texts }} />}
    write={(client, changed, options) => client.licenses.update(license.id, requestOf(changed), options)}
    done={() => "Details saved."}
    onDone={onChange}
  />
)

interface OwnProps {
  readonly license: Pick<License, "id" | "product_id">
  /** The feature as the license has it; undefined where one is chosen. */
  readonly feature?: LicenseFeature
  readonly onChange: () => void
}

/** Gives a license a feature, or changes how it has one: its own members take precedence over those of its policy. */
export const OwnFeature = ({ feature, license, onChange }: OwnProps) => {
  // The features to choose from are those of the product.
  if (!may("product:read")) return null
  const loaded = feature === undefined ? noOwnFeature : ownFeatureOf(feature)
  return (
    <GrantAction
      label={feature === undefined ? "Give feature" : "Edit"}
      weight={feature === undefined ? "plain" : "bare"}
      about={license.id}
      productId={license.product_id}
      loaded={loaded}
      isGranted={feature !== undefined}
      isOwn
      scope="license:write"
      says="Changes this license only, from the next request of the app. Fields that are not set follow the policy."
      perform={(client, draft, chosen, options) =>
        client.licenses.assignFeature(license.id, licenseGrant(loaded, draft, chosen), options)}
      onDone={onChange}
    />
  )
}

/** Takes what a license has of its own of a feature. */
export const RemoveOwnFeature = ({ feature, license, onChange }: OwnProps & { readonly feature: LicenseFeature }) =>
  feature.from === "policy" ? null : (
    <Action
      label={feature.from === "both" ? "Use policy" : "Remove"}
      about={feature.feature_id}
      small
      weight="bare"
      scope="license:write"
      asksWhy="license"
      says={
        <>
          <bdi class="strong">{feature.feature_name}</bdi>: {feature.from === "both"
            ? "The license has the feature as its policy grants it, from the next request of the app."
            : consequenceOf("removeLicenseFeature")}
        </>
      }
      perform={(client, options) => client.licenses.removeFeature(license.id, feature.feature_id, options)}
      done={() => feature.from === "both" ? "The policy decides." : "The license no longer has the feature."}
      onDone={onChange}
    />
  )

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
