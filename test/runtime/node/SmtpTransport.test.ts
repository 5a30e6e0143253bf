import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawnSync } from "node:child_process"
import { smtpSender } from "../../../src/runtime/node/SmtpTransport.ts"
import { headerOf, MailServer } from "../../fixtures/MailServer.ts"
import type { Behaviour } from "../../fixtures/MailServer.ts"
import { lendingPython } from "../../fixtures/Python.ts"

const server = await new MailServer().start()

const vendor = { name: "Acme, \"Licenses\"", address: "licenses@acme.example" }

const sender = (url: string, from = vendor) =>
  smtpSender(
    { smtpUrl: Redacted.make(url), from },
    { connecting: 300, greeting: 300, silence: 300, whole: 900 }
  )

/** A name in each script, with marks, letters of two code units, and joined signs. */
const scripts = [
  "Ada Lovelace",
  "Jürgen Größe",
  "Ωμέγα Λογισμικό",
  "Программное обеспечение",
  "שלום תוכנה",
  "شركة البرمجيات",
  "सॉफ़्टवेयर कंपनी",
  "ซอฟต์แวร์",
  "株式会社ソフト𠮷",
  "소프트웨어 회사",
  "ծրագիր ქართული",
  "👩‍💻🏳️‍🌈 Ltd"
]

/** Reads mails as Python does: the names of the headers, who sends to whom, the texts, and what was wrong in it. */
const parser = `
import email, email.policy, json, sys
from email.header import decode_header, make_header
read = []
for raw in json.load(sys.stdin):
    mail = email.message_from_bytes(raw.encode(), policy=email.policy.default)
    people = lambda name: [a.addr_spec for a in mail[name].addresses]
    # The reader of addresses puts blanks between encoded words.
    sender = str(make_header(decode_header(email.message_from_bytes(raw.encode())["from"])))
    text = lambda kind: mail.get_body((kind,)).get_content().strip()
    head = raw.split("\\r\\n\\r\\n")[0]
    read.append(dict(headers=sorted(name.lower() for name in mail.keys()), subject=mail["subject"], sender=sender,
        senders=people("from"), to=people("to"), text=text("plain"), html=text("html"), defects=len(mail.defects),
        isPlain=head.isascii() and max(map(len, head.split("\\r\\n"))) < 998))
print(json.dumps(read))
`

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
    const inDoubt = { isAccepted: false, stage: "message", code: undefined } as const
    assert.deepInclude(await answers("holds", "held@example.com"), inDoubt)
    assert.deepInclude(await answers("drops", "dropped@example.com"), inDoubt)
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
  })

  it("writes names in every script as a parser of another language reads them, in headers that are as they were", async (context) => {
    if (lendingPython === undefined) return context.skip("python3 is not installed")
    for (const [at, script] of scripts.entries()) {
      const name = `${script}\r\nBcc: eve@example.com\r\n\r\n\u202e${script}\0\u2066${
        script.repeat(at === 0 ? 1 : 40)
      }\ud800`
      const from = { name: `${name}" <eve@example.com>,`, address: "licenses@acme.example" }
      const recipient = `script${at}@example.com`
      const answer = await Effect.runPromise(sender(server.url, from)(mailTo(recipient, name)))
      assert.isTrue(answer.isAccepted, answer.reply)
    }
    const raw = server.received.filter(({ recipient }) => recipient.startsWith("script")).map((mail) => mail.raw)
    const { stderr, stdout } = spawnSync(lendingPython.command, ["-c", parser], {
      env: lendingPython.env,
      input: JSON.stringify(raw),
      encoding: "utf8"
    })
    assert.strictEqual(stderr, "")
    const parsed: ReadonlyArray<unknown> = JSON.parse(stdout)
    assert.lengthOf(parsed, scripts.length)
    for (const [at, script] of scripts.entries()) {
      const shown = `${script} Bcc: eve@example.com ${script} ${script.repeat(at === 0 ? 1 : 40)}\ufffd`
      assert.deepStrictEqual(parsed[at], {
        headers: [
          "auto-submitted",
          "content-type",
          "date",
          "from",
          "message-id",
          "mime-version",
          "subject",
          "to"
        ],
        subject: shown,
        sender: `${shown}" <eve@example.com>, <licenses@acme.example>`,
        senders: ["licenses@acme.example"],
        to: [`script${at}@example.com`],
        text: "Hello",
        html: "<p>Hello</p>",
        defects: 0,
        isPlain: true
      })
    }
    assert.isUndefined(server.named.get("eve@example.com"))
  })
})
