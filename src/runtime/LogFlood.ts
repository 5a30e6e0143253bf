import { Cause, Console, Context, Effect, Logger, LogLevel, References } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { inspect } from "node:util"
import { visibleLine, visibleLines } from "../domain/ground/parsing/VisibleText.ts"
import { CurrentExchange, reasonOf } from "../http/ground/edge/Exchanges.ts"
import { atProcessEnd } from "./node/ProcessEnd.ts"

/** For how long a kind of line has one line, in milliseconds. */
const quiet = 1_000

/**
 * Throttles floods of log lines: the first of a kind is written at once, then one line a second for all since the
 * previous one, until a second without any. Its owner calls `end`.
 */
export class LineThrottle<Line> {
  readonly #write: (line: Line, count: number | undefined) => void
  readonly #join: (before: Line, line: Line) => Line
  readonly #mostKinds: number
  /** The lines of each kind since the last one that was written. */
  readonly #held = new Map<string, { line: Line; count: number } | undefined>()
  #releasing: NodeJS.Timeout | undefined

  /**
   * `write` receives the first line without a count, later ones with it. `join` makes one line of two; by default the
   * second. Beyond `mostKinds`, all further kinds count as one.
   */
  constructor(
    write: (line: Line, count: number | undefined) => void,
    { join = (_, line) => line, mostKinds = Infinity }: {
      readonly mostKinds?: number
      readonly join?: (before: Line, line: Line) => Line
    } = {}
  ) {
    this.#write = write
    this.#join = join
    this.#mostKinds = mostKinds
  }

  add(kind: string, line: Line): void {
    const name = this.#held.has(kind) || this.#held.size < this.#mostKinds ? kind : ""
    if (this.#held.has(name)) {
      const before = this.#held.get(name)
      this.#held.set(
        name,
        before === undefined ? { line, count: 1 } : { line: this.#join(before.line, line), count: before.count + 1 }
      )
    } else {
      this.#held.set(name, undefined)
      this.#write(line, undefined)
    }
    this.#releasing ??= setTimeout(() => this.#release(), quiet).unref()
  }

  #release(): void {
    this.#releasing = undefined
    for (const [name, held] of this.#held) {
      if (held === undefined) this.#held.delete(name)
      else {
        this.#held.set(name, undefined)
        this.#write(held.line, held.count)
      }
    }
    if (this.#held.size > 0) this.#releasing ??= setTimeout(() => this.#release(), quiet).unref()
  }

  /** Writes what is held. */
  end(): void {
    clearTimeout(this.#releasing)
    for (const held of this.#held.values()) if (held !== undefined) this.#write(held.line, held.count)
    this.#held.clear()
  }
}

const styles = { bold: "1", cyan: "36", dim: "2", red: "31", yellow: "33" } as const

const styleOfLevel: Readonly<Record<string, keyof typeof styles>> = { Fatal: "red", Error: "red", Warn: "yellow" }

const valueText = (value: unknown): string =>
  typeof value === "string" ? visibleLine(value) : visibleLines(inspect(value, { depth: 4 }))

/**
 * A logger for people: the time, the level and the message on one line, causes and annotations below. It may contain
 * text of customers, receivers and apps, so the terminal shows all of it and obeys none.
 */
export const prettyLogger = (place = "", isColored = process.stdout.isTTY === true) => {
  const styled = (text: string, style: keyof typeof styles) =>
    isColored ? `\u001b[${styles[style]}m${text}\u001b[0m` : text
  return Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    const [first, ...rest] = Array.isArray(message) ? message as ReadonlyArray<unknown> : [message]
    const time = `${date.toTimeString().slice(0, 8)}${place}`
    const level = styled(logLevel.toUpperCase(), styleOfLevel[logLevel] ?? "dim")
    const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
    const below = [
      ...(cause.reasons.length === 0 ? [] : visibleLines(Cause.pretty(cause)).split("\n")),
      ...rest.flatMap((part) => valueText(part).split("\n")),
      ...annotations.flatMap(([name, value]) =>
        `${styled(`${visibleLine(name)}:`, "bold")} ${valueText(value)}`.split("\n")
      )
    ]
    fiber.getRef(Console.Console).log(
      [`[${time}] ${level}: ${styled(valueText(first), "cyan")}`, ...below.map((line) => `  ${line}`)].join("\n")
    )
  })
}

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
