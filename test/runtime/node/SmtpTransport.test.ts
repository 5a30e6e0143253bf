import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { smtpSender } from "../../../src/runtime/node/SmtpTransport.ts"
import { headerOf, MailServer } from "../../fixtures/MailServer.ts"
import type { Behaviour } from "../../fixtures/MailServer.ts"

const server = await new MailServer().start()

const sender = (url: string) =>
  smtpSender(
    { smtpUrl: Redacted.make(url), from: { name: "Acme, \"Licenses\"", address: "licenses@acme.example" } },
    { connecting: 300, silence: 300, whole: 900 }
  )

const mailTo = (recipient: string, subject = "Your key") => ({
  messageId: "<evt_1.license_issued@acme.example>",
  recipient,
  subject,
  text: "Hello",
  html: "<p>Hello</p>"
})

const answers = (does: Behaviour, recipient: string) => {
  server.behaviours.set(recipient, does)
  return Effect.runPromise(sender(server.url)(mailTo(recipient)))
}

describe("the mail driver", () => {
  it("says what a server took, with the headers of a mail that nobody answers", async () => {
    const answer = await answers("takes", "ada@example.com")
    assert.deepStrictEqual(answer, { isAccepted: true, reply: "250 Ok: queued" })
    const [mail] = await server.to("ada@example.com")
    assert.strictEqual(headerOf(mail!, "Message-ID"), "<evt_1.license_issued@acme.example>")
    assert.strictEqual(headerOf(mail!, "Auto-Submitted"), "auto-generated")
    assert.match(headerOf(mail!, "From")!, /<licenses@acme\.example>$/)
    assert.match(headerOf(mail!, "Content-Type")!, /multipart\/alternative/)
  })

  it.each(
    [
      [450, "recipient", 450],
      [550, "recipient", 550],
      // It ends the session.
      [421, "session", 421],
      [554, "message", 554]
    ] as const
  )("tells a %i at its stage", async (does, stage, code) => {
    const answer = await answers(does, `no-${does}@example.com`)
    assert.deepInclude(answer, { isAccepted: false, stage, code })
  })

  it("ends when a server says nothing after the message, or drops the connection before its reply", async () => {
    assert.deepInclude(await answers("holds", "held@example.com"), { isAccepted: false, code: undefined })
    assert.deepInclude(await answers("drops", "dropped@example.com"), { isAccepted: false, code: undefined })
  })

  it("tells a wrong password, and nobody who listens, as matters of the session", async () => {
    const wrong = server.url.replace("p%40ss", "wrong")
    const send = (url: string) => Effect.runPromise(sender(url)(mailTo("ada@example.com")))
    assert.deepInclude(await send(wrong), { isAccepted: false, stage: "session", code: 535 })
    assert.deepInclude(await send("smtp://127.0.0.1:9"), { isAccepted: false, stage: "session", code: undefined })
  })

  it("gives nobody a header or a recipient more, whatever is in a name or an address", async () => {
    const to = "x,eve@example.com"
    for (const recipient of [to, "a@b>\r\nRCPT TO:<eve@example.com", "\"x\" <eve@example.com>", "g:eve@example.com"]) {
      const answer = await Effect.runPromise(sender(server.url)(mailTo(recipient)))
      assert.deepInclude(answer, { isAccepted: false, stage: "recipient", code: 553 })
    }
    const subject = "Key\r\nBcc: eve@example.com\r\n\r\nHello"
    await Effect.runPromise(sender(server.url)(mailTo("bob@example.com", subject)))
    const [mail] = await server.to("bob@example.com")
    assert.strictEqual(headerOf(mail!, "Subject"), "Key Bcc: eve@example.com Hello")
    assert.isUndefined(headerOf(mail!, "Bcc"))
    assert.isUndefined(server.named.get("eve@example.com"))
  })
})
