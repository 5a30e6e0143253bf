import { Effect, Metric } from "effect"

/** A metric of any kind. */
// oxlint-disable-next-line typescript/no-explicit-any -- what a metric takes and holds does not matter here
type AnyMetric = Metric.Metric<any, any>

const begun = new Set<AnyMetric>()

/**
 * Has a metric shown at zero before anything has happened. A counter that appears with its first event has no increase
 * then, so `rate()` would miss just the event that nobody has seen before; and what is absent looks to an alert as if
 * all were well. It is for metrics of modules, whose number has a bound.
 */
export const fromStart = <M extends AnyMetric>(metric: M): M => {
  begun.add(metric)
  return metric
}

/** {@link fromStart} for one series of each value of a label. */
export const fromStartBy = <const Value extends string, M extends AnyMetric>(
  values: ReadonlyArray<Value>,
  make: (value: Value) => M
): Readonly<Record<Value, M>> =>
  Object.fromEntries(values.map((value) => [value, fromStart(make(value))])) as Record<Value, M>

/** Begins every series of {@link fromStart} in the registry of the current context; one that is there stays as it is. */
export const beginSeries: Effect.Effect<void> = Effect.map(Effect.context<never>(), (context) => {
  for (const metric of begun) metric.valueUnsafe(context)
})

/** Has a gauge read when it is asked for, instead of being told of each change; it is `read` until the scope closes. */
export const readGauge = (metric: Metric.Gauge<number>, read: () => number) =>
  Effect.acquireRelease(
    Effect.map(Effect.context<never>(), (context) =>
      Metric.registerUnsafe(metric, context, {
        get: () => ({ value: read() }),
        update: () => {},
        modify: () => {}
      })),
    (registration) => Effect.sync(() => registration.remove())
  )
