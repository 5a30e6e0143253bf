import { useState } from "preact/hooks"
import type { License } from "../../client/api/index.ts"
import { SecretOnce } from "../design/Copy.tsx"
import { Check, Choice, NumberField, TextField, wholeOf } from "../design/Field.tsx"
import { dateOf, momentOf } from "../design/Time.tsx"
import { Action } from "../session/Action.tsx"
import { ownerOf } from "./Owner.tsx"

interface ActionsProps {
  readonly license: License
  readonly onChange: () => void
}

const day = 86_400_000

/** For how many days a license is renewed at once, and for how many hours an old key works on. */
const daysMore = { min: 1, max: 99_999 }
const hoursMore = { min: 0, max: 90 * 24 }

type RenewFrom = "expiry" | "now"

const Renew = ({ license, onChange }: ActionsProps) => {
  const [days, setDays] = useState("365")
  const [until, setUntil] = useState("")
  const expiresAt = Date.parse(license.expires_at!)
  const isOver = expiresAt <= Date.now()
  // What the service counts from where it is told nothing.
  const usual: RenewFrom = isOver ? "now" : "expiry"
  const [from, setFrom] = useState<RenewFrom>(usual)
  const added = wholeOf(days, daysMore) ?? 0
  const isWhole = added > 0
  const endFrom = (start: RenewFrom) => (start === "expiry" ? expiresAt : Date.now()) + added * day
  const shown = (start: RenewFrom) => isWhole ? `: until about ${dateOf(new Date(endFrom(start)).toISOString())}` : ""
  const isTooEarly = until === "" && isWhole && endFrom(from) <= Date.now()
  return (
    <Action
      label="Renew"
      weight={license.status === "suspended" ? "plain" : "main"}
      scope="license:write"
      asksWhy
      says={until === ""
        ? isWhole
          ? isTooEarly
            ? `${added} days after its end are over already: give more days, or count from now.`
            : `It will run until about ${dateOf(new Date(endFrom(from)).toISOString())}.${
              from === usual ? "" : isOver
                ? " The days since its end are part of them."
                : " What is left of its time is not added."
            }`
          : "Say for how many days."
        : `It will run until ${dateOf(`${until}T00:00:00Z`)}.`}
      fields={
        <div class="filters">
          <NumberField label="More days" {...daysMore} value={days} onChange={setDays} />
          <Choice
            label="Counted from"
            value={from}
            onChange={(value) => setFrom(value as RenewFrom)}
            options={[
              ["expiry", `its end, ${dateOf(license.expires_at!)}${shown("expiry")}`],
              ["now", `now${shown("now")}`]
            ]}
            isLong
          />
          <TextField
            label="Or until"
            type="date"
            value={until}
            onChange={setUntil}
            hint="The begin of the day in UTC"
          />
        </div>
      }
      isReady={until !== "" || (isWhole && !isTooEarly)}
      perform={(client, options, said) =>
        client.licenses.renew(
          license.id,
          {
            ...(until === ""
              ? { extend_by_days: added, ...(from === usual ? {} : { renew_from: from }) }
              : { expires_at: `${until}T00:00:00Z` }),
            ...said
          },
          options
        )}
      done={({ expires_at }) => `It runs until ${expires_at === undefined ? "no end" : momentOf(expires_at)}.`}
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
      says={`${
        ownerOf(license)
      } will no longer own it. With another customer id the former name and e-mail go too; otherwise what is left empty stays. A transfer counts against the policy's limit.`}
      fields={
        <>
          <TextField label="New owner's name" value={name} onChange={setName} />
          <TextField label="New owner's e-mail" type="email" value={email} onChange={setEmail} />
          <TextField label="Customer id" value={customer} onChange={setCustomer} placeholder="cus_…" />
          <Check isOn={resets} onChange={setResets}>Free the seats of all devices</Check>
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
          It is <bdi class="strong">{ownerOf(changed)}</bdi>'s now.
        </>
      )}
      onDone={onChange}
    />
  )
}

const RotateKey = ({ license, onChange }: ActionsProps) => {
  const [hours, setHours] = useState("24")
  const overlap = wholeOf(hours, hoursMore)
  return (
    <Action
      label="Change key"
      scope="license:write"
      asksWhy
      says="A new key is made and shown once, here. Devices and their seats stay. Tell the owner the new key before the old one ends."
      fields={
        <NumberField
          label="Hours in which the old key still works"
          {...hoursMore}
          value={hours}
          onChange={setHours}
        />
      }
      isReady={overlap !== undefined}
      perform={(client, options, said) =>
        client.licenses.rotateKey(license.id, { overlap_minutes: (overlap ?? 0) * 60, ...said }, options)}
      done={({ license_key }) => <SecretOnce label="The new license key" text={license_key} />}
      onDone={onChange}
    />
  )
}

/** What support does with a license. What its state does not allow is not offered. */
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
            says="The app may run again from its next call on."
            perform={(client, options) => client.licenses.reinstate(id, options)}
            done={() => "The suspension is lifted."}
            onDone={onChange}
          />
        )
        : (
          <Action
            label="Suspend"
            scope="license:write"
            asksWhy
            says="Nothing runs on it from the next call on, until somebody reinstates it. Seats are kept."
            perform={(client, options) => client.licenses.suspend(id, options)}
            done={() => "The license is suspended."}
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
            Nothing runs on{" "}
            <bdi class="strong">{ownerOf(license)}</bdi>'s license any more, and its seats become free. This is for
            good: it cannot be taken back. To stop it for a while, suspend it.
          </>
        }
        perform={(client, options) => client.licenses.revoke(id, options)}
        done={() => "The license is revoked."}
        onDone={onChange}
      />
    </div>
  )
}
