import { assert, describe, it } from "@effect/vitest"
import { byteText, strayByte } from "../../../../src/domain/ground/parsing/StrictBytes.ts"
import { chance } from "../../../fixtures/Seeded.ts"

const bytes = (...values: ReadonlyArray<number | string>): Uint8Array =>
  Buffer.concat(values.map((value) => typeof value === "string" ? Buffer.from(value) : Buffer.from([value])))

describe("strayByte", () => {
  it.each([
    ["Windows-1252", bytes("Zo", 0xeb, " GmbH"), 2],
    ["a byte that only follows", bytes(0x80), 0],
    ["an overlong form", bytes("a", 0xc0, 0xaf), 1],
    ["half of a surrogate pair", bytes(0xed, 0xa0, 0x80), 0],
    ["beyond Unicode", bytes(0xf4, 0x90, 0x80, 0x80), 0],
    ["a character cut off", bytes("東", 0xe6, 0x9d), 3]
  ])("names the first byte of %s", (_, found, offset) => assert.strictEqual(strayByte(found)?.offset, offset))

  it("says the same as a strict decoder, of any bytes", () => {
    const { upTo } = chance("stray bytes")
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    const parts = [..."aé東😀\ufeff\ufffd"].map((part) => bytes(part))
    for (let turn = 0; turn < 3_000; turn++) {
      const found = Buffer.concat(Array.from({ length: 6 }, () => parts[Math.trunc(upTo(parts.length))]!))
      if (turn % 2 === 0) found[Math.trunc(upTo(found.length))] = Math.trunc(upTo(256))
      const stray = strayByte(found)
      if (stray === undefined) assert.doesNotThrow(() => decoder.decode(found))
      else {
        assert.throws(() => decoder.decode(found))
        assert.doesNotThrow(() => decoder.decode(found.subarray(0, stray.offset)))
        assert.strictEqual(found[stray.offset], stray.byte)
      }
    }
  })

  it("is told as people write bytes", () => assert.strictEqual(byteText(9), "0x09"))
})
