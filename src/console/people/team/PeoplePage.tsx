import type { ComponentChildren } from "preact"
import type { Passkey, Person, PersonStatus, Role, Session } from "../../../client/api/index.ts"
import { Badge, State } from "../../ground/design/Badge.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import type { Column } from "../../ground/design/Table.tsx"
import { Day, Time } from "../../ground/design/Time.tsx"
import { useFilters } from "../../ground/lists/Filters.ts"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import type { Pages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { SearchField } from "../../ground/lists/SearchField.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { productsLine, useProductNames } from "../../keys/rights/ProductsField.tsx"
import { Invite } from "./Invite.tsx"
import { findPasskeys, findSessions, isMe, roleName, sessionsOf, useRoles } from "./Team.ts"
import "./team.css"
import { TeamTabs } from "./TeamTabs.tsx"

/** The roles of a person by name, and what they are limited to. */
const RolesOf = ({ of, roles }: { readonly of: Person; readonly roles: ReadonlyArray<Role> }) => {
  const limits = of.roles.flatMap((id) => productsLine(roles.find((role) => role.id === id)?.product_ids) ?? [])
  return (
    <span class="two">
      {of.roles.length === 0
        ? <span class="quiet">no role</span>
        : <bdi class="clip">{of.roles.map((id) => roleName(roles, id)).join(", ")}</bdi>}
      {limits.length === 0 ? null : <bdi class="tiny quiet clip">limited to {limits.join(", ")}</bdi>}
    </span>
  )
}

/** The ways of a person to sign in. */
const waysOf = ({ id, identities }: Person, passkeys: ReadonlyArray<Passkey>): string => {
  const own = passkeys.filter(({ person_id }) => person_id === id).length
  const accounts = identities.map(({ issuer }) => issuer.replace(/^https?:\/\//, ""))
  return [...(own === 0 ? [] : [some(own, "passkey")]), ...accounts].join(", ")
}

const Seen = ({ of }: { readonly of: ReadonlyArray<Session> }) => {
  const [last] = of
  return last === undefined ? <span class="quiet">not signed in</span> : (
    <span class="two">
      <Time at={last.last_used_at} />
      <span class="tiny quiet">{some(of.length, "session")}</span>
    </span>
  )
}

const columnsOf = (
  roles: ReadonlyArray<Role>,
  sessions: ReadonlyArray<Session> | undefined,
  passkeys: ReadonlyArray<Passkey>
): ReadonlyArray<Column<Person>> => [
  {
    name: "Name",
    cell: (person) => (
      <span class="two">
        <span class="row">
          <bdi class="strong clip">{person.name}</bdi>
          {isMe(person) ? <Badge tone="accent">you</Badge> : null}
        </span>
        <bdi class="small quiet clip">{person.email}</bdi>
      </span>
    )
  },
  { name: "Roles", cell: (person) => <RolesOf of={person} roles={roles} /> },
  {
    name: "Last seen",
    cell: ({ id }) => sessions === undefined ? <span class="quiet">–</span> : <Seen of={sessionsOf(sessions, id)} />
  },
  { name: "Status", cell: ({ status }) => <State of={status} /> },
  { name: "Signs in by", isMinor: true, cell: (person) => <bdi class="small clip">{waysOf(person, passkeys)}</bdi> },
  { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> }
]

/** The frame of a list of people: heading, tabs, search. */
const ListPage = ({ children, onChange, q, roles, setQ, title }: {
  readonly title: string
  readonly roles: ReadonlyArray<Role> | undefined
  readonly q: string
  readonly setQ: (q: string) => void
  readonly onChange: () => void
  readonly children: ComponentChildren
}) => (
  <main class="page" id="main">
    <header>
      <h1>{title}</h1>
      {roles === undefined ? null : <Invite roles={roles} onChange={onChange} />}
    </header>
    <TeamTabs />
    <div class="filters" role="search" aria-label="Filters">
      <SearchField label="Name or email" value={q} onSettled={setQ} />
    </div>
    {children}
  </main>
)

/** The people of some states, as far as they are loaded. */
const usePeople = (status: PersonStatus | undefined, q: string): Pages<Person> =>
  usePages<Person>(
    "people",
    (client, page, signal) =>
      client.people.list({
        limit: 50,
        ...(q === "" ? {} : { q }),
        ...(status === undefined ? {} : { status }),
        ...page
      }, { signal }),
    [q, status]
  )

const PeopleList = ({ empty, status, title }: {
  readonly title: string
  readonly status: PersonStatus | undefined
  readonly empty: ComponentChildren
}) => {
  const { query, setTyped } = useFilters()
  const q = query["q"] ?? ""
  useTitle(title)
  useProductNames()
  const roles = useRoles()
  const sessions = useLoad(findSessions, [])
  const passkeys = useLoad(findPasskeys, [])
  const pages = usePeople(status, q)
  const onChange = () => {
    roles.reload()
    pages.reload()
  }
  return (
    // The button has its place before the roles are there, for which its dialog waits.
    <ListPage
      title={title}
      roles={roles.data ?? (roles.error === undefined ? [] : undefined)}
      q={q}
      setQ={(q) => setTyped({ q })}
      onChange={onChange}
    >
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          lines={6}
          empty={q === ""
            ? empty
            : <Empty title="No matching people">Search takes a part of a name or an email.</Empty>}
        >
          {(rows) => (
            <Table
              label={title}
              rows={rows}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/console/people/${id}`}
              columns={columnsOf(roles.data ?? [], sessions.data, passkeys.data ?? [])}
            />
          )}
        </Rows>
      </Panel>
    </ListPage>
  )
}

/** Everybody who works with the service. */
export const PeoplePage = () => (
  <PeopleList
    title="People"
    status={undefined}
    empty={
      <Empty title="No people yet">
        Invite yourself first, as an owner. The activity log then says who did what.
      </Empty>
    }
  />
)

/** The people who have no way to sign in yet. */
export const InvitationsPage = () => (
  <PeopleList
    title="Invitations"
    status="invited"
    empty={<Empty title="No open invitations">All invited people have joined.</Empty>}
  />
)
