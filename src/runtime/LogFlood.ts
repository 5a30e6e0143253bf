import { Cause, Context, Effect, Logger, LogLevel, References } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { CurrentExchange, reasonOf } from "../http/ground/edge/Exchanges.ts"
import { LineThrottle } from "./LineThrottle.ts"
import { atProcessEnd } from "./node/ProcessEnd.ts"

type Options = Logger.Options<unknown>

/** How many causes are told apart; lines beyond that have one cause together. */
const mostCauses = 256

/** How many of the lines that one line stands for are named, by their texts. */
const mostTexts = 16

/** A log line with the annotations of its fiber, taken now: the fiber may continue before the line is written. */
const within = (options: Options, context: Context.Context<never>): Options => ({
  ...options,
  fiber: Object.create(options.fiber, { context: { value: context } })
})

/** The same line with more annotations. */
const annotated = (options: Options, more: Readonly<Record<string, unknown>>): Options => {
  const { fiber } = options
  const annotations = { ...fiber.getRef(References.CurrentLogAnnotations), ...more }
  return within(options, Context.add(fiber.context, References.CurrentLogAnnotations, annotations))
}

/**
 * Whether a cause is the state of the database, which no stack of ours explains: no connection; a server that is
 * full, starting or stopping (SQLSTATE classes 08, 53 and 57), or busy; or a timeout.
 */
const isOutage = (cause: Cause.Cause<unknown>): boolean => {
  let error = Cause.squash(cause)
  // A library may have wrapped it.
  for (let depth = 0; depth < 4; depth++) {
    if (Cause.isTimeoutError(error)) return true
    if (isSqlError(error)) {
      const { code } = (error.reason.cause ?? {}) as { readonly code?: unknown }
      return error.isRetryable || (typeof code === "string" && /^(08|53|57)/.test(code))
    }
    if (!(error instanceof Error)) return false
    error = error.cause
  }
  return false
}

/** The same cause with one stack, instead of one for each error in it and for each cause of these. */
const withOneStack = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> => {
  const error = Cause.squash(cause)
  if (!(error instanceof Error)) return cause
  const own = new Error(reasonOf(cause))
  own.name = error.name
  const at = error.stack?.indexOf("\n    at ") ?? -1
  own.stack = `${error.name}: ${own.message}${at === -1 ? "" : error.stack!.slice(at)}`
  return Cause.die(own)
}

const textOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message]).map((part) => typeof part === "string" ? part : "").join(" ").trim()

/**
 * A logger that writes warnings and errors once a second for each cause, with a count, whichever parts of the service
 * write them: an outage fails all of them, again and again. A line about the database's state has its reason, any
 * other one stack. A line of a request names it and its trace; each line whose `request_id` a caller may quote is
 * written.
 */
export const withoutFloods = (inner: Logger.Logger<unknown, unknown>) =>
  Effect.gen(function*() {
    const write = (options: Options): void => {
      const exchange = options.fiber.getRef(CurrentExchange)
      inner.log(
        exchange?.requestId === undefined ? options : annotated(options, {
          request_id: exchange.requestId,
          ...(exchange.traceId === undefined ? {} : { trace_id: exchange.traceId })
        })
      )
    }
    const throttle = new LineThrottle<{ readonly options: Options; readonly texts: Set<string> }>(
      ({ options, texts }, count) =>
        write(
          count === undefined
            ? options
            : annotated(options, { count, ...(texts.size > 1 ? { lines: [...texts] } : {}) })
        ),
      {
        mostKinds: mostCauses,
        join: ({ texts }, { options, texts: [text] }) => {
          if (texts.size < mostTexts) texts.add(text!)
          return { options, texts }
        }
      }
    )
    yield* atProcessEnd(() => throttle.end())
    return Logger.make((options: Options): void => {
      const { cause, fiber, logLevel, message } = options
      if (LogLevel.isLessThan(logLevel, "Warn") || "request_id" in fiber.getRef(References.CurrentLogAnnotations)) {
        return write(cause.reasons.length === 0 ? options : { ...options, cause: withOneStack(cause) })
      }
      const text = textOf(message)
      const reason = cause.reasons.length === 0 ? text : reasonOf(cause)
      const line: Options = cause.reasons.length === 0
        ? options
        : isOutage(cause)
        ? { ...options, message: `${text}: ${reason}`, cause: Cause.empty }
        : { ...options, cause: withOneStack(cause) }
      throttle.add(reason, { options: within(line, fiber.context), texts: new Set([text]) })
    })
  })
