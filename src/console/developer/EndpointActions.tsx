import { useState } from "preact/hooks"
import type { WebhookEndpoint } from "../../client/api/index.ts"
import { SecretOnce } from "../design/Copy.tsx"
import { NumberField, wholeOf } from "../design/Field.tsx"
import { Action } from "../session/Action.tsx"

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
