import { Data, Effect, Layer, Schema } from "effect"
import type { Redacted } from "effect"
import { DatabaseTarget } from "../postgres/Database.ts"
import { connectOnce } from "../postgres/DatabaseServer.ts"

/** Another command of the kind is at work on this database. The message says what to do. */
class CommandBusy extends Data.TaggedError("CommandBusy")<{ readonly message: string }> {}

const decodeLocks = Schema.decodeUnknownSync(Schema.NonEmptyArray(Schema.Struct({ free: Schema.Boolean })))

/**
 * Takes the turn of the commands of a session's name on a database, for as long as the scope, whatever machines they run on:
 * while one is at work, another fails with the message. The lock goes with its connection, so a command that is killed leaves
 * none.
 */
export const take = Effect.fnUntraced(function*(url: Redacted.Redacted, session: string, message: string) {
  const connection = yield* connectOnce(url, session)
  const { rows } = yield* connection.query("select pg_try_advisory_lock(hashtext($1)) as free", [session])
  if (!decodeLocks(rows)[0].free) return yield* new CommandBusy({ message })
})

/** Has commands of an archive take turns on the database that they work on. */
export const layer = (kind: "archive", message: string) =>
  Layer.effectDiscard(
    Effect.flatMap(DatabaseTarget, ({ url }) => take(url, `countersign ${kind}`, message))
  )
