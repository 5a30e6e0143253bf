// The parts of the reference that are made from the code are current.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { withGenerated } from "../build/generated.ts"
import { references } from "../build/references.ts"
import { guides } from "../src/http/docs/GuideLinks.ts"

/** A document without the white space by which its tables are aligned. */
const unaligned = (document: string): string => document.replaceAll(/ {2,}/g, " ").replaceAll(/-{3,}/g, "---")

describe("npm run docs:reference", () => {
  it.each(references)("has nothing to change in $file", ({ file, lines, part }) => {
    const document = readFileSync(join(import.meta.dirname, "..", file), "utf8")
    assert.strictEqual(unaligned(document), unaligned(withGenerated(document, part, lines())))
  })
})

describe("the OpenAPI document", () => {
  it.each(Object.entries(guides))("leads to the guide %s by its title", (name, title) => {
    const [path] = globSync(`docs/*/${name}.md`, { cwd: join(import.meta.dirname, "..") })
    assert.strictEqual(readFileSync(join(import.meta.dirname, "..", path!), "utf8").split("\n")[0], `# ${title}`)
  })
})
