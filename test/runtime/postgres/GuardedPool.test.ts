import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { isSessionRefused } from "../../../src/runtime/postgres/Database.ts"
import { DatabasePools } from "../../../src/runtime/postgres/DatabaseServer.ts"
import { GroupTransactions } from "../../../src/services/ground/persistence/GroupCommit.ts"
import { DeliverySql } from "../../../src/services/ground/persistence/TransactionSql.ts"
import { QuestionSql } from "../../../src/services/ground/platform/DatabaseHealthSql.ts"
import { database, eventually, hold, session } from "../../fixtures/Session.ts"

/** A database with one row that its sessions are asked about, and the pools of a node. */
const makePools = Effect.gen(function*() {
  const url = yield* Effect.promise(database)
  const { query } = yield* Effect.promise(() => session(url))
  yield* Effect.promise(() => query("CREATE TABLE doors AS SELECT true AS open"))
  const surroundings = Layer.merge(
    Layer.succeed(DatabasePools, { ...(yield* DatabasePools), question: "SELECT open AS admitted FROM doors" }),
    Layer.succeed(Database.DatabaseTarget, { url: Redacted.make(url) })
  )
  const contextOf = <A, E>(layer: Layer.Layer<A, E, Database.DatabaseTarget>) =>
    Layer.build(Layer.provide(layer, surroundings))
  return {
    context: yield* contextOf(Database.layerTarget),
    unhurried: yield* contextOf(Database.layerUnhurried),
    query: (text: string) => Effect.promise(() => query(text)),
    url
  }
})

const one = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 AS one`)

const endOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

describe("a pool whose sessions are asked a question", () => {
  it.live("serves nobody on a session that begins after the answer has changed, whatever the way to it", () =>
    Effect.gen(function*() {
      const { context, query, unhurried } = yield* makePools
      const ways: Readonly<Record<string, Effect.Effect<unknown, SqlError>>> = {
        statement: Effect.provideContext(one, context),
        transaction: Effect.provideContext(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(one)),
          context
        ),
        question: Effect.provideContext(Effect.flatMap(QuestionSql, (sql) => sql`SELECT 1 AS one`), context),
        delivery: Effect.provideContext(Effect.flatMap(DeliverySql, (sql) => sql`SELECT 1 AS one`), context),
        group: Effect.provideContext(
          Effect.flatMap(GroupTransactions, (groups) => groups.run(one, { wait: false })),
          context
        ),
        unhurried: Effect.provideContext(one, unhurried)
      }
      for (const way of Object.values(ways)) yield* way
      yield* query("UPDATE doors SET open = false")
      // Sessions that were admitted go on: whoever changes the answer ends them.
      for (const way of Object.values(ways)) yield* way
      yield* query(endOthers)
      for (const [name, way] of Object.entries(ways)) {
        const refused = async () => {
          const exit = await Effect.runPromiseExit(Effect.flip(way))
          return exit._tag === "Success" && isSessionRefused(exit.value)
        }
        yield* Effect.promise(() => eventually(`${name} is refused`, refused))
      }
      yield* query("UPDATE doors SET open = true")
      for (const way of Object.values(ways)) yield* way
    }))

  it.live("has a session wait while its answer is changed", () =>
    Effect.gen(function*() {
      const { context, query, url } = yield* makePools
      const changing = yield* Effect.promise(() => hold(url, "ALTER TABLE doors ADD COLUMN width int"))
      const asked = yield* Effect.forkChild(Effect.provideContext(one, context))
      yield* Effect.promise(() => changing.blocked(1))
      assert.isUndefined(asked.pollUnsafe())
      yield* Effect.promise(changing.release)
      assert.deepStrictEqual(yield* Fiber.join(asked), [{ one: 1 }])
      yield* query(endOthers)
    }))
})
