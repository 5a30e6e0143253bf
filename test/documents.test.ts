import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

const under = (directory: string): ReadonlyArray<string> =>
  readdirSync(join(root, directory), { recursive: true, encoding: "utf8" }).map((path) => join(directory, path))

const documents = [...readdirSync(root), ...under("docs"), ...under("clients"), ...under("examples"), ...under("src")]
  .filter((path) => path.endsWith(".md"))

/** What a document says outside of its blocks of code. */
const prose = (path: string): string => readFileSync(join(root, path), "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "")

/** The names by which headings are linked to, as GitHub makes them. */
const anchors = (path: string): ReadonlySet<string> =>
  new Set(
    [...prose(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) =>
      heading!.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-")
    )
  )

/** What links of the document lead to nowhere. */
const broken = (path: string): ReadonlyArray<string> =>
  [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!).filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [file = "", anchor] = target.split("#")
    const found = file === "" ? path : relative(root, join(root, dirname(path), file))
    if (!existsSync(join(root, found))) return true
    return anchor !== undefined && (statSync(join(root, found)).isDirectory() || !anchors(found).has(anchor))
  })

describe("documents", () => {
  it("are there", () => {
    assert.includeMembers(documents, ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
  })

  it("link to what is there", () => {
    assert.deepStrictEqual(documents.flatMap((path) => broken(path).map((target) => `${path}: ${target}`)), [])
  })

  it("are each linked to from another one", () => {
    const linked = new Set(
      documents.flatMap((path) =>
        [...prose(path).matchAll(/\]\(([^)\s#]+)/g)].map(([, target]) => join(dirname(path), target!))
      )
    )
    const alone = documents.filter((path) =>
      path.startsWith("docs/") && !linked.has(path) && !linked.has(dirname(path))
    )
    assert.deepStrictEqual(alone, [])
  })

  it("name commands that exist", () => {
    for (const path of documents) {
      for (const [, command] of readFileSync(join(root, path), "utf8").matchAll(/npm run (?:-s )?([a-z:]+)/g)) {
        assert.property(manifest.scripts, command!, path)
      }
    }
  })

  it("name files of the tree that exist", () => {
    const missing = documents.flatMap((path) =>
      [...prose(path).matchAll(/`((?:src|test|docs|bench|examples|build)\/[\w./-]+\.\w+)`/g)].flatMap(([, file]) =>
        existsSync(join(root, file!)) ? [] : [`${path}: ${file}`]
      )
    )
    assert.deepStrictEqual(missing, [])
  })

  // In the same shell a bundle is built and installed, which the account of a service could not read.
  it("keep a umask to the commands that make a secret", () => {
    const bare = documents.flatMap((path) =>
      [...readFileSync(join(root, path), "utf8").matchAll(/^\s*umask\b.*$/gm)].map(([line]) => `${path}: ${line}`)
    )
    assert.deepStrictEqual(bare, [])
  })

  it("say the version that the package has", () => {
    const released = /^## \[?(\d+\.\d+\.\d+)\]?/m.exec(readFileSync(join(root, "CHANGELOG.md"), "utf8"))?.[1]
    assert.strictEqual(released, manifest.version)
  })
})
