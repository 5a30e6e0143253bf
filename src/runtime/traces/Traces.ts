import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Clock, Deferred, Effect, Exit, Layer, Option, Redacted, Tracer } from "effect"
import type { Context, Scope } from "effect"
import * as Hex from "effect/encoding/Hex"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { HttpClientResponse } from "effect/http"
import { OtlpResource, OtlpSerialization } from "effect/observability"
import type { Resource } from "effect/observability/OtlpResource"
import { entriesToAttributes } from "effect/observability/OtlpResource"
import type { TraceData } from "effect/observability/OtlpTracer"
import { isSqlError } from "effect/sql/SqlError"
import { randomUUID } from "node:crypto"
import manifest from "../../../package.json" with { type: "json" }
import { catalog, isDomainError } from "../../domain/ground/wire/Errors.ts"
import { shownPath } from "../../http/ground/edge/Exchanges.ts"
import { sqlStateOf } from "../../services/ground/platform/SqlState.ts"
import { parseRetryAfter, requestedRest } from "../../services/ground/platform/Transport.ts"
import type { TraceSettings } from "../config/TraceTable.ts"
import { statementName } from "../postgres/StatementName.ts"
import type { StatementName } from "../postgres/StatementName.ts"
import type { Sampler } from "./Sampler.ts"

/** A span as OTLP writes it. */
export type ExportedSpan = TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]

/** The services that a tracer needs. */
interface TracerOptions {
  readonly sampler: Sampler
  /** The path of an operation as the OpenAPI document writes it; undefined where no operation has it. */
  readonly routeOf: (path: string) => string | undefined
  /** Takes a span that has ended. */
  readonly push: (span: ExportedSpan) => void
}

/**
 * The attributes that may leave, by the names of the semantic conventions. Whatever else the libraries would tell is left
 * out: addresses and user agents, which are about persons, and queries, URLs and statements, which may hold anything.
 */
const mayLeave =
  /^(http\.(request\.(method|resend_count)|response\.status_code)|url\.scheme|error\.type|server\.(address|port)|db\.(system\.name|namespace)|(countersign|webhook)\.[a-z_]+)$/

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const

const unset = 0
const failed = 2

/** The conventions' name for an unknown method. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** The failure of a span, as one of a few words; undefined for a refusal or an interruption, which are no errors. */
const errorTypeOf = (cause: Cause.Cause<unknown>): string | undefined => {
  if (Cause.hasInterruptsOnly(cause)) return undefined
  const error = Cause.squash(cause)
  if (isDomainError(error)) return catalog[error._tag].status < 500 ? undefined : error._tag
  if (isSqlError(error)) return sqlStateOf(error) ?? error.reason._tag
  const { _tag, name } = (error ?? {}) as { readonly _tag?: unknown; readonly name?: unknown }
  return typeof _tag === "string" ? _tag : typeof name === "string" ? name : "_OTHER"
}

class ExportableSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Context.Context<never>
  readonly links: Array<Tracer.SpanLink>
  readonly kind: Tracer.SpanKind
  readonly sampled: boolean
  readonly traceId: string
  readonly spanId = Hex.random(16)
  readonly attributes = new Map<string, unknown>()
  status: Tracer.SpanStatus
  readonly #options: TracerOptions
  #events: ExportedSpan["events"] = []
  #statement: StatementName | undefined
  #path: string | undefined

  constructor(given: Parameters<Tracer.Tracer["span"]>[0], options: TracerOptions) {
    this.name = given.name
    this.parent = given.parent
    this.annotations = given.annotations
    this.links = given.links
    this.kind = given.kind
    this.status = { _tag: "Started", startTime: given.startTime }
    this.#options = options
    const parent = Option.getOrUndefined(given.parent)
    this.traceId = parent?.traceId ?? Hex.random(32)
    this.sampled = parent?._tag === "Span"
      // Work that continues after its request, perhaps without an end, is not part of it.
      ? parent.sampled && parent.status._tag === "Started"
      // Only requests start a trace, and work that asks for one: the service's own work has no end.
      : (given.kind === "server" || given.root) &&
        options.sampler(this.traceId, parent?.sampled ?? (given.root ? given.links[0]?.span.sampled : undefined))
  }

  attribute(key: string, value: unknown): void {
    if (!this.sampled || this.status._tag === "Ended") return
    if (key === "db.query.text") this.#statement = statementName(String(value))
    else if (key === "url.path") this.#path = String(value)
    // For a request this would be its caller's Host header.
    else if (this.kind === "server" && key.startsWith("server.")) return
    else if (mayLeave.test(key)) this.attributes.set(key, value)
  }

  event(name: string, startTime: bigint): void {
    if (!this.sampled || this.status._tag === "Ended") return
    this.#events.push({ name, timeUnixNano: String(startTime), attributes: [], droppedAttributesCount: 0 })
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    if (this.status._tag !== "Ended") { for (const link of links) this.links.push(link) }
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    const { startTime } = this.status
    const name = this.sampled ? this.#describe(exit) : this.name
    this.status = { _tag: "Ended", startTime, endTime, exit }
    if (!this.sampled) return
    this.#options.push({
      traceId: this.traceId,
      spanId: this.spanId,
      parentSpanId: Option.getOrUndefined(this.parent)?.spanId,
      name,
      kind: kinds[this.kind],
      startTimeUnixNano: String(startTime),
      endTimeUnixNano: String(endTime),
      attributes: entriesToAttributes(this.attributes),
      droppedAttributesCount: 0,
      events: this.#events,
      droppedEventsCount: 0,
      status: { code: this.attributes.has("error.type") ? failed : unset },
      links: this.links.map(({ span }) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        attributes: [],
        droppedAttributesCount: 0
      })),
      droppedLinksCount: 0
    })
  }

  /** Completes the attributes; answers the name by the conventions. */
  #describe(exit: Exit.Exit<unknown, unknown>): string {
    if (this.kind === "server") return this.#describeRequest()
    if (Exit.isFailure(exit)) {
      const type = errorTypeOf(exit.cause)
      if (type !== undefined) this.attributes.set("error.type", type)
      const error = Cause.squash(exit.cause)
      if (isDomainError(error)) this.attributes.set("countersign.code", error._tag)
    }
    if (this.#statement === undefined) return this.name
    // A Unix socket has no port.
    if (String(this.attributes.get("server.address")).startsWith("/")) this.attributes.delete("server.port")
    const { collection, operation, statement, summary } = this.#statement
    this.attributes.set("db.operation.name", operation)
    if (collection !== undefined) this.attributes.set("db.collection.name", collection)
    if (statement !== undefined) this.attributes.set("countersign.statement", statement)
    return summary
  }

  #describeRequest(): string {
    const { attributes } = this
    const sent = String(attributes.get("http.request.method") ?? "")
    const method = methods.has(sent) ? sent : undefined
    if (method === undefined) attributes.set("http.request.method", "_OTHER")
    const status = Number(attributes.get("http.response.status_code") ?? 0)
    if (status >= 500) attributes.set("error.type", String(status))
    const route = this.#path === undefined ? undefined : this.#options.routeOf(this.#path)
    if (route === undefined) return method ?? "HTTP"
    attributes.set("http.route", route)
    attributes.set("url.path", shownPath(this.#path!, route))
    return `${method ?? "HTTP"} ${route}`
  }
}

/** A tracer whose spans follow the semantic conventions of OpenTelemetry for HTTP and databases. */
const makeTracer = (options: TracerOptions): Tracer.Tracer =>
  Tracer.make({ span: (given) => new ExportableSpan(given, options) })

/** How long a stop waits for the last exports, in milliseconds. */
const patience = 3_000

/** The pauses between attempts: at first and at most, in milliseconds. */
const pauses = { first: 1_000, most: 30_000 } as const

/** The interval of log lines about lost spans, in milliseconds. */
const sayEvery = 60_000

/** Statuses after which the same export may be sent again (OTLP/HTTP, "Retryable Response Codes"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The outcome of an attempt: `retry` says after how many milliseconds at least, if the collector named a time. */
type Attempt =
  | { readonly _tag: "taken" }
  | { readonly _tag: "refused"; readonly why: string }
  | { readonly _tag: "retry"; readonly why: string; readonly after: number | undefined }

const judge = (response: HttpClientResponse.HttpClientResponse, now: number): Attempt => {
  const { headers, status } = response
  if (status >= 200 && status < 300) return { _tag: "taken" }
  if (!retryable.has(status)) return { _tag: "refused", why: `the collector returned status ${status}` }
  return {
    _tag: "retry",
    why: `the collector returned status ${status}`,
    after: parseRetryAfter(headers["retry-after"], now)
  }
}

/**
 * Sends spans to the collector in batches. Requests never wait for it: spans that do not fit into the queue while the
 * collector is slow or unavailable are dropped, which is logged once a minute. The exporters of Effect and of the SDK lose
 * the spans of an outage: docs/decisions/0002-effect-4.md.
 */
export const makeSpanExport = Effect.fnUntraced(function*(
  settings: TraceSettings,
  resource: Resource,
  scope: { readonly name: string; readonly version: string }
): Effect.fn.Return<
  { readonly push: (span: ExportedSpan) => void },
  never,
  HttpClient.HttpClient | OtlpSerialization.OtlpSerialization | Scope.Scope
> {
  const client = yield* HttpClient.HttpClient
  const serialization = yield* OtlpSerialization.OtlpSerialization
  const clock = yield* Clock.Clock
  const { host } = new URL(settings.url)
  const request = HttpClientRequest.post(settings.url, { headers: Redacted.value(settings.headers) })

  let queue: Array<ExportedSpan> = []
  let lost = 0
  let saidAt = -Infinity
  let isAway = false
  /** Wakes the exporter early if a batch is full. */
  let full = Deferred.makeUnsafe<void>()

  const say = (why: string) =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      if (now - saidAt < sayEvery) return Effect.void
      saidAt = now
      const count = lost
      lost = 0
      isAway = true
      return Effect.logWarning(`traces do not reach ${host}: ${why}`).pipe(Effect.annotateLogs({ spans_lost: count }))
    })

  const attempt = (batch: ReadonlyArray<ExportedSpan>): Effect.Effect<Attempt> =>
    Effect.suspend(() => {
      const body = serialization.traces({
        resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [...batch] }] }]
      })
      const whole = HttpClientRequest.setBody(request, body)
      const sent = settings.compression === "gzip"
        ? HttpClientRequest.compressBody(whole, "gzip")
        : Effect.succeed(whole)
      return sent.pipe(
        Effect.flatMap(client.execute),
        // The answer is read whole, so that its connection can be used again.
        Effect.tap((response) => response.arrayBuffer),
        Effect.map((response) => judge(response, clock.currentTimeMillisUnsafe())),
        Effect.timeoutOption(settings.timeout),
        Effect.map(
          Option.getOrElse((): Attempt => ({ _tag: "retry", why: "the collector does not respond", after: undefined }))
        ),
        Effect.catchCause(() =>
          Effect.succeed<Attempt>({ _tag: "retry", why: "the collector cannot be reached", after: undefined })
        )
      )
    })

  /** Sends a batch until it is accepted or refused. */
  const deliver = (batch: ReadonlyArray<ExportedSpan>, pause: number): Effect.Effect<void> =>
    Effect.flatMap(attempt(batch), (outcome) => {
      if (outcome._tag === "taken") {
        if (!isAway) return Effect.void
        isAway = false
        saidAt = -Infinity
        const count = lost
        lost = 0
        return Effect.logInfo(`traces reach ${host} again`).pipe(Effect.annotateLogs({ spans_lost: count }))
      }
      if (outcome._tag === "refused") {
        lost += batch.length
        return say(outcome.why)
      }
      return say(outcome.why).pipe(
        Effect.andThen(Effect.sleep(Math.max(requestedRest(outcome.after), pause))),
        Effect.andThen(deliver(batch, Math.min(2 * pause, pauses.most)))
      )
    })

  /** Sends all spans in the queue. */
  const drain: Effect.Effect<void> = Effect.suspend(() => {
    if (queue.length === 0) return Effect.void
    const batch = queue.slice(0, settings.batch)
    // It stays in the queue meanwhile, so that a stop can send it once more.
    const leave = Effect.sync(() => {
      queue = queue.slice(batch.length)
    })
    return deliver(batch, pauses.first).pipe(Effect.andThen(leave), Effect.andThen(drain))
  })

  const step = Effect.suspend(() => {
    full = Deferred.makeUnsafe<void>()
    const isFull = queue.length >= settings.batch
    return isFull ? Effect.void : Effect.ignore(Effect.timeoutOption(Deferred.await(full), settings.delay))
  })

  yield* Effect.addFinalizer(() => Effect.timeoutOption(drain, patience).pipe(Effect.withTracerEnabled(false)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(step, drain)).pipe(Effect.withTracerEnabled(false)))

  return {
    push: (span) => {
      if (queue.length >= settings.queue) lost += 1
      else {
        queue.push(span)
        if (queue.length === settings.batch) Deferred.doneUnsafe(full, Effect.void)
      }
    }
  }
})

/** The tracer of this process, which exports to the configured collector. */
export const layer = (settings: TraceSettings, routeOf: TracerOptions["routeOf"]) =>
  Layer.effect(
    Tracer.Tracer,
    Effect.gen(function*() {
      const resource = OtlpResource.make({
        serviceName: settings.serviceName ?? settings.resource["service.name"] ?? "countersign",
        serviceVersion: settings.resource["service.version"] ?? manifest.version,
        attributes: { "service.instance.id": randomUUID(), ...settings.resource }
      })
      const { push } = yield* makeSpanExport(settings, resource, { name: "countersign", version: manifest.version })
      return makeTracer({ sampler: settings.sampler, routeOf, push })
    })
  ).pipe(
    Layer.provide(
      settings.protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
    ),
    // The undici client loads undici in a way that breaks in a bundle.
    Layer.provide(NodeHttpClient.layerNodeHttp)
  )
