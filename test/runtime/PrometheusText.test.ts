import { assert, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { prometheusText } from "../../src/runtime/PrometheusText.ts"

const read = (update: Effect.Effect<unknown>) =>
  Effect.andThen(update, prometheusText({ serviceName: "countersign", serviceVersion: "1.2.3" })).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map())
  )

const target = `# HELP target_info Target metadata
# TYPE target_info gauge
target_info{service_name="countersign",service_version="1.2.3"} 1
`

it.effect("writes each kind of metric with its unit and words, and no label that it has not", () =>
  Effect.gen(function*() {
    const text = yield* read(Effect.all([
      Metric.update(Metric.counter("waited_seconds", { description: "A \\ and\na line.", incremental: true }), 2.5),
      Metric.update(Metric.counter("balance"), -1),
      Metric.update(Metric.gauge("free_bytes", { attributes: { disk: "\"a\"\\\n" } }), Infinity),
      Metric.update(Metric.histogram("taken_seconds", { boundaries: [0.5, 1], attributes: { of: "x" } }), 0.75)
    ]))
    assert.strictEqual(
      text,
      `${target}# HELP waited_seconds_total A \\\\ and\\na line.
# UNIT waited_seconds_total seconds
# TYPE waited_seconds_total counter
waited_seconds_total 2.5
# HELP balance description missing
# TYPE balance gauge
balance -1
# HELP free_bytes description missing
# UNIT free_bytes bytes
# TYPE free_bytes gauge
free_bytes{disk="\\"a\\"\\\\\\n"} +Inf
# HELP taken_seconds description missing
# UNIT taken_seconds seconds
# TYPE taken_seconds histogram
taken_seconds_count{of="x"} 1
taken_seconds_sum{of="x"} 0.75
taken_seconds_bucket{of="x",le="0.5"} 0
taken_seconds_bucket{of="x",le="1"} 1
taken_seconds_bucket{of="x",le="+Inf"} 1
`
    )
  }))

it.effect("describes a metric once, in however many slices its series are written", () =>
  Effect.gen(function*() {
    const numbers = Array.from({ length: 234 }, (_, number) => String(number))
    const text = yield* read(Effect.all([
      Metric.update(Metric.gauge("before"), 1),
      ...numbers.map((number) => Metric.update(Metric.gauge("many", { attributes: { number } }), Number(number))),
      Metric.update(Metric.gauge("after"), 2)
    ]))
    const described = (name: string) => `# HELP ${name} description missing\n# TYPE ${name} gauge\n`
    assert.strictEqual(
      text,
      `${target}${described("before")}before 1\n${described("many")}${
        numbers.map((number) => `many{number="${number}"} ${number}\n`).join("")
      }${described("after")}after 2\n`
    )
  }))
