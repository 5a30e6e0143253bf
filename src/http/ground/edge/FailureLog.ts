import { Cause, Context, Effect } from "effect"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { CurrentExchange } from "./Exchanges.ts"
import { shownPath } from "./ShownPath.ts"

/** A failure that the operator should see in the log. */
export interface LoggedFailure {
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
