// The parts of the reference that are made from the code are current.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { withGenerated } from "../build/generated.ts"
import { references } from "../build/references.ts"
import { guides } from "../src/api/composition/docs/GuideLinks.ts"

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

describe("the model of an actor in ARCHITECTURE.md", () => {
  const root = join(import.meta.dirname, "..")
  const [, table = ""] = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").split("is the model for the next actor.")
  const rows = table.split("\n## ")[0]!.split("\n").filter((line) => line.startsWith("| ")).slice(2)
  const files = globSync("src/{services,domain}/sales/purchases/*.ts", { cwd: root })
  const sources = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n")

  it.each(rows.map((row) => [row.split("|")[1]!.trim(), row] as const))("has the step %s where it says", (_, row) => {
    const named = [...row.split("|")[2]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
    assert.isNotEmpty(named)
    for (const name of named) {
      // A file by its path or its name, and otherwise a name in one of them.
      const isFile = files.some((file) => file.endsWith(`/${name.split("/").at(-1)}.ts`))
      assert.isTrue(isFile || new RegExp(`\\b${name.split(".").at(-1)}\\b`).test(sources), name)
    }
  })
})
