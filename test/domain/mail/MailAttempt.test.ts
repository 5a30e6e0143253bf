import { assert, describe, it } from "@effect/vitest"
import { isMailboxRefused, outcomeOf, restAfter, shownReply, triedHours } from "../../../src/domain/mail/MailFault.ts"
import type { MailAnswer, MailStage } from "../../../src/domain/mail/MailFault.ts"

const refused = (stage: MailStage, code?: number): MailAnswer => ({
  isAccepted: false,
  stage,
  code,
  reply: `${code ?? ""} no`
})
const taken: MailAnswer = { isAccepted: true, reply: "250 Ok" }

describe("an attempt to send a mail", () => {
  it.each([
    ["taken", taken, { is: "sent" }],
    ["no such user", refused("recipient", 550), { is: "failed", reason: "refused" }],
    ["refused for its content", refused("message", 554), { is: "failed", reason: "refused" }],
    ["greylisted", refused("recipient", 450), { is: "postponed", fault: "moment", bySeconds: 30 }],
    ["closed", refused("session", 421), { is: "postponed", fault: "moment", bySeconds: 30 }],
    ["not answered after the message", refused("message"), { is: "postponed", fault: "doubt", bySeconds: 120 }],
    ["a wrong password, which somebody mends", refused("session", 535), {
      is: "postponed",
      fault: "us",
      bySeconds: 30
    }],
    ["a sender that is not allowed, likewise", refused("sender", 553), { is: "postponed", fault: "us", bySeconds: 30 }]
  ])("%s", (_title, answer, outcome) => assert.deepStrictEqual(outcomeOf(answer, 1, 0), outcome))

  it("is tried again ever later, and given up after three days", () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 40].map((attempts) => outcomeOf(refused("recipient", 450), attempts, 1))
    assert.deepStrictEqual(
      delays.map((outcome) => outcome.is === "postponed" ? outcome.bySeconds : undefined),
      [30, 120, 600, 1_800, 3_600, 7_200, 14_400, 14_400, 14_400]
    )
    const doubted = [1, 2, 3, 4, 5, 6].map((attempts) => outcomeOf(refused("message"), attempts, 1))
    assert.deepStrictEqual(
      doubted.map((outcome) => outcome.is === "postponed" ? outcome.bySeconds : undefined),
      [120, 600, 7_200, 21_600, 86_400, 86_400],
      "seven times at most"
    )
    assert.deepStrictEqual(outcomeOf(refused("session"), 30, triedHours), { is: "failed", reason: "gave_up" })
    assert.deepStrictEqual(outcomeOf(taken, 30, triedHours), { is: "sent" })
  })

  it("lets the mailbox rest after answers that took nothing, and not for one that is final", () => {
    assert.deepStrictEqual([1, 2, 3, 20].map((inARow) => restAfter(refused("session", 421), inARow)), [1, 2, 4, 300])
    assert.deepStrictEqual([1, 5, 20].map((inARow) => restAfter(refused("recipient", 450), inARow)), [1, 10, 10])
    assert.strictEqual(restAfter(refused("recipient", 421), 20), 300)
    assert.deepStrictEqual([taken, refused("recipient", 550)].map((answer) => restAfter(answer, 20)), [0, 0])
  })
})

describe("a mailbox", () => {
  const answered = (reply: string, stage: MailStage = "recipient"): MailAnswer => ({
    isAccepted: false,
    stage,
    code: Number(reply.slice(0, 3)),
    reply
  })

  it.each([
    "550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table",
    "550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking",
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",
    "550 5.2.1 The email account that you tried to reach is disabled",
    "550 No such user here",
    "550 specialist@example.com unknown user",
    "551 User not local",
    "553 Mailbox name not allowed"
  ])("is refused for good: %s", (reply) => assert.isTrue(isMailboxRefused(answered(reply))))

  it.each([
    "550 5.7.1 Message rejected by our policy",
    "550 5.7.26 This mail has been blocked because the sender is unauthenticated",
    "550 Relay access denied for this recipient",
    "550 5.7.606 Access denied, banned sending IP",
    "550 Mailbox access refused: listed by zen.spamhaus.org",
    "550 Requested action not taken",
    "552 5.2.2 The recipient's mailbox is full",
    "552 5.3.4 Message size exceeds the limit of the mailbox",
    "554 5.7.1 Service unavailable; Client host blocked",
    "530 5.7.0 Authentication required",
    "450 4.1.1 The user is unknown at present",
    "503 5.5.1 No such command of this user"
  ])("is not, by a reply about us or a moment: %s", (reply) => assert.isFalse(isMailboxRefused(answered(reply))))

  it("is refused at RCPT alone, and by a server", () => {
    assert.isFalse(isMailboxRefused(answered("550 5.1.1 No such user", "message")))
    assert.isFalse(isMailboxRefused(answered("553 5.1.8 No such user", "sender")))
    assert.isFalse(
      isMailboxRefused({
        isAccepted: false,
        stage: "recipient",
        code: 553,
        reply: "The address is not one that mail is sent to"
      })
    )
    assert.isFalse(isMailboxRefused(taken))
  })
})

describe("a reply of a mail server", () => {
  it("is kept to 500 characters that a database and JSON take", () => {
    const shown = shownReply({ isAccepted: true, reply: `250 \0ok \ud800${"x".repeat(489)}\u{1f600}` })
    assert.isAtMost(shown.length, 500)
    assert.isTrue(shown.isWellFormed())
    assert.notInclude(shown, "\0")
  })
})
