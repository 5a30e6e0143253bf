import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { BenchError } from "../harness/ServiceProcess.ts"

/** How often is looked for licenses, in milliseconds: about as much later one is seen than it was there. */
const period = 20

/** Watches licenses of purchases come. */
export interface LicenseWatch {
  /**
   * How long after these instants the licenses of these subscriptions were there, in milliseconds; waits so many seconds for
   * those that are still due.
   */
  readonly delaysOf: (
    due: ReadonlyMap<string, number>,
    patience: number
  ) => Effect.Effect<Float64Array, BenchError>
}

/** Begins to watch, on a connection of its own. */
export const licenseWatch = (databaseUrl: string): Effect.Effect<LicenseWatch, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    const connection = yield* PgConnection.make({ url: Redacted.make(databaseUrl) }).pipe(
      Effect.mapError(({ message }) => new BenchError({ message }))
    )
    const seen = new Map<string, number>()
    const look = Effect.gen(function*() {
      const { rows } = yield* connection.query(
        `SELECT substr(p.name, 14) AS name FROM purchase_licenses l JOIN purchases p ON p.id = l.purchase_id
         WHERE l.created_at > now() - interval '2 minutes'`,
        []
      )
      const now = performance.timeOrigin + performance.now()
      for (const row of rows) {
        const name = String(row["name"])
        if (!seen.has(name)) seen.set(name, now)
      }
    }).pipe(Effect.mapError((error) => new BenchError({ message: String(error) })))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(period))))
    return {
      delaysOf: Effect.fnUntraced(function*(due, patience) {
        const end = performance.now() + patience * 1000
        while ([...due.keys()].some((name) => !seen.has(name))) {
          if (performance.now() > end) {
            const missing = [...due.keys()].filter((name) => !seen.has(name)).length
            return yield* new BenchError({ message: `${missing} licenses were not there after ${patience} s` })
          }
          yield* Effect.sleep(period)
        }
        return Float64Array.from(due, ([name, at]) => seen.get(name)! - at)
      })
    }
  })
