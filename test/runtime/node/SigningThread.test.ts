import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync, verify } from "node:crypto"
import { makeSigner } from "../../../src/runtime/node/NodeCryptography.ts"
import { run } from "../../fixtures/Program.ts"

const keys = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")] as const

describe("signatures that are asked for together", () => {
  it.live("are each of their own message and key, before the thread is there and after", () =>
    Effect.gen(function*() {
      const sign = makeSigner()
      for (let round = 0; round < 20; round++) {
        const count = [1, 2, 7, 64][round % 4]!
        const signed = yield* Effect.forEach(
          Array.from(
            { length: count },
            (_, index) => ({ text: `round ${round} message ${index} ü`, key: keys[index % 2]! })
          ),
          ({ key, text }) =>
            Effect.map(
              sign(key.privateKey, round % 3 === 0 ? Buffer.from(text) : text),
              (signature) => ({ key, text, signature })
            ),
          { concurrency: "unbounded" }
        )
        for (const { key, signature, text } of signed) {
          assert.isTrue(verify(null, Buffer.from(text), key.publicKey, signature), text)
        }
        // The thread starts beside the rounds: some are signed here, the later ones there.
        yield* Effect.sleep("10 millis")
      }
    }))

  it.live("are made, also when somebody who asked has gone", () =>
    Effect.gen(function*() {
      const sign = makeSigner()
      const gone = yield* Effect.forkChild(Effect.forever(sign(keys[0].privateKey, "a")))
      yield* Effect.sleep("50 millis")
      gone.interruptUnsafe()
      const signature = yield* sign(keys[0].privateKey, "b")
      assert.isTrue(verify(null, Buffer.from("b"), keys[0].publicKey, signature))
    }))

  it("hold a process until they are made, and no longer", async () => {
    const { errors, output, status } = await run([
      "--input-type=module",
      "-e",
      `import { Effect } from "effect"
      import { generateKeyPairSync } from "node:crypto"
      import { makeSigner } from "./src/runtime/node/NodeCryptography.ts"
      const sign = makeSigner()
      const { privateKey } = generateKeyPairSync("ed25519")
      const eight = Effect.all(Array.from({ length: 8 }, () => sign(privateKey, "a")), { concurrency: "unbounded" })
      // With nothing else that would hold it from the moment on when the thread signs.
      for (let round = 0; round < 500; round++) await Effect.runPromise(eight)
      setTimeout(async () => {
        for (let round = 0; round < 500; round++) await Effect.runPromise(eight)
        console.log("made")
      }, 500)`
    ])
    assert.strictEqual(status, 0, errors)
    assert.include(output, "made")
  })
})
