import { useRef } from "preact/hooks"
import type { Countersign, ReadyData, WebhookHealth } from "../../../client/api/index.ts"
import { Badge, State } from "../../ground/design/Badge.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import { Facts, Figure, Panel } from "../../ground/design/Panel.tsx"
import { durationOf, Time } from "../../ground/design/Time.tsx"
import type { Pages } from "../../ground/lists/Pages.ts"
import { Failure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { findCheckpoint, forgetCheckpoint } from "./Checkpoint.ts"
import type { CheckpointFound } from "./Checkpoint.ts"
import { EnvironmentPanel } from "./EnvironmentPanel.tsx"
import { verdictOf } from "./Findings.ts"
import type { Part, Verdict } from "./Findings.ts"
import { ExportsPanel, findExports, maySeeSigningKeys, SigningKeysPanel, useSigningKeys } from "./KeyPanels.tsx"
import { labelOf, poolsOf, quantileOf, readMetrics, valueOf } from "./Metrics.ts"
import type { Metrics } from "./Metrics.ts"
import "./operator.css"
import { readiness, readProcessMetrics } from "./Readiness.ts"

const Found = ({ of, onForget }: { readonly of: CheckpointFound; readonly onForget: () => void }) => {
  if (of === undefined) return <p class="small quiet">No checkpoint yet: the event log is empty.</p>
  if ("why" in of) return <Note tone="warn" title="Not verified">{of.why}</Note>
  if (!of.ok) {
    const isOther = of.fault === "other_log" || of.fault === "unknown_key"
    return (
      <Note tone="bad" title="Checkpoint verification failed">
        <span>{of.detail}.</span>
        <span>
          {isOther
            ? "If a different service now uses this URL, clear the stored checkpoint."
            : "If the log was restored from a backup, follow the runbook, then clear the stored checkpoint."}
        </span>
        <span class="row wraps">
          <Button small onClick={onForget}>Clear stored checkpoint</Button>
          <a class="small" href="/docs/guides/events" target="_blank" rel="noreferrer">Verification details</a>
        </span>
      </Note>
    )
  }
  const { checkpoint: { kid, origin, rootHash, size, time }, cosignedSize, since } = of
  return (
    <Facts
      of={[
        ["Covers", `${count(size)} events`],
        ["Signed", <Time at={time} />],
        ...(cosignedSize === undefined ? [] : [["Cosigned", `${count(cosignedSize)} events`] as const]),
        ["Key", <Id of={kid} />],
        ["Root", <Id of={rootHash} />],
        ["Log", <bdi title={origin}>{origin}</bdi>],
        [
          "Last verified",
          since === undefined
            ? "none"
            : since.size === size
            ? "the same checkpoint"
            : `${count(since.size)} events; consistent`
        ]
      ]}
    />
  )
}

/** The latest checkpoint of the log, and whether this browser could verify it. */
const CheckpointPanel = ({ of }: { readonly of: Loaded<CheckpointFound> }) => {
  const onForget = () => {
    forgetCheckpoint()
    of.reload()
  }
  const isVerified = of.data !== undefined && "ok" in of.data && of.data.ok
  return (
    <Panel title="Checkpoint" aside={isVerified ? <Badge tone="good">verified in this browser</Badge> : null}>
      {of.data === undefined && of.error === undefined && !of.isLoading
        ? <Found of={undefined} onForget={onForget} />
        : <Loading of={of} lines={4}>{(found) => <Found of={found} onForget={onForget} />}</Loading>}
    </Panel>
  )
}

/** The metrics now and a while before. */
interface Measured {
  readonly now: Metrics
  readonly before: Metrics | undefined
}

const mebibytes = (bytes: number): string => `${count(bytes / 2 ** 20)} MiB`

const momentOf = (seconds: number) => new Date(seconds * 1000).toISOString()

/** The load of the process that answered; other processes report their own. */
const NodePanel = ({ of }: { readonly of: Loaded<Measured> }) => (
  <Panel title="This process" aside={<span class="small quiet">the node that responded</span>}>
    <Loading of={of} lines={5}>
      {({ before, now }) => {
        const started = valueOf(now, "process_start_time_seconds")
        const used = valueOf(now, "nodejs_heap_used_bytes")
        const limit = valueOf(now, "nodejs_heap_limit_bytes")
        const late = quantileOf(now, "nodejs_eventloop_delay_seconds", 0.99, before)
        const resident = valueOf(now, "process_resident_memory_bytes")
        const open = valueOf(now, "http_server_active_requests")
        return (
          <Facts
            of={[
              ["Started", started === undefined ? undefined : <Time at={momentOf(started)} />],
              ["Node.js", labelOf(now, "countersign_build_info", "node")],
              ["Active requests", open === undefined ? undefined : count(open)],
              [
                "Event loop",
                late === undefined ? undefined : Number.isFinite(late)
                  ? `p99 delay ${durationOf(late)}`
                  : "blocked for several seconds"
              ],
              ["Memory", resident === undefined ? undefined : mebibytes(resident)],
              [
                "Heap",
                used === undefined || limit === undefined ? undefined : `${mebibytes(used)} of ${mebibytes(limit)}`
              ]
            ]}
          />
        )
      }}
    </Loading>
  </Panel>
)

/** The database, as the process that answered uses it. */
const DatabasePanel = ({ of }: { readonly of: Loaded<Measured> }) => (
  <Panel title="Database">
    <Loading of={of} lines={4}>
      {({ before, now }) => {
        const slow = quantileOf(now, "db_client_operation_duration_seconds", 0.99, before)
        const wait = quantileOf(now, "db_client_connection_wait_time_seconds", 0.99, before)
        const within = (seconds: number | undefined) =>
          seconds === undefined || !Number.isFinite(seconds) ? undefined : `p99 ${durationOf(seconds)}`
        return (
          <Facts
            of={[
              ["PostgreSQL", labelOf(now, "countersign_build_info", "postgres")],
              ["Query latency", within(slow)],
              ["Connection wait", within(wait)],
              ...poolsOf(now).map(({ most, name, pending, used }) =>
                [
                  `Pool ${name}`,
                  `${count(used)} of ${count(most)} in use${pending === 0 ? "" : `, ${count(pending)} waiting`}`
                ] as const
              )
            ]}
          />
        )
      }}
    </Loading>
  </Panel>
)

/** How often the page loads again, in milliseconds. */
const every = 10_000

/** How many of the earlier measurements are kept: those of five minutes. */
const kept = 30

/** Asks for the metrics, and keeps earlier ones to compare with. */
const useMetrics = () => {
  const earlier = useRef<ReadonlyArray<Metrics>>([])
  return useLoad(
    async (_: Countersign, signal) => {
      const now = readMetrics(await readProcessMetrics(signal))
      const [before] = earlier.current
      earlier.current = [...earlier.current, now].slice(-kept)
      return { now, before }
    },
    [],
    { every }
  )
}

const partOf = ({ error, rows }: Pages<unknown>): Part<unknown> => ({
  data: rows,
  error,
  isAnswered: rows !== undefined
})

/** The verdict on the parts of the page, with the names of those that were not read. */
const Summary = ({ of: { findings, hidden, state } }: { readonly of: Verdict }) => {
  const beyond = hidden.length === 0 ? null : <span>{`Not visible with this token: ${hidden.join(", ")}.`}</span>
  if (state === "checking") return <Note title="Checking…">Some checks have not finished yet.</Note>
  if (state === "well") {
    return (
      <Note tone="good" title={hidden.length === 0 ? "Healthy" : "Healthy, as far as this token can see"}>
        <span>No action needed.</span>
        {beyond}
      </Note>
    )
  }
  return (
    <Note
      tone={state === "bad" ? "bad" : "warn"}
      title={state === "bad" ? "Unhealthy" : state === "unknown" ? "Some checks could not be read" : "Needs attention"}
    >
      <ul>
        {findings.map(({ href, text }) => <li key={text}>{href === undefined ? text : <a href={href}>{text}</a>}</li>)}
      </ul>
      {beyond}
    </Note>
  )
}

/** The text below a figure that is still to come, which has its height from the start. */
const coming = "…"

interface FiguresProps {
  readonly ready: Loaded<ReadyData>
  readonly metrics: Loaded<Measured>
  readonly health: Loaded<WebhookHealth> | undefined
}

const nodesMore = (nodes: number | undefined, healthy: number | undefined): string | undefined =>
  nodes === undefined ? undefined : healthy === nodes ? "all healthy" : `${count(healthy ?? 0)} healthy`

const NodeFigures = ({ metrics, ready }: FiguresProps) => {
  const of = metrics.data?.now
  const nodes = of === undefined ? undefined : valueOf(of, "effect_cluster_runners")
  const healthy = of === undefined ? undefined : valueOf(of, "effect_cluster_runners_healthy") ?? nodes
  const { db, phase } = ready.data ?? {}
  return (
    <>
      <Figure
        label="Version"
        value={of === undefined ? "–" : labelOf(of, "countersign_build_info", "version") ?? "–"}
        more={phase === "ready" ? "accepts requests" : phase ?? coming}
      />
      <Figure
        label="Nodes"
        value={nodes === undefined ? "–" : count(nodes)}
        more={of === undefined ? coming : nodesMore(nodes, healthy)}
        tone={healthy === nodes ? "" : "warn"}
      />
      <Figure
        label="Database"
        value={db ?? "–"}
        tone={db === undefined || db === "ok" ? "" : "bad"}
        more="from this node"
      />
    </>
  )
}

const DeliveryFigures = ({ of }: { readonly of: WebhookHealth | undefined }) => (
  <>
    <Figure
      label="Feed lag"
      value={of === undefined ? "–" : durationOf(of.feed_lag_seconds)}
      tone={of !== undefined && of.feed_lag_seconds > 2 ? "warn" : ""}
      more={of === undefined ? coming : some(of.unsequenced, "unsequenced event")}
    />
    <Figure
      label="Webhook backlog"
      value={of === undefined ? "–" : count(of.backlog + of.retries_pending)}
      tone={of === undefined || of.status === "ok" ? "" : "warn"}
      more={of === undefined
        ? coming
        : of.oldest_undelivered_seconds === undefined
        ? "none overdue"
        : `oldest: ${durationOf(of.oldest_undelivered_seconds)}`}
    />
  </>
)

/** The figures of the service, each in its place before it is read. */
const Figures = (props: FiguresProps) => (
  <div class="figures">
    <NodeFigures {...props} />
    {props.health === undefined ? null : <DeliveryFigures of={props.health.data} />}
  </div>
)

/** Whether the service is well: what it says of itself, and what this browser could verify. */
export const OperationsPage = () => {
  useTitle("Operations")
  const ready = useLoad((_, signal) => readiness(signal), [], { every })
  const metrics = useMetrics()
  const health = useLoad((client, signal) => client.webhooks.getHealth({ signal }), [], {
    every,
    when: may("ops:read")
  })
  const checkpoint = useLoad(findCheckpoint, [], { every, when: may("event:read") })
  const exports = useLoad(findExports, [], { every, when: may("report:export") })
  const signingKeys = useSigningKeys()
  const verdict = verdictOf({
    ready,
    metrics: { ...metrics, data: metrics.data?.now },
    health: may("ops:read") ? health : undefined,
    checkpoint: may("event:read") ? checkpoint : undefined,
    exports: may("report:export") ? exports : undefined,
    signingKeys: maySeeSigningKeys() ? partOf(signingKeys) : undefined
  })
  return (
    <main class="page" id="main">
      <header>
        <div class="row wraps">
          <h1>Operations</h1>
          {ready.data === undefined ? null : <State of={ready.data.status} />}
        </div>
      </header>
      <Summary of={verdict} />
      {ready.error === undefined ? null : <Failure error={ready.error} onRetry={ready.reload} />}
      <Panel>
        <Figures ready={ready} metrics={metrics} health={may("ops:read") ? health : undefined} />
      </Panel>
      <div class="board">
        <EnvironmentPanel />
        {may("event:read") ? <CheckpointPanel of={checkpoint} /> : null}
        <NodePanel of={metrics} />
        <DatabasePanel of={metrics} />
        {may("report:export") ? <ExportsPanel of={exports} /> : null}
        {maySeeSigningKeys() ? <SigningKeysPanel of={signingKeys} /> : null}
      </div>
    </main>
  )
}
