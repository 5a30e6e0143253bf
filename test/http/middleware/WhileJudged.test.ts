import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { whileJudged } from "../../../src/http/middleware/WhileJudged.ts"
import type { Actor } from "../../../src/services/events/Provenance.ts"

const reader: Actor = { type: "api_key", id: "key_1", scopes: ["license:read"] }
const limited: Actor = { ...reader, products: ["prod_1"] }

/** Work that notes in whose name it is begun, and answers that. */
const noting = (begun: Array<Actor>) => (actor: Actor) =>
  Effect.sync(() => {
    begun.push(actor)
    return actor
  })

describe("work in the name of a token's actor", () => {
  it.effect("waits for the judgement where nobody is presumed", () =>
    Effect.gen(function*() {
      const begun: Array<Actor> = []
      const judgement = yield* Deferred.make<Actor>()
      const work = yield* Effect.forkChild(
        whileJudged({ actor: Deferred.await(judgement), presumed: undefined }, noting(begun)),
        { startImmediately: true }
      )
      assert.deepStrictEqual(begun, [])
      yield* Deferred.succeed(judgement, reader)
      assert.deepStrictEqual(yield* Fiber.join(work), { actor: reader, exit: Exit.succeed(reader) })
    }))

  it.effect("begins in the name of whom is presumed, and is not answered before the judgement", () =>
    Effect.gen(function*() {
      const begun: Array<Actor> = []
      const judgement = yield* Deferred.make<Actor>()
      const work = yield* Effect.forkChild(
        whileJudged({ actor: Deferred.await(judgement), presumed: reader }, noting(begun)),
        { startImmediately: true }
      )
      assert.deepStrictEqual(begun, [reader])
      assert.isUndefined(work.pollUnsafe())
      yield* Deferred.succeed(judgement, { ...reader, scopes: [...reader.scopes] })
      assert.deepStrictEqual(yield* Fiber.join(work), { actor: reader, exit: Exit.succeed(reader) })
      assert.deepStrictEqual(begun, [reader])
    }))

  it.effect("asks for the judgement first", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const note = (what: string) => Effect.sync(() => order.push(what))
      yield* whileJudged({ actor: Effect.as(note("judgement"), reader), presumed: reader }, () => note("work"))
      assert.deepStrictEqual(order, ["judgement", "work"])
    }))

  it.effect("is done again for another actor, and for one with other rights", () =>
    Effect.gen(function*() {
      for (const judged of [limited, { ...reader, id: "key_2" }, { ...reader, scopes: [] }]) {
        const begun: Array<Actor> = []
        const found = yield* whileJudged({ actor: Effect.succeed(judged), presumed: reader }, noting(begun))
        assert.deepStrictEqual(found, { actor: judged, exit: Exit.succeed(judged) })
        assert.deepStrictEqual(begun, [reader, judged])
      }
    }))

  it.effect("ends with a denial, whatever came of it before", () =>
    Effect.gen(function*() {
      for (const work of [Effect.void, Effect.fail("not found"), Effect.die("broken"), Effect.never]) {
        const denied = yield* Effect.exit(
          whileJudged({ actor: Effect.andThen(Effect.yieldNow, Effect.fail("revoked")), presumed: reader }, () => work)
        )
        assert.deepStrictEqual(denied, Exit.fail("revoked"))
      }
    }))

  it.effect("fails as it failed once it is judged", () =>
    Effect.gen(function*() {
      const { exit } = yield* whileJudged({ actor: Effect.succeed(reader), presumed: reader }, () =>
        Effect.fail("not found"))
      assert.deepStrictEqual(exit, Exit.fail("not found"))
    }))
})
