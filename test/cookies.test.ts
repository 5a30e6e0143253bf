import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The names of the cookies that the service sets, by their form without https, and how they cross sites. */
const set = globSync("src/**/*.ts", { cwd: root }).flatMap((path) => {
  const text = read(path)
  const names = [...text.matchAll(/"__Host-(countersign[a-z-]*)"/g)].map(([, name]) => name)
  const sites = [...text.matchAll(/; SameSite=(Strict|Lax|None)[$;`]/g)].map(([, site]) => site)
  return names.map((name, at) => [name, sites[at] ?? assert.fail(path)])
})

/** Pages for people: all guides, and what stands beside them. */
const pages = [...globSync("docs/**/*.md", { cwd: root }), "SECURITY.md", "README.md", "ARCHITECTURE.md"]
  // A decision says how things were when it was made.
  .filter((path) => !path.startsWith("docs/decisions/"))

describe("the cookies of the service", () => {
  it("are all in the table of docs/reference/security-headers.md, with how they cross sites, and no other ones are", () => {
    assert.isAtLeast(set.length, 6)
    const [, section = ""] = read("docs/reference/security-headers.md").split("\n## Cookies\n")
    const rows = [...section.matchAll(/^\| `(countersign[a-z-]*)` .* `(Strict|Lax|None)` +\|$/gm)]
    // That of a sign-in ends with the name of its flow.
    assert.sameDeepMembers(
      rows.map(([, name, site]) => [name, site]),
      set.map(([name, site]) => [name?.replace(/-$/, ""), site])
    )
  })

  it("are denied by no page", () => {
    for (const path of pages) assert.notMatch(read(path), /\b(?:no|without|knows no|uses no|sets no) cookies\b/i, path)
  })

  it("are told of where somebody looks for them", () => {
    for (const path of ["SECURITY.md", "docs/threat-model.md", "docs/reference/configuration.md"]) {
      assert.match(read(path), /cookies/, path)
    }
  })
})
