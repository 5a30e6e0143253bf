import type { WebhookHealth } from "../../client/api/index.ts"
import { Chart } from "../ground/charts/Chart.tsx"
import { count } from "../ground/design/Numbers.ts"
import { Figure } from "../ground/design/Panel.tsx"
import { durationOf } from "../ground/design/Time.tsx"
import { lastHour } from "./LastHour.ts"

/** Deliveries of all endpoints: totals, and the last hour. */
export const DeliveryFigures = ({ of }: { readonly of: WebhookHealth }) => {
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
