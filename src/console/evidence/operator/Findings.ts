import type { ReadyData, WebhookHealth } from "../../../client/api/index.ts"
import { some } from "../../ground/design/Numbers.ts"
import { durationOf } from "../../ground/design/Time.tsx"
import type { CheckpointFound } from "./Checkpoint.ts"
import type { Exports } from "./KeyPanels.tsx"
import { poolsOf, valueOf } from "./Metrics.ts"
import type { Metrics } from "./Metrics.ts"

/** Something that needs attention; `bad` at once. */
interface Finding {
  readonly tone: "bad" | "warn"
  readonly text: string
  /** The page that has more of it. */
  readonly href?: string
}

/**
 * A part of the page: its answer; an error if it could not be read, even if an earlier answer is still shown; neither
 * while the first answer is pending.
 */
export interface Part<A> {
  readonly data: A | undefined
  readonly error: Error | undefined
  /** Whether it was read at least once; the answer may be that there is nothing yet. */
  readonly isAnswered: boolean
}

/** The parts of the page; undefined is one that the token may not see, so that it was not asked for. */
export interface Known {
  readonly ready: Part<ReadyData>
  readonly metrics: Part<Metrics>
  readonly health: Part<WebhookHealth> | undefined
  readonly checkpoint: Part<CheckpointFound> | undefined
  readonly exports: Part<Exports> | undefined
  readonly signingKeys: Part<unknown> | undefined
}

/** The verdict of the page. A part that could not be read is never healthy. */
export interface Verdict {
  readonly state: "checking" | "well" | "unknown" | "look" | "bad"
  readonly findings: ReadonlyArray<Finding>
  /** The parts that the token may not see. */
  readonly hidden: ReadonlyArray<string>
}

/** The name of each part. */
const names: Readonly<Record<keyof Known, string>> = {
  ready: "readiness",
  metrics: "node and database metrics",
  health: "deliveries",
  checkpoint: "checkpoint",
  exports: "exports",
  signingKeys: "signing keys"
}

/** A year, in seconds: a signing key that is older should be rotated. */
const year = 365 * 86_400

const readyFindings = ({ db, phase, reason, status }: ReadyData): ReadonlyArray<Finding> => {
  if (status === "ready") return reason === undefined ? [] : [{ tone: "warn", text: reason }]
  const why = db !== "ok"
    ? `the database is ${db}`
    : phase === "draining"
    ? "shutting down"
    : phase === "starting"
    ? "starting up"
    : reason ?? "reason unknown"
  return [{ tone: "bad", text: `Node not ready: ${why}` }]
}

const healthFindings = ({ reasons, status }: WebhookHealth): ReadonlyArray<Finding> =>
  reasons.map((reason) => ({
    tone: status === "down" ? "bad" : "warn",
    text: `Deliveries: ${reason}`,
    href: "/console/webhooks"
  }))

const metricsFindings = (metrics: Metrics): ReadonlyArray<Finding> => {
  const all = valueOf(metrics, "effect_cluster_runners") ?? 0
  const healthy = valueOf(metrics, "effect_cluster_runners_healthy") ?? all
  const offset = Math.abs(valueOf(metrics, "countersign_clock_offset_seconds") ?? 0)
  const age = valueOf(metrics, "countersign_signing_key_age_seconds") ?? 0
  return [
    ...(age > year ? [{ tone: "warn" as const, text: `The signing key is ${durationOf(age)} old: rotate it` }] : []),
    ...(healthy < all ? [{ tone: "warn" as const, text: `${healthy} of ${all} nodes healthy` }] : []),
    ...(offset > 2
      ? [{ tone: "warn" as const, text: `The clocks of this node and the database differ by ${durationOf(offset)}` }]
      : []),
    ...(valueOf(metrics, "countersign_http_untrusted_forwarding") === 1
      ? [{
        tone: "warn" as const,
        text: "X-Forwarded-For comes from a proxy that COUNTERSIGN_TRUSTED_PROXIES does not name"
      }]
      : []),
    ...poolsOf(metrics).filter(({ pending }) => pending > 0).map(({ name, pending }) => ({
      tone: "warn" as const,
      text: `${some(pending, "query waits", "queries wait")} for a connection from pool ${name}`
    }))
  ]
}

/** The finding about the checkpoint. */
const checkpointFindings = (checkpoint: CheckpointFound): ReadonlyArray<Finding> => {
  if (checkpoint === undefined) return []
  if ("why" in checkpoint) return [{ tone: "warn", text: "This browser did not verify the checkpoint" }]
  return checkpoint.ok ? [] : [{ tone: "bad", text: `Checkpoint verification failed: ${checkpoint.detail}` }]
}

const exportFindings = ({ failed }: Exports): ReadonlyArray<Finding> =>
  failed.newest.length === 0
    ? []
    : [{ tone: "warn", text: `${some(failed.newest.length, "export")} failed`, href: "/console/reports" }]

const of = <A>(part: Part<A> | undefined, findings: (data: A) => ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  part?.data === undefined ? [] : findings(part.data)

/** Everything that needs attention, the urgent first. */
const findingsOf = ({ checkpoint, exports, health, metrics, ready }: Known): ReadonlyArray<Finding> =>
  [
    ...of(ready, readyFindings),
    ...of(health, healthFindings),
    ...of(checkpoint, checkpointFindings),
    ...of(metrics, metricsFindings),
    ...of(exports, exportFindings)
  ].toSorted((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad"))

/** The verdict on all parts: bad, needs attention, could not be read, or else healthy. */
export const verdictOf = (known: Known): Verdict => {
  const parts = Object.keys(names) as ReadonlyArray<keyof Known>
  const hidden = parts.filter((part) => known[part] === undefined).map((part) => names[part])
  const unread = parts.filter((part) => known[part]?.error !== undefined).map((part) => names[part])
  const isAwaited = parts.some((part) => {
    const { error, isAnswered } = known[part] ?? { error: undefined, isAnswered: true }
    return error === undefined && !isAnswered
  })
  const found = findingsOf(known)
  const findings: ReadonlyArray<Finding> = unread.length === 0
    ? found
    : [...found, { tone: "warn", text: `Could not be read: ${unread.join(", ")}` }]
  const state = found.some(({ tone }) => tone === "bad")
    ? "bad"
    : unread.length > 0
    ? "unknown"
    : found.length > 0
    ? "look"
    : isAwaited
    ? "checking"
    : "well"
  return { state, findings, hidden }
}
