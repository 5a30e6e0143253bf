import { Schema } from "effect"
import { bigCount, count, field, optional, Timestamp } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"

/** The occasion of a mail to the owner of a license, which a policy switches on. */
const PolicyMailKind = Schema.Literals([
  "license_issued",
  "key_changed",
  "license_expiring",
  "license_expired",
  "quota_threshold",
  "device_added",
  "payment_failed",
  "user_invited"
]).annotate({
  identifier: "PolicyMailKind",
  description:
    "The occasion of a mail to a customer. `license_issued`: a license was issued; the mail has its key. `key_changed`: the key was " +
    "rotated; the mail has the new one. `license_expiring`: the license expires in as many days as `expiring_days` says, and " +
    "follows no subscription that renews by itself. " +
    "`license_expired`: the license expired, or entered its grace period. `quota_threshold`: usage reached a threshold of a quota. " +
    "`device_added`: a device took a seat for the first time. `payment_failed`: the subscription of the license is past due. " +
    "`user_invited`: a person was invited to use the license by an email address, to which the mail goes."
})

/** What a mail to a customer is about. */
export const MailKind = Schema.Literals([
  ...PolicyMailKind.literals,
  "portal_link",
  "user_sign_in",
  "license_transfer",
  "license_continued"
])
  .annotate({
    identifier: "MailKind",
    description:
      "The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom " +
      "you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to " +
      "the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key " +
      "was mailed before, and no longer works."
  })
export type MailKind = typeof MailKind.Type

/** What a mail repeats of its event, as JSON: texts, numbers, and instants in ISO 8601. */
export type MailDetails = Readonly<Record<string, string | number>>

const mailsText = "The mails that the service sends to the owners of licenses under the policy."

/** The mails that a policy has sent, as it shows them. */
export const PolicyMails = Schema.Array(PolicyMailKind).annotate({ description: `${mailsText} Absent: none.` })

/** The same as it is given. */
export const PolicyMailsInput = Schema.NullOr(
  Schema.Array(PolicyMailKind).check(Schema.isMinLength(1), Schema.isUnique())
).annotate({
  description:
    `${mailsText} Absent: none. Needs COUNTERSIGN_SMTP_URL. Bulk requests and imports send none. \`null\` clears it.`
})

/** Why a mail was not sent. */
export const MailFailure = Schema.Literals([
  "refused",
  "gave_up",
  "bounced",
  "opted_out",
  "suppressed",
  "recipient_changed",
  "key_changed",
  "license_ended",
  "outdated"
])
  .annotate({
    identifier: "MailFailure",
    description:
      "`refused`: the mail server permanently refused the address or the mail. `gave_up`: no attempt of three days succeeded. " +
      "`bounced`, `opted_out`, `suppressed`: the address is suppressed, because the mailbox was refused before, because the recipient " +
      "takes no notices, or by hand; nothing was sent. " +
      "`recipient_changed`, `key_changed`, `license_ended`: the license got another address or another key, or was revoked or suspended, " +
      "before the mail was sent. `outdated`: what the mail was to say no longer holds, such as the expiry of a license that was renewed, or a link that is over."
  })
export type MailFailure = typeof MailFailure.Type

const attempted = {
  kind: MailKind,
  recipient: optional(
    Schema.String,
    "The address of the recipient; absent in `license_transfer`, whose recipient is no customer yet, in a mail to who owned the license before, and once it was erased."
  ),
  attempts: field(count(0), "Number of attempts to send the mail."),
  reply: optional(Schema.String, "The last reply of the mail server; absent where `recipient` is, and without one.")
}

const shared = { license_id: Id.text("lic"), ...attempted }

/** What the event of a mail that a mail server took says. */
export const MailSent = Schema.Struct(shared).annotate({
  identifier: "MailSentEventData",
  description: "A mail server accepted a mail to the owner of a license. The event does not have its text.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    kind: "license_issued",
    recipient: "ada@example.com",
    attempts: 1,
    reply: "250 2.0.0 Ok: queued as 4XK2"
  }]
})
export type MailSent = typeof MailSent.Type

/** What the event of a mail that will not be sent says. */
export const MailFailed = Schema.Struct({ ...shared, reason: MailFailure }).annotate({
  identifier: "MailFailedEventData",
  description: "A mail to the owner of a license was not sent, and is not tried again.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    kind: "license_issued",
    recipient: "ada@example.com",
    attempts: 1,
    reason: "refused",
    reply: "550 5.1.1 No such user"
  }]
})
export type MailFailed = typeof MailFailed.Type

const ofCustomer = { customer_id: Id.text("cus"), ...attempted }

const customerExample = {
  customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
  kind: "portal_link",
  recipient: "ada@example.com",
  attempts: 1
} as const

/** What the event of a mail that a mail server took says, of one that is about no license. */
export const CustomerMailSent = Schema.Struct(ofCustomer).annotate({
  identifier: "CustomerMailSentEventData",
  description: "A mail server accepted a mail to a customer. The event does not have its text.",
  examples: [{ ...customerExample, reply: "250 2.0.0 Ok: queued as 4XK2" }]
})

/** What the event of a mail that will not be sent says, of one that is about no license. */
export const CustomerMailFailed = Schema.Struct({ ...ofCustomer, reason: MailFailure }).annotate({
  identifier: "CustomerMailFailedEventData",
  description: "A mail to a customer was not sent, and is not tried again.",
  examples: [{ ...customerExample, reason: "refused", reply: "550 5.1.1 No such user" }]
})

/** How mails are sent, and what waits. */
export const MailSettings = Schema.Struct({
  is_configured: field(
    Schema.Boolean,
    "Whether mails are sent: `COUNTERSIGN_SMTP_URL` is set, and in the test environment `COUNTERSIGN_MAIL_TEST_ADDRESSES`. " +
      "Without it no mail is queued."
  ),
  is_portal_on: field(
    Schema.Boolean,
    "Whether the portal of this environment is on: `COUNTERSIGN_PORTAL` is set, and it is the live one. With mails, customers get " +
      "links into it."
  ),
  from: optional(Schema.String, "The sender: `COUNTERSIGN_MAIL_FROM`."),
  only_to: optional(
    Schema.Array(Schema.String),
    "The only addresses that get mails of this environment: `COUNTERSIGN_MAIL_TEST_ADDRESSES`. Absent in the live environment."
  ),
  queued: field(bigCount(0), "Mails that were not sent yet."),
  oldest_queued_at: optional(Timestamp, "When the oldest of them was queued."),
  last_reply: optional(Schema.String, "The last reply about one of them, or what went wrong."),
  refused: optional(
    Schema.Struct({
      queued: field(bigCount(1), "How many mails wait for it to be mended."),
      last_reply: field(Schema.String, "The last reply to one of them.")
    }).annotate({
      identifier: "MailRefusal",
      description: "A refusal of the mail server that is about your server, sender or domain, and not about a mailbox.",
      examples: [{ queued: 3, last_reply: "554 5.7.1 Relay access denied" }]
    }),
    "Present while mails wait because the mail server refuses you: they are sent once it is mended, within three days."
  )
}).annotate({
  identifier: "MailSettings",
  description: "How mails to customers are sent. It is read from the environment of the process, and changed there.",
  examples: [{ is_configured: true, is_portal_on: true, from: "Acme Licenses <licenses@example.com>", queued: 0 }]
})
export type MailSettings = typeof MailSettings.Type
