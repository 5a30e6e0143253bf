import { useState } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { License, LicenseTerms } from "../../../client/api/index.ts"
import { CustomerPick } from "../../customers/CustomerPick.tsx"
import type { Picked } from "../../customers/CustomerPick.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { SecretOnce, useCopied } from "../../ground/design/Copy.tsx"
import { Check, TextField } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { durationOf } from "../../ground/design/Time.tsx"
import { ownerOf } from "../../ground/lists/NamesOf.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { may } from "../../ground/session/Session.ts"
import { mailOf } from "./KeyMail.ts"
import { QrCode } from "./QrCode.tsx"

type Terms = Pick<LicenseTerms, "allow_offline_activation" | "offline_grace_days" | "validation_interval_minutes">

/** When an app learns of a change, by the terms of its license. */
const stopText = ({ allow_offline_activation, offline_grace_days, validation_interval_minutes }: Terms): string => {
  const days = allow_offline_activation?.value === true ? offline_grace_days?.value ?? 0 : 0
  const most = durationOf((validation_interval_minutes?.value ?? 1440) * 60)
  const offline = days === 0 ? "" : ` A device without network may continue for up to ${some(days, "day")}.`
  return `The app stops at its next check-in, at most ${most} from now.${offline}`
}

/** The consequence of what stops a license: how soon, and what happens to the seats. */
export const stoppingText = (operation: "suspendLicense" | "revokeLicense", terms: Terms): string =>
  `${stopText(terms)} ${
    operation === "suspendLicense"
      ? "Devices keep their seats. To undo this, reinstate the license."
      : consequenceOf("revokeLicense")
  }`

/** A license key that is shown once: as a text, as a mail to its owner, and as a QR code. */
export const LicenseKeyOnce = ({ label, name, product, text }: {
  readonly label: string
  readonly text: string
  /** The name of the owner, for the mail. */
  readonly name: string | undefined
  readonly product: string
}) => {
  const mail = useCopied(mailOf({ key: text, name, product }))
  const [hasQr, setHasQr] = useState(false)
  return (
    <>
      <SecretOnce label={label} text={text} />
      <div class="row wraps">
        <Button small onClick={mail.copy}>{mail.outcome ?? "Copy as mail"}</Button>
        <Button small onClick={() => setHasQr(!hasQr)}>{hasQr ? "Hide QR code" : "QR code"}</Button>
      </div>
      {hasQr ? <QrCode text={text} label={`QR code: ${label}`} /> : null}
    </>
  )
}

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
