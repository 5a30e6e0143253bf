// The limit of validate: a bare node:http handler that does one prepared, pipelined SELECT, the very statement of the
// service over the same rows, and one Ed25519 signature. No routing, no decoding, no decision, no canonical form.
import { Effect } from "effect"
import { versionSnapshotQuery } from "../../src/services/licensing/entitlements/EntitlementStateSql.ts"
import { connect, listen, listenSigned } from "../harness/LimitServer.ts"
import { answerQuestions } from "../harness/Worker.ts"

/** Without a database it answers at once with nothing in it, which measures what the generator itself can do. */
export interface LimitQuestion {
  readonly database: { readonly url: string; readonly connections: number } | undefined
}

answerQuestions(async ({ database }: LimitQuestion): Promise<number> => {
  if (database === undefined) return listen((_, response) => response.writeHead(200, { "content-length": 2 }).end("{}"))
  const connections = await connect(database.url, database.connections)
  const { rows } = await Effect.runPromise(connections[0]!.query(
    "SELECT d.binding_kind, d.binding_key, k.key_hash FROM license_keys k JOIN devices d USING (license_id)"
  ))
  let turn = 0
  return listenSigned(() => {
    turn += 1
    const row = rows[turn % rows.length]!
    return Effect.map(
      connections[turn % connections.length]!.query(versionSnapshotQuery, [
        row["binding_kind"],
        row["binding_key"],
        row["key_hash"],
        "1.4.2",
        ""
      ]),
      ({ rows }) => rows
    )
  })
})
