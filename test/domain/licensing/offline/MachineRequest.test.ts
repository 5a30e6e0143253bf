import { assert, describe, it } from "@effect/vitest"
import { longestRequest, machineRequestOf } from "../../../../src/domain/licensing/offline/MachineRequest.ts"

/** A JSON request of so many characters, most of them blank. */
const requestOf = (length: number): string => {
  const [head, tail] = ["{\"fingerprint\":\"ab\"", "}"]
  return head + " ".repeat(length - head.length - tail.length) + tail
}

describe("the request of a machine without a network", () => {
  it.each([
    ["a fingerprint alone", " b8e1c6f2d4\n", { fingerprint: "b8e1c6f2d4" }],
    ["a fingerprint that ends like JSON begins", "b8e1{", { fingerprint: "b8e1{" }],
    ["JSON", "{\"fingerprint\":\"ab\",\"os\":\"linux\"}", { fingerprint: "ab", os: "linux" }],
    ["JSON that says more", "{\"fingerprint\":\"ab\",\"color\":\"red\"}", { fingerprint: "ab" }],
    ["JSON with the name of a product", "{\"fingerprint\":\"ab\",\"product_code\":\"studio\"}", {
      fingerprint: "ab",
      product_code: "studio"
    }],
    ["JSON without a fingerprint", "{\"os\":\"linux\"}", undefined],
    ["broken JSON", "{\"fingerprint\":\"ab\"", undefined],
    ["blanks", " \n ", undefined],
    ["a blank fingerprint", "{\"fingerprint\":\"  \"}", undefined],
    ["a fingerprint of the greatest length", "a".repeat(255), { fingerprint: "a".repeat(255) }],
    ["a longer fingerprint", "a".repeat(256), undefined]
  ])("is read from %s", (_, entered, request) => {
    assert.deepStrictEqual(machineRequestOf(entered), request)
  })

  it("may have 4096 characters without the blanks around it, and no more", () => {
    assert.strictEqual(longestRequest, 4096)
    assert.deepStrictEqual(machineRequestOf(` ${requestOf(4096)} `), { fingerprint: "ab" })
    assert.isUndefined(machineRequestOf(requestOf(4097)))
  })
})
