import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bucketCount } from "../../../src/domain/delivery/InFlightSlots.ts"
import {
  deleteOldMinutes,
  insertMinute,
  listMinutes,
  listWindows
} from "../../../src/services/delivery/DeliveryHealthSql.ts"
import { Workers } from "../../fixtures/Workers.ts"

/** Latencies of deliveries that were all in one bucket. */
const inBucket = (bucket: number, count: number) =>
  Array.from({ length: bucketCount }, (_, index) => index === bucket ? count : 0)

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  yield* first`DELETE FROM webhook_minutes`
  /** What a node had delivered some minutes ago. */
  const ago = (minutes: number, delivered: number) =>
    first`
      INSERT INTO webhook_minutes (node, minute, delivered, failed, latency)
      VALUES ('c', date_trunc('minute', now()) - ${minutes} * interval '1 minute', ${delivered}, 1,
        array_fill(0::bigint, ARRAY[${bucketCount}]))`
  const kept = Effect.map(
    first<{ readonly delivered: number }>`SELECT delivered::int FROM webhook_minutes ORDER BY minute`,
    (rows) => rows.map(({ delivered }) => delivered)
  )
  return { ...workers, ago, kept }
})

describe("the statements about what was delivered in a minute", () => {
  layer(Workers.layer)((it) => {
    it.effect("a node that writes twice in a minute adds to its row, bucket by bucket", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        // A minute may end between the writes: then the sum is that of two rows.
        yield* insertMinute(first, "a", { delivered: 2, failed: 1, latency: inBucket(3, 2) })
        yield* insertMinute(first, "a", { delivered: 4, failed: 0, latency: inBucket(5, 4) })
        const [sum] = yield* first<{ readonly delivered: bigint; readonly failed: bigint; readonly third: bigint }>`
          SELECT sum(delivered)::int8 AS delivered, sum(failed)::int8 AS failed, sum(latency[4])::int8 AS third
          FROM webhook_minutes`
        assert.deepStrictEqual(sum, { delivered: 6n, failed: 1n, third: 2n })
      }))

    it.effect("another node has a row of its own, and needs not wait", () =>
      Effect.gen(function*() {
        const { first, kept, passing, second } = yield* world
        const one = { delivered: 1, failed: 0, latency: inBucket(0, 1) }
        yield* passing(insertMinute(first, "a", one), insertMinute(second, "b", one))
        assert.deepStrictEqual(yield* kept, [1, 1])
      }))

    it.effect("minutes that are two hours old are deleted, and the others stay", () =>
      Effect.gen(function*() {
        const { ago, first, kept } = yield* world
        yield* ago(121, 3)
        yield* ago(118, 2)
        yield* deleteOldMinutes(first)
        assert.deepStrictEqual(yield* kept, [2])
      }))

    it.effect("the last hour is listed by minute, and in the windows of the last five minutes and of those before", () =>
      Effect.gen(function*() {
        const { ago, first } = yield* world
        yield* ago(61, 100)
        yield* ago(30, 10)
        yield* ago(1, 1)
        yield* insertMinute(first, "a", { delivered: 2, failed: 0, latency: inBucket(0, 2) })
        const minutes = yield* listMinutes(first)
        const delivered = minutes.map((row) => Number("delivered" in row ? row.delivered : Number.NaN))
        assert.strictEqual(delivered.reduce((sum, count) => sum + count), 13)
        const windows = yield* listWindows(first)
        assert.deepStrictEqual(
          windows.map((row) => "recent" in row && "delivered" in row ? [row.recent, Number(row.delivered)] : [])
            .toSorted(),
          [[false, 10], [true, 3]]
        )
      }))
  })
})
