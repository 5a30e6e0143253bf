import { Data, Effect, Layer, Schema } from "effect"
import type { Redacted } from "effect"
import { DatabaseTarget } from "../../postgres/Database.ts"
import { connectOnce } from "../../postgres/DatabaseServer.ts"

/** Another command of this kind is running on the database. The message says what to do. */
class CommandBusy extends Data.TaggedError("CommandBusy")<{ readonly message: string }> {}

const decodeLocks = Schema.decodeUnknownSync(Schema.NonEmptyArray(Schema.Struct({ free: Schema.Boolean })))

/**
 * Locks the commands of a session's name on a database for the scope, on whatever machine they run: while one runs,
 * another fails with the message. The lock ends with its connection, so a killed command leaves none.
 */
export const take = Effect.fnUntraced(function*(url: Redacted.Redacted, session: string, message: string) {
  const connection = yield* connectOnce(url, session)
  const { rows } = yield* connection.query("select pg_try_advisory_lock(hashtext($1)) as free", [session])
  if (!decodeLocks(rows)[0].free) return yield* new CommandBusy({ message })
})

/** Allows one archive command at a time on a database. */
export const layer = (kind: "archive", message: string) =>
  Layer.effectDiscard(
    Effect.flatMap(DatabaseTarget, ({ url }) => take(url, `countersign ${kind}`, message))
  )
