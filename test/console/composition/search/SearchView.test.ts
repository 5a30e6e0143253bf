import { assert, describe, it } from "@effect/vitest"
import type { Customer, License } from "../../../../src/client/api/index.ts"
import { noResultsText, searchOptions } from "../../../../src/console/composition/search/MenuView.ts"

const found = {
  licenses: [{ id: "lic_1" } as License],
  customers: [{ id: "cus_1" } as Customer]
}

const key = "CS-000G4-0R40M-30E20-9185G-R38ED"

describe("the options of the search", () => {
  const hrefs = (text: string, of = found) => searchOptions(text, of).map(({ href }) => href)

  it("are the licenses, the customers, and the list of all licenses that match", () => {
    assert.deepStrictEqual(hrefs("ada & co"), [
      "/console/licenses/lic_1",
      "/console/customers/cus_1",
      "/console/licenses?q=ada%20%26%20co"
    ])
  })

  it("have no list while they are those of an earlier text", () => {
    assert.deepStrictEqual(searchOptions("ada", { ...found, customers: [] }, false).map(({ href }) => href), [
      "/console/licenses/lic_1"
    ])
  })

  it("have no list where no license was found", () => {
    assert.deepStrictEqual(hrefs("ada", { ...found, licenses: [] }), ["/console/customers/cus_1"])
  })

  it.each([key, key.slice(0, -1), "req_01m8ae09g3ewhbpvbka5mzvf5v"])("have no list for %s", (text) => {
    assert.deepStrictEqual(hrefs(text), ["/console/licenses/lic_1", "/console/customers/cus_1"])
  })
})

describe("a search without results", () => {
  const swapped = key.slice(0, -2) + key.at(-1) + key.at(-2)

  it.each([key.slice(0, -1), `${key}0`, swapped, `Hello, my key is ${swapped}.`])(
    "says that %s is mistyped",
    (text) => {
      assert.match(noResultsText(text), /^No results\. The license key is mistyped: /)
    }
  )

  it("says that two keys are two", () => {
    assert.match(noResultsText(`${key} CS-00000-00000-00000-00000-00000`), /^No results\. The license key must be one/)
  })

  it.each([key, "Ada", "3F2504E0-4F89-11D3-9A0C-0305E82C3301", ""])("says for %s what the search matches", (text) => {
    assert.match(noResultsText(text), /^No results\. Search matches words/)
  })
})
