import { Context, Effect, Layer, LogLevel } from "effect"
import { environmentOfAnswer } from "../../domain/ground/environments/EnvironmentName.ts"
import { visibleJson, visibleLine } from "../../domain/ground/parsing/VisibleText.ts"
import type { ExchangeLine } from "../../http/ground/edge/Exchanges.ts"
import { alwaysOpen } from "../../http/ground/edge/Refusal.ts"
import { AppConfig } from "../config/Config.ts"
import { LineThrottle } from "../LogFlood.ts"
import { atProcessEnd } from "../node/ProcessEnd.ts"
import { child } from "../processes/Child.ts"
import { makePrinter } from "../terminal/Printing.ts"

/** For how long lines are collected before they are written together, in milliseconds. */
const window = 100

/** The lines are written earlier when they are longer than this together, in characters. */
const enough = 64 * 1024

/** Statuses of which a burst sends thousands: each second, a route has one line for them, with their count. */
const floods: ReadonlySet<number> = new Set([429, 503])

const rounded = (milliseconds: number): number => Math.round(milliseconds * 100) / 100

/** The fields of a line, in their order. */
const annotationsOf = ({ bytesIn, bytesOut, exchange, milliseconds, route, status }: ExchangeLine, count: number) => ({
  method: exchange.method,
  route,
  status,
  ms: rounded(milliseconds),
  ...environmentOfAnswer(exchange.environment),
  ...(exchange.requestId === undefined ? {} : { request_id: exchange.requestId }),
  ...(exchange.principal === undefined
    ? {}
    : { principal: exchange.principal.kind, principal_id: exchange.principal.id }),
  ...(exchange.code === undefined ? {} : { code: exchange.code }),
  bytes_in: bytesIn,
  bytes_out: bytesOut,
  ...(exchange.traceId === undefined ? {} : { trace_id: exchange.traceId }),
  ...(count === 1 ? {} : { count })
})

/** As the logger for machines writes its lines. */
const json = (line: ExchangeLine, level: string, count: number): string =>
  JSON.stringify({
    ...(child === undefined ? {} : { process: child.number }),
    message: "request",
    level,
    timestamp: new Date().toISOString(),
    annotations: annotationsOf(line, count)
  })

/** As the logger for people writes its lines: the time, and what one looks for first. */
const pretty = (line: ExchangeLine, level: string, count: number): string => {
  const { method, ms, route, status, ...more } = annotationsOf(line, count)
  const rest = Object.entries(more).map(([name, value]) => `${name}=${value}`).join(" ")
  const number = child === undefined ? "" : ` process ${child.number}`
  return `[${new Date().toTimeString().slice(0, 8)}${number}] ${level}: ${method} ${route} ${status} ${ms} ms ${rest}`
}

/**
 * The log of requests: a line for each, on standard output, for a tenth of a second together. It takes bursts of
 * refusals for load together as well, so that an overload does not grow with what is written about it.
 */
export class RequestLines extends Context.Service<RequestLines, {
  /** Writes a line; undefined when the log keeps nothing of this level. */
  readonly write: ((line: ExchangeLine) => void) | undefined
}>()("countersign/runtime/requests/RequestLines") {
  static readonly layer = Layer.effect(
    RequestLines,
    Effect.gen(function*() {
      const { logFormat, logLevel } = yield* AppConfig
      if (LogLevel.isGreaterThan(logLevel, "Info")) return RequestLines.of({ write: undefined })
      const isDebug = !LogLevel.isGreaterThan(logLevel, "Debug")
      const [format, shown] = logFormat === "json" ? [json, visibleJson] : [pretty, visibleLine]
      const print = yield* makePrinter
      let text = ""
      let writing: NodeJS.Timeout | undefined

      const flush = () => {
        clearTimeout(writing)
        writing = undefined
        // The console ends the last line itself.
        if (text !== "") print(text.slice(0, -1))
        text = ""
      }
      const add = (line: ExchangeLine, level: string, count = 1) => {
        text += `${shown(format(line, level, count))}\n`
        if (text.length > enough) flush()
        else writing ??= setTimeout(flush, window)
      }
      const throttle = new LineThrottle<ExchangeLine>((line, count) => add(line, "INFO", count))
      const write = (line: ExchangeLine) => {
        const { exchange, route, status } = line
        // Probes come every few seconds, and say the same each time.
        if (alwaysOpen.has(exchange.path)) return isDebug ? add(line, "DEBUG") : undefined
        if (!floods.has(status)) return add(line, "INFO")
        throttle.add(`${exchange.method} ${route} ${status} ${exchange.code}`, line)
      }

      yield* atProcessEnd(() => {
        throttle.end()
        flush()
      })
      return RequestLines.of({ write })
    })
  )
}
