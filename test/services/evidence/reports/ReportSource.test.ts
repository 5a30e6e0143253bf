import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { csvWriter } from "../../../../src/domain/evidence/exports/Csv.ts"
import { snapshotRowBytes, snapshotRowWriter } from "../../../../src/domain/evidence/exports/ReportSnapshot.ts"
import { canonicalJson } from "../../../../src/domain/ground/wire/CanonicalJson.ts"
import { ReportSource } from "../../../../src/services/evidence/reports/ReportSource.ts"
import { pruneUsesQuery } from "../../../../src/services/licensing/metering/UsageSql.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { outsideTransaction } from "../../../fixtures/OutsideTransaction.ts"
import { bytesOf } from "../../../fixtures/rowCells.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const layer = ReportSource.layer.pipe(Layer.provideMerge(layerNode), Layer.provide(layerTarget))

/** Corrections of one feature of one license, a second apart, the first one last. */
const add = (from: number, to: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.gen(function*() {
      // The license and the feature are not what this is about.
      yield* sql`SET LOCAL session_replication_role = replica`
      yield* sql`
        INSERT INTO usage_corrections (id, action, license_id, feature_id, feature_code, amount, total_consumptions,
          product_id, created_at)
        SELECT 'evt_' || n, 'license.usage_reset', 'lic_1', 'feat_1', 'render', n, n, 'prod_1',
          timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second'
        FROM generate_series(${from}::int, ${to}::int) n`
    })))

const snapshot = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.andThen(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.unprepared, effect)
    ))

describe("ReportSource", () => {
  it.live("streams every row of one snapshot in chunks of bounded size, whatever is written meanwhile", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const source = yield* ReportSource
      yield* add(1, 2500)
      const sizes: Array<number> = []
      const seconds = yield* snapshot(Effect.gen(function*() {
        const { columns, rows, summary, total } = yield* source.open("usage-ledger", { feature_code: "render" })
        assert.strictEqual(total, 2500)
        assert.deepStrictEqual(summary, { entries: 2500, uses: 0, amount: 0, adjusted: 2500 * 2501 / 2 })
        yield* outsideTransaction(sql, add(2501, 2600))
        const keys = new Set(columns.map(({ key }) => key))
        return yield* rows.pipe(
          Stream.tap((chunk) =>
            Effect.sync(() => {
              sizes.push(chunk.length)
            })
          ),
          Stream.runFold(() => [] as Array<number>, (all, chunk) => {
            for (const row of chunk) {
              all.push(Number(row["amount"]))
              for (const key of Object.keys(row)) assert.isTrue(keys.has(key) || key === "feature_id", key)
            }
            return all
          })
        )
      }))
      assert.deepStrictEqual(sizes, [500, 500, 500, 500, 500])
      assert.deepStrictEqual(seconds, Array.from({ length: 2500 }, (_, index) => 2500 - index))
      const after = yield* snapshot(Effect.map(source.open("usage-ledger", {}), ({ total }) => total))
      assert.strictEqual(after, 2600)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("streams a full last chunk and nothing after it", () =>
    Effect.gen(function*() {
      const source = yield* ReportSource
      yield* add(1, 1000)
      const chunks = yield* snapshot(
        Effect.flatMap(source.open("usage-ledger", {}), ({ rows }) => Stream.runCollect(rows))
      )
      assert.deepStrictEqual(chunks.map((chunk) => chunk.length), [500, 500])
      const none = yield* snapshot(
        Effect.flatMap(source.open("usage-ledger", { license_id: "lic_2" }), ({ rows }) => Stream.runCollect(rows))
      )
      assert.deepStrictEqual(none, [])
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("reads two reports in one transaction side by side", () =>
    Effect.gen(function*() {
      const source = yield* ReportSource
      yield* add(1, 1500)
      const counts = yield* snapshot(Effect.gen(function*() {
        const [first, second] = [yield* source.open("usage-ledger", {}), yield* source.open("usage-ledger", {})]
        const zipped = yield* Stream.zip(first.rows, second.rows).pipe(Stream.runCollect)
        return zipped.map(([a, b]) => [a.length, b.length])
      }))
      assert.deepStrictEqual(counts, [[500, 500], [500, 500], [500, 500]])
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("counts uses that are pruned meanwhile, and refuses to afterwards", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const source = yield* ReportSource
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* sql`
          INSERT INTO usage_records (license_id, feature_id, event_id, amount, device_id, created_at, id, feature_code,
            total_consumptions, product_id)
          SELECT 'lic_1', 'feat_1', n, n, 'dev_1', timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute',
            'evt_' || n, 'render', n, 'prod_1' FROM generate_series(1, 1200) n`
      }))
      const window = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" }
      const hours = source.open("usage-summary", { ...window, bucket: "1h" })
      const prune = sql.unsafe<{ readonly rows: number }>(pruneUsesQuery, ["2026-01-02T00:00:00Z", "-infinity", 1000])
      const sum = 1200 * 1201 / 2
      yield* snapshot(Effect.gen(function*() {
        const ledger = yield* source.open("usage-ledger", window)
        // After the snapshot was taken, between the head of one report and its rows, and before another is opened.
        assert.deepStrictEqual((yield* outsideTransaction(sql, prune))[0]?.rows, 1000)
        const rows = (yield* Stream.runCollect(ledger.rows)).flat()
        assert.strictEqual(rows.reduce((total, { amount }) => total + Number(amount), 0), sum)
        assert.strictEqual((yield* hours).summary["amount"], sum)
      }))
      const refused = yield* Effect.flip(snapshot(hours))
      assert.deepInclude(refused, { _tag: "VALIDATION_ERROR" })
      // Filters that uses are not among, and a ledger of what is left.
      const corrections = { ...window, action: "license.usage_reset" } as const
      assert.strictEqual((yield* snapshot(source.open("usage-ledger", corrections))).total, 0)
      const rest = yield* snapshot(source.open("usage-ledger", {}))
      assert.deepStrictEqual(rest.filters, { from: "2026-01-02T00:00:00.000Z" })
      assert.strictEqual(rest.total, 0)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("needs the transaction of its caller", () =>
    Effect.gen(function*() {
      const source = yield* ReportSource
      const exit = yield* Effect.exit(source.open("usage-ledger", {}))
      assert.isTrue(Exit.hasDies(exit))
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("gives rows by their cells, of which files are written byte for byte as of the rows themselves", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const source = yield* ReportSource
      const awkward = [
        "plain",
        "",
        " \"quoted\" back\\slash / slash ",
        Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join(""),
        "\u007f\u0080\u009f\u00ad\u2028\u2029\ufeff\ufffd",
        "ÄÖ ß 中文 العربية हिन्दी 👩‍👩‍👧 e\u0301",
        "=1+1,@x;'\t"
      ]
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* sql`
          INSERT INTO usage_corrections (id, action, license_id, feature_id, feature_code, amount, total_consumptions,
            product_id, customer_id, order_id, request_id, created_at)
          SELECT 'evt_' || n, 'license.usage_reset', t, t, t, ${Number.MAX_SAFE_INTEGER}::int8 - n, n, t,
            nullif(t, ''), CASE WHEN n % 2 = 0 THEN t END, CASE WHEN n % 3 = 0 THEN t END,
            timestamptz '2026-01-01T00:00:00Z' + n * interval '1234567 microseconds'
          FROM unnest(${awkward}::text[]) WITH ORDINALITY AS a (t, n)`
      }))
      const { columns, rows } = yield* snapshot(
        Effect.flatMap(
          source.open("usage-ledger", {}),
          ({ columns, rows }) => Effect.map(Stream.runCollect(rows), (rows) => ({ columns, rows: rows.flat() }))
        )
      )
      const json = snapshotRowBytes(columns)
      const csv = csvWriter({ columns, filters: {} })
      const written = yield* snapshot(
        Effect.flatMap(
          source.open("usage-ledger", {}),
          ({ blocks }) =>
            Stream.runCollect(Stream.map(blocks!, (block) =>
              Array.from({ length: block.length }, (_, index) => {
                const row = block.row(index)
                return { json: bytesOf(json, row), line: bytesOf(csv.rowBytes, row) }
              })))
        )
      )
      const texts = rows.map(snapshotRowWriter(columns))
      assert.lengthOf(rows, awkward.length)
      assert.strictEqual(written.flat().map(({ json }) => json).join(""), texts.join(","))
      assert.deepStrictEqual(written.flat().map(({ line }) => line), rows.map(csv.row))
      for (const text of texts) assert.strictEqual(canonicalJson(JSON.parse(text)), text)
    }).pipe(Effect.provide(layer), Effect.scoped))
})
