import { assert, describe, it } from "@effect/vitest"
import { languageCookie, languageIn, portalLanguage } from "../../../src/domain/portal/PortalLanguage.ts"

describe("the language of the portal", () => {
  it.each([
    ["de-AT,de;q=0.9,en;q=0.8", undefined, "de"],
    ["nl, fr;q=0.5, es;q=0.7", undefined, "es"],
    ["ja-JP", "de", "de"],
    ["nl,pt;q=0.9", "fr", "fr"],
    ["de;q=0", undefined, "en"],
    ["*", "es", "es"],
    [undefined, undefined, "en"],
    ["; q=,,en-\u0000", "de", "de"]
  ])("of a browser that asks for %s and a customer with %s is %s", (asked, ofCustomer, expected) => {
    assert.strictEqual(portalLanguage({ accepted: asked, ofCustomer: ofCustomer as "de" }), expected)
    assert.strictEqual(portalLanguage({ accepted: asked, ofCustomer: ofCustomer as "de", chosen: "ja" }), "ja")
  })

  it("that was chosen is kept by the browser, and no other text is a language", () => {
    for (const isSecure of [true, false]) {
      const [cookie = ""] = languageCookie("fr", isSecure).split(";")
      assert.strictEqual(languageIn(`a=b; ${cookie}`, isSecure), "fr")
      assert.isUndefined(languageIn(cookie.replace("fr", "<b>"), isSecure))
      assert.isUndefined(languageIn(cookie, !isSecure), "of the other address")
    }
  })
})
