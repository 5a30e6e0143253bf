import { useState } from "preact/hooks"
import { consequenceOf } from "../../client/api/Consequence.ts"
import type { License } from "../../client/api/index.ts"
import { SecretOnce } from "../design/Copy.tsx"
import { Check, Choice, NumberField, TextField, wholeOf } from "../design/Field.tsx"
import { dateOf, momentOf } from "../design/Time.tsx"
import { Action } from "../session/Action.tsx"
import { ownerOf } from "./Owner.tsx"
import { renewalDays, renewalView, usualStart } from "./Renewal.ts"
import type { RenewFrom } from "./Renewal.ts"

interface ActionsProps {
  readonly license: License
  readonly onChange: () => void
}

/** How many hours the previous key of a license works on. */
const overlapHours = { min: 0, max: 90 * 24 }

const Renew = ({ license, onChange }: ActionsProps) => {
  const [days, setDays] = useState("365")
  const [until, setUntil] = useState("")
  const [from, setFrom] = useState<RenewFrom>(usualStart(license))
  const { ends, isReady, request, says } = renewalView(license, { days, from, until })
  return (
    <Action
      label="Renew"
      weight={license.status === "suspended" ? "plain" : "main"}
      scope="license:write"
      asksWhy
      says={says}
      fields={
        <div class="filters">
          <NumberField label="Days to add" {...renewalDays} value={days} onChange={setDays} />
          <Choice
            label="Count from"
            value={from}
            onChange={(value) => setFrom(value as RenewFrom)}
            options={[
              ["expiry", `expiration, ${dateOf(license.expires_at!)}${ends.expiry}`],
              ["now", `now${ends.now}`]
            ]}
            isLong
          />
          <TextField
            label="Or expires on"
            type="date"
            value={until}
            onChange={setUntil}
            hint="Start of the day in UTC"
          />
        </div>
      }
      isReady={isReady}
      perform={(client, options, said) => client.licenses.renew(license.id, { ...request, ...said }, options)}
      done={({ expires_at }) =>
        expires_at === undefined
          ? "Renewed. The license never expires."
          : `Renewed. The license expires ${momentOf(expires_at)}.`}
      onDone={onChange}
    />
  )
}

const Transfer = ({ license, onChange }: ActionsProps) => {
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const [customer, setCustomer] = useState("")
  const [resets, setResets] = useState(true)
  return (
    <Action
      label="Transfer"
      scope="license:write"
      asksWhy
      says={`${ownerOf(license)} no longer owns the license. ${
        consequenceOf("transferLicense", { reset_devices: resets })
      } A new customer ID also removes the current name and email; otherwise empty fields keep their values.`}
      fields={
        <>
          <TextField label="New owner's name" value={name} onChange={setName} />
          <TextField label="New owner's email" type="email" value={email} onChange={setEmail} />
          <TextField label="Customer ID" value={customer} onChange={setCustomer} placeholder="cus_…" />
          <Check isOn={resets} onChange={setResets}>Free all device seats</Check>
        </>
      }
      isReady={[name, email, customer].some((text) => text.trim() !== "")}
      perform={(client, options, said) =>
        client.licenses.transfer(license.id, {
          ...(name.trim() === "" ? {} : { customer_name: name.trim() }),
          ...(email.trim() === "" ? {} : { customer_email: email.trim() }),
          ...(customer.trim() === "" ? {} : { customer_id: customer.trim() }),
          reset_devices: resets,
          ...said
        }, options)}
      done={(changed) => (
        <>
          Transferred to <bdi class="strong">{ownerOf(changed)}</bdi>.
        </>
      )}
      onDone={onChange}
    />
  )
}

const RotateKey = ({ license, onChange }: ActionsProps) => {
  const [hours, setHours] = useState("24")
  const overlap = wholeOf(hours, overlapHours)
  return (
    <Action
      label="Rotate key"
      scope="license:write"
      asksWhy
      says={consequenceOf("rotateLicenseKey", overlap === undefined ? {} : { overlap_minutes: overlap * 60 })}
      fields={
        <NumberField
          label="Overlap (hours)"
          {...overlapHours}
          value={hours}
          onChange={setHours}
        />
      }
      isReady={overlap !== undefined}
      perform={(client, options, said) =>
        client.licenses.rotateKey(license.id, { overlap_minutes: (overlap ?? 0) * 60, ...said }, options)}
      done={({ license_key }) => <SecretOnce label="New license key" text={license_key} />}
      onDone={onChange}
    />
  )
}

/** The actions on a license, as far as its status allows them. */
export const LicenseActions = ({ license, onChange }: ActionsProps) => {
  const { id, license_key_last4, status } = license
  if (status === "revoked") return null
  return (
    <div class="row wraps">
      {license.expires_at === undefined || license.follows_subscription === true
        ? null
        : <Renew license={license} onChange={onChange} />}
      {status === "suspended"
        ? (
          <Action
            label="Reinstate"
            weight="main"
            scope="license:write"
            asksWhy
            says={consequenceOf("reinstateLicense")}
            perform={(client, options) => client.licenses.reinstate(id, options)}
            done={() => "License reinstated."}
            onDone={onChange}
          />
        )
        : (
          <Action
            label="Suspend"
            scope="license:write"
            asksWhy
            says={consequenceOf("suspendLicense")}
            perform={(client, options) => client.licenses.suspend(id, options)}
            done={() => "License suspended."}
            onDone={onChange}
          />
        )}
      <RotateKey license={license} onChange={onChange} />
      <Transfer license={license} onChange={onChange} />
      <Action
        label="Revoke"
        weight="danger"
        scope="license:write"
        asksWhy
        typed={license_key_last4}
        says={
          <>
            <bdi class="strong">{ownerOf(license)}</bdi>: {consequenceOf("revokeLicense")}
          </>
        }
        perform={(client, options) => client.licenses.revoke(id, options)}
        done={() => "License revoked."}
        onDone={onChange}
      />
    </div>
  )
}
