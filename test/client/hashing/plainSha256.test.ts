import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { plainSha256 } from "../../../src/client/hashing/plainSha256.ts"

describe("plainSha256", () => {
  it("is the SHA-256 of the platform, whatever the length and however it is cut", () => {
    for (let length = 0; length < 260; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length * 7) % 256)
      const expected = createHash("sha256").update(bytes).digest("hex")
      const cut = length >> 1
      assert.strictEqual(Buffer.from(plainSha256(bytes)).toString("hex"), expected, String(length))
      assert.strictEqual(
        Buffer.from(plainSha256(bytes.subarray(0, cut), bytes.subarray(cut))).toString("hex"),
        expected
      )
    }
    const text = "Müller & 株式会社"
    assert.strictEqual(
      Buffer.from(plainSha256("\0", text)).toString("hex"),
      createHash("sha256").update(`\0${text}`).digest("hex")
    )
  })
})
