import { useState } from "preact/hooks"
import type { Passkey, Session } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { Badge } from "../../ground/design/Badge.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Empty, Note, Skeleton } from "../../ground/design/Feedback.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { browserZone, keepZone, keptZone, Time } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { identity } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { deviceName } from "../entry/DeviceName.ts"
import { leave } from "../entry/Leave.ts"
import "./account.css"
import { AddPasskey } from "./AddPasskey.tsx"

const Rename = ({ of, onDone }: { readonly of: Passkey; readonly onDone: () => void }) => {
  const draft = useDraft(`passkey ${of.id}`, { name: of.name })
  const { name } = draft.values
  return (
    <Action
      small
      label="Rename"
      says="The name helps you to tell your passkeys apart."
      fields={
        <TextField
          label="Name"
          path="name"
          value={name}
          onChange={(name) => draft.set({ name })}
          maxLength={255}
          required
        />
      }
      draft={draft}
      about={of.id}
      isReady={name.trim() !== ""}
      perform={(client, { idempotencyKey }) => client.passkeys.rename(of.id, { name: name.trim() }, { idempotencyKey })}
      done={(passkey) => (
        <>
          The passkey is now called <bdi class="strong">{passkey.name}</bdi>.
        </>
      )}
      onDone={onDone}
    />
  )
}

const PasskeyRow = ({ isLast, of, onDone }: {
  readonly of: Passkey
  readonly isLast: boolean
  readonly onDone: () => void
}) => (
  <li class="row wraps apart">
    <span class="belonging">
      <bdi class="strong">{of.name}</bdi>
      <span class="small quiet">
        {of.is_synced ? "Synced between your devices" : "On one device"}
        {" · added "}
        <Time at={of.created_at} />
        {of.last_used_at === undefined ? " · not used yet" : (
          <>
            {" · last used "}
            <Time at={of.last_used_at} />
          </>
        )}
      </span>
    </span>
    <span class="row">
      <Rename of={of} onDone={onDone} />
      <Action
        small
        label="Remove"
        weight="danger"
        says={
          <>
            <p>
              <bdi class="strong">{of.name}</bdi>{" "}
              no longer signs in, and the sessions that it opened end. This session continues.
            </p>
            {isLast
              ? (
                <Note tone="warn">
                  This is your only passkey. Add another one first, or you cannot sign in with a passkey.
                </Note>
              )
              : null}
          </>
        }
        perform={(client, options) => client.passkeys.delete(of.id, options)}
        done={() => "The passkey is removed."}
        onDone={onDone}
      />
    </span>
  </li>
)

const Passkeys = ({ me }: { readonly me: string }) => {
  const { data, error, reload } = useLoad(
    (client, signal) => client.passkeys.list({ person_id: me, limit: 200 }, { signal }),
    [me]
  )
  return (
    <Panel title="Passkeys">
      {error === undefined ? null : <Failure error={error} onRetry={reload} />}
      {data === undefined
        ? error === undefined ? <Skeleton /> : null
        : data.length === 0
        ? <Empty title="No passkeys">A passkey signs you in with a PIN, a finger or a face, without a password.</Empty>
        : (
          <ul class="belongings">
            {data.map((passkey) => (
              <PasskeyRow key={passkey.id} of={passkey} isLast={data.length === 1} onDone={reload} />
            ))}
          </ul>
        )}
      {data?.length === 1
        ? <Note>Add a second passkey: without one, you need a new invitation when you lose the first.</Note>
        : null}
      <AddPasskey label="Add a passkey" onAdded={reload} />
    </Panel>
  )
}

const SessionRow = ({ of, onDone }: { readonly of: Session; readonly onDone: () => void }) => (
  <li class="row wraps apart">
    <span class="belonging">
      <span class="row wraps">
        <span class="strong">{deviceName(of.user_agent)}</span>
        {of.is_current ? <Badge tone="good">This session</Badge> : null}
      </span>
      <span class="small quiet">
        {labels.signInMethod[of.sign_in_method]}
        {of.ip_address === undefined ? "" : ` · ${of.ip_address}`}
        {" · last used "}
        <Time at={of.last_used_at} />
        {" · ends "}
        <Time at={of.expires_at} />
      </span>
    </span>
    {of.is_current ? <Button small onClick={() => void leave()}>Sign out</Button> : (
      <Action
        small
        label="End"
        says="The next request of this session is refused."
        perform={(client, options) => client.sessions.end(of.id, options)}
        done={() => "The session has ended."}
        onDone={onDone}
      />
    )}
  </li>
)

const Sessions = ({ me }: { readonly me: string }) => {
  const { data, error, reload } = useLoad(
    (client, signal) => client.sessions.list({ person_id: me, limit: 200 }, { signal }),
    [me]
  )
  const others = data?.filter(({ is_current }) => !is_current) ?? []
  return (
    <Panel
      title="Sessions"
      aside={
        <Action
          small
          label="End all others"
          isOffered={others.length > 0}
          says={`${
            others.length === 1 ? "One other session ends" : `${others.length} other sessions end`
          }. This one continues.`}
          perform={async (client) => {
            for (const { id } of others) await client.sessions.end(id)
          }}
          done={() => "All other sessions have ended."}
          onDone={reload}
        />
      }
    >
      {error === undefined ? null : <Failure error={error} onRetry={reload} />}
      {data === undefined ? error === undefined ? <Skeleton /> : null : (
        <ul class="belongings">
          {data.map((session) => <SessionRow key={session.id} of={session} onDone={reload} />)}
        </ul>
      )}
    </Panel>
  )
}

const zones = (): ReadonlyArray<readonly [string, string]> => [
  ["", `As this browser: ${browserZone}`],
  ...["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone): readonly [string, string] => [zone, zone])
]

const Zone = () => {
  const [chosen, setChosen] = useState(keptZone() ?? "")
  return (
    <Panel title="Time zone">
      <Choice
        label="Times are shown in"
        value={chosen}
        options={zones()}
        hint="Kept in this browser. The page is loaded again."
        onChange={(zone) => {
          setChosen(zone)
          keepZone(zone)
          location.reload()
        }}
      />
    </Panel>
  )
}

/** The account of who is signed in: passkeys, sessions, and how times are shown. */
export const MePage = () => {
  useTitle("Your account")
  const who = identity.value
  const me = who?.kind === "person" ? who.id : undefined
  return (
    <main class="page" id="main">
      <header>
        <h1>Your account</h1>
      </header>
      {me === undefined
        ? (
          <Note title="You are signed in with a token.">
            Passkeys and sessions belong to people. Sign in as a person to see yours.
          </Note>
        )
        : (
          <>
            <Passkeys me={me} />
            <Sessions me={me} />
          </>
        )}
      <Zone />
    </main>
  )
}
