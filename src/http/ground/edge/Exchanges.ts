import { Cause, Context, Effect, Layer, Metric } from "effect"
import type { Tracer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { hopAddress, inCidrs } from "../../../domain/ground/admission/Address.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { formatTraceparent, parseTraceparent } from "../../../domain/ground/parsing/TraceContext.ts"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { Identifiers } from "../../../services/ground/persistence/Identifiers.ts"
import { fromStart } from "../../../services/ground/platform/SeriesFromStart.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import type { Origin } from "../../../services/log/Provenance.ts"
import { alwaysOpen, offeredRequestId } from "./Refusal.ts"

/** The parts of a request that are judged, whichever way it came in. Fields that no operation reads may be omitted. */
export interface ReceivedRequest
  extends Pick<HttpServerRequest.HttpServerRequest, "method" | "url" | "text" | "arrayBuffer">
{
  /** The header fields by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The name of a request whose path no operation has: neither a label nor a line must take a caller's word. */
const unmatched = "unmatched"

const isId = /^[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/**
 * A path as it was sent, with the parameters left out that are no ids: a caller may have put anything there. `route` is the
 * path as the OpenAPI document writes it.
 */
export const shownPath = (path: string, route: string): string => {
  const sent = path.split("/")
  return route.split("/").map((part, index) =>
    part.startsWith("{") && isId.test(sent[index] ?? "") ? sent[index] : part
  ).join("/")
}

/** The caller, as far as it is known: an API key, a customer in the portal, a person, the license of an app, or a publishable key. */
export interface Principal {
  readonly kind: "api_key" | "customer" | "license" | "person" | "publishable_key"
  readonly id: string
}

/** A request and its answer: what its line in the log and the metrics are made of. */
export interface Exchange {
  readonly method: string
  readonly path: string
  /** The path as the OpenAPI document writes it; `unmatched` where no operation has it. */
  readonly route: () => string
  /** When its headers had come, in milliseconds of `performance.now()`. */
  readonly begun: number
  requestId: string | undefined
  principal: Principal | undefined
  code: Code | undefined
  /** The environment that the request is for. */
  environment: EnvironmentName
  /** The trace it belongs to (W3C Trace Context). */
  traceId: string | undefined
}

/** How an exchange ended. */
export interface ExchangeEnd {
  /** The status that was sent; 0 where the caller had gone before. */
  readonly status: number
  /** The bytes of the bodies, as they went over the wire. */
  readonly bytesIn: number
  readonly bytesOut: number
}

/** The name of an exchange in the log. */
export interface ExchangeLine extends ExchangeEnd {
  readonly exchange: Exchange
  /** The path as the OpenAPI document writes it; {@link unmatched} where no operation has it. */
  readonly route: string
  readonly milliseconds: number
}

/** The exchange of the current work; none outside of requests. */
export const CurrentExchange = Context.Reference<Exchange | undefined>("countersign/http/CurrentExchange", {
  defaultValue: () => undefined
})

/** Says who asks, for the log. */
export const notePrincipal = (principal: Principal): Effect.Effect<void> =>
  Effect.map(CurrentExchange, (exchange) => {
    if (exchange !== undefined) exchange.principal = principal
  })

/** Says with which code the current request is refused, for the log. */
export const refusedWith = (code: Code): Effect.Effect<void> =>
  Effect.map(CurrentExchange, (exchange) => {
    if (exchange !== undefined) exchange.code = code
  })

/** The status of a request whose caller went away before it was answered; it is none of RFC 9110. */
const callerGone = 499

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/**
 * The bounds that alerts and people ask for, of OpenTelemetry's advice for `http.server.request.duration`, finer where a validate
 * is. There is a series of each bound for every method, route and status, and all are read at every scrape.
 */
const secondsBounds = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const bytesBounds = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]

const requestBytes = fromStart(Metric.histogram("http_server_request_body_size_bytes", {
  description: "Bytes of the bodies of requests, as they came over the wire.",
  boundaries: bytesBounds
}))
const responseBytes = fromStart(Metric.histogram("http_server_response_body_size_bytes", {
  description: "Size of response bodies as sent, in bytes.",
  boundaries: bytesBounds
}))
const nameOf = (method: string, route: string, status: number) => `${method} ${route} ${status}`
// Attributes that are given when a metric is made cost nothing later.
const durationOf = (attributes: Readonly<Record<string, string>>) =>
  Metric.histogram("http_server_request_duration_seconds", {
    description: "Time from the headers of a request to the end of its response, in seconds.",
    boundaries: secondsBounds,
    attributes
  })

/** The series of the probe of readiness are there before the first one, because an alert is about them. */
const known = [200, 503].map((status) => {
  const [method, route] = ["GET", "/readyz"]
  const attributes = { http_request_method: method, http_route: route, http_response_status_code: String(status) }
  return [nameOf(method, route, status), fromStart(durationOf(attributes))] as const
})

/** The codes of refused credentials. */
const unauthenticatedCodes = [
  "UNAUTHENTICATED",
  "TOKEN_EXPIRED",
  "TOKEN_REVOKED",
  "TOKEN_IP_DENIED",
  "LICENSE_KEY_INVALID"
] as const satisfies ReadonlyArray<Code>

const unauthenticated = new Map<Code, Metric.Counter<number>>(
  unauthenticatedCodes.map((code) => [
    code,
    fromStart(Metric.counter("countersign_unauthenticated", {
      description: "Requests refused for their credential, by code.",
      incremental: true,
      attributes: { reason: code.toLowerCase() }
    }))
  ])
)

/**
 * The requests of a server, from their headers to the end of their answers. It hears of all of them, also of those that
 * are refused before anything else is asked, so its members are plain functions.
 */
export class Exchanges extends Context.Service<Exchanges, {
  /** A request whose headers have come; `request` is the object that the server knows it by. */
  readonly begin: (request: object, method: string, path: string) => Exchange
  readonly of: (request: object) => Exchange | undefined
  /** Counts it and writes its line. */
  readonly end: (exchange: Exchange, end: ExchangeEnd) => void
}>()("countersign/http/ground/edge/Exchanges") {
  static readonly layer = (
    /** The path of an operation as the OpenAPI document writes it. */
    routeOf: (path: string) => string | undefined,
    /** Writes a line; undefined when nobody wants to read them. */
    write: ((line: ExchangeLine) => void) | undefined
  ) =>
    Layer.effect(
      Exchanges,
      Effect.gen(function*() {
        const context = yield* Effect.context<never>()
        const exchanges = new WeakMap<object, Exchange>()
        const durations = new Map<string, ReturnType<typeof durationOf>>(known)

        const duration = (method: string, route: string, status: number) => {
          const name = nameOf(method, route, status)
          const found = durations.get(name)
          if (found !== undefined) return found
          const made = durationOf({
            http_request_method: method,
            http_route: route,
            http_response_status_code: String(status)
          })
          durations.set(name, made)
          return made
        }

        return Exchanges.of({
          begin: (request, method, path) => {
            const exchange: Exchange = {
              method: methods.has(method) ? method : "_OTHER",
              path,
              route: () => routeOf(path) ?? (alwaysOpen.has(path) ? path : unmatched),
              begun: performance.now(),
              requestId: undefined,
              principal: undefined,
              code: undefined,
              environment: "live",
              traceId: undefined
            }
            exchanges.set(request, exchange)
            return exchange
          },
          of: (request) => exchanges.get(request),
          end: (exchange, end) => {
            const { code, method } = exchange
            const milliseconds = performance.now() - exchange.begun
            const route = exchange.route()
            const status = end.status === 0 ? callerGone : end.status
            duration(method, route, status).updateUnsafe(milliseconds / 1000, context)
            requestBytes.updateUnsafe(end.bytesIn, context)
            responseBytes.updateUnsafe(end.bytesOut, context)
            if (code !== undefined) unauthenticated.get(code)?.updateUnsafe(1, context)
            write?.({ exchange, ...end, status, route, milliseconds })
          }
        })
      })
    )
}

/**
 * The client's address: the nearest hop that is not one of our own proxies. What a proxy has written that is no address
 * is nobody's: the address is then the proxy's, because whatever stands before it anybody could have claimed.
 */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<string>
): string => {
  const direct = peer.startsWith("::ffff:") ? peer.slice(7) : peer
  if (trustedProxies.length === 0 || forwardedFor === undefined || !inCidrs(direct, trustedProxies)) return direct
  const hops = forwardedFor.split(",").map((hop) => hop.trim()).filter((hop) => hop !== "")
  let nearest = direct
  for (const hop of hops.toReversed()) {
    const address = hopAddress(hop)
    if (address === undefined) return nearest
    nearest = address
    if (!inCidrs(address, trustedProxies)) return nearest
  }
  return nearest
}

/** Whether a request has a body, by its framing headers (RFC 9112 section 6). */
export const hasBody = (
  { headers }: { readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> }
): boolean => headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/**
 * The steps that every request begins with, hot or not: its id, its place in a trace, and its origin, which the log, its span
 * and the events that it causes name. `own` is its span, where one is made.
 */
export const makeArrivals = Effect.gen(function*() {
  const identifiers = yield* Identifiers
  const { trustedProxies } = yield* Settings
  return (
    headers: Readonly<Record<string, string | undefined>>,
    peer: string | undefined,
    own: Tracer.AnySpan | undefined,
    exchange: Exchange | undefined
  ): Origin & { readonly requestId: string } => {
    const requestId = offeredRequestId(headers["x-request-id"]) ?? identifiers.next("req")
    if (own?._tag === "Span") own.attribute("countersign.request_id", requestId)
    // The span of this request, or its caller's when there is none.
    const place = own ?? parseTraceparent(headers["traceparent"])
    if (exchange !== undefined) {
      exchange.requestId = requestId
      exchange.traceId = place?.traceId
    }
    return {
      requestId,
      ipAddress: peer === undefined ? undefined : clientAddress(peer, headers["x-forwarded-for"], trustedProxies),
      traceparent: place === undefined ? undefined : formatTraceparent(place)
    }
  }
})

/** A failure that the operator should see in the log. */
interface LoggedFailure {
  readonly code: Code
  readonly requestId: string
  readonly cause: Cause.Cause<unknown>
}

/** For how long one cause has one stack, in milliseconds. */
const quiet = 1_000

/** How many causes are remembered. */
const maximumCauses = 64

/** The names and messages in a cause and in what caused it, without stacks. */
export const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const [reason] = cause.reasons
  const messages: Array<string> = []
  let value = reason === undefined ? undefined : Cause.isFailReason(reason)
    ? reason.error
    : Cause.isDieReason(reason)
    ? reason.defect
    : undefined
  while (typeof value === "object" && value !== null && messages.length < 4) {
    const { _tag, cause, code, message, name, reason } = value as Readonly<Record<string, unknown>>
    const parts = [_tag ?? name, code, message].filter((part) => typeof part === "string" && part !== "")
    if (parts.length > 0) messages.push([...new Set(parts)].join(" "))
    value = reason ?? cause
  }
  return messages.length === 0 ? String(value).slice(0, 200) : messages.join(": ").slice(0, 400)
}

const makeLog = () => {
  /** By cause, when its stack was last written, in milliseconds. */
  const stacks = new Map<string, number>()

  /** Whether the stack of a cause is written again; that of one which comes thousands of times a second is not. */
  const isStackDue = (reason: string): boolean => {
    const now = performance.now()
    if (now - (stacks.get(reason) ?? -Infinity) < quiet) return false
    if (stacks.size >= maximumCauses) stacks.clear()
    stacks.set(reason, now)
    return true
  }

  return ({ cause, code, requestId }: LoggedFailure): Effect.Effect<void> =>
    Effect.flatMap(CurrentExchange, (exchange) => {
      const reason = reasonOf(cause)
      const about = {
        code,
        ...(exchange === undefined ? {} : {
          method: exchange.method,
          path: shownPath(exchange.path, exchange.route()),
          ms: Math.round(performance.now() - exchange.begun),
          ...(exchange.traceId === undefined ? {} : { trace_id: exchange.traceId })
        })
      }
      // The logger has one line a second for all that a cause makes fail.
      if (code !== "INTERNAL") return Effect.logError(`request failed: ${reason}`).pipe(Effect.annotateLogs(about))
      // A caller may quote the id of a request that failed through a mistake of ours: each such failure has its own line.
      return Effect.logError(...isStackDue(reason) ? ["request failed", cause] : [`request failed: ${reason}`]).pipe(
        Effect.annotateLogs({ request_id: requestId, ...about })
      )
    })
}

/**
 * Writes failures to the log: those by a mistake of ours each with the id of its request, and with its stack at most once a
 * second and cause.
 */
export const FailureLog = Context.Reference<(failure: LoggedFailure) => Effect.Effect<void>>(
  "countersign/http/FailureLog",
  { defaultValue: makeLog }
)
