import { PgClient } from "@effect/sql-pg"
import { Effect, Queue, Schedule } from "effect"
import type { Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { MovableClock } from "../../services/ground/environments/MovableClock.ts"
import { Identifiers } from "../../services/ground/persistence/Identifiers.ts"
import { QuestionSql } from "../../services/ground/platform/QuestionSql.ts"
import { makeSingleFlight } from "../../services/ground/platform/SingleFlight.ts"
import { isServerAway } from "../../services/ground/platform/SqlState.ts"
import { untilDone } from "../../services/ground/platform/Supervised.ts"
import type { makeEarlyRounds } from "../../services/ground/platform/Supervised.ts"
import { applicationName, connectOnce } from "../postgres/DatabaseServer.ts"
import { isSessionRefused } from "../postgres/GuardedPool.ts"
import { clockChannel } from "./ClockStatements.ts"
import type { makeShiftedClock } from "./ShiftedClock.ts"

/** How often a process looks at the clock of the environment, in case that it was told of nothing. */
const lookEvery = "30 seconds"

/** How soon a process listens again. A reset ends its session, and is what it would have been told of. */
const listenAgainAfter = "100 millis"

/** A look whose session is ended is repeated: a database that is being emptied ends those that it finds. */
const looksAgain = { times: 4, schedule: Schedule.spaced("50 millis") } as const

/** The lock of the session that moves the clock, and how often and how long others wait for it. */
const turnLock = "SELECT pg_try_advisory_lock(x'436f7571'::int) AS taken"
const askEvery = "50 millis"
const waitsForTurn = "30 seconds"

/** The events that end an environment while it runs. */
export interface EnvironmentEvents {
  /** Another node has emptied it: what this one knows of it is of what is gone. */
  readonly gone: Effect.Effect<void>
}

/** The parts of an environment's clock that a process has to follow it with. */
export interface Following {
  readonly clock: ReturnType<typeof makeShiftedClock>
  readonly rounds: ReturnType<typeof makeEarlyRounds>
  /** The incarnation of the database that this process was started for. */
  readonly incarnation: string
  readonly url: Redacted.Redacted
}

interface ClockRow {
  readonly ahead: number
  readonly incarnation: string
  readonly now: number
}

const isEnded = (error: SqlError): boolean =>
  !isSessionRefused(error) && (error.reason._tag === "ConnectionError" || isServerAway(error))

/**
 * Waits for the turn to move the clock, in a session of its own, which keeps the turn until it ends: with the scope, or
 * because the node has died or the database was emptied.
 */
const takeTurn = (url: Redacted.Redacted) =>
  Effect.gen(function*() {
    const connection = yield* connectOnce(url, applicationName)
    const ask = Effect.map(connection.query(turnLock, [], false), ({ rows: [row] }) => row?.["taken"] === true)
    return yield* ask.pipe(
      Effect.repeat({ schedule: Schedule.spaced(askEvery), until: (taken) => taken }),
      Effect.timeoutOrElse({ duration: waitsForTurn, orElse: () => Effect.succeed(false) })
    )
  }).pipe(Effect.orDie)

/**
 * Follows the clock of the database, which decides; and notices that the database was emptied. `isCurrent` looks, and says
 * whether the database still is that of the incarnation: after a move or a reset was answered, by whichever node, the next
 * look here knows of it.
 */
export const followClock = Effect.fnUntraced(function*(
  { clock, incarnation, rounds, url }: Following,
  { gone }: EnvironmentEvents
) {
  const sql = yield* QuestionSql
  const { listen, notify } = yield* PgClient.PgClient
  const identifiers = yield* Identifiers
  const read = sql<ClockRow>`
    -- name: clock.find ahead
    SELECT extract(epoch FROM ahead)::float8 * 1000 AS ahead, incarnation,
      extract(epoch FROM clock_timestamp())::float8 * 1000 AS now
    FROM environment_clock`

  const look = Effect.gen(function*() {
    const before = performance.now()
    const [row] = yield* read
    const after = performance.now()
    if (row?.incarnation !== incarnation) return false
    if (row.ahead === clock.ahead()) return true
    clock.shift(row.ahead)
    // Ids are of the time at which they are made: those of the moved time follow those before it, on every node.
    identifiers.follow(row.now + (after - before) / 2, after)
    return true
  }).pipe(
    Effect.retry({ while: isEnded, ...looksAgain }),
    Effect.catchTag("SqlError", (error) => Effect.succeed(!isSessionRefused(error))),
    Effect.tap((isCurrent) => isCurrent ? Effect.void : gone),
    Effect.withTracerEnabled(false)
  )

  const isCurrent = yield* makeSingleFlight(look, { rest: 0, longestRest: 0 })
  yield* isCurrent
  yield* Effect.forkScoped(Effect.repeat(isCurrent, Schedule.spaced(lookEvery)))

  const followWhenTold = Effect.scoped(Effect.gen(function*() {
    const told = yield* listen(clockChannel)
    while (true) {
      // Nobody has told of what happened before this session listened.
      yield* isCurrent
      rounds.call()
      yield* Queue.takeAll(told)
    }
  }))
  yield* Effect.forkScoped(
    untilDone("Listening for moves of the clock", followWhenTold, {
      level: "Debug",
      retry: Schedule.spaced(listenAgainAfter)
    })
  )
  return {
    isCurrent,
    movable: {
      ahead: clock.ahead,
      real: clock.real,
      follow: Effect.asVoid(isCurrent),
      takeTurn: takeTurn(url),
      announce: Effect.orDie(notify(clockChannel, ""))
    } satisfies MovableClock
  }
})
