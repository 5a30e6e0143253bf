import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { cellText } from "../../../../src/domain/ground/rows/RowBytes.ts"
import { recordReader } from "../../../../src/services/ground/records/RecordCells.ts"

const columns = [
  { key: "id", title: "Id", type: "text" },
  { key: "amount", title: "Amount", type: "integer" },
  { key: "time", title: "Time", type: "timestamp" }
] as const

const encoder = new TextEncoder()

const int64 = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value)
  return bytes
}

interface Row {
  readonly id?: string
  readonly amount?: number
  /** In microseconds since 1970. */
  readonly time?: number
}

/** What `record_send` answers: the number of cells, then the type, the length and the bytes of each. */
const recordOf = ({ amount, id, time }: Row): Uint8Array => {
  const cells = [
    id === undefined ? undefined : encoder.encode(id),
    amount === undefined ? undefined : int64(BigInt(amount)),
    time === undefined ? undefined : int64(BigInt(time) - BigInt(Date.UTC(2000, 0, 1)) * 1000n)
  ]
  const head = (length: number) => [0, 0, 0, 25, ...int64(BigInt(length)).subarray(4)]
  return Uint8Array.from([
    0,
    0,
    0,
    3,
    ...cells.flatMap((cell) => cell === undefined ? head(-1) : head(cell.length).concat(...cell))
  ])
}

const textsOf = (rows: ReadonlyArray<Row>) => {
  const block = recordReader(columns)(rows.map(recordOf))
  return Array.from({ length: block.length }, (_, index) => {
    const row = block.row(index)
    return columns.map((_, column) => row.starts[column] === -1 ? undefined : cellText(row, column))
  })
}

const expected = ({ amount, id, time }: Row) => [
  id,
  amount === undefined ? undefined : String(amount),
  time === undefined ? undefined : new Date(Math.floor(time / 1000)).toISOString()
]

describe("the cells of a record", () => {
  it("are texts of the smallest and largest values, and of instants about the turn of a minute and of an age", () => {
    const rows = [
      { id: "", amount: 0, time: 0 },
      { id: "株", amount: Number.MAX_SAFE_INTEGER, time: -1 },
      { amount: Number.MIN_SAFE_INTEGER, time: Date.UTC(2026, 11, 31, 23, 59, 59, 999) * 1000 + 999 },
      { time: Date.UTC(2027, 0, 1) * 1000 },
      { amount: -10, time: Date.UTC(1999, 11, 31, 23, 59, 59, 999) * 1000 },
      { amount: 2 ** 32, time: Date.UTC(2000, 0, 1) * 1000 },
      {}
    ]
    assert.deepStrictEqual(textsOf(rows), rows.map(expected))
  })

  it("give back the buffers between the first and the last, which hold other answers too", () => {
    const record = recordOf({ id: "lic_1", amount: 1, time: 0 })
    const buffers = Array.from({ length: 4 }, () => new Uint8Array(record.length * 3))
    const records = buffers.flatMap((buffer, index) => {
      for (const place of [0, 1, 2]) buffer.set(record, place * record.length)
      const first = index === 0 ? 2 : 0
      const end = index === 3 ? 1 : 3
      return Array.from(
        { length: end - first },
        (_, place) => buffer.subarray((first + place) * record.length, (first + place + 1) * record.length)
      )
    })
    const block = recordReader(columns)(records)
    block.release()
    assert.deepStrictEqual(buffers.map(({ length }) => length / record.length), [3, 0, 0, 3])
  })

  const row = Schema.Struct({
    id: Schema.optionalKey(Schema.String.check(Schema.makeFilter((value) => value.isWellFormed()))),
    amount: Schema.optionalKey(Schema.Int),
    time: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: -6e13, maximum: 7e15 })))
  })

  it.prop(
    "are the texts of any rows, one after the other",
    { rows: Arbitrary.schema(Schema.Array(row)) },
    ({ rows }) => {
      assert.deepStrictEqual(textsOf(rows), rows.map(expected))
    },
    { arbitrary: { runs: 300 } }
  )
})
