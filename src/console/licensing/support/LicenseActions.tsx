import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { License, LicenseTerms, Policy } from "../../../client/api/index.ts"
import { Choice, NumberField, TextField, wholeOf } from "../../ground/design/Field.tsx"
import { dateOf, momentOf, timeZone } from "../../ground/design/Time.tsx"
import { ownerOf } from "../../ground/lists/NamesOf.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { ChangePolicy } from "../changes/ChangePolicy.tsx"
import { LicenseKeyOnce, stoppingText, Transfer } from "../changes/Transfer.tsx"
import { productOf } from "./Owner.tsx"
import { renewalDays, renewalView, usualStart } from "./Renewal.ts"
import type { RenewFrom } from "./Renewal.ts"

interface ActionsProps {
  readonly license: License
  readonly onChange: () => void
}

interface AllProps extends ActionsProps {
  readonly policy: Pick<Policy, "name">
  readonly terms: LicenseTerms
}

/** How many hours the previous key of a license works on. */
const overlapHours = { min: 0, max: 90 * 24 }

const Renew = ({ license, onChange }: ActionsProps) => {
  const draft = useDraft("renewal", { days: "365", until: "", from: usualStart(license) })
  const { days, from, until } = draft.values
  const { ends, isReady, request, says } = renewalView(license, { days, from, until })
  return (
    <Action
      label="Renew"
      weight={license.status === "suspended" ? "plain" : "main"}
      scope="license:write"
      asksWhy="license.renewed"
      says={says}
      fields={
        <div class="filters">
          <NumberField label="Days to add" {...renewalDays} value={days} onChange={(days) => draft.set({ days })} />
          <Choice
            label="Count from"
            value={from}
            onChange={(from) => draft.set({ from: from as RenewFrom })}
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
            onChange={(until) => draft.set({ until })}
            hint={`Start of the day, ${timeZone}`}
          />
        </div>
      }
      draft={draft}
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

const RotateKey = ({ license, onChange }: ActionsProps) => {
  const draft = useDraft("overlap", { hours: "24" })
  const { hours } = draft.values
  const overlap = wholeOf(hours, overlapHours)
  return (
    <Action
      label="Rotate key"
      scope="license:write"
      asksWhy="license.key_rotated"
      says={consequenceOf("rotateLicenseKey", overlap === undefined ? {} : { overlap_minutes: overlap * 60 })}
      fields={
        <NumberField
          label="Overlap (hours)"
          {...overlapHours}
          value={hours}
          onChange={(hours) => draft.set({ hours })}
        />
      }
      draft={draft}
      isReady={overlap !== undefined}
      secondLook="rotate_license_key"
      perform={(client, options, said) =>
        client.licenses.rotateKey(license.id, { overlap_minutes: (overlap ?? 0) * 60, ...said }, options)}
      done={({ license_key }) => (
        <LicenseKeyOnce
          label="New license key"
          text={license_key}
          name={license.customer_name ?? license.names?.customer}
          product={productOf(license)}
        />
      )}
      onDone={onChange}
    />
  )
}

/** The actions on a license, as far as its status allows them. */
export const LicenseActions = ({ license, onChange, policy, terms }: AllProps) => {
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
            asksWhy="license.reinstated"
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
            asksWhy="license.suspended"
            says={stoppingText("suspendLicense", terms)}
            perform={(client, options) => client.licenses.suspend(id, options)}
            done={() => "License suspended."}
            onDone={onChange}
          />
        )}
      <ChangePolicy license={license} policy={policy} owner={ownerOf(license)} onChange={onChange} />
      <RotateKey license={license} onChange={onChange} />
      <Transfer license={license} onChange={onChange} />
      <Action
        label="Revoke"
        weight="danger"
        scope="license:write"
        asksWhy="license.revoked"
        typed={license_key_last4}
        says={
          <>
            <bdi class="strong">{ownerOf(license)}</bdi>: {stoppingText("revokeLicense", terms)}
          </>
        }
        secondLook="revoke_license"
        perform={(client, options) => client.licenses.revoke(id, options)}
        done={() => "License revoked."}
        onDone={onChange}
      />
    </div>
  )
}
