import { assert, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { clientName } from "../../../build/clientNames.ts"
import { root, run, temporaryDirectory } from "../../fixtures/Program.ts"

/** A checkout as `npm ci` begins with it: with packages, and without what it makes. */
const checkout = (): string => {
  const place = temporaryDirectory()
  for (const name of ["build", "src", "package.json", "packages/contract/types.mjs"]) {
    const filter = (path: string) => !path.endsWith(".gen.ts")
    cpSync(join(root, name), join(place, name), { recursive: true, filter })
  }
  symlinkSync(join(root, "packages/contract/node_modules"), join(place, "packages/contract/node_modules"))
  mkdirSync(join(place, "node_modules"))
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== ".cache") symlinkSync(join(root, "node_modules", name), join(place, "node_modules", name))
  }
  return place
}

const files = [
  "src/client/api/consequences.gen.ts",
  "src/client/api/operations.gen.ts",
  "src/client/api/resources.gen.ts",
  "src/client/api/types.gen.ts",
  "src/console/catalog/policies/policyFields.gen.ts"
]

const make = async (place: string): Promise<void> => {
  const { errors, output, status } = await run(["build/freshContract.mjs"], {}, place)
  assert.deepStrictEqual([status, output, errors], [0, "", ""])
}

describe("the contract of the client", () => {
  it("is made in a fresh checkout, and again once a declaration has changed or a file is gone", async () => {
    const place = checkout()
    const read = (path: string) => readFileSync(join(place, path), "utf8")
    await make(place)
    // As npm ci has made them here, which the compiler and all other tests judge.
    for (const path of files) assert.isTrue(read(path) === readFileSync(join(root, path), "utf8"), path)

    const times = () => files.map((path) => statSync(join(place, path)).ctimeMs)
    const before = times()
    await make(place)
    assert.deepStrictEqual(times(), before)

    const declaration = join(place, "src/api/catalog/CustomFields.ts")
    const summary = "Create a product"
    assert.include(readFileSync(declaration, "utf8"), summary)
    writeFileSync(declaration, readFileSync(declaration, "utf8").replace(summary, "Create one more product"))
    await make(place)
    assert.include(read("src/client/api/resources.gen.ts"), "* Create one more product.")
    // What comes out the same is left as it is, for whatever looks at times.
    assert.deepStrictEqual(times()[1], before[1])

    rmSync(join(place, files[1]!))
    await make(place)
    assert.include(read(files[1]!), "POST /api/v1/licenses ")
  })

  it("is made without its types where their generator is left out, as a start needs none", async () => {
    const place = checkout()
    rmSync(join(place, "node_modules/@hey-api"))
    await make(place)
    assert.throws(() => statSync(join(place, "src/client/api/types.gen.ts")), "ENOENT")
    const { errors, output } = await run(["src/runtime/command.mjs", "api", "--help"], {}, place)
    assert.include(output, "licenses", errors)
  })

  it("names each operation by its noun and its verb", () => {
    assert.deepStrictEqual(clientName("createPolicy"), ["policies", "create"])
    assert.deepStrictEqual(clientName("listLicenseDevices"), ["licenses", "listDevices"])
    assert.deepStrictEqual(clientName("downloadReportExportSnapshot"), ["reportExports", "downloadSnapshot"])
    assert.throws(() => clientName("frobnicateGadget"), /has no name for frobnicateGadget/)
  })
})
