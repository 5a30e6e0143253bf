import type { ReadyData, WebhookHealth } from "../../client/api/index.ts"
import { some } from "../design/Numbers.ts"
import { durationOf } from "../design/Time.tsx"
import type { CheckpointFound } from "./Checkpoint.ts"
import type { Exports } from "./ExportsPanel.tsx"
import { poolsOf, valueOf } from "./Metrics.ts"
import type { Metrics } from "./Metrics.ts"

/** Something that somebody should look at; `bad` at once. */
export interface Finding {
  readonly tone: "bad" | "warn"
  readonly text: string
  /** The page that has more of it. */
  readonly href?: string
}

/** What is known so far; what the token may not see, or did not come yet, is undefined. */
export interface Known {
  readonly ready: ReadyData | undefined
  readonly health: WebhookHealth | undefined
  readonly metrics: Metrics | undefined
  readonly checkpoint: CheckpointFound
  readonly exports: Exports | undefined
}

/** A year, in seconds: a signing key that is older should be rotated. */
const year = 365 * 86_400

const readyFindings = ({ db, phase, reason, status }: ReadyData): ReadonlyArray<Finding> => {
  if (status === "ready") return reason === undefined ? [] : [{ tone: "warn", text: reason }]
  const why = db !== "ok"
    ? `the database is ${db}`
    : phase === "draining"
    ? "it is being stopped"
    : phase === "starting"
    ? "it is starting"
    : reason ?? "it does not say why"
  return [{ tone: "bad", text: `This node is not ready: ${why}` }]
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
    ...(healthy < all ? [{ tone: "warn" as const, text: `${healthy} of ${all} nodes answer` }] : []),
    ...(offset > 2
      ? [{ tone: "warn" as const, text: `The clocks of this node and the database are ${durationOf(offset)} apart` }]
      : []),
    ...poolsOf(metrics).filter(({ pending }) => pending > 0).map(({ name, pending }) => ({
      tone: "warn" as const,
      text: `${some(pending, "statement waits", "statements wait")} for a connection of ${name}`
    }))
  ]
}

/** Everything that somebody should look at, what is urgent first. */
export const findingsOf = ({ checkpoint, exports, health, metrics, ready }: Known): ReadonlyArray<Finding> => {
  const all: ReadonlyArray<Finding> = [
    ...(ready === undefined ? [] : readyFindings(ready)),
    ...(health === undefined ? [] : healthFindings(health)),
    ...(checkpoint !== undefined && "ok" in checkpoint && !checkpoint.ok
      ? [{ tone: "bad" as const, text: `The checkpoint could not be verified: ${checkpoint.detail}` }]
      : []),
    ...(metrics === undefined ? [] : metricsFindings(metrics)),
    ...(exports !== undefined && exports.failed.newest.length > 0
      ? [{
        tone: "warn" as const,
        text: `${some(exports.failed.newest.length, "export")} failed`,
        href: "/console/reports"
      }]
      : [])
  ]
  return all.toSorted((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad"))
}
