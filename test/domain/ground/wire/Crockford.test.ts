import { assert, describe, it } from "@effect/vitest"
import * as Crockford from "../../../../src/domain/ground/wire/Crockford.ts"

describe("Crockford.encode", () => {
  it("pads on the left and writes the most significant bit first", () => {
    assert.strictEqual(Crockford.encode(Uint8Array.of(0)), "00")
    assert.strictEqual(Crockford.encode(Uint8Array.of(255)), "7Z")
    assert.strictEqual(Crockford.encode(Uint8Array.of(0, 0, 0, 0, 1)), "00000001")
    assert.strictEqual(Crockford.encode(new Uint8Array(16).fill(255)), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
  })
})
