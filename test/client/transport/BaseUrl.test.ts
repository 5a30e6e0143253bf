import { assert, describe, it } from "@effect/vitest"
import { Countersign } from "../../../src/client/api/index.ts"
import { memoryStore, openLicense } from "../../../src/client/app/index.ts"
import { keySet } from "../../../src/client/verify/index.ts"

const app = {
  productCode: "acme",
  publicKeys: [{ kid: "sig_1", algorithm: "Ed25519", public_key: "" }],
  store: memoryStore(),
  fingerprint: "a"
}
const refused =
  /^TypeError: baseUrl must begin with https:\/\/ or http:\/\/, as https:\/\/licenses\.example\.com does, and is /

describe("a base URL that is none", () => {
  it.each(["licenses.example.com", "localhost:8080", "", "/api", "ftp://licenses.example.com"])(
    "is refused by the option's name and with the cure: %j",
    async (baseUrl) => {
      assert.match(String(await openLicense({ ...app, baseUrl }).catch(String)), refused)
      assert.throws(() => new Countersign({ baseUrl, token: "t" }), TypeError, /^baseUrl must begin/)
      assert.throws(() => keySet({ pinned: [], baseUrl }), TypeError, /^baseUrl must begin/)
    }
  )

  it("is refused so where it is missing, as an unset variable", async () => {
    const missing = undefined as unknown as string
    assert.match(String(await openLicense({ ...app, baseUrl: missing }).catch(String)), refused)
  })
})
