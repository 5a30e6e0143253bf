import { useRef } from "preact/hooks"
import type { Countersign, EventSubscription, WebhookEndpoint, WebhookHealth } from "../../client/api/index.ts"
import { Chart } from "../ground/charts/Chart.tsx"
import { State } from "../ground/design/Badge.tsx"
import { Copy, SecretOnce } from "../ground/design/Copy.tsx"
import { Empty, Note } from "../ground/design/Feedback.tsx"
import { TextField } from "../ground/design/Field.tsx"
import { count, some } from "../ground/design/Numbers.ts"
import { Figure, Panel } from "../ground/design/Panel.tsx"
import { Table } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { durationOf, Time } from "../ground/design/Time.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { baseUrl } from "../ground/session/Environment.ts"
import { firstOf, useLoad } from "../ground/session/Load.ts"
import { Loading, Placed } from "../ground/session/Loading.tsx"
import { may } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { EndpointActions } from "./EndpointActions.tsx"
import { failureOf, isTrouble, lanesOf, lastHour, outcomeOf } from "./Outcome.ts"
import type { Lane } from "./Outcome.ts"
import "./developer.css"

/** The event types that were typed. The service reports an unknown one. */
const kindsOf = (typed: string): Array<EventSubscription> =>
  typed.split(/[\s,]+/).filter((kind) => kind !== "") as Array<EventSubscription>

/** Makes an endpoint and shows its secret. */
const CreateEndpoint = ({ onChange }: { readonly onChange: () => void }) => {
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

/** Deliveries of all endpoints: totals, and the last hour. */
const DeliveryFigures = ({ of }: { readonly of: WebhookHealth }) => {
  const hour = lastHour(of)
  const { delivered, failed_attempts: failed, p50_ms: half, p99_ms: most } = of.last_1h
  return (
    <>
      <div class="figures">
        <Figure
          label="Delivered"
          value={count(delivered)}
          more={`last hour; ${count(of.last_5m.delivered)} in 5 min`}
        />
        <Figure
          label="Failed attempts"
          value={count(failed)}
          tone={failed > 0 ? "warn" : ""}
          more={`last hour; ${count(of.last_5m.failed_attempts)} in 5 min`}
        />
        <Figure
          label="Backlog"
          value={count(of.backlog + of.retries_pending)}
          more={of.oldest_undelivered_seconds === undefined
            ? "none overdue"
            : `oldest: ${durationOf(of.oldest_undelivered_seconds)}`}
        />
        <Figure
          label="Latency"
          value={half === undefined ? "–" : `p50 ${durationOf(half / 1000)}`}
          more={most === undefined ? "no deliveries in the last hour" : `p99 ${durationOf(most / 1000)}`}
        />
        <Figure
          label="Exhausted"
          value={count(of.exhausted)}
          tone={of.exhausted > 0 ? "bad" : ""}
          more="all retries failed"
        />
      </div>
      {delivered + failed === 0
        ? <p class="small quiet">No attempts in the last hour.</p>
        : (
          <Chart
            kind="lines"
            label="Attempts per minute, last hour"
            height={140}
            instants={hour.map(({ instant }) => instant)}
            series={[
              { name: "Delivered", values: hour.map((each) => each.delivered) },
              { name: "Failed", values: hour.map((each) => each.failed), isBad: true }
            ]}
          />
        )}
    </>
  )
}

/** The event types of an endpoint, in few words. */
const Takes = ({ kinds }: { readonly kinds: ReadonlyArray<string> }) => (
  <span class="tiny quiet clip" title={kinds.join(", ")}>{kinds.length === 0 ? "all events" : kinds.join(", ")}</span>
)

const Waiting = ({ of: { backlog, lane, state } }: { readonly of: Lane }) => {
  if (state === "paused") return <span class="quiet">until resumed</span>
  if (backlog === undefined) return <span class="quiet">–</span>
  return (
    <span class="two ends">
      <span class={backlog === 0 ? "quiet" : ""}>{backlog === 0 ? "nothing" : count(backlog)}</span>
      {lane?.oldest_undelivered_seconds === undefined
        ? null
        : <span class="tiny quiet">oldest: {durationOf(lane.oldest_undelivered_seconds)}</span>}
    </span>
  )
}

const Outcome = ({ of }: { readonly of: Lane }) => {
  const { disabled_at, failing_since, last_delivery_at, last_outcome } = of.endpoint
  const next = of.state === "disabled" || of.state === "paused" ? undefined : last_outcome?.next_attempt_at
  const retried = failureOf(of.lane)
  return (
    <span class="two">
      <span class={isTrouble(of) ? "trouble" : ""}>{outcomeOf(of)}</span>
      {isTrouble(of) && last_outcome?.advice !== undefined ? <span class="tiny">{last_outcome.advice}</span> : null}
      <span class="tiny quiet">
        {of.state === "disabled" && disabled_at !== undefined
          ? (
            <>
              disabled <Time at={disabled_at} />
            </>
          )
          : failing_since !== undefined
          ? (
            <>
              failing since <Time at={failing_since} />
            </>
          )
          : <Time at={last_delivery_at} />}
        {next === undefined ? null : (
          <>
            ; next attempt <Time at={next} />
          </>
        )}
        {of.state === "active" && retried !== undefined
          ? `; ${some(of.lane?.retries_pending ?? 0, "pending retry", "pending retries")}: ${retried.toLowerCase()}`
          : ""}
      </span>
    </span>
  )
}

/** Rows keep the order in which they first appeared, so that none moves under the pointer; new ones come first. */
const usePlaces = (lanes: ReadonlyArray<Lane>): ReadonlyArray<Lane> => {
  const places = useRef<ReadonlyArray<string>>([])
  const added = lanes.map(({ endpoint }) => endpoint.id).filter((id) => !places.current.includes(id))
  if (added.length > 0) places.current = [...added, ...places.current]
  const by = new Map(lanes.map((lane) => [lane.endpoint.id, lane]))
  return places.current.flatMap((id) => by.get(id) ?? [])
}

/** The endpoints, those with trouble first. */
const Endpoints = ({ of, onChange }: { readonly of: ReadonlyArray<Lane>; readonly onChange: () => void }) => {
  const columns: ReadonlyArray<Column<Lane>> = [
    {
      name: "Endpoint",
      cell: ({ endpoint: { event_types, name, url } }) => (
        <span class="two">
          <bdi class="strong clip">{name}</bdi>
          <bdi class="small quiet clip">{url}</bdi>
          <Takes kinds={event_types} />
        </span>
      )
    },
    { name: "Status", cell: ({ state }) => <State of={state} /> },
    { name: "Last outcome", cell: (lane) => <Outcome of={lane} /> },
    ...(may("ops:read")
      ? [{ name: "Backlog", isNumber: true, cell: (lane: Lane) => <Waiting of={lane} /> }]
      : []),
    { name: "", cell: ({ endpoint }) => <EndpointActions of={endpoint} onChange={onChange} /> }
  ]
  return <Table label="Endpoints" rows={usePlaces(of)} keyOf={({ endpoint }) => endpoint.id} columns={columns} />
}

const receiver = `import { fetchHandler, Receiver } from "@countersign/client/webhooks"

const receiver = new Receiver({
  secrets: () => process.env.WEBHOOK_SECRET, // or a list of both during a rotation
  handle: async (event) => {
    console.log(event.type, event.data)
  }
})

// Next.js, Hono, Bun, Deno; expressHandler and fastifyPlugin are for the others.
export const POST = fetchHandler(receiver)`

/** Code with which a receiver verifies a delivery. */
const HowToVerify = () => (
  <Panel title="Verify deliveries">
    <p class="quiet">
      Each delivery is signed with the signing secret of its endpoint, as in Standard Webhooks: HMAC-SHA256 over ID,
      timestamp and body. Verify the signature first and respond with 2xx after you store the event. The same ID can
      arrive more than once.
    </p>
    <Copy label="Example receiver" text={receiver} />
    <p class="small quiet">
      See the <a href="/docs/guides/receive-webhooks">guide</a> for details, and the{" "}
      <a href="/docs/guides/webhooks">reference</a>{"  "}
      for signatures in other languages. To test a receiver on your own machine without an endpoint:
    </p>
    <Copy
      label="Deliver to localhost"
      text={`COUNTERSIGN_URL=${baseUrl} countersign webhooks listen --forward-to http://127.0.0.1:3000/hooks`}
    />
  </Panel>
)

/** How often the page loads again, in milliseconds. */
const again = 10_000

/** How many endpoints are shown; a vendor has a handful. */
const most = 1000

const allEndpoints = (client: Countersign, signal: AbortSignal): Promise<ReadonlyArray<WebhookEndpoint>> =>
  firstOf(client.webhooks.list({ limit: 200 }, { signal }), most)

/** The failing deliveries and their reasons, before anything else. */
const Trouble = ({ health, of }: { readonly of: ReadonlyArray<Lane>; readonly health: WebhookHealth | undefined }) => {
  const troubled = of.filter(isTrouble)
  // The reasons of health, without those about endpoints that the page names itself.
  const reasons = health?.reasons.filter((reason) => !/endpoints? (are|fail)/.test(reason)) ?? []
  if (troubled.length === 0 && reasons.length === 0) return null
  return (
    <Note
      tone="bad"
      title={troubled.length === 0
        ? "Deliveries are delayed"
        : `${some(troubled.length, "endpoint is", "endpoints are")} failing`}
    >
      <ul>
        {troubled.slice(0, 5).map((lane) => (
          <li key={lane.endpoint.id}>
            <bdi class="strong">{lane.endpoint.name}</bdi>: {outcomeOf(lane)}
            {lane.backlog === undefined || lane.backlog === 0
              ? ""
              : `; ${some(lane.backlog, "pending event")}`}
            {lane.lane?.oldest_undelivered_seconds === undefined
              ? ""
              : `, oldest: ${durationOf(lane.lane.oldest_undelivered_seconds)}`}
          </li>
        ))}
        {troubled.length > 5 ? <li>and {count(troubled.length - 5)} more, below</li> : null}
        {reasons.map((reason) => <li key={reason}>{reason}</li>)}
      </ul>
    </Note>
  )
}

/** Whether webhooks arrive: each endpoint with its state, its pending deliveries and its last attempts. */
export const WebhooksPage = () => {
  useTitle("Webhooks")
  const health = useLoad((client, signal) => client.webhooks.getHealth({ signal }), [], {
    every: again,
    when: may("ops:read")
  })
  const endpoints = useLoad(allEndpoints, [], { every: again, when: may("webhook:write") })
  const onChange = () => {
    endpoints.reload()
    health.reload()
  }
  return (
    <main class="page" id="main">
      <header>
        <div class="row wraps">
          <h1>Webhooks</h1>
          {health.data === undefined ? null : (
            <span class="row small quiet">
              <State of={health.data.status} />as of <Time at={health.data.as_of} />
            </span>
          )}
        </div>
        <CreateEndpoint onChange={onChange} />
      </header>
      <Placed after={[endpoints, health]}>
        {endpoints.data === undefined
          ? null
          : <Trouble of={lanesOf(endpoints.data, health.data)} health={health.data} />}
        {may("webhook:write")
          ? (
            <Panel title="Endpoints" flush>
              <Loading of={endpoints} lines={5}>
                {(all) =>
                  all.length === 0
                    ? (
                      <Empty title="No endpoints yet">
                        <p>
                          An endpoint is a URL that receives your events. Create one above, then write a receiver as
                          shown below. During development, <code>countersign webhooks listen</code>{"  "}
                          delivers to a program on your own machine.
                        </p>
                      </Empty>
                    )
                    : <Endpoints of={lanesOf(all, health.data)} onChange={onChange} />}
              </Loading>
            </Panel>
          )
          : null}
        {may("ops:read")
          ? (
            <Panel title="Deliveries, all endpoints">
              <Loading of={health} lines={4}>{(data) => <DeliveryFigures of={data} />}</Loading>
            </Panel>
          )
          : null}
        <HowToVerify />
      </Placed>
    </main>
  )
}
