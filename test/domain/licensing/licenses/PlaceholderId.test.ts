import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isPlaceholderId, makeNamesNoMachine } from "../../../../src/domain/licensing/licenses/PlaceholderId.ts"
import { root } from "../../../fixtures/Program.ts"

const path = join(root, "src/domain/licensing/licenses/placeholder-ids.json")
const list = JSON.parse(readFileSync(path, "utf8"))
const sha256Hex = (text: string) => createHash("sha256").update(text).digest("hex")

describe("an id that names no machine", () => {
  it("has a source for each, no two that say the same, and is listed for Python too", () => {
    assert.sameMembers(
      [...new Set(list.values.map(({ source }: { source: string }) => source))],
      Object.keys(list.sources)
    )
    const values = list.values.map(({ value }: { value: string }) => value)
    assert.strictEqual(new Set(values).size, values.length)
    const copy = join(root, "clients/python/src/countersign/_placeholder_ids.json")
    assert.deepStrictEqual(JSON.parse(readFileSync(copy, "utf8")), list)
  })

  it.each<string>([
    ...list.values.map(({ value }: { value: string }) => value),
    " UNINITIALIZED\n",
    "to be filled by o.e.m",
    "{00000000-0000-0000-0000-000000000000}",
    "FF-FF-FF-FF-FF-FF",
    "XXXXXXXXXXXX",
    "--",
    " "
  ])("is %s", (id) => assert.isTrue(isPlaceholderId(id)))

  it.each([
    "3d1219c7c4c5404aaa1f6d2a48adfda4",
    "4C4C4544-0051-3610-8052-B7C04F4A4E33",
    "00000000-0000-0000-0000-000000000001",
    "studio-07",
    "f",
    "машина",
    "unknown-device-7",
    "null and void"
  ])("is not %s", (id) => assert.isFalse(isPlaceholderId(id)))

  it("is recognised as the clients hash it, for the product that is named", () => {
    const namesNoMachine = makeNamesNoMachine(sha256Hex)
    const hashed = sha256Hex("studio\nuninitialized")
    assert.isTrue(namesNoMachine({ fingerprint: hashed, product_code: "studio" }))
    assert.isFalse(namesNoMachine({ fingerprint: hashed, product_code: "mail" }))
    assert.isFalse(namesNoMachine({ fingerprint: hashed }))
    assert.isTrue(namesNoMachine({ fingerprint: "uninitialized" }))
    assert.isFalse(namesNoMachine({ fingerprint: "uninitialized", is_container: true }))
    for (let product = 0; product < 200; product++) namesNoMachine({ fingerprint: hashed, product_code: `p${product}` })
    assert.isTrue(namesNoMachine({ fingerprint: hashed, product_code: "studio" }))
  })
})
