import { assert, describe, it } from "@effect/vitest"
import { portalLanguage } from "../../../src/domain/portal/PortalLanguage.ts"

describe("the language of the portal", () => {
  it.each([
    ["de-AT,de;q=0.9,en;q=0.8", undefined, "de"],
    ["nl, fr;q=0.5, es;q=0.7", "ja", "es"],
    ["ja-JP", "de", "ja"],
    ["nl,pt;q=0.9", "fr", "fr"],
    ["de;q=0", undefined, "en"],
    ["*", "es", "es"],
    [undefined, undefined, "en"],
    ["; q=,,en-\u0000", "de", "de"]
  ])("of a browser that asks for %s and a customer with %s is %s", (asked, ofCustomer, expected) => {
    assert.strictEqual(portalLanguage(asked, ofCustomer as "de"), expected)
  })
})
