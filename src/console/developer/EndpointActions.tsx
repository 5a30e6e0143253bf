import { useState } from "preact/hooks"
import type { WebhookEndpoint } from "../../client/api/index.ts"
import { TextField } from "../design/Field.tsx"
import { Action } from "../session/Action.tsx"
import { Secret } from "./Secret.tsx"

interface ActionsProps {
  readonly of: WebhookEndpoint
  readonly onChange: () => void
}

/** The longest overlap of two secrets, in minutes: 30 days. */
const longest = 30 * 24 * 60

const RotateSecret = ({ of, onChange }: ActionsProps) => {
  const [minutes, setMinutes] = useState("60")
  const isGood = /^\d{1,5}$/.test(minutes) && Number(minutes) <= longest
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
        <TextField
          label="Minutes in which both sign"
          type="number"
          value={minutes}
          onChange={setMinutes}
          wrong={isGood ? undefined : `A whole number from 0 to ${longest}, which is 30 days`}
        />
      }
      isReady={isGood}
      perform={(client, options, said) =>
        client.webhooks.update(
          of.id,
          { rotate_secret: true, secret_overlap_seconds: Number(minutes) * 60, ...said },
          options
        )}
      done={(answer) => "secret" in answer ? <Secret of={answer.secret} /> : "The secret was rotated."}
      onDone={onChange}
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
      <Action
        label="Resume"
        asksWhy
        small
        isOffered={of.status !== "active"}
        scope="webhook:write"
        says={<>What waits for {name} is delivered, in order, from the oldest on.</>}
        perform={(client, options, said) => client.webhooks.update(of.id, { is_active: true, ...said }, options)}
        done={() => <span>{name} is active again.</span>}
        onDone={onChange}
      />
      <RotateSecret of={of} onChange={onChange} />
    </span>
  )
}
