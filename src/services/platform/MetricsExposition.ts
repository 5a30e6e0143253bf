import { Context } from "effect"
import type { Effect } from "effect"

/** The metrics of this process in the Prometheus text format; the runtime implements it. */
export class MetricsExposition extends Context.Service<MetricsExposition, {
  readonly render: Effect.Effect<string>
}>()("countersign/services/platform/MetricsExposition") {}
