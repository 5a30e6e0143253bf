import { useState } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { BillingConnection, BillingMapping } from "../../../client/api/index.ts"
import { Choice, NumberField, TextField, wholeOf } from "../../ground/design/Field.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { unkept, useDraft } from "../../ground/session/Draft.tsx"
import { may } from "../../ground/session/Session.ts"
import { changeMapping } from "../selling/MappingChange.ts"
import { providers } from "./Providers.ts"

interface ActionsProps {
  readonly of: BillingConnection
  readonly onChange: () => void
}

/** For how long the previous secret works, in hours: a week at most. */
const overlap = { min: 0, max: 7 * 24 }

/** Enters the secret of the provider's webhook, or a new one instead. */
export const SetSecret = ({ of, onChange }: ActionsProps) => {
  const [secret, setSecret] = useState("")
  const [hours, setHours] = useState("24")
  const chosen = wholeOf(hours, overlap)
  return (
    <Action
      label={of.has_secret ? "Rotate secret" : "Enter secret"}
      small
      weight={of.has_secret ? "plain" : "main"}
      isOffered={may("license:write")}
      scope="product:write"
      says={of.has_secret
        ? consequenceOf("updateBillingConnection", { secret })
        : "Events without a valid signature are refused. The secret is stored encrypted and never shown."}
      fields={
        <>
          <TextField
            label="Secret"
            path="secret"
            type="password"
            value={secret}
            onChange={setSecret}
            autocomplete="off"
            hint={providers[of.provider].secret}
            maxLength={512}
            isFirst
          />
          {of.has_secret
            ? (
              <NumberField
                label="Overlap (hours)"
                {...overlap}
                value={hours}
                onChange={setHours}
                hint="How long the previous secret works, at most 168 hours"
              />
            )
            : null}
        </>
      }
      draft={unkept("A secret is kept nowhere in the browser.", secret !== "")}
      isReady={secret.trim().length >= 6 && chosen !== undefined}
      perform={(client, options) =>
        client.billingConnections.update(of.id, {
          secret: secret.trim(),
          ...(of.has_secret ? { secret_overlap_seconds: (chosen ?? 0) * 3600 } : {})
        }, options)}
      done={() => <span>Saved. Events that are signed with it are accepted from now on.</span>}
      onDone={() => {
        setSecret("")
        onChange()
      }}
    />
  )
}

/** Enters an API key of the provider, or removes it. */
export const SetApiKey = ({ of, onChange }: ActionsProps) => {
  const [key, setKey] = useState("")
  return (
    <Action
      label={of.has_api_key ? "Change API key" : "Enter API key"}
      small
      isOffered={may("license:write")}
      scope="product:write"
      says={`${
        providers[of.provider].apiKey
      }. Countersign only reads with it. The key is stored encrypted and never shown.`}
      fields={
        <TextField
          label="API key"
          path="api_key"
          type="password"
          value={key}
          onChange={setKey}
          autocomplete="off"
          maxLength={512}
          {...(of.has_api_key ? { hint: "Leave empty to remove the key" } : {})}
          isFirst
        />
      }
      draft={unkept("A key of the provider is kept nowhere in the browser.", key !== "")}
      isReady={of.has_api_key || key.trim() !== ""}
      perform={(client, options) => client.billingConnections.update(of.id, { api_key: key.trim() }, options)}
      done={() => <span>Saved.</span>}
      onDone={() => {
        setKey("")
        onChange()
      }}
    />
  )
}

/** Enters where customers sign in at the provider, or removes it. */
export const SetCustomerPortal = ({ of, onChange }: ActionsProps) => {
  const before = of.customer_portal_url ?? ""
  const draft = useDraft("customer portal", { url: before })
  const url = draft.values.url.trim()
  return (
    <Action
      label={before === "" ? "Enter customer portal" : "Change customer portal"}
      small
      isOffered={may("license:write")}
      scope="product:write"
      says={`In their portal, customers see a link to this page of ${
        providers[of.provider].name
      } with their purchases.`}
      fields={
        <TextField
          label="Login page for customers"
          path="customer_portal_url"
          type="url"
          value={draft.values.url}
          onChange={(value) => draft.set({ url: value })}
          maxLength={2048}
          hint={before === "" ? "Starts with https://" : "Leave empty to remove it"}
          isFirst
        />
      }
      draft={draft}
      isReady={url !== before && (url === "" || url.startsWith("https://"))}
      perform={(client, options) => client.billingConnections.update(of.id, { customer_portal_url: url }, options)}
      done={() => <span>Saved.</span>}
      onDone={onChange}
    />
  )
}

type Choices = Required<Omit<BillingMapping, "prices" | "units">>

/** The choices of a mapping, with the defaults of those that are omitted. */
const choicesOf = (
  {
    bought_again = "continue",
    open_dispute = "suspend",
    partial_refund = "keep",
    paused_collection = "keep",
    unmapped = "hold"
  }: BillingMapping
): Choices => ({ unmapped, partial_refund, paused_collection, open_dispute, bought_again })

const fields: ReadonlyArray<readonly [keyof Choices, string, ReadonlyArray<readonly [string, string]>]> = [
  ["unmapped", "Prices that are not mapped", [["hold", "Wait for a mapping"], ["ignore", "Ignore"]]],
  ["partial_refund", "After a partial refund", [["keep", "Keep the license"], ["end", "Suspend the license"]]],
  ["paused_collection", "While payments are paused", [["keep", "Keep the license"], [
    "suspend",
    "Suspend the license"
  ]]],
  ["open_dispute", "While a payment is disputed", [["suspend", "Suspend the license"], ["keep", "Keep the license"]]],
  ["bought_again", "When a customer buys again", [["continue", "Continue the license"], ["issue", "Issue another one"]]]
]

/** The choices in words, for the details. */
export const choiceFacts = ({ mapping }: BillingConnection): ReadonlyArray<readonly [string, string]> => {
  const choices = choicesOf(mapping)
  return fields.map(([name, label, options]) =>
    [label, options.find(([code]) => code === choices[name])?.[1] ?? choices[name]] as const
  )
}

/** Changes what happens to licenses in the cases that vendors see differently. */
export const SetChoices = ({ of, onChange }: ActionsProps) => {
  const draft = useDraft("rules", choicesOf(of.mapping))
  const choices = draft.values
  return (
    <Action
      label="Change rules"
      small
      isOffered={may("license:write")}
      scope="product:write"
      says="The rules apply to all purchases of this connection, from their next event."
      fields={fields.map(([name, label, options]) => (
        <Choice
          key={name}
          label={label}
          value={choices[name]}
          options={options}
          onChange={(value) => draft.set({ [name]: value })}
        />
      ))}
      draft={draft}
      perform={(client, options) => changeMapping(client, of.id, (mapping) => ({ ...mapping, ...choices }), options)}
      done={() => <span>Saved.</span>}
      onDone={onChange}
    />
  )
}

/** Deletes a connection by which no purchase came. */
export const DeleteConnection = ({ of, onChange }: ActionsProps) => (
  <Action
    label="Delete"
    asksWhy
    about={of.id}
    small
    weight="danger"
    typed={of.name}
    isOffered={may("license:write")}
    scope="product:write"
    says={`${consequenceOf("deleteBillingConnection")} This is refused once a purchase came by it.`}
    perform={(client, options) => client.billingConnections.delete(of.id, options)}
    done={() => <span>Deleted.</span>}
    onDone={onChange}
  />
)
