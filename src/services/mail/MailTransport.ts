import { Context } from "effect"
import type { Effect } from "effect"
import type { MailAnswer } from "../../domain/mail/MailFault.ts"
import type { MailContent } from "../../domain/mail/templates/MailTemplates.ts"

/** A mail as it is handed to a mail server. */
export interface OutgoingMail extends MailContent {
  /** The same in each attempt, so that a mail that arrives twice is seen to be one. */
  readonly messageId: string
  readonly recipient: string
  /** Where the recipient of a notice opts out, also by a POST of the mail program (RFC 8058); undefined in other mails. */
  readonly unsubscribeUrl?: string | undefined
}

/** Hands mails to a mail server. */
export class MailTransport extends Context.Service<MailTransport, {
  /** One attempt, which may take as long as RFC 5321 has a client wait. It never fails: what goes wrong is an answer. */
  readonly send: (mail: OutgoingMail) => Effect.Effect<MailAnswer>
}>()("countersign/services/mail/MailTransport") {}
