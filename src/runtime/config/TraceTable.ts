import { Effect, Redacted, Result } from "effect"
import { makeSampler, samplerName } from "../traces/Sampler.ts"
import type { Sampler } from "../traces/Sampler.ts"
import { setting } from "./Setting.ts"
import type { SettingReading } from "./Setting.ts"
import { oneOf, wholeNumber } from "./SettingParsers.ts"

/** Trace export settings: endpoint, sampling and resource attributes. */
export interface TraceSettings {
  readonly url: string
  /** Sent with each export; they may hold the credential of the collector. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly compression: "gzip" | "none"
  readonly sampler: Sampler
  readonly serviceName: string | undefined
  readonly resource: Readonly<Record<string, string>>
  /** The timeout of an export, in milliseconds. */
  readonly timeout: number
  /** The interval of exports, in milliseconds. */
  readonly delay: number
  /** The most spans in the queue, and in one export. */
  readonly queue: number
  readonly batch: number
}

const address = (value: string): URL | undefined => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.hash === "" && url.username === "" &&
      url.password === ""
    ? url
    : undefined
}

/** The values are not repeated: an address may hold a credential. */
const baseUrl = (value: string): Result.Result<string, string> =>
  address(value)?.search === ""
    ? Result.succeed(new URL(value).href.replace(/\/+$/, ""))
    : Result.fail("must be an absolute http or https URL without query, fragment or password")

const wholeUrl = (value: string): Result.Result<string, string> =>
  address(value) === undefined
    ? Result.fail("must be an absolute http or https URL without fragment or password")
    : Result.succeed(value)

const protocol = (value: string): Result.Result<TraceSettings["protocol"], string> =>
  Result.mapError(
    oneOf("http/protobuf", "http/json")(value),
    (problem) => value === "grpc" ? `${problem}; collectors take those at port 4318` : problem
  )

const flag = (value: string): Result.Result<boolean, string> =>
  /^(true|false)$/i.test(value)
    ? Result.succeed(value.toLowerCase() === "true")
    : Result.fail(`must be true or false, not "${value}"`)

const ratio = (value: string): Result.Result<number, string> =>
  /^(\d+\.?\d*|\.\d+)$/.test(value) && Number(value) <= 1
    ? Result.succeed(Number(value))
    : Result.fail(`must be a number from 0 to 1, not "${value}"`)

/** Pairs as in the header `baggage` (W3C): `name=value`, separated by commas, with values in percent-encoding. */
const pairs = (value: string, isName: RegExp, isValue: RegExp): Record<string, string> | undefined => {
  const found: Record<string, string> = {}
  for (const pair of value.split(",").map((one) => one.trim()).filter((one) => one !== "")) {
    const at = pair.indexOf("=")
    const name = pair.slice(0, at).trim()
    try {
      const decoded = decodeURIComponent(pair.slice(at + 1).trim())
      if (at < 1 || !isName.test(name) || !isValue.test(decoded)) return undefined
      found[name] = decoded
    } catch {
      return undefined
    }
  }
  return found
}

const headers = (value: string): Result.Result<Redacted.Redacted<Readonly<Record<string, string>>>, string> => {
  const found = pairs(value, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, /^[\x20-\x7e]*$/)
  return found === undefined
    ? Result.fail("must be headers as name=value, separated by commas, with percent-encoded values")
    : Result.succeed(Redacted.make(found, { label: "OTEL_EXPORTER_OTLP_HEADERS" }))
}

const attributes = (value: string): Result.Result<Readonly<Record<string, string>>, string> => {
  const found = pairs(value, /^[\x21-\x7e]+$/, /^[^\p{Cc}]{0,255}$/u)
  return found === undefined
    ? Result.fail("must be attributes as name=value, separated by commas, with percent-encoded values")
    : Result.succeed(found)
}

/** The most spans of one export, if neither it nor the queue is configured. */
const spansOfExport = 512

/** The settings of traces, under the names of the OpenTelemetry specification, in the order of `--help`. */
export const traceTable = {
  endpoint: setting({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    default: undefined,
    shown: "none: no traces leave",
    meaning: "Where traces are sent (OTLP over HTTP), with /v1/traces added.",
    example: "http://127.0.0.1:4318",
    parse: baseUrl
  }),
  tracesEndpoint: setting({
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    default: undefined,
    shown: "none: the one above",
    meaning: "Where traces are sent, used as it is.",
    example: "https://collector.example.com/v1/traces",
    parse: wholeUrl
  }),
  exporter: setting({
    name: "OTEL_TRACES_EXPORTER",
    default: undefined,
    shown: "otlp, with an endpoint",
    meaning: "otlp (without an endpoint: to http://localhost:4318), or none.",
    example: "none",
    parse: oneOf("otlp", "none")
  }),
  disabled: setting({
    name: "OTEL_SDK_DISABLED",
    default: false,
    meaning: "true: no traces are made, whatever else is set.",
    example: "true",
    parse: flag
  }),
  headers: setting({
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    default: undefined,
    shown: "none",
    meaning: "Headers of each export: name=value, separated by commas, values percent-encoded.",
    example: "authorization=Bearer%20abc",
    parse: headers,
    isSecret: true
  }),
  tracesHeaders: setting({
    name: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    default: undefined,
    shown: "none: those above",
    meaning: "The same, in their place.",
    example: "x-api-key=abc",
    parse: headers,
    isSecret: true
  }),
  protocol: setting({
    name: "OTEL_EXPORTER_OTLP_PROTOCOL",
    default: "http/protobuf",
    meaning: "http/protobuf or http/json; grpc is not spoken.",
    example: "http/json",
    parse: protocol
  }),
  tracesProtocol: setting({
    name: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    default: undefined,
    shown: "the one above",
    meaning: "The same, for traces.",
    example: "http/json",
    parse: protocol
  }),
  compression: setting({
    name: "OTEL_EXPORTER_OTLP_COMPRESSION",
    default: "none",
    meaning: "gzip or none.",
    example: "gzip",
    parse: oneOf("gzip", "none")
  }),
  timeout: setting({
    name: "OTEL_EXPORTER_OTLP_TIMEOUT",
    default: 10_000,
    meaning: "Milliseconds that one export may take.",
    example: "5000",
    parse: wholeNumber("whole number", 1, 600_000)
  }),
  serviceName: setting({
    name: "OTEL_SERVICE_NAME",
    default: undefined,
    shown: "countersign",
    meaning: "The service name in traces.",
    example: "licenses",
    parse: (value): Result.Result<string, string> =>
      /^[^\p{Cc}]{1,255}$/u.test(value)
        ? Result.succeed(value)
        : Result.fail("must have at most 255 characters, without control characters")
  }),
  resource: setting({
    name: "OTEL_RESOURCE_ATTRIBUTES",
    default: {},
    shown: "none",
    meaning: "More resource attributes of traces: name=value, separated by commas, values percent-encoded.",
    example: "deployment.environment.name=production,service.namespace=shop",
    parse: attributes
  }),
  sampler: setting({
    name: "OTEL_TRACES_SAMPLER",
    default: "parentbased_always_on",
    meaning: "always_on, always_off, traceidratio; or parentbased_ and one of these, which follows the caller.",
    example: "parentbased_traceidratio",
    parse: samplerName
  }),
  samplerArgument: setting({
    name: "OTEL_TRACES_SAMPLER_ARG",
    default: 1,
    meaning: "The share of traces that traceidratio keeps, from 0 to 1.",
    example: "0.05",
    parse: ratio
  }),
  delay: setting({
    name: "OTEL_BSP_SCHEDULE_DELAY",
    default: 5000,
    meaning: "Milliseconds between exports.",
    example: "1000",
    parse: wholeNumber("whole number", 1, 600_000)
  }),
  queue: setting({
    name: "OTEL_BSP_MAX_QUEUE_SIZE",
    default: 2048,
    meaning: "Spans that wait for an export; more are dropped, and counted in the log.",
    example: "8192",
    parse: wholeNumber("whole number", 1, 1_000_000)
  }),
  batch: setting({
    name: "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
    default: undefined,
    shown: String(spansOfExport),
    meaning: "Spans of one export: at most as many as may wait.",
    example: "2048",
    parse: wholeNumber("whole number", 1, 1_000_000)
  })
}

/** Reads the settings of traces; undefined if none are exported. */
export const readTraces = Effect.fnUntraced(function*(
  { read, report }: SettingReading
): Effect.fn.Return<TraceSettings | undefined> {
  const isDisabled = yield* read(traceTable.disabled)
  const exporter = yield* read(traceTable.exporter)
  // Settings for other programs in the same environment, such as grpc, matter only if traces are exported.
  if (isDisabled || exporter === "none") return undefined
  const base = (yield* read(traceTable.endpoint)) ?? (exporter === "otlp" ? "http://localhost:4318" : undefined)
  const url = (yield* read(traceTable.tracesEndpoint)) ?? (base === undefined ? undefined : `${base}/v1/traces`)
  if (url === undefined) return undefined

  const own = yield* read(traceTable.tracesHeaders)
  const ownProtocol = yield* read(traceTable.tracesProtocol)
  const sampler = yield* read(traceTable.sampler)
  const share = yield* read(traceTable.samplerArgument)
  const queue = yield* read(traceTable.queue)
  const batch = yield* read(traceTable.batch)
  if (batch !== undefined && batch > queue) {
    report(traceTable.batch, `must be at most ${traceTable.queue.name}, which is ${queue}`)
  }
  return {
    url,
    headers: own ?? (yield* read(traceTable.headers)) ?? Redacted.make({}),
    protocol: ownProtocol ?? (yield* read(traceTable.protocol)),
    compression: yield* read(traceTable.compression),
    sampler: makeSampler(sampler, share),
    serviceName: yield* read(traceTable.serviceName),
    resource: yield* read(traceTable.resource),
    timeout: yield* read(traceTable.timeout),
    delay: yield* read(traceTable.delay),
    queue,
    batch: Math.min(batch ?? spansOfExport, queue)
  }
})
