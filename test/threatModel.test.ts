import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const model = read("docs/threat-model.md")

/** The rows of tables that say what a threat is met with: what defends, and what shows it. */
const defences = [...model.matchAll(/^### (\d)\.[\s\S]*?(?=^##)/gm)].flatMap(([section]) =>
  section.split("\n").filter((line) => line.startsWith("| ")).slice(2)
)

describe("docs/threat-model.md", () => {
  it("names a test for every defence", () => {
    assert.isAtLeast(defences.length, 30)
    for (const line of defences) assert.match(line, /`test\/[\w/]+\.test\.ts` "[^"]+" *\|$/)
  })

  it("names tests that exist, by words of what they are called", () => {
    for (const [, file, words] of model.matchAll(/`(test\/[\w/]+\.test\.ts)`(?: "([^"]+)")?/g)) {
      assert.isTrue(existsSync(join(root, file!)), file)
      const titles = [...read(file!).matchAll(/(["'`])((?:\\.|(?!\1).)+)\1/g)].map(([, , title]) => title!)
      if (words !== undefined) assert.isTrue(titles.some((title) => title.includes(words)), `${file}: ${words}`)
    }
  })

  it("is where somebody looks for it", () => {
    for (const path of ["README.md", "SECURITY.md"]) assert.include(read(path), "](docs/threat-model.md)")
  })
})
