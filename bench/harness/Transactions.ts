import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { LoadAnswer } from "./load.ts"

/** How long a backend may keep its statistics to itself (PGSTAT_MIN_INTERVAL is 1 s), with some room. */
const settling = "2 seconds"

/** Runs a load and counts the transactions that PostgreSQL committed in the database meanwhile, its own excluded. */
export const countTransactions = <E, R>(databaseUrl: string, load: Effect.Effect<LoadAnswer, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* Effect.orDie(PgConnection.make({ url: Redacted.make(databaseUrl) }))
    const committed = Effect.gen(function*() {
      yield* Effect.sleep(settling)
      yield* Effect.orDie(connection.query("SELECT pg_stat_clear_snapshot()"))
      const { rows } = yield* Effect.orDie(connection.query(
        "SELECT xact_commit::int AS committed FROM pg_stat_database WHERE datname = current_database()"
      ))
      return Number(rows[0]?.["committed"])
    })
    const before = yield* committed
    const { succeeded } = yield* load
    return { requests: succeeded, transactions: (yield* committed) - before }
  }))
