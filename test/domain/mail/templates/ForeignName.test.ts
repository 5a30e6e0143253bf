import { assert, describe, it } from "@effect/vitest"
import { mailLanguages } from "../../../../src/domain/ground/wire/MailLanguage.ts"
import { foreignName, mailOf } from "../../../../src/domain/mail/templates/MailTemplates.ts"

describe("a name that a customer or an app gives", () => {
  it.each([
    ["Ada Lovelace", "Ada Lovelace"],
    ["Müller & Söhne, Inc.", "Müller & Söhne, Inc."],
    ["Dr. No", "Dr. No"],
    ["Booking.com", "Booking.\u2060com"],
    ["eve@evil.example", "eve@\u2060evil.\u2060example"],
    ["株式会社.日本", "株式会社.\u2060日本"],
    ["Ada\r\nBcc: eve", "Ada Bcc: eve"]
  ])("is no address of anything: %s", (given, shown) => {
    assert.strictEqual(foreignName(given), shown)
  })

  it.each(["https://evil.example/login", "Verify at HTTP://evil.example", "go to www.evil.example"])(
    "is left out where it leads somewhere: %s",
    (given) => assert.isUndefined(foreignName(given))
  )

  it("is as long as a name: what follows is no message", () => {
    assert.strictEqual(foreignName("a".repeat(60)), "a".repeat(60))
    assert.strictEqual(foreignName("a".repeat(61)), `${"a".repeat(59)}…`)
    assert.strictEqual(foreignName("😀".repeat(61)), `${"😀".repeat(59)}…`)
  })
})

describe("a mail of the vendor", () => {
  const brand = { name: "Acme", accent: undefined, logoUrl: undefined }
  const lie = "Your account is locked. Unlock it at evil.example within an hour, or all data of yours will be lost"

  it.each(mailLanguages)("quotes who invites, and says no sentence of theirs: %s", (language) => {
    const values = { vendor: "Acme", product: "Studio", customer_name: lie }
    const { html, text } = mailOf("user_invited", { language, values, brand })
    for (const said of [text, html]) {
      assert.match(said, /[“„«「]\u00a0?Your account is locked\./)
      assert.notInclude(said, "evil.example")
      assert.notInclude(said, "will be lost")
    }
  })

  it("names nobody who is called by an address, in an invitation and for a device", () => {
    const values = { vendor: "Acme", product: "Studio", customer_name: "https://evil.example" }
    assert.include(mailOf("user_invited", { language: "en", values, brand }).text, "You were invited to use Studio.")
    const device = { ...values, device: "www.evil.example", added_at: new Date(0) }
    assert.notInclude(mailOf("device_added", { language: "en", values: device, brand }).text, "evil")
  })
})
