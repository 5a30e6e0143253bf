import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { updateLastAsked } from "../../../src/services/catalog/FormerCodesSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const day = (n: number) => new Date(Date.UTC(2026, 0, n))

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const former = Effect.gen(function*() {
    const productId = yield* rows.product()
    yield* first`
      INSERT INTO product_former_codes (product_id, code, last_asked_at) VALUES (${productId}, 'old', ${day(10)})`
    return { productId, code: "old" }
  })
  const found = ({ productId }: { readonly productId: string }) =>
    Effect.map(
      first<
        { readonly at: Date }
      >`SELECT last_asked_at AS at FROM product_former_codes WHERE product_id = ${productId}`,
      ([row]) => row?.at
    )
  return { ...workers, former, found }
})

describe("the statement that writes the use of former codes", () => {
  layer(Workers.layer)((it) => {
    it.effect("a code was asked for at the latest time, whichever node writes last", () =>
      Effect.gen(function*() {
        const { first, former, found, second } = yield* world
        const code = yield* former
        yield* updateLastAsked(first, [{ ...code, at: day(20) }])
        yield* updateLastAsked(second, [{ ...code, at: day(15) }])
        assert.deepStrictEqual(yield* found(code), day(20))
      }))

    it.effect("the use of a code waits for nobody, and that of the others is written", () =>
      Effect.gen(function*() {
        const { first, former, found, passing, second } = yield* world
        const [busy, free] = [yield* former, yield* former]
        yield* passing(
          first`SELECT 1 FROM product_former_codes WHERE product_id = ${busy.productId} FOR UPDATE`,
          updateLastAsked(second, [{ ...busy, at: day(20) }, { ...free, at: day(20) }])
        )
        assert.deepStrictEqual([yield* found(busy), yield* found(free)], [day(10), day(20)])
      }))

    it.effect("a code that was retired since stays so", () =>
      Effect.gen(function*() {
        const { first, former, found, second } = yield* world
        const code = yield* former
        yield* first`DELETE FROM product_former_codes WHERE product_id = ${code.productId}`
        yield* updateLastAsked(second, [{ ...code, at: day(20) }])
        assert.isUndefined(yield* found(code))
      }))
  })
})
