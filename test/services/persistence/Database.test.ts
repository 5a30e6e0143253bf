import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"
import { Database } from "../../../src/services/persistence/Database.ts"
import { rowReader } from "../../../src/services/persistence/RowToWire.ts"
import { inTransaction, outsideTransaction } from "../../../src/services/persistence/Transaction.ts"
import { layerFresh } from "../../fixtures/Postgres.ts"

class Refusal extends Data.TaggedError("Refusal")<{ readonly reason: string }> {}

/** What an effect died with. */
const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) return assert.fail("it succeeded")
    const [reason] = exit.cause.reasons
    return reason !== undefined && Cause.isDieReason(reason) ? reason.defect : assert.fail("it did not die")
  })

layer(layerFresh, { timeout: "60 seconds" })("Database", (it) => {
  it.effect("runs statements, and takes them as pieces of others", () =>
    Effect.gen(function*() {
      const sql = yield* Database
      const numbers = sql`SELECT n FROM generate_series(1, ${3}::int) AS n`
      assert.deepStrictEqual(yield* sql`SELECT sum(n)::int AS sum FROM (${numbers}) s`, [{ sum: 6 }])
      const columns = sql.csv(["a", "b"].map((name) => sql`${1}::int AS ${sql(name)}`))
      assert.deepStrictEqual(yield* sql`SELECT ${columns}`, [{ a: 1, b: 1 }])
      const conditions = sql.and([sql`n > ${1}::int`, sql.in("n", [1, 2])])
      assert.deepStrictEqual(yield* sql`SELECT n FROM (${numbers}) s WHERE ${conditions}`, [{ n: 2 }])
      assert.deepStrictEqual(yield* sql.unsafe("SELECT $1::int AS n", [7]), [{ n: 7 }])
      assert.deepStrictEqual(yield* sql`SHOW server_encoding`.unprepared, [{ server_encoding: "UTF8" }])
    }))

  it.effect("dies of what the database refuses, unless the caller wants to know", () =>
    Effect.gen(function*() {
      const sql = yield* Database
      const wrong = sql`SELECT 1 / ${0}::int AS n`
      assert.isTrue(isSqlError(yield* defectOf(wrong)))
      assert.isTrue(isSqlError(yield* Effect.flip(wrong.fallible)))
      assert.isTrue(isSqlError(yield* defectOf(sql`SELECT nothing`.unprepared)))
    }))

  it.effect("shares a transaction with the client, and undoes it with a refusal", () =>
    Effect.gen(function*() {
      const sql = yield* Database
      const client = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE kept (n int PRIMARY KEY)`
      const count = sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM kept`
      const work = Effect.gen(function*() {
        yield* sql`INSERT INTO kept VALUES (1)`
        yield* client`INSERT INTO kept VALUES (2)`
        assert.deepStrictEqual(yield* inTransaction(client, count), [{ n: 2 }])
        assert.deepStrictEqual(yield* outsideTransaction(sql, count), [{ n: 0 }])
        return yield* new Refusal({ reason: "no" })
      })
      assert.deepStrictEqual(yield* Effect.flip(inTransaction(sql, work)), new Refusal({ reason: "no" }))
      assert.deepStrictEqual(yield* Effect.flip(sql.withTransaction(work)), new Refusal({ reason: "no" }))
      assert.deepStrictEqual(yield* count, [{ n: 0 }])
      assert.isTrue(
        isSqlError(yield* defectOf(inTransaction(sql, sql`INSERT INTO kept VALUES (1), (1)`)))
      )
    }))

  it.effect("dies of a commit that the database refuses", () =>
    Effect.gen(function*() {
      const sql = yield* Database
      yield* sql`CREATE TABLE late (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)`
      assert.isTrue(isSqlError(yield* defectOf(inTransaction(sql, sql`INSERT INTO late VALUES (1), (1)`))))
      assert.deepStrictEqual(yield* sql`SELECT n FROM late`, [])
    }))

  it.effect("reads rows as their schema says, and dies of others", () =>
    Effect.gen(function*() {
      const sql = yield* Database
      const read = rowReader(Schema.Struct({
        id: Schema.String,
        at: Schema.String,
        total: Schema.Int,
        name: Schema.optionalKey(Schema.String)
      }))
      const row = (more: string) =>
        Effect.map(
          sql.unsafe(`SELECT 'a' AS id, timestamptz '2026-01-02T03:04:05.678Z' AS at, ${more}`),
          (rows) => rows.map(read)
        )
      const at = "2026-01-02T03:04:05.678Z"
      assert.deepStrictEqual(yield* row("5::int8 AS total, NULL::text AS name"), [{ id: "a", at, total: 5 }])
      for (const wrong of ["'5' AS total", "NULL::int8 AS total", "5 AS total, 6 AS other"]) {
        assert.isTrue(Schema.isSchemaError(yield* defectOf(row(wrong))), wrong)
      }
    }))
})
