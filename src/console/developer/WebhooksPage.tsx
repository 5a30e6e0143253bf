import type { WebhookEndpoint, WebhookHealth, WebhookHealthLane } from "../../client/api/index.ts"
import { State } from "../design/Badge.tsx"
import { Empty, Note, Skeleton } from "../design/Feedback.tsx"
import { count } from "../design/Numbers.ts"
import { Figure, Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import { durationOf, Time } from "../design/Time.tsx"
import { useLoad } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { More } from "../session/More.tsx"
import { usePages } from "../session/Pages.ts"
import { may } from "../session/Session.ts"
import { useTitle } from "../session/Title.ts"
import { EndpointActions } from "./EndpointActions.tsx"
import { HowToVerify } from "./HowToVerify.tsx"

/** How often health is asked again, in milliseconds. */
const again = 10_000

/** The lanes by the endpoints they deliver to. */
const lanesOf = (health: WebhookHealth | undefined): ReadonlyMap<string, WebhookHealthLane> =>
  new Map((health?.worst ?? []).map((lane) => [lane.webhook_id, lane]))

const Health = ({ of }: { readonly of: WebhookHealth }) => (
  <>
    {of.status === "ok" ?
      null :
      (
        <Note tone={of.status === "down" ? "bad" : "warn"} title={`Deliveries are ${of.status}`}>
          <ul>{of.reasons.map((reason) => <li key={reason}>{reason.replaceAll("_", " ")}</li>)}</ul>
        </Note>
      )}
    <div class="figures">
      <Figure
        label="Delivered"
        value={count(of.last_1h.delivered)}
        more={`in an hour, ${count(of.last_5m.delivered)} in 5 min`}
      />
      <Figure
        label="Failed attempts"
        value={count(of.last_1h.failed_attempts)}
        tone={of.last_1h.failed_attempts > 0 ? "warn" : ""}
        more="in an hour"
      />
      <Figure
        label="Waiting"
        value={count(of.backlog)}
        more={of.oldest_undelivered_seconds === undefined
          ? "nothing waits"
          : `oldest ${durationOf(of.oldest_undelivered_seconds)}`}
      />
      <Figure
        label="Latency"
        value={of.last_1h.p50_ms === undefined ? "–" : `${count(of.last_1h.p50_ms)} ms`}
        more={of.last_1h.p99_ms === undefined
          ? "no delivery in an hour"
          : `99 of 100 within ${count(of.last_1h.p99_ms)} ms`}
      />
      <Figure
        label="Given up"
        value={count(of.exhausted)}
        tone={of.exhausted > 0 ? "bad" : ""}
        more="after all retries"
      />
    </div>
  </>
)

/** Whether webhooks arrive: each endpoint with its state, what waits, and what came of the last attempts. */
export const WebhooksPage = () => {
  useTitle("Webhooks")
  const health = useLoad((client, signal) => client.webhooks.health({ signal }), [], {
    every: again,
    when: may("ops:read")
  })
  const endpoints = usePages<WebhookEndpoint>(
    (client, cursor, signal) =>
      client.webhooks.list({ limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal }),
    []
  )
  const lanes = lanesOf(health.data)
  const onChange = () => {
    endpoints.reload()
    health.reload()
  }
  return (
    <main class="page" id="main">
      <header>
        <h1>Webhooks</h1>
        {health.data === undefined ? null : (
          <span class="row small quiet">
            <State of={health.data.status} />as of <Time at={health.data.as_of} />
          </span>
        )}
      </header>
      {may("ops:read")
        ? (
          <Panel>
            <Loading of={health} lines={2}>{(data) => <Health of={data} />}</Loading>
          </Panel>
        )
        : null}
      <Panel title="Endpoints" flush footer={<More of={endpoints} />}>
        {endpoints.rows === undefined
          ? endpoints.error === undefined ? <Skeleton lines={5} /> : null
          : endpoints.rows.length === 0
          ? (
            <Empty title="No endpoint yet">
              <p>
                An endpoint is an address of yours that is told what happens.{" "}
                <a href="/docs/guides/webhooks">The guide</a> has the call that creates one and the receiver;{" "}
                <code>countersign webhooks listen</code> delivers to a program on your own machine meanwhile.
              </p>
            </Empty>
          )
          : (
            <Table
              label="Endpoints"
              rows={endpoints.rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: "Endpoint",
                  cell: ({ name, url }) => (
                    <span class="two">
                      <bdi class="strong clip">{name}</bdi>
                      <bdi class="small quiet clip">{url}</bdi>
                    </span>
                  )
                },
                { name: "State", cell: ({ id, status }) => <State of={lanes.get(id)?.state ?? status} /> },
                {
                  name: "Waiting",
                  isNumber: true,
                  cell: ({ id }) => {
                    const lane = lanes.get(id)
                    return lane === undefined
                      ? <span class="quiet">–</span>
                      : (
                        <span class="two" style={{ alignItems: "flex-end" }}>
                          {count(lane.backlog)}
                          {lane.oldest_undelivered_seconds === undefined
                            ? null
                            : <span class="tiny quiet">oldest {durationOf(lane.oldest_undelivered_seconds)}</span>}
                        </span>
                      )
                  }
                },
                {
                  name: "Last outcome",
                  cell: ({ disabled_reason, failing_since, id, last_delivery_at }) => (
                    <span class="two">
                      <span class="clip">
                        {disabled_reason?.replaceAll("_", " ") ?? lanes.get(id)?.last_outcome ??
                          (last_delivery_at === undefined ? "nothing was sent yet" : "delivered")}
                      </span>
                      <span class="tiny quiet">
                        {failing_since === undefined ? <Time at={last_delivery_at} /> : (
                          <>
                            failing since <Time at={failing_since} />
                          </>
                        )}
                      </span>
                    </span>
                  )
                },
                { name: "", cell: (endpoint) => <EndpointActions of={endpoint} onChange={onChange} /> }
              ]}
            />
          )}
      </Panel>
      <HowToVerify />
    </main>
  )
}
