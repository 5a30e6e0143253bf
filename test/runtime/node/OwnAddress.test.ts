import { assert, describe, it } from "@effect/vitest"
import { isListening } from "../../../src/runtime/node/OwnAddress.ts"

describe("OwnAddress", () => {
  it("knows its own socket, and no other", () => {
    const bound = { address: "127.0.0.1", port: 8080 }
    assert.isTrue(isListening(bound, [], "127.0.0.1", 8080))
    assert.isTrue(isListening(bound, [], "::ffff:127.0.0.1", 8080))
    assert.isFalse(isListening(bound, [], "127.0.0.1", 8081))
    assert.isFalse(isListening(bound, [], "127.0.0.2", 8080))
  })

  it("takes every address of the machine for its own when it listens on all", () => {
    for (const address of ["0.0.0.0", "::"]) {
      const bound = { address, port: 8080 }
      for (const own of ["127.0.0.1", "127.9.9.9", "::1", "10.0.0.5", "::ffff:10.0.0.5", "0.0.0.0"]) {
        assert.isTrue(isListening(bound, ["10.0.0.5"], own, 8080), `${address} ${own}`)
      }
      assert.isFalse(isListening(bound, ["10.0.0.5"], "10.0.0.6", 8080))
    }
  })
})
