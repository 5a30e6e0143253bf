import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { FeedSpan } from "../../../src/services/delivery/LanesWithWorkSql.ts"
import { listAfter, listAt, listTaken } from "../../../src/services/delivery/LanesWithWorkSql.ts"
import { placeEvents } from "../../fixtures/FeedRows.ts"
import { Workers } from "../../fixtures/Workers.ts"

/** Ten events: those with even places are of products, and each has data of a hundred bytes. */
const world = Effect.gen(function*() {
  const { first } = yield* Workers
  yield* first`DELETE FROM event_places`
  yield* first`DELETE FROM event_records`
  yield* first.unsafe(placeEvents({
    after: 0,
    count: 10,
    type: "CASE n % 2 WHEN 0 THEN 'product.created' ELSE 'license.activated' END",
    data: "rpad('', 100, 'x')"
  }))
  return first
})

const span: FeedSpan = { position: 0, upTo: 10, kinds: undefined, limit: 100, bytes: 10_000 }

const placesOf = (rows: ReadonlyArray<{ readonly sequence: bigint }>) => rows.map(({ sequence }) => Number(sequence))

const reads: ReadonlyArray<readonly [has: string, of: FeedSpan, places: ReadonlyArray<number>, more?: boolean]> = [
  ["all of a span", span, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], false],
  ["no event at the position, and the one at its end", { ...span, position: 3, upTo: 5 }, [4, 5], false],
  ["only the kinds that are taken", { ...span, kinds: ["product.created"] }, [2, 4, 6, 8, 10], false],
  ["no more than the limit, which says that there may be more", { ...span, limit: 3 }, [1, 2, 3], true],
  ["no more bytes than are wanted, with the next left out", { ...span, bytes: 250 }, [1, 2], true],
  ["the first event, however long it is", { ...span, bytes: 1 }, [1], true],
  ["nothing where nothing is", { ...span, position: 10, upTo: 20 }, []]
]

describe("the statements by which lanes read the feed", () => {
  layer(Workers.layer)((it) => {
    it.effect("the buffer takes the first events after its end", () =>
      Effect.gen(function*() {
        const sql = yield* world
        assert.deepStrictEqual(placesOf(yield* listAfter(sql, 7, 2)), [8, 9])
        assert.deepStrictEqual(placesOf(yield* listAfter(sql, 10, 2)), [])
      }))

    it.effect("events at places come in their order, and a place without one is left out", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(placesOf(yield* listAt(yield* world, [9, 2, 11])), [2, 9])
      }))

    it.effect.each(reads)("a read of a span has %s", ([, of, places, more]) =>
      Effect.gen(function*() {
        const rows = yield* listTaken(yield* world, of)
        assert.deepStrictEqual(placesOf(rows), places)
        assert.strictEqual(rows.at(-1)?.more, more)
      }))
  })
})
