import { consequenceOf } from "../../client/api/Consequence.ts"
import type { ApiKey } from "../../client/api/index.ts"
import { Choice } from "../ground/design/Field.tsx"
import { currentTime, momentOf } from "../ground/design/Time.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { identity } from "../ground/session/Session.ts"
import { KeyOnce } from "./KeyOnce.tsx"
import { endOf, lifetimes } from "./UseCases.ts"

interface ActionsProps {
  readonly of: ApiKey
  readonly onChange: () => void
}

/** Whether a key is the one that the caller is signed in with. */
export const isOwnKey = ({ id }: ApiKey): boolean => identity.value?.id === id

/** How long the previous key works on, in minutes. */
const overlaps: ReadonlyArray<readonly [string, string]> = [
  ["0", "At once"],
  ["60", "In an hour"],
  ["1440", "In 24 hours"],
  ["10080", "In 7 days"],
  ["43200", "In 30 days"]
]

/** Replaces a key by a new one with the same rights. */
export const RotateKey = ({ of: { expires_at, id, is_active, name }, onChange }: ActionsProps) => {
  const draft = useDraft(`rotation ${id}`, { overlap: "1440", lifetime: "same" })
  const { lifetime, overlap } = draft.values
  const same = expires_at === undefined ? "As now: never" : `As now: ${momentOf(expires_at)}`
  return (
    <Action
      label="Rotate"
      draft={draft}
      about={id}
      small
      isOffered={is_active}
      scope="admin"
      says={
        <>
          <bdi class="strong">{name}</bdi>: a new key with the same rights is shown once. Both work until the previous
          one ends.
        </>
      }
      fields={
        <div class="filters">
          <Choice
            label="The previous key ends"
            value={overlap}
            options={overlaps}
            onChange={(overlap) => draft.set({ overlap })}
          />
          <Choice
            label="The new key ends"
            path="expires_at"
            value={lifetime}
            options={[["same", same], ...lifetimes]}
            onChange={(lifetime) => draft.set({ lifetime })}
          />
        </div>
      }
      secondLook="rotate_api_key"
      perform={(client, options, reason) =>
        client.apiKeys.rotate(id, {
          overlap_minutes: Number(overlap),
          ...(lifetime === "same" ? {} : { expires_at: endOf(lifetime, currentTime()) ?? null }),
          ...reason
        }, options)}
      done={({ api_key, previous, token }) => (
        <div class="stack">
          <KeyOnce name={api_key.name} token={token} />
          <span class="small">
            {previous.is_active && previous.expires_at !== undefined
              ? `The previous key works until ${momentOf(previous.expires_at)}.`
              : "The previous key has ended."}
          </span>
        </div>
      )}
      onDone={onChange}
    />
  )
}

/** Ends a key for good. */
export const RevokeKey = ({ of, onChange }: ActionsProps) => (
  <Action
    label="Revoke"
    asksWhy="api_key.revoked"
    about={of.id}
    small
    weight="danger"
    isOffered={of.is_active}
    scope="admin"
    typed={of.key_prefix}
    says={
      <>
        <bdi class="strong">{of.name}</bdi>: {consequenceOf("revokeAPIKey")}
        {isOwnKey(of) ? " You are signed in with this key." : ""}
      </>
    }
    perform={(client, options) => client.apiKeys.revoke(of.id, options)}
    done={() => (
      <span>
        <bdi class="strong">{of.name}</bdi> revoked.
      </span>
    )}
    onDone={onChange}
  />
)
