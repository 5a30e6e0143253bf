import { Clock, Effect, Metric } from "effect"
import { fromStartBy } from "./SeriesFromStart.ts"

/** Sweeps, which end or delete things when their time has come. Each has ended a round within half an hour, or is stuck. */
const sweepers = [
  "licenses",
  "leases",
  "pruner",
  "webhooks",
  "exports",
  "idempotency_keys",
  "purchases",
  "jobs",
  "approvals",
  "warnings"
] as const

const lastSuccess = fromStartBy(
  sweepers,
  (sweeper) =>
    Metric.gauge("countersign_sweep_last_success_timestamp_seconds", {
      description: "When a sweeper last ended a round on this node, in seconds since 1970; 0 where it never has.",
      attributes: { sweeper }
    })
)

/** A round of a sweeper, whose end is noted when it succeeds. */
export const swept = <A, E, R>(sweeper: (typeof sweepers)[number], round: Effect.Effect<A, E, R>) =>
  Effect.tap(
    round,
    () => Effect.flatMap(Clock.currentTimeMillis, (now) => Metric.update(lastSuccess[sweeper], now / 1000))
  )
