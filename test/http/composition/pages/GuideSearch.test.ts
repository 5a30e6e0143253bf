// The search in the guides, in memory: over the documents as they are, and over a small one.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { excerptOf, foundIn, guideSections, mostFound } from "../../../../src/http/composition/pages/ErrorPages.ts"
import { foundPage } from "../../../../src/http/composition/pages/Pages.ts"
import { root } from "../../../fixtures/Program.ts"

const docs = join(root, "docs")
const all = guideSections(
  readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"))
    .map((path) => [path, readFileSync(join(docs, path), "utf8")] as const)
)

const small = guideSections([[
  "how-to/sell.md",
  "# Sell `it`\n\nFirst words.\n\n## Refunds\n\nMoney back ends [the license](x.md#y).\n\n```sh\n# no heading\nls\n```\n\n## Seats & limits\n\nFive.\n"
]])

describe("the search in the guides", () => {
  it("finds sections under their headings, and takes no comment of a command for one", () => {
    assert.deepStrictEqual(small.map(({ address, heading, text }) => ({ address, heading, text })), [
      { address: "/docs/guides/sell", heading: "Sell it", text: "First words." },
      {
        address: "/docs/guides/sell#refunds",
        heading: "Refunds",
        text: "Money back ends the license. # no heading ls"
      },
      { address: "/docs/guides/sell#seats--limits", heading: "Seats & limits", text: "Five." }
    ])
  })

  it("wants each word, in any order and case, and puts first what is named so", () => {
    const headings = (question: string) => foundIn(small, question).map(({ heading }) => heading)
    assert.deepStrictEqual(headings("BACK money"), ["Refunds"])
    assert.deepStrictEqual(headings("seats sells"), ["Seats & limits"])
    assert.deepStrictEqual(headings("money horse"), [])
    assert.deepStrictEqual(headings(" ?! "), [])
    assert.strictEqual(headings("sell")[0], "Sell it")
  })

  it.each([
    ["refund stripe", "/docs/guides/sell-with-stripe"],
    ["files for offline devices", "/docs/guides/work-offline"],
    ["passkey", "/docs/guides/people"],
    ["rotate signing key", "/docs/guides/"]
  ])("finds in the documents as they are: %s", (question, address) => {
    const found = foundIn(all, question)
    assert.isNotEmpty(found)
    assert.isAtMost(found.length, mostFound)
    assert.isTrue(found.some((section) => section.address.startsWith(address)), found.map((one) => one.address).join())
  })

  it("shows the text around the first word", () => {
    const [section] = guideSections([["a.md", `# A\n\n${"before ".repeat(40)}needle ${"after ".repeat(40)}\n`]])
    const excerpt = excerptOf(section!, "needle")
    assert.match(excerpt, /^… .*needle.* …$/)
    assert.isAtMost(excerpt.length, 170)
  })

  it("writes a question and what was found as text, and says where nothing was", () => {
    const page = foundPage(small, "<script>alert(1)</script>\"")
    assert.notInclude(page, "<script>")
    assert.include(page, "value=\"&lt;script&gt;alert(1)&lt;/script&gt;&quot;\"")
    assert.include(page, "No section has all of these words.")
    assert.include(foundPage(small, "seats"), "Sell it: Seats &amp; limits</a>")
  })
})
