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
            ? `The license would still be expired after ${added} days. Add more days, or count from now.`
            : `The license expires on about ${dateOf(new Date(endFrom(from)).toISOString())}.${
              from === usual ? "" : isOver
                ? " The days since it expired are included."
                : " The remaining time is not added."
            }`
          : "Enter the number of days."
        : `The license expires on ${dateOf(`${until}T00:00:00Z`)}.`}
      fields={
        <div class="filters">
          <NumberField label="Days to add" {...daysMore} value={days} onChange={setDays} />
          <Choice
            label="Count from"
            value={from}
            onChange={(value) => setFrom(value as RenewFrom)}
            options={[
              ["expiry", `expiration, ${dateOf(license.expires_at!)}${shown("expiry")}`],
              ["now", `now${shown("now")}`]
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
      says={`${
        ownerOf(license)
      } no longer owns the license. A new customer ID also removes the current name and email; otherwise empty fields keep their values. Counts toward the policy's transfer limit.`}
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
  const overlap = wholeOf(hours, hoursMore)
  return (
    <Action
      label="Rotate key"
      scope="license:write"
      asksWhy
      says="Creates a new key, which is shown only once. Devices keep their seats. Send the new key to the owner before the previous key expires."
      fields={
        <NumberField
          label="Overlap (hours)"
          {...hoursMore}
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
            says="The license works again from the next check."
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
            says="The license stops working at the next check on every device. Devices keep their seats. You can reinstate it."
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
            Permanently disables the license of <bdi class="strong">{ownerOf(license)}</bdi>{" "}
            and frees its seats. This cannot be undone. To disable the license temporarily, suspend it instead.
          </>
        }
        perform={(client, options) => client.licenses.revoke(id, options)}
        done={() => "License revoked."}
        onDone={onChange}
      />
    </div>
  )
}
