import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { findTrial, insertTrial, lockTrialDevice } from "../../../../src/services/licensing/seats/SelfServiceSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

describe("the lock of a device that opens a trial", () => {
  layer(Workers.layer)((it) => {
    it.effect("trials of one device are opened one after the other, and the second finds the first", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const rows = makeRows(first)
        const id = yield* rows.license()
        const device = { productId: yield* rows.product(), hash: new Uint8Array([1, 2, 3]) }
        const [[begun], [found]] = yield* waiting(
          Effect.andThen(lockTrialDevice(first, device), insertTrial(first, device, id)),
          Effect.andThen(lockTrialDevice(second, device), findTrial(second, device))
        )
        assert.deepInclude(begun, { license_id: id })
        assert.deepStrictEqual(found, begun)
      }))

    it.effect("a trial is found by its device and its product", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const hash = new Uint8Array([7, 7])
        const device = { productId: yield* rows.product(), hash }
        yield* insertTrial(first, device, yield* rows.license())
        assert.lengthOf(yield* findTrial(first, device), 1)
        assert.deepStrictEqual(yield* findTrial(first, { productId: yield* rows.product(), hash }), [])
        assert.deepStrictEqual(yield* findTrial(first, { ...device, hash: new Uint8Array([7, 8]) }), [])
      }))

    it.effect("another device waits for nobody", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        const device = (byte: number) => ({ productId: "prod_any", hash: new Uint8Array([byte]) })
        yield* passing(lockTrialDevice(first, device(4)), lockTrialDevice(second, device(5)))
      }))
  })
})
