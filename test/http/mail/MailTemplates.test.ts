// Templates of mails: those that ship, and the vendor's own in their place, which can be rendered whatever a mail lacks.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { decodedSubject, headerOf, MailServer } from "../../fixtures/MailServer.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"
import type { SignedIn } from "../../fixtures/SignedIn.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

const server = await new MailServer().start()

const path = "/api/v1/settings/mail/templates/license_issued/en"
const german = "/api/v1/settings/mail/templates/key_changed/de"

const own = {
  subject: "{{ product }} is yours",
  body: "Dear {{ customer_name | default: \"customer\" }},\n\n`{{ license_key }}`\n"
}

let service: Service
let issued: Issued
let ada: SignedIn

const put = (body: object): Promise<Answer> => service.call("PUT", path, { body })

const preview = (body: object): Promise<Body> => service.data("POST", `${path}/preview`, body)

beforeAll(async () => {
  service = await startService({
    environment: {
      COUNTERSIGN_SMTP_URL: server.url,
      COUNTERSIGN_MAIL_FROM: "licenses@acme.example",
      COUNTERSIGN_MAIL_TEST_ADDRESSES: "qa@example.com"
    }
  })
  testDatabaseOf(service)
  issued = await service.issue({
    policy: { mails: ["license_issued"] },
    license: { customer_name: "{{ license_key }} <b>", expires_at: "2099-03-01T00:00:00Z" }
  })
  ada = await signInAs(service, "Ada", ["owner"])
})

describe("a template of the vendor's own", () => {
  it("words the mails of its kind and language from then on, until it is reset, and events say who changed it", async () => {
    const shipped = await service.data("GET", path)
    assert.deepInclude(shipped, { kind: "license_issued", language: "en", is_own: false })
    const changed = await asPerson(service, ada, "PUT", path, own)
    assert.deepInclude(changed.body.data, { ...own, is_own: true })
    const [kind] = await service.data("GET", "/api/v1/settings/mail/kinds")
    assert.deepStrictEqual(kind.own_languages, ["en"])
    assert.deepInclude(kind.variables.find(({ name }: Body) => name === "expires_at"), {
      type: "date",
      is_optional: true,
      sample: "1 March 2027 (UTC)"
    })
    const issue = (license: object) =>
      service.data("POST", "/api/v1/licenses", {
        product_id: issued.product.id,
        policy_id: issued.policy.id,
        ...license
      })
    const { license_key } = await issue({ customer_email: "a@example.com" })
    const [mail] = await server.to("a@example.com")
    assert.strictEqual(decodedSubject(mail!), "Acme Studio is yours")
    assert.include(mail!.raw, "Dear customer,")
    assert.include(mail!.raw, license_key)
    assert.strictEqual(headerOf(mail!, "From"), "licenses@acme.example")
    assert.strictEqual((await asPerson(service, ada, "DELETE", path)).status, 204)
    assert.deepStrictEqual(await service.data("GET", path), shipped)
    const events = await service.feed("&event_type=mail_template.*")
    assert.deepStrictEqual(events.map(({ actor_id, event_type }) => `${event_type} ${actor_id}`), [
      `mail_template.updated ${ada.id}`,
      `mail_template.reset ${ada.id}`
    ])
    assert.deepInclude(events[0]!.data, own)
    await issue({ customer_email: "b@example.com" })
    assert.strictEqual(
      decodedSubject((await server.to("b@example.com"))[0]!),
      "Your license key for Acme Studio"
    )
  })

  it.each([
    [{ ...own, body: "Dear\n{{ customer_name }}" }, "body", "line 2: undefined variable: customer_name"],
    [{ ...own, body: "{% for i in (1..9) %}x{% endfor %}" }, "body", "line 1: tag \"for\" not found"],
    [{ ...own, body: "x\n\n[y](http://example.com)" }, "body", "line 3: a link begins with https:// or mailto:"],
    [{ ...own, subject: "{{ license_id }}" }, "subject", "line 1: unknown variable: license_id"]
  ])("that not every mail can be rendered with is refused, with the line: %j", async (template, member, message) => {
    for (const answer of [await put(template), await service.call("POST", `${path}/preview`, { body: template })]) {
      assert.deepStrictEqual(refused(answer, 422, "VALIDATION_ERROR").fields, [
        { path: member, code: "invalid_template", message }
      ])
    }
    assert.isFalse((await service.data("GET", path)).is_own)
  })

  it("is bounded, of kinds and languages that there are, and for admin alone", async () => {
    refused(await put({ ...own, body: "x".repeat(8_001) }), 422, "VALIDATION_ERROR")
    refused(await put({ ...own, subject: "x".repeat(201) }), 422, "VALIDATION_ERROR")
    refused(
      await service.call("PUT", "/api/v1/settings/mail/templates/newsletter/en", { body: own }),
      404,
      "NOT_FOUND"
    )
    refused(await service.call("GET", "/api/v1/settings/mail/templates/license_issued/tlh"), 404, "NOT_FOUND")
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "sales", scopes: ["license:write"] })
    refused(await service.call("PUT", path, { body: own, token }), 403, "TOKEN_SCOPE_DENIED")
  })

  it("is kept and reset by who has read it alone, where the request says what was read", async () => {
    const read = await service.call("GET", german)
    const etag = String(read.headers["etag"])
    const template = { ...own, subject: "Neu" }
    const changed = await service.call("PUT", german, { body: template, headers: { "if-match": etag } })
    assert.strictEqual(changed.status, 200, changed.text)
    assert.notStrictEqual(changed.headers["etag"], etag)
    for (const [method, body] of [["PUT", template], ["DELETE", undefined]] as const) {
      const stale = await service.call(method, german, { body, headers: { "if-match": etag } })
      refused(stale, 412, "PRECONDITION_FAILED")
    }
    assert.strictEqual((await service.data("GET", german)).subject, "Neu")
    const headers = { "if-match": String(changed.headers["etag"]) }
    assert.strictEqual((await service.call("DELETE", german, { headers })).status, 204)
    assert.strictEqual((await service.call("GET", german)).headers["etag"], etag)
  })

  it("is of its environment", async () => {
    const test = inTestOf(service, testDatabaseOf(service))
    await test.data("PUT", path, own)
    assert.isFalse((await service.data("GET", path)).is_own)
  })
})

describe("a preview", () => {
  it("has samples in its language, and stores nothing", async () => {
    const before = (await service.feed()).length
    const { html, subject, text } = await service.data("POST", `${german}/preview`, {})
    assert.strictEqual(subject, "Ihr neuer Lizenzschlüssel für Acme Studio")
    assert.include(text, "bis zum 1. März 2027 (UTC)")
    assert.include(html, "<html lang=\"de\">")
    assert.strictEqual((await preview({ subject: "Neu" })).subject, "Neu")
    assert.isFalse((await service.data("GET", path)).is_own)
    assert.strictEqual((await service.feed()).length, before)
  })

  it("of a license has its owner as text, and no more of its key than the end", async () => {
    const { html, text } = await preview({ ...own, license_id: issued.license.id })
    assert.include(text, "Dear {{ license_key }} <b>,")
    assert.include(html, "Dear {{ license_key }} &lt;b&gt;,")
    assert.include(text, `••••-•${issued.license.license_key_last4}`)
    assert.notInclude(text + html, issued.key)
    const unknown = await service.call("POST", `${path}/preview`, {
      body: { license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c" }
    })
    refused(unknown, 404, "NOT_FOUND")
  })
})

describe("a sample", () => {
  const sample = (person: SignedIn) => asPerson(service, person, "POST", `${path}/sample`, own)

  it("goes to the person who asks and is marked, at most ten a minute", async () => {
    refused(await service.call("POST", `${path}/sample`, { body: {} }), 409, "STATE_CONFLICT")
    refused(await sample(ada), 409, "STATE_CONFLICT")
    await service.data("PATCH", `/api/v1/people/${ada.id}`, { email: "ada@acme.example" })
    const answer = await sample(ada)
    assert.deepInclude(answer.body.data, { recipient: "ada@acme.example", is_accepted: true })
    const [mail] = await server.to("ada@acme.example")
    assert.strictEqual(decodedSubject(mail!), "[Sample] Acme Studio is yours")
    server.behaviours.set("ada@acme.example", 550)
    assert.deepInclude((await sample(ada)).body.data, {
      is_accepted: false,
      reply: "550 ada@acme.example is not taken"
    })
    const address = { address: "Ada@acme.example" }
    const { id } = await service.data("POST", "/api/v1/settings/mail/suppressions", address)
    refused(await sample(ada), 409, "STATE_CONFLICT")
    await service.call("DELETE", `/api/v1/settings/mail/suppressions/${id}`)
    // At once, so that the limit does not recover meanwhile, however slow the machine is.
    const asked = await Promise.all(Array.from({ length: 30 }, () => sample(ada)))
    assert.include(asked.map(({ status }) => status), 429)
  })
})
