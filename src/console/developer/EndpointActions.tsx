import { useState } from "preact/hooks"
import type { WebhookEndpoint } from "../../client/api/index.ts"
import { Copy } from "../design/Copy.tsx"
import { TextField } from "../design/Field.tsx"
import { Action } from "../session/Action.tsx"

interface ActionsProps {
  readonly of: WebhookEndpoint
  readonly onChange: () => void
}

const RotateSecret = ({ of, onChange }: ActionsProps) => {
  const [minutes, setMinutes] = useState("60")
  const isWhole = /^\d{1,5}$/.test(minutes)
  return (
    <Action
      label="Rotate secret"
      small
      scope="webhook:write"
      says="A new secret is made and shown once, here. Until the overlap ends, deliveries are signed with both, so that the receiver can be changed without a gap."
      fields={<TextField label="Minutes in which both sign" type="number" value={minutes} onChange={setMinutes} />}
      isReady={isWhole}
      perform={(client, options) =>
        client.webhooks.update(of.id, { rotate_secret: true, secret_overlap_seconds: Number(minutes) * 60 }, options)}
      done={(answer) =>
        "secret" in answer && typeof answer.secret === "string"
          ? (
            <div class="stack">
              <span>The new secret. It is not shown again:</span>
              <Copy label="The new secret" text={answer.secret} />
            </div>
          )
          : "The secret was rotated."}
      onDone={onChange}
    />
  )
}

/** What a developer does with an endpoint. */
export const EndpointActions = ({ of, onChange }: ActionsProps) => (
  <span class="row" style={{ justifyContent: "flex-end" }}>
    {of.status === "active"
      ? (
        <Action
          label="Pause"
          small
          scope="webhook:write"
          says={
            <>
              Nothing is sent to <bdi class="strong">{of.name}</bdi>{" "}
              until it is resumed. What happens meanwhile waits for it, in order.
            </>
          }
          perform={(client, options) => client.webhooks.update(of.id, { is_active: false }, options)}
          done={() =>
            "The endpoint is paused."}
          onDone={onChange}
        />
      )
      : (
        <Action
          label="Resume"
          small
          scope="webhook:write"
          says={
            <>
              What waits for <bdi class="strong">{of.name}</bdi> is delivered, in order, from the oldest on.
            </>
          }
          perform={(client, options) => client.webhooks.update(of.id, { is_active: true }, options)}
          done={() =>
            "The endpoint is active."}
          onDone={onChange}
        />
      )}
    <RotateSecret of={of} onChange={onChange} />
  </span>
)
