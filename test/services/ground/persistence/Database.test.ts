import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"
import { Database, inTransaction } from "../../../../src/services/ground/persistence/Database.ts"
import { rowReader } from "../../../../src/services/ground/persistence/RowToWire.ts"
import { floats, integers, recordset } from "../../../../src/services/ground/persistence/StatementParts.ts"
import { outsideTransaction } from "../../../fixtures/OutsideTransaction.ts"
import { layerFresh } from "../../../fixtures/Postgres.ts"

class Refusal extends Data.TaggedError("Refusal")<{ readonly reason: string }> {}

/** What an effect died with. */
const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) return assert.fail("it succeeded")
    const [reason] = exit.cause.reasons
    return reason !== undefined && Cause.isDieReason(reason) ? reason.defect : assert.fail("it did not die")
  })

layer(layerFresh, { timeout: "120 seconds" })("Database", (it) => {
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

  it.effect("takes arrays of numbers in one form, whatever the values", () =>
    Effect.gen(function*() {
      const sql = yield* Database
      const client = yield* SqlClient.SqlClient
      const [whole, broken] = [[1, 3_000_000_000], [1, 0.5, 3_000_000_000]]
      // As they are the driver refuses them: the day that it does not, the helpers can go.
      assert.isTrue(isSqlError(yield* Effect.flip(client`SELECT ${whole}::bigint[] AS n`)))
      assert.isTrue(isSqlError(yield* Effect.flip(client`SELECT ${broken}::float8[] AS n`)))
      // @ts-expect-error: what sends plain numbers does not compile
      assert.isTrue(isSqlError(yield* defectOf(sql`SELECT ${whole}::bigint[] AS n`)))
      // @ts-expect-error: nor a parameter of a text
      assert.isTrue(isSqlError(yield* defectOf(sql.unsafe("SELECT $1::bigint[] AS n", [whole]))))
      assert.deepStrictEqual(yield* sql`SELECT ${integers(whole)}::bigint[] AS n`, [{ n: [1n, 3_000_000_000n] }])
      assert.deepStrictEqual(yield* sql`SELECT ${integers([])}::bigint[] AS n`, [{ n: [] }])
      assert.deepStrictEqual(yield* sql`SELECT ${integers([1, 2])}::int[] AS n, ${integers([3])}::smallint[] AS m`, [
        { n: [1, 2], m: [3] }
      ])
      assert.deepStrictEqual(yield* sql`SELECT ${floats(broken)}::float8[] AS n`, [{ n: broken }])
      const rows = [{ id: 1, share: 1, count: 1 }, { id: 2, share: 0.5, count: 3_000_000_000 }]
      const columns = { id: "int4", share: "float8", count: "int8" } as const
      assert.deepStrictEqual(
        yield* sql`SELECT id, share, count::float8 AS count FROM ${recordset(sql, "r", columns, rows)}`,
        rows
      )
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
