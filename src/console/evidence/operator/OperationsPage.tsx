import { useRef } from "preact/hooks"
import type { Countersign, ReadyData, WebhookHealth } from "../../../client/api/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { durationOf } from "../../ground/design/Time.tsx"
import type { Pages } from "../../ground/lists/Pages.ts"
import { Failure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { findCheckpoint } from "./Checkpoint.ts"
import { CheckpointPanel } from "./CheckpointPanel.tsx"
import { EnvironmentPanel } from "./EnvironmentPanel.tsx"
import { ExportsPanel, findExports } from "./ExportsPanel.tsx"
import { verdictOf } from "./Findings.ts"
import type { Part, Verdict } from "./Findings.ts"
import { maySeeSigningKeys, SigningKeysPanel, useSigningKeys } from "./KeyPanels.tsx"
import { labelOf, readMetrics, valueOf } from "./Metrics.ts"
import type { Metrics } from "./Metrics.ts"
import { DatabasePanel, NodePanel } from "./NodePanel.tsx"
import type { Measured } from "./NodePanel.tsx"
import "./operator.css"
import { readiness, readProcessMetrics } from "./Readiness.ts"

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
