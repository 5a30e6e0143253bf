import { Context, Effect, Layer, Stream } from "effect"
import type { Scope } from "effect"
import { Hex } from "effect/encoding"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { networkOf } from "../../../domain/ground/admission/DoorLimits.ts"
import { matchesEtag } from "../../../domain/ground/wire/EntityTag.ts"
import { failing, Unavailable } from "../../../domain/ground/wire/Errors.ts"
import { Admission } from "../../../services/ground/admission/Admission.ts"
import { EventLoopTurns } from "../../../services/ground/admission/QuestionGroups.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { Cryptography } from "../../../services/ground/platform/Cryptography.ts"
import { DatabaseHealth } from "../../../services/ground/platform/DatabaseHealth.ts"
import { Compression, MetricsExposition, metricsType, Readiness } from "../../../services/ground/platform/Ports.ts"
import type { Phase } from "../../../services/ground/platform/Ports.ts"
import { RequestOrigin } from "../../../services/log/Provenance.ts"
import { noPlace, pathOf } from "./Refusal.ts"
import { meta } from "./Reply.ts"

/**
 * Takes a place for a streamed answer until the current request ends. Fails when too many are in flight, because each
 * holds memory for as long as its peer takes to read it.
 */
export const takePlace = (admission: Admission["Service"]): Effect.Effect<void, Unavailable, Scope.Scope> =>
  Effect.gen(function*() {
    const { ipAddress } = yield* RequestOrigin
    const release = admission.large(networkOf(ipAddress ?? ""), yield* CurrentEnvironment)
    if (release === undefined) {
      admission.count("large_answers")
      return yield* failing(Unavailable, noPlace)
    }
    yield* Effect.addFinalizer(() => Effect.sync(release))
  })

/** The bytes sent at once; the next slice waits until the peer has taken this one (backpressure). */
const slice = 64 * 1024

/** Answers below this many bytes are not compressed. */
const small = 1024

/** The headers of an answer. */
interface StaticOptions {
  readonly contentType: string
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
}

const encoder = new TextEncoder()

/**
 * The lane of the event loop in which slices are sent, of whatever answer and to whomever: strangers may ask for documents, and all of
 * them together take no more of the loop than one caller does. Among themselves answers take turns, since each has one slice in it.
 */
const lane = "slices of documents"

/**
 * Streams shared bytes slice by slice: no answer copies what its peer has not yet taken, and slices take turns with everything else on
 * the event loop.
 */
const slices = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unwrap(Effect.map(EventLoopTurns, (turns) => {
    const turn = Effect.callback<void>((resume) => turns.add(lane, () => resume(Effect.void)))
    return Stream.unfold(0, (at: number) =>
      Effect.as(turn, at >= bytes.length ? undefined : [bytes.subarray(at, at + slice), at + slice] as const))
  }))

/** The first of the encodings that the caller accepts (RFC 9110 section 12.5.3); undefined for none. */
export const encodingFor = <Encoding extends "br" | "gzip">(
  acceptEncoding: string | undefined,
  encodings: ReadonlyArray<Encoding>
): Encoding | undefined =>
  encodings.find((name) =>
    new RegExp(`(^|[\\s,])(${name}|\\*)\\s*(;\\s*q=(0\\.\\d*[1-9]\\d*|1(\\.0*)?)\\s*)?(,|$)`, "i").test(
      acceptEncoding ?? ""
    )
  )

/** The encodings of what is compressed once, the smaller one first. */
const encodings = ["br", "gzip"] as const

/**
 * Sends bytes that many callers share. Those of more than one slice take a place among the large answers, because they
 * hold memory for as long as their peer takes to read them.
 */
const sendShared = (
  admission: Admission["Service"],
  method: string,
  bytes: Uint8Array,
  options: StaticOptions
): Effect.Effect<HttpServerResponse.HttpServerResponse, Unavailable, Scope.Scope> =>
  bytes.length <= slice
    ? Effect.succeed(HttpServerResponse.uint8Array(bytes, options))
    : Effect.as(
      method === "HEAD" ? Effect.void : takePlace(admission),
      HttpServerResponse.stream(slices(bytes), { ...options, contentLength: bytes.length })
    )

/** The services that answers of this kind need. */
export const staticServices = Effect.gen(function*() {
  return { admission: yield* Admission, compression: yield* Compression, crypto: yield* Cryptography }
})

/**
 * An answer that is the same for every caller. It is made at the first request and compressed once for each encoding,
 * with a strong ETag for each and a short lifetime, and answered 304 when the caller has it (RFC 9110 section 13.1.2).
 */
export const staticAnswer = <E, R>(
  { admission, compression, crypto }: Effect.Success<typeof staticServices>,
  content: Effect.Effect<string | Uint8Array<ArrayBuffer>, E, R>,
  { contentType, headers: more }: StaticOptions
) => {
  const prepared = Effect.gen(function*() {
    const once = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      // Uninterruptible, because the first caller may hang up while others wait for the result.
      Effect.cached(Effect.uninterruptible(effect))
    const plain = yield* once(Effect.map(content, (made) => ({
      bytes: typeof made === "string" ? encoder.encode(made) : made,
      headers: {
        "cache-control": "public, max-age=60",
        vary: "accept-encoding",
        ...more,
        etag: `"${Hex.encode(crypto.sha256(made)).slice(0, 32)}"`
      }
    })))
    const packed = (encoding: "br" | "gzip") =>
      once(Effect.gen(function*() {
        const { bytes, headers } = yield* plain
        if (bytes.length < small || isCompressed(contentType)) return { bytes, headers }
        return {
          bytes: yield* compression.compressOnce(bytes, encoding),
          headers: {
            ...headers,
            etag: `${headers.etag.slice(0, -1)}-${encoding}"`,
            "content-encoding": encoding
          }
        }
      }))
    return { br: yield* packed("br"), gzip: yield* packed("gzip"), plain }
  })
  return Effect.map(prepared, (made) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { bytes, headers } = yield* made[encodingFor(request.headers["accept-encoding"], encodings) ?? "plain"]
      if (matchesEtag(request.headers["if-none-match"], headers.etag)) {
        const { etag, vary } = headers
        return HttpServerResponse.empty({
          status: 304,
          headers: { etag, vary, "cache-control": headers["cache-control"] }
        })
      }
      return yield* sendShared(admission, request.method, bytes, { contentType, headers })
    }))
}

/** Content types that may not be compressed again. */
const isCompressed = (contentType: string): boolean => contentType.startsWith("font/woff2")

/** Features of browsers that our pages do not use. The policy has no word for all of them. */
const unused = [
  "accelerometer",
  "autoplay",
  "camera",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking"
]

/** Scripts that a page may run, in addition to those of all pages. */
const powers = {
  none: ["script-src 'none'", "style-src 'self'"],
  /** Scripts of our own, from files of this service; none may make HTML or code of a text (Trusted Types). */
  own: ["script-src 'self'", "style-src 'self'", "connect-src 'self'", "require-trusted-types-for 'script'"]
} as const

/**
 * The headers of a page whose forms are sent to this service. Its address may be told to the service itself: with no Referer at all, a
 * browser sends the Origin of a form as `null`, and nobody could tell whose form it is.
 */
export const formPageHeaders = (scripts: keyof typeof powers = "none"): Readonly<Record<string, string>> => {
  const headers = pageHeaders(scripts)
  return {
    ...headers,
    "content-security-policy": headers["content-security-policy"]!.replace("form-action 'none'", "form-action 'self'"),
    "referrer-policy": "same-origin"
  }
}

/**
 * The headers of a page: it loads nothing from other hosts, runs no script but what `scripts` says (CSP level 3), cannot
 * be framed, sends no Referer, may use none of what the browser has of the person and the machine (Permissions Policy),
 * and shares its process and its window with no other origin (Cross-Origin-Opener-Policy).
 */
export const pageHeaders = (
  scripts: keyof typeof powers = "none",
  forms: "none" | "self" = "none"
): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    "default-src 'none'",
    ...powers[scripts],
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "base-uri 'none'",
    `form-action '${forms}'`,
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer",
  "permissions-policy": unused.map((feature) => `${feature}=()`).join(", "),
  "cross-origin-opener-policy": "same-origin"
})

/** Answers the metrics to who asks for them in an odd way, such as with a body; all others are answered at the door. */
export const metricsAnswer = Effect.map(
  Effect.all([Admission, MetricsExposition]),
  ([admission, metrics]) =>
    Effect.gen(function*() {
      const { method } = yield* HttpServerRequest.HttpServerRequest
      const { text } = yield* metrics.read
      return yield* sendShared(admission, method, text, {
        contentType: metricsType,
        headers: { vary: "accept-encoding" }
      })
    })
)

/** The data of `/readyz`, and its status. */
interface ReadinessAnswer {
  readonly status: number
  readonly data: {
    readonly status: "ready" | "not_ready"
    readonly db: "ok" | "unavailable"
    readonly phase: Exclude<Phase, "closing">
    readonly reason: string | undefined
  }
}

/**
 * The readiness of this node once its services are there, for the door, which is there before them. The application says it, and the
 * door answers probes.
 */
export class NodeReadiness extends Context.Service<NodeReadiness, {
  readonly tell: (answer: Effect.Effect<ReadinessAnswer>) => void
  readonly answer: () => Effect.Effect<ReadinessAnswer> | undefined
}>()("countersign/http/ground/edge/NodeReadiness") {
  static readonly layer = Layer.sync(NodeReadiness, () => {
    let told: Effect.Effect<ReadinessAnswer> | undefined
    return NodeReadiness.of({ tell: (answer) => void (told = answer), answer: () => told })
  })
}

/** Makes what tells whether requests should be sent to this node. */
export const readinessAnswer = Effect.gen(function*() {
  const admission = yield* Admission
  const database = yield* DatabaseHealth
  const readiness = yield* Readiness

  const answer = Effect.gen(function*() {
    const phase = yield* readiness.phase
    const answers = yield* database.answers
    const shortage = answers ? yield* database.shortage : undefined
    const reason = shortage ??
      (admission.overloaded() ? "The service is overloaded and sheds load." : undefined)
    // Every node has the same disk, and what only reads goes on: that is no reason to send requests elsewhere.
    const warning = yield* database.fullDisk
    const isReady = phase === "ready" && answers && reason === undefined
    return {
      status: isReady ? 200 : 503,
      data: {
        status: isReady ? "ready" : "not_ready",
        db: answers ? "ok" : "unavailable",
        phase: phase === "closing" ? "draining" : phase,
        reason: reason ?? warning
      }
    } satisfies ReadinessAnswer
  })
  const source = yield* NodeReadiness
  source.tell(answer)
  return { answer }
})

/** The app while the service starts: it is live, not ready, and exposes metrics. */
export const starting = Effect.map(metricsAnswer, (metrics) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    switch (pathOf(request.url)) {
      case "/health":
      case "/healthz":
        return HttpServerResponse.jsonUnsafe({ data: { status: "ok" }, meta: yield* meta })
      case "/readyz":
        return HttpServerResponse.jsonUnsafe(
          { data: { status: "not_ready", db: "unknown", phase: "starting" }, meta: yield* meta },
          { status: 503 }
        )
      case "/metrics":
        return yield* metrics
      default:
        return yield* new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
    }
  }))
