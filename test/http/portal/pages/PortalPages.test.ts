// The page of a license in the portal, in memory: what it says of its term, and where it leads.
import { assert, describe, it } from "@effect/vitest"
import { exampleOf } from "../../../../src/domain/ground/wire/Fields.ts"
import { mailLanguages } from "../../../../src/domain/ground/wire/MailLanguage.ts"
import type { Brand } from "../../../../src/domain/keys/settings/ServiceSettings.ts"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"
import { licensePage } from "../../../../src/http/portal/pages/PortalPages.ts"

const ended: License = { ...exampleOf(License), status: "expired", expires_at: "2027-03-01T12:00:00.000Z" }

const pageOf = (
  license: License,
  brand: Brand | undefined,
  language: (typeof mailLanguages)[number] = "en",
  renewsItself = false
) =>
  licensePage({ language, brand, at: "/portal" }, {
    license,
    renewsItself,
    seats: 1,
    features: [],
    devices: undefined,
    versions: [],
    hasUsers: false,
    hasFiles: false,
    mayChangeKey: false
  }, { notice: undefined, others: "none", transfer: undefined })

const ways: Brand = { support_contact: "support@acme.example", renewal_url: "https://acme.example/renew?a=1&b=2" }
const renewal = `href="https://acme.example/renew?a=1&amp;b=2"`

describe("the page of a license", () => {
  it.each(mailLanguages)("leads to where it is renewed and asked about, in %s", (language) => {
    const page = pageOf(ended, ways, language)
    assert.include(page, renewal)
    assert.include(page, `<a href="mailto:support@acme.example">support@acme.example</a>`)
  })

  it("leads nowhere where the vendor has said nothing, and to a page where the contact is one", () => {
    for (const brand of [undefined, { name: "Acme" }]) {
      const page = pageOf(ended, brand)
      assert.notInclude(page, "Questions?")
      assert.notInclude(page, "Renew the license")
    }
    assert.include(
      pageOf(ended, { support_contact: "https://acme.example/help" }),
      `<a href="https://acme.example/help">`
    )
  })

  it("offers no renewal of what never ends, what is renewed by its subscription, and what was withdrawn", () => {
    const { expires_at: _, ...endless } = ended
    const renewing: License = { ...ended, status: "active", follows_subscription: true }
    for (
      const license of [{ ...endless, status: "active" as const }, { ...ended, status: "revoked" as const }]
    ) {
      assert.notInclude(pageOf(license, ways), renewal)
    }
    assert.notInclude(pageOf(renewing, ways, "en", true), renewal)
    assert.include(pageOf(renewing, ways, "en", false), renewal)
  })

  it("says no end of a license that was withdrawn", () => {
    const page = pageOf({ ...ended, status: "revoked", expires_at: "2999-01-01T00:00:00.000Z" }, undefined)
    assert.include(page, "The license was withdrawn.")
    assert.notInclude(page, "Valid until")
  })
})
