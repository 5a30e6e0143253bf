import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Whether the database answers. */
export class DatabaseHealth extends Context.Service<DatabaseHealth, {
  /** True when a trivial query is answered within a second. */
  readonly answers: Effect.Effect<boolean>
}>()("countersign/services/DatabaseHealth") {
  static readonly layer = Layer.effect(
    DatabaseHealth,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return DatabaseHealth.of({
        answers: sql`SELECT 1`.pipe(
          Effect.as(true),
          Effect.timeoutOrElse({ duration: "1 second", orElse: () => Effect.succeed(false) }),
          Effect.catchCause(() => Effect.succeed(false))
        )
      })
    })
  )
}
