import { Schema } from "effect"
import { CreatedAt, Email, field, optional } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import type { MailFailure } from "./Mail.ts"

/** Why an address gets no mails. */
export const MailSuppressionReason = Schema.Literals(["bounced", "opted_out", "by_hand"]).annotate({
  identifier: "MailSuppressionReason",
  description:
    "`bounced`: a mail server permanently refused the mailbox. `opted_out`: the recipient takes no notices. `by_hand`: the vendor " +
    "sends nothing there."
})
export type MailSuppressionReason = typeof MailSuppressionReason.Type

const Coverage = Schema.Literals(["everything", "notices"]).annotate({
  identifier: "MailSuppressionCoverage",
  description:
    "The reach of a suppression. `everything`: no mail is sent. `notices`: no notice is. A mail that its recipient asks for, such as one with a license key, is no notice."
})

/** The mails that a reason keeps from an address. */
export const coverageOf: Readonly<Record<MailSuppressionReason, typeof Coverage.Type>> = {
  bounced: "everything",
  opted_out: "notices",
  by_hand: "everything"
}

/** The reasons that keep a mail from an address: of a notice, all. */
export const reasonsAgainst = (isNotice: boolean): ReadonlyArray<MailSuppressionReason> =>
  MailSuppressionReason.literals.filter((reason) => isNotice || coverageOf[reason] === "everything")

/** How a mail ends that a suppression keeps from its recipient. */
export const failureOf: Readonly<Record<MailSuppressionReason, MailFailure>> = {
  bounced: "bounced",
  opted_out: "opted_out",
  by_hand: "suppressed"
}

const Author = Schema.Struct({
  type: field(
    Schema.Literals(["api_key", "customer", "person", "system"]),
    "Whether an API key, the customer, a person or the service did it."
  ),
  id: field(Schema.String, "The ID of the API key, customer or person; of a license without a customer, its ID.")
}).annotate({
  identifier: "MailSuppressionAuthor",
  description: "The author of a suppression.",
  examples: [{ type: "system", id: "countersign" }]
})

const covers = field(Coverage, "The mails that are not sent.")

const shared = { id: Id.text("sup"), reason: MailSuppressionReason, created_at: CreatedAt }

const example = {
  id: Id.exampleOf("sup"),
  reason: "bounced" as const,
  covers: "everything" as const,
  created_at: "2026-11-21T10:30:00.000Z"
}

const stored = {
  ...shared,
  address: optional(
    Schema.String,
    "The address; absent once its customer was erased, and where it was changed before its owner unsubscribed. It stays " +
      "suppressed by a keyed digest."
  ),
  reply: optional(Schema.String, "The reply of the mail server; absent without one, or once it was erased."),
  created_by: Author
}

/** A suppression as it is stored: what it covers follows from its reason. */
export const StoredSuppression = Schema.Struct(stored)

/** An address that gets no mails, or no notices. */
export const MailSuppression = Schema.Struct({ ...stored, covers }).annotate({
  identifier: "MailSuppression",
  description: "An address that gets no mails, or no notices.",
  examples: [{
    ...example,
    address: "ada@example.com",
    reply: "550 5.1.1 No such user",
    created_by: { type: "system", id: "countersign" }
  }]
})
export type MailSuppression = typeof MailSuppression.Type

/** A {@link MailSuppression} in a request. */
export const MailSuppressionCreate = Schema.Struct({
  address: field(Email, "The address, at most 320 characters; not case-sensitive."),
  reason: optional(MailSuppressionReason, "Default: `by_hand`. The others are for lists that are brought along.")
}).annotate({
  identifier: "MailSuppressionCreateRequest",
  description: "An address that is to get no mails, or no notices.",
  examples: [{ address: "ada@example.com" }]
})
export type MailSuppressionCreate = typeof MailSuppressionCreate.Type

/** What an event says of a suppression: not the address, so that nothing of it is left to be erased. */
export const MailSuppressionInEvent = Schema.Struct({ ...shared, covers }).annotate({
  identifier: "MailSuppressionEventData",
  description:
    "A suppression. The event does not have the address: GET /api/v1/settings/mail/suppressions/{id} tells it.",
  examples: [example]
})
export type MailSuppressionInEvent = typeof MailSuppressionInEvent.Type
