// The limit of validate: a bare node:http handler that does one prepared, pipelined SELECT, the very statement of the
// service over the same rows, and one Ed25519 signature. No routing, no decoding, no decision, no canonical form.
import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted, Scope } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"
import { createServer } from "node:http"
import { versionSnapshotQuery } from "../src/services/SnapshotQuery.ts"
import { answerQuestions } from "./Worker.ts"

/** Without a database it answers at once with nothing in it, which measures what the generator itself can do. */
export interface LimitQuestion {
  readonly database: { readonly url: string; readonly connections: number } | undefined
}

const json = (_: string, value: unknown) => typeof value === "bigint" ? Number(value) : value

const listen = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

answerQuestions(async ({ database }: LimitQuestion): Promise<number> => {
  if (database === undefined) {
    return listen(createServer((_, response) => response.writeHead(200, { "content-length": 2 }).end("{}")))
  }
  const scope = Scope.makeUnsafe()
  const connections = await Effect.runPromise(
    Effect.all(
      Array.from(
        { length: database.connections },
        () => PgConnection.make({ url: Redacted.make(database.url), multiplex: true })
      )
    ).pipe(Scope.provide(scope))
  )
  const { rows } = await Effect.runPromise(connections[0]!.query(
    "SELECT d.binding_kind, d.binding_key, k.key_hash FROM license_keys k JOIN devices d USING (license_id)"
  ))
  const { privateKey } = generateKeyPairSync("ed25519")
  let turn = 0
  return listen(createServer((_, response) => {
    turn += 1
    const row = rows[turn % rows.length]!
    Effect.runCallback(
      connections[turn % connections.length]!.query(versionSnapshotQuery, [
        row["binding_kind"],
        row["binding_key"],
        row["key_hash"],
        "1.4.2"
      ]),
      {
        onExit: (exit) => {
          if (exit._tag === "Failure" || exit.value.rows.length !== 1) {
            response.writeHead(500).end()
            return
          }
          const data = JSON.stringify(exit.value.rows[0], json)
          const signature = sign(null, Buffer.from(data), privateKey).toString("base64")
          const body = `{"data":${data},"signature":"${signature}"}`
          response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
          response.end(body)
        }
      }
    )
  }))
})
