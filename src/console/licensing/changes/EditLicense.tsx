import type { License, LicenseUpdateRequest } from "../../../client/api/index.ts"
import { Check, TextField } from "../../ground/design/Field.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import type { SetTexts } from "../../ground/forms/EditAction.tsx"

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
