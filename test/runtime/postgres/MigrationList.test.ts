import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { base } from "../../../src/runtime/postgres/Migrations.ts"
import { migrations } from "../../../src/runtime/postgres/migrations/index.ts"
import released from "./releasedMigrations.json" with { type: "json" }

const root = join(import.meta.dirname, "../../..")
const folder = join(root, "src/runtime/postgres/migrations")
const files = readdirSync(folder).filter((name) => name !== "index.ts").map((name) => basename(name, ".ts")).toSorted()

/** The digest of what a migration does: comments and empty lines, which databases never see, may be written anew. */
const digestOf = (name: string): string => {
  const text = readFileSync(join(folder, `${name}.ts`), "utf8").replaceAll("\r\n", "\n")
  const code = text.replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, "").replaceAll(/^[ \t]*\/\/.*$/gm, "")
  return createHash("sha256").update(code.replaceAll(/\n\s*\n/g, "\n").trim()).digest("hex")
}

it("every migration stands in src/runtime/postgres/migrations/index.ts, in order, after the base", () => {
  assert.deepStrictEqual(Object.keys(migrations), files, "add it to migrations/index.ts")
  // A number may be left out: work on several migrations goes on side by side.
  const numbers = files.map((name) => name.slice(0, 4))
  assert.deepStrictEqual([...new Set(numbers)].toSorted(), numbers, "each number is given once")
  assert.deepStrictEqual(files.filter((name) => !(Number.parseInt(name, 10) > base)), [])
  assert.deepStrictEqual(Object.values(migrations).filter(({ does }) => does.trim() === "" || does.includes("\n")), [])
})

/**
 * A version is released once CHANGELOG.md has a heading with its number. Its migrations have run in databases that
 * nobody here sees, so from then on their code stays as it is.
 */
describe("migrations of a released version", () => {
  const list = "test/runtime/postgres/releasedMigrations.json"
  const recorded = Object.values<Readonly<Record<string, string>>>(released).flatMap((of) => Object.entries(of))

  it("never change", () => {
    const changed = recorded.filter(([name, digest]) => !files.includes(name) || digestOf(name) !== digest)
    assert.deepStrictEqual(
      changed.map(([name]) => name),
      [],
      "databases have run it: restore the file, and write a new migration for what is to be different. " +
        `Where only its form or an import changed and it does the same, record it again in ${list}: ` +
        changed.filter(([name]) => files.includes(name)).map(([name]) => `"${name}": "${digestOf(name)}"`).join(", ")
    )
  })

  it("are recorded when the version is", () => {
    const versions = [...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)]
      .map(([, version]) => version!)
    const known = new Set(recorded.map(([name]) => name))
    const since = files.filter((name) => !known.has(name)).map((name) => `"${name}": "${digestOf(name)}"`)
    for (const version of versions) {
      assert.property(
        released,
        version,
        `CHANGELOG.md has released ${version}: add to ${list} "${version}": {${since.join(", ")}}`
      )
    }
    assert.sameMembers(Object.keys(released), versions, `${list} has a version that CHANGELOG.md does not have`)
  })
})
