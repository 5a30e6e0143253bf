import { assert, describe, it } from "@effect/vitest"
import { memoryStore, openLicense } from "../../../src/client/app/index.ts"
import type { LicenseOptions } from "../../../src/client/app/index.ts"

const key = { kid: "sig_1", algorithm: "Ed25519", public_key: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=" } as const
const options: LicenseOptions = {
  baseUrl: "https://licenses.example.com",
  productCode: "acme-studio",
  publicKeys: [key],
  store: memoryStore(),
  fingerprint: "machine-1"
}

describe("openLicense", () => {
  it.each<readonly [string, unknown]>([
    ["publicKeys", undefined],
    ["publicKeys", []],
    ["publicKeys", { data: [key] }],
    ["publicKeys", [key.public_key]],
    ["productCode", undefined],
    ["productCode", ""],
    ["fingerprint", " "],
    ["graceDays", -1]
  ])("refuses by name an option that makes no sense: %s %j", async (name, value) => {
    const refused = await openLicense({ ...options, [name]: value } as LicenseOptions).catch((error: unknown) => error)
    assert.instanceOf(refused, TypeError)
    assert.match((refused as TypeError).message, new RegExp(`^${name} must `))
  })
})
