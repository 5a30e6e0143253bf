import { assert, describe, it } from "@effect/vitest"
import { faultOf } from "../../../src/domain/mail/MailFault.ts"
import type { MailFault, MailStage } from "../../../src/domain/mail/MailFault.ts"

/** Replies as large servers write them, by whose fault they are: from their documentation and from public reports. */
const replies: Readonly<
  Record<Exclude<MailFault, "doubt">, ReadonlyArray<readonly [stage: MailStage, reply: string]>>
> = {
  us: [
    // Postfix, which delays the checks of client, sender and relay to RCPT unless told otherwise.
    ["recipient", "554 5.7.1 <ada@example.com>: Relay access denied"],
    ["recipient", "554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked using zen.spamhaus.org"],
    ["recipient", "554 5.7.1 <unknown[192.0.2.7]>: Client host rejected: Access denied"],
    ["recipient", "550 5.7.1 <licenses@acme.example>: Sender address rejected: not owned by user acme"],
    ["recipient", "553 5.7.1 <licenses@acme.example>: Sender address rejected: not logged in"],
    ["recipient", "450 4.7.1 <mail>: Helo command rejected: Host not found"],
    ["recipient", "550 5.1.8 <licenses@acme.example>: Sender address rejected: Domain not found"],
    ["recipient", "504 5.5.2 <mail>: Helo command rejected: need fully-qualified hostname"],
    ["recipient", "530 5.7.0 Must issue a STARTTLS command first"],
    ["recipient", "530 5.7.1 Authentication required"],
    ["recipient", "550 Relaying denied"],
    ["recipient", "550 relay not permitted"],
    // Google.
    ["message", "550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to"],
    [
      "message",
      "550-5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders"
    ],
    ["message", "550-5.7.25 The IP address sending this message does not have a PTR record setup"],
    ["recipient", "550 5.7.0 Mail relay denied [192.0.2.7]. Invalid credentials for relay"],
    // Microsoft.
    ["sender", "535 5.7.3 Authentication unsuccessful"],
    ["recipient", "550 5.7.60 SMTP; Client does not have permissions to send as this sender"],
    ["recipient", "550 5.7.606 Access denied, banned sending IP [192.0.2.7]"],
    ["recipient", "550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP"],
    ["message", "554 5.2.252 SendAsDenied; licenses@acme.example not allowed to send as other@acme.example"],
    // Others.
    ["message", "554 5.7.5 Permanent error evaluating DMARC policy"],
    ["message", "550 5.7.1 Email rejected per DMARC policy for acme.example"],
    [
      "message",
      "554 Message rejected: Email address is not verified. The following identities failed the check: sender"
    ],
    ["message", "550 5.7.23 The message was rejected because of Sender Policy Framework violation"],
    ["session", "554 5.7.1 No SMTP service here for 192.0.2.7"],
    ["session", "535 5.7.8 Error: authentication failed"],
    ["sender", "553 5.1.7 Sender address is not valid"]
  ],
  mailbox: [
    ["recipient", "550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table"],
    ["recipient", "550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking"],
    ["recipient", "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup"],
    ["recipient", "550 5.2.1 The email account that you tried to reach is disabled"],
    ["recipient", "550 No such user here"],
    ["recipient", "550 specialist@example.com unknown user"],
    ["recipient", "551 User not local"],
    ["recipient", "553 Mailbox name not allowed"],
    ["recipient", "556 5.1.10 The domain takes no mail"]
  ],
  message: [
    ["message", "550 5.1.1 No such user"],
    ["message", "554 Looks like spam"],
    ["message", "550 5.7.1 Message contains a virus"],
    ["message", "552 5.3.4 Message size exceeds fixed limit"],
    ["message", "554 5.6.0 Message content rejected"],
    ["recipient", "550 Requested action not taken"]
  ],
  moment: [
    ["recipient", "450 4.7.1 Greylisted, try again in 300 seconds"],
    ["recipient", "552 5.2.2 The recipient's mailbox is full"],
    ["recipient", "550 Mailbox full"],
    ["recipient", "421 4.3.2 Too many connections"],
    ["message", "451 4.3.0 Temporary failure"],
    ["recipient", "450 4.1.1 The user is unknown at present"]
  ]
}

const cases = Object.entries(replies).flatMap(([fault, rows]) =>
  rows.map(([stage, reply]) => [reply.startsWith("4") ? "moment" : fault, stage, reply] as const)
)

describe("the fault of a refusal", () => {
  it.each(cases)("is %s, at %s: %s", (fault, stage, reply) => {
    assert.strictEqual(faultOf({ isAccepted: false, stage, code: Number(reply.slice(0, 3)), reply }), fault)
  })

  it("is of a moment where nobody answered, and in doubt after the message", () => {
    const silent = (stage: MailStage) => faultOf({ isAccepted: false, stage, code: undefined, reply: "Timeout" })
    assert.deepStrictEqual((["session", "sender", "recipient", "message"] as const).map(silent), [
      "moment",
      "moment",
      "moment",
      "doubt"
    ])
  })

  it("of an address that cannot be written is of the one mail", () => {
    const reply = "The address is not one that mail is sent to"
    assert.strictEqual(faultOf({ isAccepted: false, stage: "recipient", code: 553, reply }), "message")
  })
})
