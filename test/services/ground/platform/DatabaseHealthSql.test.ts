import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseTarget, layerTarget } from "../../../../src/runtime/postgres/Database.ts"
import { applicationName } from "../../../../src/runtime/postgres/DatabaseServer.ts"
import { findRoom } from "../../../../src/services/ground/platform/DatabaseHealthSql.ts"
import { embedded, startPostgres } from "../../../fixtures/PostgresPrograms.ts"
import { atEnd, session } from "../../../fixtures/Session.ts"

// A server of the test's own, on which nobody else has a session.
const server = await startPostgres(await embedded(), { durable: false })
atEnd(server.remove)
const admin = await session(server.url)
for (const name of ["live", "test"]) await admin.query(`CREATE DATABASE ${name}`)
await admin.close()

const urlOf = (database: string) => {
  const url = new URL(server.url)
  url.pathname = `/${database}`
  return Redacted.make(url.href)
}

describe("the room of a process for sessions", () => {
  it.live("is less by those that the process itself has to the database of another environment", () =>
    Effect.gen(function*() {
      const open = (database: string, name: string) =>
        PgConnection.make({ url: urlOf(database), applicationName: name })
      const sql = yield* SqlClient.SqlClient
      const room = Effect.map(findRoom(sql, applicationName), ([found]) => found!.room)
      // Its own sessions to its own database are those that it needs.
      const whole = yield* room
      yield* open("live", applicationName)
      assert.strictEqual(yield* room, whole)
      yield* open("test", applicationName)
      yield* open("test", applicationName)
      assert.strictEqual(yield* room, whole - 2)
      yield* open("live", "another process")
      assert.strictEqual(yield* room, whole - 3)
    }).pipe(
      Effect.provide(Layer.provide(layerTarget, Layer.succeed(DatabaseTarget, { url: urlOf("live") })))
    ))
})
