import { assert, describe, layer } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { toWire } from "../../../../src/services/ground/persistence/RowToWire.ts"
import { recordRows } from "../../../../src/services/ground/records/RecordCells.ts"
import type { RecordColumn } from "../../../../src/services/ground/records/RecordCells.ts"
import { declaredPages } from "../../../fixtures/declaredPages.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const sqlTypes: Readonly<Record<string, string>> = {
  boolean: "bool",
  integer: "int8",
  json: "jsonb",
  timestamp: "timestamptz"
}

/** A column of the rows that are asked about, from JSON. */
const columnOf = ({ key, type }: RecordColumn): string =>
  type === "json"
    ? `nullif(j -> '${key}', 'null') AS "${key}"`
    : `(j ->> '${key}')::${sqlTypes[type] ?? "text"} AS "${key}"`

/**
 * The name of a member, but no lone backslash: JSON.parse of V8 13.6 (Node 24) then reads any name of one escaped character
 * at the same place of a later object, such as `"\\t"`, as a backslash, and a driver's values are what it reads.
 */
const nameOf = (name: string): unknown => name === "\\" ? "backslash" : stored(name)

/** As the database has texts: without NUL and lone surrogates. */
const stored = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\u0000", "").toWellFormed()
  if (Array.isArray(value)) return value.map(stored)
  return typeof value !== "object" || value === null
    ? value
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [nameOf(name), stored(member)]))
}

/** A row of a value: the text of an instant is declared as any text. */
const rowOf = (columns: ReadonlyArray<RecordColumn>, value: object, instant: number) =>
  Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      columns.find((column) => column.key === key)?.type === "timestamp"
        ? new Date(instant).toISOString()
        : stored(member)
    ])
  )

const instant = Schema.Int.check(
  Schema.isBetween({ minimum: Date.UTC(1000, 0, 1), maximum: Date.UTC(9999, 11, 31) })
)

/** What the schema writes of rows that it reads. */
const bySchema = (row: Schema.Codec<unknown, unknown>, rows: ReadonlyArray<unknown>): string => {
  const schema = Schema.Array(row)
  const read = Schema.decodeSync(schema, { disableChecks: true })(rows)
  return JSON.stringify(Schema.encodeSync(schema, { disableChecks: true })(read))
}

describe("rows that are written without their schema", () => {
  layer(Workers.layer)((it) => {
    for (const { operationId, row } of declaredPages) {
      const rows = recordRows(row)
      it.effect.prop(
        `of ${operationId} are the bytes that the schema writes`,
        { values: Arbitrary.schema(Schema.Array(Schema.Tuple([row, instant])).check(Schema.isMaxLength(8))) },
        ({ values }) =>
          Effect.gen(function*() {
            const { first: sql } = yield* Workers
            const given = values.map(([value, at]) => rowOf(rows.columns, value as object, at))
            const found = yield* sql<{ readonly record: Uint8Array }>`
              SELECT r.*, ${sql.literal(rows.record)} AS record FROM (
                SELECT ${sql.literal(rows.columns.map(columnOf).join(", "))}
                FROM jsonb_array_elements(${JSON.stringify(given)}::text::jsonb) WITH ORDINALITY AS g (j, place)
                ORDER BY place) r`
            const written = new TextDecoder().decode(rows.write(found.map(({ record }) => record)).bytes)
            assert.strictEqual(
              `[${written}]`,
              bySchema(row, found.map(({ record: _record, ...cells }) => toWire(cells)))
            )
          }),
        { arbitrary: { runs: 30 } }
      )
    }

    it.effect("are read by the schema again", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        const rows = recordRows(Schema.Struct({ id: Schema.String, count: Schema.Int }))
        const found = yield* sql<{ readonly record: Uint8Array }>`
          SELECT ${sql.literal(rows.record)} AS record FROM (VALUES ('a"b', 1), ('ü', -2)) AS r (id, count)`
        assert.deepStrictEqual(rows.read(rows.write(found.map(({ record }) => record))), [
          { id: "a\"b", count: 1 },
          { id: "ü", count: -2 }
        ])
      }))
  })
})
