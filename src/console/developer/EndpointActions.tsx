import { useState } from "preact/hooks"
import type { WebhookEndpoint } from "../../client/api/index.ts"
import { SecretOnce } from "../design/Copy.tsx"
import { Check, NumberField, TextField, wholeOf } from "../design/Field.tsx"
import { count, some } from "../design/Numbers.ts"
import { Action } from "../session/Action.tsx"
import { answerOf } from "./Outcome.ts"

interface ActionsProps {
  readonly of: WebhookEndpoint
  readonly onChange: () => void
}

/** For how long two secrets sign, in minutes: 30 days at most. */
const overlap = { min: 0, max: 30 * 24 * 60 }

const RotateSecret = ({ of, onChange }: ActionsProps) => {
  const [minutes, setMinutes] = useState("60")
  const chosen = wholeOf(minutes, overlap)
  return (
    <Action
      label="Rotate secret"
      asksWhy
      small
      scope="webhook:write"
      says={
        <>
          <bdi class="strong">{of.name}</bdi>{" "}
          gets a new secret, which is shown once, here. Until the overlap ends, each delivery is signed with both, so
          that the receiver can be changed without a gap. With 0 the old one ends at once.
        </>
      }
      fields={
        <NumberField
          label="Minutes in which both sign"
          {...overlap}
          value={minutes}
          onChange={setMinutes}
          hint="At most 43,200, which is 30 days"
        />
      }
      isReady={chosen !== undefined}
      perform={(client, options, said) =>
        client.webhooks.update(
          of.id,
          { rotate_secret: true, secret_overlap_seconds: (chosen ?? 0) * 60, ...said },
          options
        )}
      done={(answer) =>
        "secret" in answer
          ? <SecretOnce label="The secret" text={answer.secret} />
          : "The secret was rotated."}
      onDone={onChange}
    />
  )
}

const Resume = ({ of, onChange }: ActionsProps) => {
  const [isFromNow, setIsFromNow] = useState(false)
  const name = <bdi class="strong">{of.name}</bdi>
  return (
    <Action
      label="Resume"
      asksWhy
      small
      isOffered={of.status !== "active"}
      scope="webhook:write"
      says={isFromNow
        ? <>What waits for {name} is never sent. It gets what happens from now on.</>
        : <>What waits for {name} is delivered, in order, from the oldest on.</>}
      fields={<Check isOn={isFromNow} onChange={setIsFromNow}>Skip what waits, and go on from now</Check>}
      perform={async (client, options, said) => {
        if (isFromNow) return (await client.webhooks.resumeFromNow(of.id, options)).skipped_events
        await client.webhooks.update(of.id, { is_active: true, ...said }, options)
        return undefined
      }}
      done={(skipped) => (
        <span>
          {name} is active again.{skipped === undefined ? "" : ` ${some(skipped, "event was", "events were")} skipped.`}
        </span>
      )}
      onDone={() => {
        setIsFromNow(false)
        onChange()
      }}
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
        <bdi class="strong">{of.name}</bdi> gets one delivery of the type{" "}
        <code>webhook.test</code>, signed as all are. Nothing else changes, whatever it answers.
      </>
    }
    perform={(client, options) => client.webhooks.test(of.id, options)}
    done={(result) => <span>{answerOf(result)} in {count(result.duration_ms)} ms. {result.advice}</span>}
  />
)

/** How deliveries are sent: with which header of the receiver's, and whether one by one. */
const HowSent = ({ of, onChange }: ActionsProps) => {
  const [isOrdered, setIsOrdered] = useState(of.ordered === true)
  const [header, setHeader] = useState("")
  const [value, setValue] = useState("")
  const name = header.trim()
  const names = of.header_names ?? []
  return (
    <Action
      label="Change delivery"
      asksWhy
      small
      scope="webhook:write"
      says={
        <>
          What <bdi class="strong">{of.name}</bdi> asks of its deliveries. {names.length === 0
            ? "They have no header of its own."
            : (
              <>
                They have the headers <bdi class="strong">{names.join(", ")}</bdi>, whose values are never shown.
              </>
            )}
        </>
      }
      fields={
        <>
          <Check isOn={isOrdered} onChange={setIsOrdered}>
            One at a time, in order: a delivery that fails holds up all after it
          </Check>
          <TextField
            label="Header"
            value={header}
            onChange={setHeader}
            placeholder="X-Api-Key"
            autocomplete="off"
            hint="To set or to remove one; the others stay"
          />
          <TextField
            label="Its value"
            type="password"
            value={value}
            onChange={setValue}
            autocomplete="off"
            hint="Stored as secrets are. Empty removes the header"
          />
        </>
      }
      isReady={name !== "" || isOrdered !== (of.ordered === true)}
      perform={(client, options, said) =>
        client.webhooks.update(of.id, {
          ordered: isOrdered,
          ...(name === "" ? {} : { headers: { [name]: value === "" ? null : value } }),
          ...said
        }, options)}
      done={() => <span>The next delivery is sent like this.</span>}
      onDone={() => {
        setHeader("")
        setValue("")
        onChange()
      }}
    />
  )
}

/** What a developer does with an endpoint. */
export const EndpointActions = ({ of, onChange }: ActionsProps) => {
  const name = <bdi class="strong">{of.name}</bdi>
  return (
    <span class="row actions">
      <Action
        label="Pause"
        asksWhy
        small
        isOffered={of.status === "active"}
        scope="webhook:write"
        says={<>Nothing is sent to {name} until it is resumed. What happens meanwhile waits for it, in order.</>}
        perform={(client, options, said) => client.webhooks.update(of.id, { is_active: false, ...said }, options)}
        done={() => <span>{name} is paused.</span>}
        onDone={onChange}
      />
      <Resume of={of} onChange={onChange} />
      <SendTest of={of} />
      <HowSent key={`${of.id} ${String(of.ordered)}`} of={of} onChange={onChange} />
      <RotateSecret of={of} onChange={onChange} />
    </span>
  )
}
