import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { clientContract } from "../../../build/clientContract.ts"
import { clientName } from "../../../build/clientNames.ts"

describe("what the client knows of the contract", () => {
  it("is current: npm run client:contract makes it anew", () => {
    for (const [path, text] of Object.entries(clientContract())) {
      const stored = readFileSync(join(import.meta.dirname, "../../..", path), "utf8")
      assert.isTrue(stored === text, `${path} is stale: npm run client:contract`)
    }
  })

  it("names each operation by its noun and its verb", () => {
    assert.deepStrictEqual(clientName("createPolicy"), ["policies", "create"])
    assert.deepStrictEqual(clientName("listLicenseDevices"), ["licenses", "listDevices"])
    assert.deepStrictEqual(clientName("downloadReportExportSnapshot"), ["reportExports", "downloadSnapshot"])
    assert.throws(() => clientName("frobnicateGadget"), /has no name for frobnicateGadget/)
  })
})
