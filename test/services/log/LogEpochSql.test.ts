import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { insertLogName, listEpochs, listEpochStarts } from "../../../src/services/log/MerkleLogSql.ts"
import { Workers } from "../../fixtures/Workers.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = ([row]: ReadonlyArray<{ readonly value: Uint8Array }>) => new TextDecoder().decode(row!.value)

describe("the statements about the epochs of the log", () => {
  layer(Workers.layer)((it) => {
    it.effect("the log keeps its first name, when two nodes start it at once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* first`DELETE FROM service_state WHERE key = 'log_origin'`
        const told = yield* waiting(insertLogName(first, bytes("first")), insertLogName(second, bytes("second")))
        assert.deepStrictEqual(told.map(textOf), ["first", "first"])
        assert.strictEqual(textOf(yield* insertLogName(second, bytes("third"))), "first")
      }))

    it.effect("a name whose transaction was rolled back is none", () =>
      Effect.gen(function*() {
        const { first, second, undone } = yield* Workers
        yield* first`DELETE FROM service_state WHERE key = 'log_origin'`
        const [, later] = yield* undone(insertLogName(first, bytes("first")), insertLogName(second, bytes("second")))
        assert.strictEqual(textOf(later), "second")
      }))

    it.effect("epochs are listed in their order", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`DELETE FROM log_epochs`
        for (const epoch of [3, 2]) {
          yield* first`
            INSERT INTO log_epochs (epoch, origin, first_sequence, previous_origin, restored_sequence, restored_hash, reason)
            VALUES (${epoch}, ${`log/${epoch}`}, ${epoch * 10}, 'log', ${epoch * 10 - 1}, '', 'a test')`
        }
        assert.deepStrictEqual(yield* listEpochStarts(first), [
          { epoch: 2, first_sequence: 20n, restored_sequence: 19n },
          { epoch: 3, first_sequence: 30n, restored_sequence: 29n }
        ])
        assert.deepStrictEqual((yield* listEpochs(first)).map(({ origin, witness }) => [origin, witness]), [
          ["log/2", null],
          ["log/3", null]
        ])
      }))
  })
})
