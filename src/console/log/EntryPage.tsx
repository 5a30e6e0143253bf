import type { ComponentChildren } from "preact"
import { useRoute } from "preact-iso"
import type { Activity, ActivityChange, ActivityRecord } from "../../client/api/index.ts"
import { titleOf } from "../../client/api/Labels.ts"
import { Id, Named } from "../ground/design/Copy.tsx"
import { Empty, Note } from "../ground/design/Feedback.tsx"
import { Facts, Panel } from "../ground/design/Panel.tsx"
import { Table } from "../ground/design/Table.tsx"
import { Time } from "../ground/design/Time.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { Loading } from "../ground/session/Loading.tsx"
import { may } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { About, Sentence } from "./ActivityList.tsx"
import { aboutOf, actorOf, fieldOf, hrefOf, isInstant, nameOf, sentenceOf, valueOf } from "./ActivityWords.ts"
import "./activity.css"

/** A value of a field as people read it: a time where the reader is, and what is known by name with its name. */
const FieldValue = ({ member, of, value }: {
  readonly of: Activity
  readonly member: string
  readonly value: unknown
}) => {
  if (isInstant(value)) return <Time at={value} exactly />
  const name = nameOf(of, member, value)
  if (name === undefined || typeof value !== "string") return <bdi class="wrap">{valueOf(of, member, value)}</bdi>
  const isCustomer = member === "customer_id" && may("customer:read")
  return <Named id={value} name={name} href={isCustomer ? `/console/customers/${value}` : undefined} />
}

/** Before and after, of the fields that changed alone. */
const Changes = ({ of, rows }: { readonly of: ActivityRecord; readonly rows: ReadonlyArray<ActivityChange> }) => (
  <Table
    label="Changes"
    rows={rows}
    keyOf={({ member }) => member}
    columns={[
      { name: "Field", cell: ({ member }) => <span class="strong wrap">{fieldOf(member)}</span> },
      { name: "Before", cell: ({ before, member }) => <FieldValue of={of} member={member} value={before} /> },
      { name: "After", cell: ({ after, member }) => <FieldValue of={of} member={member} value={after} /> }
    ]}
  />
)

/** A resource as it was then: field by field, and as JSON. */
const AsItWas = ({ of, resource, title }: {
  readonly title: string
  readonly of: ActivityRecord
  readonly resource: Readonly<Record<string, unknown>>
}) => (
  <Panel title={title}>
    <Facts
      of={Object.entries(resource)
        .filter(([, value]) => typeof value !== "object")
        .map(([member, value]): readonly [string, ComponentChildren] => [
          fieldOf(member),
          <FieldValue of={of} member={member} value={value} />
        ])}
    />
    <details class="more">
      <summary>As JSON</summary>
      <div class="copy">
        <pre tabIndex={0}>{JSON.stringify(resource, null, 2)}</pre>
      </div>
    </details>
  </Panel>
)

const titleOfResource = ({ resource_type }: ActivityRecord): string =>
  resource_type === "license" ? "License as it was then" : "As it was then"

/** The facts of an activity: when, by whom, why, and where it is kept. */
const Aside = ({ of }: { readonly of: ActivityRecord }) => {
  const href = hrefOf(of)
  return (
    <aside aria-label="Details of the activity">
      <Panel title="Details">
        <Facts
          of={[
            ["When", <Time at={of.occurred_at} exactly />],
            [
              "By",
              <Named
                id={of.actor_id}
                name={actorOf(of).name}
                href={`/console/activity?by=${encodeURIComponent(of.actor_id)}`}
              />
            ],
            ["Role", of.actor_roles?.join(", ")],
            [
              "Session opened by",
              of.opened_by && <Named id={of.opened_by} name={of.opener_name ?? "API key"} />
            ],
            ["Reason", of.reason === undefined ? undefined : <bdi class="wrap">{of.reason}</bdi>],
            ["Outcome", titleOf("result", of.result_class)],
            ["Error", of.code],
            ["About", href === undefined ? undefined : <a href={href}>Open as it is now</a>],
            ["Resource", of.resource_id && <Id of={of.resource_id} />],
            [
              "Request",
              of.request_id && (
                <Named
                  id={of.request_id}
                  name="All of this request"
                  href={`/console/activity?request=${encodeURIComponent(of.request_id)}`}
                />
              )
            ],
            ["Event", of.audit_event_id && <Id of={of.audit_event_id} />],
            ["ID", <Id of={of.id} />]
          ]}
        />
      </Panel>
    </aside>
  )
}

/** An activity with all that is known of it. */
const Record = ({ of }: { readonly of: ActivityRecord }) => {
  const { changes, license, resource } = of
  return (
    <div class="record">
      <div>
        {of.is_erased
          ? (
            <Note title="Some of it was erased.">
              Personal values that were erased since are not shown. The proof of the log still holds.
            </Note>
          )
          : null}
        <Panel title="Changes" flush={changes !== undefined && changes.length > 0}>
          {of.withheld !== undefined
            ? (
              <Empty title={`Changes need ${of.withheld}`}>
                Your roles do not let you read this resource, so its fields are not shown.
              </Empty>
            )
            : changes === undefined || changes.length === 0
            ? (
              <Empty
                title={of.result_class === "refused" ? "No changes: the request was refused" : "No changes to show"}
              >
                {of.result_class === "refused"
                  ? "A refused request changes nothing."
                  : "The resource was created, this action changes no field, or the state before is archived or erased."}
              </Empty>
            )
            : <Changes of={of} rows={changes} />}
        </Panel>
        {resource === undefined ? null : <AsItWas title={titleOfResource(of)} of={of} resource={resource} />}
        {license === undefined ? null : <AsItWas title="License as it was then" of={of} resource={license} />}
      </div>
      <Aside of={of} />
    </div>
  )
}

const EntryOf = ({ id }: { readonly id: string }) => {
  const found = useLoad((client, signal) => client.activities.get(id, { signal }), [id])
  const title = found.data === undefined ? "Activity" : `${actorOf(found.data).name} ${sentenceOf(found.data)}`
  useTitle(title)
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/activity">Activity</a>
          <h1 class="wrap">{found.data === undefined ? "Activity" : <Sentence of={found.data} />}</h1>
          {found.data === undefined ? null : <About of={aboutOf(found.data)} />}
        </div>
      </header>
      <Loading of={found}>{(activity) => <Record of={activity} />}</Loading>
    </main>
  )
}

/** The page of one activity: what changed, and the resource as it was then. */
export const EntryPage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <EntryOf key={id} id={id} />
}
