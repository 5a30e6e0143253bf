import type { EventSubscription } from "../../client/api/index.ts"
import { SecretOnce } from "../ground/design/Copy.tsx"
import { TextField } from "../ground/design/Field.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"

/** The event types that were typed. The service reports an unknown one. */
const kindsOf = (typed: string): Array<EventSubscription> =>
  typed.split(/[\s,]+/).filter((kind) => kind !== "") as Array<EventSubscription>

/** Makes an endpoint and shows its secret. */
export const CreateEndpoint = ({ onChange }: { readonly onChange: () => void }) => {
  const draft = useDraft("endpoint", { name: "", url: "", kinds: "" })
  const { kinds, name, url } = draft.values
  return (
    <Action
      label="New endpoint"
      weight="main"
      scope="webhook:write"
      says="Receives events from now on. The signing secret is shown only once, after you create the endpoint."
      fields={
        <>
          <TextField
            label="Name"
            value={name}
            onChange={(name) => draft.set({ name })}
            placeholder="Billing"
            required
            isFirst
          />
          <TextField
            label="URL"
            type="url"
            value={url}
            onChange={(url) => draft.set({ url })}
            placeholder="https://billing.example.com/hooks"
            required
            hint="HTTPS, reachable from the service"
          />
          <TextField
            label="Event types"
            value={kinds}
            onChange={(kinds) => draft.set({ kinds })}
            placeholder="license.* device.reset"
            hint={
              <>
                Kinds or families such as <code>license.*</code>, with a space between them. Empty takes every event.
                {" "}
                <a href="/docs/guides/event-kinds" target="_blank" rel="noreferrer">All types</a>
              </>
            }
          />
        </>
      }
      draft={draft}
      isReady={name.trim() !== "" && url.trim() !== ""}
      perform={(client, options) =>
        client.webhooks.create({ name: name.trim(), url: url.trim(), event_types: kindsOf(kinds) }, options)}
      done={({ secret, webhook }) => (
        <div class="stack">
          <span>
            Endpoint <bdi class="strong">{webhook.name}</bdi> created.
          </span>
          <SecretOnce label="Signing secret" text={secret} />
        </div>
      )}
      onDone={onChange}
    />
  )
}
