import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { OtlpSerialization } from "effect/observability"
import { TestClock } from "effect/testing"
import { makeSpanExport } from "../../../src/runtime/traces/Traces.ts"
import type { ExportedSpan } from "../../../src/runtime/traces/Traces.ts"

const span: ExportedSpan = {
  traceId: "0".repeat(32),
  spanId: "0".repeat(16),
  parentSpanId: undefined,
  name: "a",
  kind: 1,
  startTimeUnixNano: "0",
  endTimeUnixNano: "1",
  attributes: [],
  events: [],
  links: [],
  status: { code: 0 },
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0
}

/** An exporter to a collector that answers as it is told; with when each export came, in milliseconds. */
const exporting = Effect.gen(function*() {
  const came: Array<number> = []
  const collector = { status: 200, retryAfter: undefined as string | undefined }
  const client = HttpClient.make((request) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      came.push(now)
      const headers: Record<string, string> = collector.retryAfter === undefined
        ? {}
        : { "retry-after": collector.retryAfter }
      return HttpClientResponse.fromWeb(request, new Response("", { status: collector.status, headers }))
    })
  )
  const { push } = yield* makeSpanExport(
    {
      url: "http://collector.example.com/v1/traces",
      headers: Redacted.make({}),
      protocol: "http/json",
      compression: "none",
      sampler: () => true,
      serviceName: undefined,
      resource: {},
      timeout: 10_000,
      delay: 5_000,
      queue: 100,
      batch: 10
    },
    { attributes: [], droppedAttributesCount: 0 },
    { name: "a", version: "1" }
  ).pipe(Effect.provide(Layer.merge(Layer.succeed(HttpClient.HttpClient, client), OtlpSerialization.layerJson)))
  return { came, collector, push: () => push(span) }
})

const pauses = (came: ReadonlyArray<number>) => came.slice(1).map((at, index) => (at - came[index]!) / 1_000)

it.effect("a collector that is away is asked ever more seldom, every half minute at least, and gets the spans when it is back", () =>
  Effect.gen(function*() {
    const { came, collector, push } = yield* exporting
    collector.status = 503
    push()
    yield* TestClock.adjust("4 minutes")
    assert.deepStrictEqual(pauses(came).slice(0, 7), [1, 2, 4, 8, 16, 30, 30])
    collector.status = 200
    yield* TestClock.adjust("30 seconds")
    const { length } = came
    push()
    yield* TestClock.adjust("5 seconds")
    assert.lengthOf(came, length + 1, "the next export is in time")
    yield* TestClock.adjust("10 minutes")
    assert.lengthOf(came, length + 1)
  }).pipe(Effect.scoped))

it.effect("a collector that asks to wait is left alone for as long, and for an hour at most", () =>
  Effect.gen(function*() {
    const { came, collector, push } = yield* exporting
    Object.assign(collector, { status: 429, retryAfter: "120" })
    push()
    yield* TestClock.adjust("5 seconds")
    yield* TestClock.adjust("2 minutes")
    assert.deepStrictEqual(pauses(came), [120])
    collector.retryAfter = "31536000"
    yield* TestClock.adjust("2 minutes")
    collector.status = 200
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(pauses(came), [120, 120, 3_600])
  }).pipe(Effect.scoped))
