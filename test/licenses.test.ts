// The licenses of all that is installed: allowed to be, as the packages say, and told in the reference.
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isAllowed, licensed, withLicenses } from "../build/licenses.ts"
import { lockedPackages } from "../build/packages.ts"
import { root } from "./fixtures/Program.ts"

describe("licenses", () => {
  it("are each allowed to what has them", () => {
    assert.deepStrictEqual(licensed(root).filter((one) => !isAllowed(one)), [])
  })

  it("are refused where they ask for more, are unknown, or not said", () => {
    for (const license of ["GPL-3.0-only", "AGPL-3.0-or-later", "LGPL-2.1", "MPL-2.0", "UNLICENSED", undefined]) {
      assert.isFalse(isAllowed({ name: "some-package", version: "1.0.0", license }), license)
    }
    assert.isFalse(isAllowed({ name: "some-package", version: "1.0.0", license: "OFL-1.1" }))
    assert.isTrue(isAllowed({ name: "@fontsource-variable/some", version: "1.0.0", license: "OFL-1.1" }))
  })

  it("are in the lock file as the packages say", () => {
    for (const [folder, { license, link }] of Object.entries(lockedPackages(root))) {
      const file = join(root, folder, "package.json")
      if (folder === "" || link === true || !existsSync(file)) continue
      const said = JSON.parse(readFileSync(file, "utf8")).license
      if (typeof said === "string") assert.strictEqual(license, said, folder)
    }
  })

  it("stand in docs/reference/licenses.md: npm run docs:licenses lists them anew", () => {
    const document = readFileSync(join(root, "docs/reference/licenses.md"), "utf8")
    assert.strictEqual(withLicenses(root, document), document, "npm run docs:licenses")
  })
})
