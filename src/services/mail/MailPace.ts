import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { MailSubject } from "../../domain/ground/admission/RateLimit.ts"
import type { MailLimit } from "../../domain/ground/admission/RateLimit.ts"
import type { RateLimited } from "../../domain/ground/wire/Errors.ts"
import { mailboxOf } from "../../domain/mail/Mailbox.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { Vault } from "../keys/security/Vault.ts"

/** How many mails are asked for: to a mailbox, which is counted by a keyed hash of it, and by somebody. */
export interface MailPace {
  /** Charges a mail to the mailbox of an address, however it is written; those `of` something, as a license, are counted apart. */
  readonly to: (name: MailLimit, email: string, of?: string) => Effect.Effect<void, RateLimited>
  /** Charges a mail to who has it sent. */
  readonly by: (name: MailLimit, sender: string) => Effect.Effect<void, RateLimited>
}

/** Makes the one place that charges mails to addresses. */
export const makeMailPace: Effect.Effect<MailPace, never, RateLimits | Vault> = Effect.gen(function*() {
  const limits = yield* RateLimits
  const vault = yield* Vault
  const hashOf = (email: string) => Hex.encode(vault.keyedHash("mailbox", mailboxOf(email)))
  return {
    to: (name, email, of = "mailbox") => limits.request(name, MailSubject(`${of} ${hashOf(email)}`)),
    by: (name, sender) => limits.request(name, MailSubject(`by ${sender}`))
  }
})
