import { assert, it } from "@effect/vitest"
import { decodeBase64 } from "../../../src/domain/wire/StrictBase64.ts"

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
