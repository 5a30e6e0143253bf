import { useRoute } from "preact-iso"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { ApiKey, Passkey, Session } from "../../../client/api/index.ts"
import { Badge, State } from "../../ground/design/Badge.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { Day, Time } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { productsLine, useProductNames } from "../../keys/rights/ProductsField.tsx"
import { RightsWords } from "../../keys/rights/RightsWords.tsx"
import { ChangeRoles, EditPerson, EndSessions, findPerson, NewLink, Reinstate, RemovePerson } from "./PersonActions.tsx"
import type { KnownPerson } from "./PersonActions.tsx"
import { isMe, roleName, scopesOf } from "./Team.ts"
import "./team.css"

const Rights = ({ of: { person, roles } }: { readonly of: KnownPerson }) => {
  const limits = person.roles.flatMap((id) => productsLine(roles.find((role) => role.id === id)?.product_ids) ?? [])
  return (
    <Panel title="Roles" whole>
      {person.roles.length === 0 ? <span class="quiet">No role: there is nothing that this person may do.</span> : (
        <>
          <Facts
            of={person.roles.map((id) => [
              roleName(roles, id),
              person.claimed_roles.includes(id) ? "from the identity provider" : "given here"
            ])}
          />
          {limits.length === 0 ? null : (
            <span class="small">
              Partly limited to <bdi>{limits.join(", ")}</bdi>
            </span>
          )}
          <RightsWords scopes={scopesOf(roles, person.roles)} />
        </>
      )}
    </Panel>
  )
}

const RemovePasskey = ({ of, onChange }: { readonly of: Passkey; readonly onChange: () => void }) => (
  <Action
    label="Remove passkey"
    small
    weight="danger"
    scope="people:write"
    says={
      <>
        <bdi class="strong">{of.name}</bdi>: {consequenceOf("deletePasskey")}
      </>
    }
    about={of.id}
    secondLook="change_people"
    perform={(client, options) => client.passkeys.delete(of.id, options)}
    done={() => "The passkey was removed."}
    onDone={onChange}
  />
)

const Ways = ({ of: { passkeys, person: { identities } }, onChange }: {
  readonly of: KnownPerson
  readonly onChange: () => void
}) => (
  <Panel title="Signs in by" whole>
    {identities.length + passkeys.length === 0
      ? <span class="quiet">An invitation link only, so far.</span>
      : null}
    {passkeys.length === 0 ? null : (
      <Table
        label="Passkeys"
        rows={passkeys}
        keyOf={({ id }) => id}
        columns={[
          { name: "Passkey", cell: ({ name }) => <bdi class="strong clip">{name}</bdi> },
          {
            name: "Last used",
            cell: ({ last_used_at }) =>
              last_used_at === undefined ? <span class="quiet">never used</span> : <Time at={last_used_at} />
          },
          {
            name: "",
            cell: (passkey) => (
              <span class="row ends">
                <RemovePasskey of={passkey} onChange={onChange} />
              </span>
            )
          }
        ]}
      />
    )}
    <Facts of={identities.map(({ issuer, subject }) => [issuer.replace(/^https?:\/\//, ""), <Id of={subject} />])} />
  </Panel>
)

const Sessions = ({ of }: { readonly of: ReadonlyArray<Session> }) => (
  <Panel title="Sessions" flush whole>
    {of.length === 0 ? <Empty title="Not signed in" /> : (
      <Table
        label="Sessions"
        rows={of}
        keyOf={({ id }) => id}
        columns={[
          {
            name: "Browser",
            cell: ({ ip_address, is_current, user_agent }) => (
              <span class="two">
                <span class="row">
                  <bdi class="clip" title={user_agent}>{user_agent ?? "unknown"}</bdi>
                  {is_current ? <Badge tone="accent">this one</Badge> : null}
                </span>
                <code class="tiny quiet">{ip_address}</code>
              </span>
            )
          },
          { name: "Last used", label: "Used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
          { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> },
          { name: "Ends", label: "Ends", cell: ({ expires_at }) => <Time at={expires_at} isQuiet /> }
        ]}
      />
    )}
  </Panel>
)

const Keys = ({ of }: { readonly of: ReadonlyArray<ApiKey> }) => (
  <Panel title="API keys that this person created" flush whole>
    {of.length === 0 ? <Empty title="No API keys">Keys that this person creates appear here.</Empty> : (
      <Table
        label="API keys"
        rows={of}
        keyOf={({ id }) => id}
        hrefOf={({ name }) =>
          `/console/keys?q=${encodeURIComponent(name)}`}
        columns={[
          { name: "Name", cell: ({ name }) => <bdi class="strong clip">{name}</bdi> },
          { name: "Status", cell: ({ is_active }) => <State of={is_active ? "active" : "revoked"} /> },
          {
            name: "Last used",
            cell: ({ last_used_at }) =>
              last_used_at === undefined ? <span class="quiet">never used</span> : <Time at={last_used_at} />
          }
        ]}
      />
    )}
  </Panel>
)

const Known = ({ of, onChange }: { readonly of: KnownPerson; readonly onChange: () => void }) => {
  const props = { of, onChange }
  return (
    <>
      <div class="row wraps">
        <ChangeRoles {...props} />
        <Reinstate {...props} />
        <EditPerson {...props} />
        <NewLink {...props} />
        <EndSessions {...props} />
        <RemovePerson {...props} />
      </div>
      <div class="board">
        <Rights of={of} />
        <Ways {...props} />
        <Sessions of={of.sessions} />
        {of.keys === undefined ? null : <Keys of={of.keys} />}
      </div>
    </>
  )
}

const PersonOf = ({ id }: { readonly id: string }) => {
  useProductNames()
  const known = useLoad((client, signal) => findPerson(client, id, signal), [id])
  const person = known.data?.person
  useTitle(person?.name ?? "Person")
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/people">People</a>
          <div class="row wraps">
            <h1>
              <bdi class="wrap">{person?.name ?? "Person"}</bdi>
            </h1>
            {person === undefined ? null : <State of={person.status} />}
            {person !== undefined && isMe(person) ? <Badge tone="accent">you</Badge> : null}
          </div>
          {person === undefined ? null : (
            <span class="row wraps named small">
              {person.email === undefined ? null : <bdi class="quiet wrap">{person.email}</bdi>}
              <Id of={person.id} />
            </span>
          )}
        </div>
      </header>
      <Loading of={known} lines={8}>
        {(found) => <Known key={found.etag ?? found.person.updated_at} of={found} onChange={known.reload} />}
      </Loading>
    </main>
  )
}

/** The page of one person: roles, sessions, and what the person made. */
export const PersonPage = () => {
  const id = useRoute().params["id"] ?? ""
  return <PersonOf key={id} id={id} />
}
