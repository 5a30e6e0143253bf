import type { Countersign, WebhookEndpoint, WebhookHealth } from "../../client/api/index.ts"
import { State } from "../ground/design/Badge.tsx"
import { Empty, Note } from "../ground/design/Feedback.tsx"
import { count, some } from "../ground/design/Numbers.ts"
import { Panel } from "../ground/design/Panel.tsx"
import { durationOf, Time } from "../ground/design/Time.tsx"
import { firstOf, useLoad } from "../ground/session/Load.ts"
import { Loading, Placed } from "../ground/session/Loading.tsx"
import { may } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { CreateEndpoint } from "./CreateEndpoint.tsx"
import { DeliveryFigures } from "./DeliveryFigures.tsx"
import "./developer.css"
import { Endpoints } from "./Endpoints.tsx"
import { HowToVerify } from "./HowToVerify.tsx"
import { isTrouble, lanesOf, outcomeOf } from "./Outcome.ts"
import type { Lane } from "./Outcome.ts"

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
