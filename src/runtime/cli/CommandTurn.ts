import { Data, Effect, Layer, Schema } from "effect"
import { DatabaseTarget } from "../postgres/Database.ts"
import { connectOnce } from "../postgres/DatabaseServer.ts"

/** Another command of the kind is at work on this database. The message says what to do. */
class CommandBusy extends Data.TaggedError("CommandBusy")<{ readonly message: string }> {}

const decodeLocks = Schema.decodeUnknownSync(Schema.NonEmptyArray(Schema.Struct({ free: Schema.Boolean })))

/**
 * Makes the commands of one kind take turns on a database, whatever machines they run on: while one is at work, another
 * fails with the message. The lock goes with its connection, so a command that is killed leaves none.
 */
export const layer = (kind: "archive" | "seed", message: string) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { url } = yield* DatabaseTarget
    const connection = yield* connectOnce(url, `countersign ${kind}`)
    const { rows } = yield* connection.query("select pg_try_advisory_lock(hashtext($1)) as free", [
      `countersign ${kind}`
    ])
    if (decodeLocks(rows)[0].free) return
    return yield* new CommandBusy({ message })
  }))
