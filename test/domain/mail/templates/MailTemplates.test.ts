import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { mailLanguages } from "../../../../src/domain/ground/wire/MailLanguage.ts"
import { MailKind } from "../../../../src/domain/mail/Mail.ts"
import { oneLine } from "../../../../src/domain/mail/templates/LiquidSandbox.ts"
import type { MailValues } from "../../../../src/domain/mail/templates/MailDeclaration.ts"
import {
  mailDeclarations,
  mailOf,
  rendered,
  sampleValues,
  templateFault
} from "../../../../src/domain/mail/templates/MailTemplates.ts"

const brand = { name: "Acme & Söhne", accent: "#ffd43b", logoUrl: "https://licenses.example.com/brand/logo?v=1" }

const values = {
  vendor: "Acme & Söhne",
  product: "Studio <b>",
  license_key: "CSL-00000-11111",
  customer_name: "Ada\r\nBcc: eve@example.com",
  expires_at: new Date("2027-03-01T23:30:00Z")
}

const own = (body: string, given: MailValues = values) =>
  rendered({ subject: "About {{ product }}", body }, { language: "en", values: given, brand })

const textOf = (body: string, given?: MailValues): string => Result.getOrThrow(own(body, given)).text

const everyMail = MailKind.literals.flatMap((kind) => mailLanguages.map((language) => [kind, language] as const))

describe("a mail", () => {
  it("has the key, the product, the owner and the end, as text and as HTML", () => {
    const { html, subject, text } = mailOf("license_issued", { language: "en", values, brand })
    assert.strictEqual(subject, "Your license key for Studio <b>")
    const texts = [
      "CSL-00000-11111",
      "Hello Ada Bcc: eve@\u2060example.\u2060com,",
      "1 March 2027 (UTC)",
      "Acme & Söhne",
      "Studio <b>"
    ]
    for (const part of texts) assert.include(text, part)
    for (const part of ["CSL-00000-11111", "1 March 2027 (UTC)", "Acme &amp; Söhne", "Studio &lt;b&gt;"]) {
      assert.include(html, part)
    }
    assert.notInclude(html, "<b>")
    assert.strictEqual(
      mailOf("key_changed", { language: "en", values, brand }).subject,
      "Your new license key for Studio <b>"
    )
    const bare = mailOf("license_issued", {
      language: "en",
      values: { ...values, customer_name: " \u202e", expires_at: undefined },
      brand
    })
    assert.match(bare.text, /^Hello,\n/)
    assert.notMatch(bare.text, /valid until/)
  })

  it("says where the license is seen, renewed and asked about, as far as the vendor has said so", () => {
    const ways = {
      portal_url: "https://licenses.example.com/portal",
      renewal_url: "https://acme.example/renew",
      contact: "support@acme.example"
    }
    const issued = mailOf("license_issued", { language: "en", values: { ...values, ...ways }, brand })
    assert.include(
      issued.text,
      "Your license online: https://licenses.example.com/portal\nQuestions? You reach us at support@acme.example\n"
    )
    assert.include(issued.html, `href="https://licenses.example.com/portal"`)
    assert.notInclude(issued.text, "renew")
    const expiring = { ...values, days: 7 }
    const told = mailOf("license_expiring", { language: "en", values: { ...expiring, ...ways }, brand })
    assert.include(told.text, "Renew the license: https://acme.example/renew")
    for (const kind of ["license_issued", "license_expiring"] as const) {
      const bare = mailOf(kind, { language: "en", values: expiring, brand }).text
      for (const word of ["online", "Questions", "Renew the license"]) assert.notInclude(bare, word)
    }
  })

  it.each(everyMail)(
    "%s in %s renders with all values and with none that is optional, in its own words",
    (kind, language) => {
      const template = mailDeclarations[kind].texts[language]
      assert.isUndefined(templateFault(kind, language, template))
      for (const isWithOptional of [true, false]) {
        const input = { language, values: sampleValues(kind, isWithOptional), brand }
        const { html, subject, text } = Result.getOrThrow(rendered(template, input))
        for (const part of [subject, text, html]) {
          assert.notMatch(part, /[{}]{2}|\{%|undefined|[\ue000\ue001]|\*\*|`/)
          assert.strictEqual(part, part.normalize("NFC"))
        }
        assert.include(html, `<html lang="${language}">`)
        assert.match(html, /<div style="[^"]*overflow-wrap:anywhere/, "no long name is wider than a telephone")
        assert.include(text, kind === "portal_link" ? "Acme Licensing" : "Acme Studio")
        assert.notMatch(text, /\n{3}|[ \t]\n| {2}/, "no hole where a value is not given")
      }
    }
  )

  it("writes days and numbers as its language does, and names the time zone", () => {
    const written = mailLanguages.map((language) =>
      Result.getOrThrow(rendered({ subject: "x", body: "{{ day }} {{ count }}" }, {
        language,
        values: { day: new Date("2027-03-01T23:30:00Z"), count: 12_345.5 },
        brand
      })).text.trim()
    )
    assert.deepStrictEqual(written.map((text) => text.replaceAll(/[\u00a0\u202f]/g, " ")), [
      "1 March 2027 (UTC) 12,345.5",
      "1. März 2027 (UTC) 12.345,5",
      "1er mars 2027 (UTC) 12 345,5",
      "1 de marzo de 2027 (UTC) 12.345,5",
      "2027年3月1日（UTC） 12,345.5"
    ])
  })

  it("loads no picture but the vendor's logo over https, and its button is readable on any color", () => {
    const { html } = Result.getOrThrow(own("[Pay](https://example.com/pay)"))
    assert.deepStrictEqual(html.match(/(?:src|url\()[^ >]*/g), ["src=\"https://licenses.example.com/brand/logo?v=1\""])
    assert.include(html, "background:#ffd43b;color:#000000")
    const plain = Result.getOrThrow(rendered({ subject: "x", body: "y" }, {
      language: "en",
      values,
      brand: { ...brand, logoUrl: "http://127.0.0.1:3000/brand/logo" }
    }))
    assert.notInclude(plain.html, "<img")
  })
})

describe("a value", () => {
  it.each([
    "{{ license_key }}",
    "{% if x %}",
    "**x**",
    "[a](https://evil.example)",
    "`x`",
    "- x",
    "<b>&amp;",
    "\ue000x\ue001"
  ])(
    "%s is text wherever it stands, and neither Liquid nor markup",
    (product) => {
      const { html, text } = Result.getOrThrow(
        own("Hello {{ product }}\n\n{{ product }}\n\n**{{ product }}**", { ...values, product })
      )
      const shown = product.replaceAll(/[\ue000\ue001]/g, "")
      assert.strictEqual(text, `Hello ${shown}\n\n${shown}\n\n${shown}\n`)
      assert.notMatch(html, /<b>|<a |<code|<li>|CSL-/)
    }
  )

  it.each([
    "Ада",
    "Άδα",
    "אדה",
    "عدا",
    "एडा",
    "阿達",
    "エイダ",
    "에이다",
    "เอดา",
    "ადა",
    "Ådá"
  ])("in the script of %s stays as it is, on one line, in a subject too", (name) => {
    const broken = `${name}\r\n\u2028\0 ${name}\u202e\r\nBcc: eve@example.com`
    assert.strictEqual(oneLine(broken), `${name} ${name} Bcc: eve@example.com`)
    const { subject } = mailOf("license_issued", { language: "ja", values: { ...values, product: broken }, brand })
    assert.include(subject, `${name} ${name} Bcc: eve@example.com`)
    const occasion = { ...sampleValues("quota_threshold"), feature: broken, product: broken }
    const quota = mailOf("quota_threshold", { language: "en", values: occasion, brand })
    assert.include(quota.subject, `left for ${name} ${name} Bcc: eve@example.com`)
    assert.notMatch(subject + quota.subject, /[\r\n\0\u2028\u202e]/)
  })
})

describe("markup", () => {
  it("has paragraphs, lists, bold words, code and links, in text and in HTML", () => {
    const { html, text } = Result.getOrThrow(
      own(
        "One **two**\nthree `four`\n\n\n- [five](https://example.com/5?a=1&b=2)\n- six\n\n[mailto:a@b.example](mailto:a@b.example)"
      )
    )
    assert.strictEqual(
      text,
      "One two\nthree four\n\n- five: https://example.com/5?a=1&b=2\n- six\n\nmailto:a@b.example\n"
    )
    for (const part of ["<strong>two</strong><br>three <code", "<li><a href=\"https://example.com/5?a=1&amp;b=2\""]) {
      assert.include(html, part)
    }
  })

  it("leads nowhere but to https and mailto", () => {
    const { html, text } = Result.getOrThrow(own("[a](javascript:alert(1)) [b]({{ customer_name }})", {
      ...values,
      customer_name: "javascript:alert(1)"
    }))
    assert.notInclude(html, "<a")
    assert.include(text, "[b](javascript:alert(1))")
  })

  it("is read in linear time, however it is nested", () => {
    for (const piece of ["**", "[", "[a](", "`", "- ", "\n\n", "[[**`"]) {
      const before = performance.now()
      textOf(`x${piece.repeat(10_000 / piece.length)}`)
      assert.isBelow(performance.now() - before, 500, piece)
    }
  })
})

describe("a template that cannot be used", () => {
  it.each([
    ["{{ nobody }}", 1, "unknown variable: nobody"],
    ["a\n\n{% if nobody %}x{% endif %}", 3, "unknown variable: nobody"],
    ["a\n{{ customer_name }}", 2, "undefined variable: customer_name"],
    ["a\n{% for i in (1..9) %}x{% endfor %}", 2, "tag \"for\" not found"],
    ["{% include 'x' %}", 1, "tag \"include\" not found"],
    ["{% render 'x' %}", 1, "tag \"render\" not found"],
    ["{{ vendor | raw }}", 1, "undefined filter: raw"],
    ["{{ vendor.constructor }}", 1, "undefined variable: vendor.constructor"],
    ["a\n\n{% if vendor %}", 3, "tag {% if vendor %} not closed"],
    ["a\n[b](http://example.com)", 2, "a link begins with https:// or mailto:"],
    ["{% if expires_at %}x{% endif %}", 1, "the body is empty"]
  ])("%j is refused with line %d: %s", (body, line, message) => {
    assert.deepStrictEqual(templateFault("license_issued", "en", { subject: "x", body }), {
      member: "body",
      line,
      message
    })
  })

  it("is refused for its subject too", () => {
    assert.deepInclude(templateFault("license_issued", "en", { subject: "{{ nobody }}", body: "x" }), {
      member: "subject",
      message: "unknown variable: nobody"
    })
    assert.deepInclude(templateFault("license_issued", "en", { subject: " {{ '' }}", body: "x" }), {
      member: "subject",
      message: "the subject is empty"
    })
  })

  it("gives way to the words that ship, where it was kept by another version", () => {
    const mail = mailOf("license_issued", { language: "de", values, brand }, { subject: "{{ gone }}", body: "x" })
    assert.strictEqual(mail.subject, "Ihr Lizenzschlüssel für Studio <b>")
  })
})
