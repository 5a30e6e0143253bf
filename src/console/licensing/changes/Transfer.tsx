import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { License } from "../../../client/api/index.ts"
import { CustomerPick } from "../../customers/CustomerPick.tsx"
import type { Picked } from "../../customers/CustomerPick.tsx"
import { Check, TextField } from "../../ground/design/Field.tsx"
import { ownerOf } from "../../ground/lists/NamesOf.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { may } from "../../ground/session/Session.ts"

interface NextOwner {
  readonly name: string
  readonly email: string
  readonly customer: Picked | undefined
  /** Whether all devices give their seats back. */
  readonly resets: boolean
}

const nobody: NextOwner = { name: "", email: "", customer: undefined, resets: true }

/** Gives a license to another owner: a customer, or a name and an address. */
export const Transfer = ({ license, onChange }: {
  readonly license: License
  readonly onChange: () => void
}) => {
  const draft = useDraft("owner", nobody)
  const { customer, email, name, resets } = draft.values
  return (
    <Action
      label="Transfer"
      scope="license:write"
      secondLook="rotate_license_key"
      asksWhy="license.transferred"
      says={`${ownerOf(license)} no longer owns the license. ${
        consequenceOf("transferLicense", { reset_devices: resets })
      } Another customer also removes the current name and email; otherwise empty fields keep their values.`}
      fields={
        <>
          {may("customer:read")
            ? (
              <CustomerPick
                customer={customer}
                onChange={(customer) => draft.set({ customer })}
                hint="Words of a name or email, a domain, or an ID"
              />
            )
            : null}
          <TextField
            label="New owner's name"
            path="customer_name"
            value={name}
            onChange={(name) => draft.set({ name })}
          />
          <TextField
            label="New owner's email"
            path="customer_email"
            type="email"
            value={email}
            onChange={(email) => draft.set({ email })}
          />
          <Check isOn={resets} onChange={(resets) => draft.set({ resets })}>Free all device seats</Check>
        </>
      }
      draft={draft}
      isReady={customer !== undefined || [name, email].some((text) => text.trim() !== "")}
      perform={async (client, options, said) => {
        // The license shows the name of its customer, and not that of the owner before.
        const left = customer === undefined ? {} : { customer_name: "" }
        const changed = await client.licenses.transfer(license.id, {
          ...(name.trim() === "" ? left : { customer_name: name.trim() }),
          ...(email.trim() !== ""
            ? { customer_email: email.trim() }
            : customer === undefined
            ? {}
            : { customer_email: "" }),
          ...(customer === undefined ? {} : { customer_id: customer.id }),
          reset_devices: resets,
          ...said
        }, options)
        return changed.customer_name ?? customer?.name ?? ownerOf(changed)
      }}
      done={(owner) => (
        <>
          Transferred to <bdi class="strong">{owner}</bdi>.
        </>
      )}
      onDone={onChange}
    />
  )
}
