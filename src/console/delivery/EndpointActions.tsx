import { useState } from "preact/hooks"
import { consequenceOf } from "../../client/api/Consequence.ts"
import type { WebhookEndpoint } from "../../client/api/index.ts"
import { SecretOnce } from "../ground/design/Copy.tsx"
import { Check, NumberField, TextField, wholeOf } from "../ground/design/Field.tsx"
import { count, some } from "../ground/design/Numbers.ts"
import { Action } from "../ground/session/Action.tsx"
import { unkept, useDraft } from "../ground/session/Draft.tsx"
import { answerOf } from "./Outcome.ts"

interface ActionsProps {
  readonly of: WebhookEndpoint
  readonly onChange: () => void
}

/** How long both secrets sign, in minutes: at most 30 days. */
const overlap = { min: 0, max: 30 * 24 * 60 }

const RotateSecret = ({ of, onChange }: ActionsProps) => {
  const draft = useDraft(`rotation ${of.id}`, { minutes: "60" })
  const { minutes } = draft.values
  const chosen = wholeOf(minutes, overlap)
  return (
    <Action
      label="Rotate secret"
      asksWhy
      about={of.id}
      small
      scope="webhook:write"
      says={
        <>
          <bdi class="strong">{of.name}</bdi>: {consequenceOf("updateWebhookEndpoint", { rotate_secret: true })}{" "}
          With 0, the previous secret stops signing immediately.
        </>
      }
      fields={
        <NumberField
          label="Overlap (minutes)"
          {...overlap}
          value={minutes}
          onChange={(minutes) => draft.set({ minutes })}
          hint="At most 43,200 minutes (30 days)"
        />
      }
      draft={draft}
      isReady={chosen !== undefined}
      secondLook="rotate_webhook_secret"
      perform={(client, options, said) =>
        client.webhooks.update(
          of.id,
          { rotate_secret: true, secret_overlap_seconds: (chosen ?? 0) * 60, ...said },
          options
        )}
      done={(answer) =>
        "secret" in answer
          ? <SecretOnce label="Signing secret" text={answer.secret} />
          : "Secret rotated."}
      onDone={onChange}
    />
  )
}

const Resume = ({ of, onChange }: ActionsProps) => {
  const draft = useDraft(`resumption ${of.id}`, { isFromNow: false })
  const { isFromNow } = draft.values
  const name = <bdi class="strong">{of.name}</bdi>
  return (
    <Action
      label="Resume"
      asksWhy
      about={of.id}
      small
      isOffered={of.status !== "active"}
      scope="webhook:write"
      says={
        <>
          {name}: {isFromNow
            ? consequenceOf("resumeWebhookEndpointFromNow")
            : consequenceOf("updateWebhookEndpoint", { is_active: true })}
        </>
      }
      fields={<Check isOn={isFromNow} onChange={(isFromNow) => draft.set({ isFromNow })}>Skip the backlog</Check>}
      draft={draft}
      perform={async (client, options, said) => {
        if (isFromNow) return (await client.webhooks.resumeFromNow(of.id, options)).skipped_events
        await client.webhooks.update(of.id, { is_active: true, ...said }, options)
        return undefined
      }}
      done={(skipped) => (
        <span>
          {name} resumed.{skipped === undefined ? "" : ` ${some(skipped, "event")} skipped.`}
        </span>
      )}
      onDone={onChange}
    />
  )
}

const SendTest = ({ of }: Pick<ActionsProps, "of">) => (
  <Action
    label="Send test"
    small
    scope="webhook:write"
    says={
      <>
        <bdi class="strong">{of.name}</bdi> receives one signed <code>webhook.test</code>{" "}
        delivery. The result does not change the endpoint's status.
      </>
    }
    perform={(client, options) => client.webhooks.test(of.id, options)}
    done={(result) => <span>{answerOf(result)} in {count(result.duration_ms)} ms. {result.advice}</span>}
  />
)

/** Delivery settings: the receiver's own header, and sequential delivery. */
const HowSent = ({ of, onChange }: ActionsProps) => {
  const [isOrdered, setIsOrdered] = useState(of.ordered === true)
  const [header, setHeader] = useState("")
  const [value, setValue] = useState("")
  const name = header.trim()
  const isEntered = header !== "" || value !== "" || isOrdered !== (of.ordered === true)
  const names = of.header_names ?? []
  return (
    <Action
      label="Change delivery"
      asksWhy
      about={of.id}
      small
      scope="webhook:write"
      says={
        <>
          Settings for deliveries to <bdi class="strong">{of.name}</bdi>. {names.length === 0
            ? "No custom headers are set."
            : (
              <>
                Custom headers: <bdi class="strong">{names.join(", ")}</bdi>. Values are never shown.
              </>
            )}
        </>
      }
      fields={
        <>
          <Check isOn={isOrdered} onChange={setIsOrdered}>
            Ordered: a failed delivery blocks the ones after it
          </Check>
          <TextField
            label="Header"
            value={header}
            onChange={setHeader}
            placeholder="X-Api-Key"
            autocomplete="off"
            hint="Sets or removes this header; others are unchanged"
          />
          <TextField
            label="Header value"
            type="password"
            value={value}
            onChange={setValue}
            autocomplete="off"
            hint="Stored encrypted. Leave empty to remove the header"
          />
        </>
      }
      draft={unkept("A header without its value, which is a secret, would be removed.", isEntered)}
      isReady={name !== "" || isOrdered !== (of.ordered === true)}
      perform={(client, options, said) =>
        client.webhooks.update(of.id, {
          ordered: isOrdered,
          ...(name === "" ? {} : { headers: { [name]: value === "" ? null : value } }),
          ...said
        }, options)}
      done={() => <span>Saved. Applies from the next delivery.</span>}
      onDone={() => {
        setHeader("")
        setValue("")
        onChange()
      }}
    />
  )
}

/** The actions on an endpoint. */
export const EndpointActions = ({ of, onChange }: ActionsProps) => {
  const name = <bdi class="strong">{of.name}</bdi>
  return (
    <span class="row actions">
      <Action
        label="Pause"
        asksWhy
        about={of.id}
        small
        isOffered={of.status === "active"}
        scope="webhook:write"
        says={<>{name}: {consequenceOf("updateWebhookEndpoint", { is_active: false })}</>}
        perform={(client, options, said) => client.webhooks.update(of.id, { is_active: false, ...said }, options)}
        done={() => <span>{name} paused.</span>}
        onDone={onChange}
      />
      <Resume of={of} onChange={onChange} />
      <SendTest of={of} />
      <HowSent key={`${of.id} ${String(of.ordered)}`} of={of} onChange={onChange} />
      <RotateSecret of={of} onChange={onChange} />
    </span>
  )
}
