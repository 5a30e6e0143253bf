import { Cause, Context, Effect } from "effect"
import type { Code } from "../../domain/wire/Errors.ts"
import { CurrentExchange } from "./Exchanges.ts"
import { shownPath } from "./ShownPath.ts"

/** A failure that the operator should see in the log. */
export interface LoggedFailure {
  readonly code: Code
  readonly requestId: string
  readonly cause: Cause.Cause<unknown>
}

/** How many causes are counted separately; failures beyond that are counted together. */
const maximumCauses = 64

/** The names and messages in a cause and in what caused it, without stacks. */
export const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const [reason] = cause.reasons
  const told: Array<string> = []
  let value = reason === undefined ? undefined : Cause.isFailReason(reason)
    ? reason.error
    : Cause.isDieReason(reason)
    ? reason.defect
    : undefined
  while (typeof value === "object" && value !== null && told.length < 4) {
    const { _tag, cause, code, message, name, reason } = value as Readonly<Record<string, unknown>>
    const parts = [_tag ?? name, code, message].filter((part) => typeof part === "string" && part !== "")
    if (parts.length > 0) told.push([...new Set(parts)].join(" "))
    value = reason ?? cause
  }
  return told.length === 0 ? String(value).slice(0, 200) : told.join(": ").slice(0, 400)
}

const makeLog = () => {
  /** By cause, the failures since the last line about it. */
  const unwritten = new Map<string, number>()

  /** Logs each second how many more there were, until a second without any. */
  const follow = (code: Code, reason: string): Effect.Effect<void> =>
    Effect.flatMap(Effect.sleep("1 second"), () => {
      const count = unwritten.get(reason) ?? 0
      if (count === 0) {
        unwritten.delete(reason)
        return Effect.void
      }
      unwritten.set(reason, 0)
      return Effect.andThen(
        Effect.logError(`requests failed: ${reason}`).pipe(Effect.annotateLogs({ code, count })),
        follow(code, reason)
      )
    })

  return ({ cause, code, requestId }: LoggedFailure): Effect.Effect<void> =>
    Effect.flatMap(CurrentExchange, (exchange) => {
      const found = reasonOf(cause)
      const reason = unwritten.has(found) || unwritten.size < maximumCauses ? found : "many causes"
      const about = {
        request_id: requestId,
        code,
        ...(exchange === undefined ? {} : {
          method: exchange.method,
          path: shownPath(exchange.path, exchange.route()),
          ms: Math.round(performance.now() - exchange.begun),
          ...(exchange.traceId === undefined ? {} : { trace_id: exchange.traceId })
        })
      }
      const before = unwritten.get(reason)
      // A caller may quote the id of a request that failed through a mistake of ours, so each such failure has its own
      // line.
      if (before !== undefined && code === "INTERNAL") {
        return Effect.logError(`request failed: ${reason}`).pipe(Effect.annotateLogs(about))
      }
      if (before !== undefined) {
        unwritten.set(reason, before + 1)
        return Effect.void
      }
      unwritten.set(reason, 0)
      return Effect.logError(...code === "INTERNAL" ? ["request failed", cause] : [`request failed: ${reason}`]).pipe(
        Effect.annotateLogs(about),
        // The lines that follow are about other requests.
        Effect.andThen(Effect.forkDetach(Effect.provideService(follow(code, reason), CurrentExchange, undefined))),
        Effect.asVoid
      )
    })
}

/**
 * Writes failures to the log. In an outage it writes one line for each second and cause, with a count. The stack of a
 * defect is written at most once a second.
 */
export const FailureLog = Context.Reference<(failure: LoggedFailure) => Effect.Effect<void>>(
  "countersign/http/FailureLog",
  { defaultValue: makeLog }
)
