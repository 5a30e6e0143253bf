import { assert, it } from "@effect/vitest"
import { decodeBase64, decodeHex } from "../../../../src/domain/ground/parsing/StrictBytes.ts"

it("takes base64 in its canonical form alone", () => {
  for (let length = 0; length < 40; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 37 % 256)
    assert.deepStrictEqual(decodeBase64(Buffer.from(bytes).toString("base64")), bytes)
  }
  assert.deepStrictEqual(decodeBase64("AQ==", 1), Uint8Array.of(1))
  for (const text of ["AQ", "AR==", "AQ=", "AQ==\n", "A\nQ==", " AQ==", "AQI", "AQJ=", "-_-_", "A===", 1, null]) {
    assert.isUndefined(decodeBase64(text), String(text))
  }
  assert.isUndefined(decodeBase64("AQ==", 2))
})

it("takes hexadecimal text in either case", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  const text = Buffer.from(bytes).toString("hex")
  assert.deepStrictEqual(decodeHex(text, 256), bytes)
  assert.deepStrictEqual(decodeHex(text.toUpperCase()), bytes)
  assert.deepStrictEqual(decodeHex(""), new Uint8Array())
  for (const wrong of ["0", "0g", "0x00", " 00", "00\n", "à0", 0, undefined]) {
    assert.isUndefined(decodeHex(wrong), String(wrong))
  }
  assert.isUndefined(decodeHex("0011", 1))
})
