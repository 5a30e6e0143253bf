import { Context } from "effect"
import type { Effect } from "effect"

/** The media type of the Prometheus text format. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8"

/** The metrics of one moment, as they are sent to all who ask for them. */
export interface Exposition {
  /** The Prometheus text format, in UTF-8. */
  readonly text: Uint8Array
  /** The same compressed, once however many take it. */
  readonly gzip: Effect.Effect<Uint8Array>
}

/** The metrics of this process in the Prometheus text format; the runtime implements it. */
export class MetricsExposition extends Context.Service<MetricsExposition, {
  /** As they are now. They are read once for all who ask meanwhile, and at most for a fiftieth of the time. */
  readonly read: Effect.Effect<Exposition>
}>()("countersign/services/ground/platform/MetricsExposition") {}
