// The package that `npm pack` makes, as it lies in somebody's node_modules. The bundle is that of the tests.
import { assert, beforeAll, describe, inject, it } from "@effect/vitest"
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import manifest from "../../package.json" with { type: "json" }
import { root, run, temporaryDirectory } from "../fixtures/Program.ts"

const place = temporaryDirectory()
const installed = join(place, "node_modules/countersign")
const program = join(installed, manifest.bin.countersign)

beforeAll(() => {
  for (const path of manifest.files.filter((path) => path !== "dist")) {
    mkdirSync(dirname(join(installed, path)), { recursive: true })
    cpSync(join(root, path), join(installed, path), { recursive: true })
  }
  symlinkSync(inject("bundle"), join(installed, "dist"))
  // What an older Node says of itself.
  writeFileSync(
    join(place, "older.mjs"),
    "Object.defineProperty(process, \"versions\", { value: { ...process.versions, node: \"20.1.0\" } })\n"
  )
})

describe("npx countersign", () => {
  it("runs what is packed, which the scripts of the package make", async () => {
    assert.include(manifest.scripts.prepack, "build/bundle.mjs")
    const { errors, output, status } = await run([program, "--version"], {}, place)
    assert.deepStrictEqual([status, output, errors], [0, `${manifest.version}\n`, ""])
    const wrong = await run([program, "licenses", "fund"], {}, place)
    assert.strictEqual(wrong.status, 2, wrong.errors)
  })

  it("runs the program of the checkout there", async () => {
    const { output, status } = await run([manifest.bin.countersign, "--version"])
    assert.deepStrictEqual([status, output], [0, `${manifest.version}\n`])
  })

  it("tells an older Node what it needs, unless npm brought it", async () => {
    const older = ["--import", join(place, "older.mjs"), program]
    const refused = await run([...older, "--version"], {}, place)
    assert.strictEqual(refused.status, 2)
    assert.include(refused.errors, "countersign needs Node 24 or later, and this is 20.1.0")
    const system = process.platform === "win32" ? "win" : process.platform
    const brought = join(place, `node_modules/node-${system}-${process.arch}`)
    mkdirSync(join(brought, "bin"), { recursive: true })
    writeFileSync(join(brought, "package.json"), "{}")
    symlinkSync(process.execPath, join(brought, "bin", process.platform === "win32" ? "node.exe" : "node"))
    assert.strictEqual((await run([...older, "--version"], {}, place)).output, `${manifest.version}\n`)
    assert.strictEqual((await run([...older, "whoami", "--url", "nowhere"], {}, place)).status, 2)
  })
})
