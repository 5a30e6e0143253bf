import type { MailFailure } from "./Mail.ts"

/** How far an attempt came: to no session, or to the sender, the recipient or the message of one. */
export type MailStage = "session" | "sender" | "recipient" | "message"

/** How a mail server answered an attempt. */
export type MailAnswer =
  | { readonly isAccepted: true; readonly reply: string }
  | {
    readonly isAccepted: false
    readonly stage: MailStage
    /** The code of the reply (RFC 5321 section 4.2); undefined where there was none. */
    readonly code: number | undefined
    /** The reply, or what went wrong. */
    readonly reply: string
  }

/** What follows from an answer. */
export type MailOutcome =
  | { readonly is: "sent" }
  | { readonly is: "failed"; readonly reason: MailFailure }
  | { readonly is: "postponed"; readonly bySeconds: number }

/** The longest reply that is kept: a server may write what it likes. */
const longestReply = 500

/** A reply as it is kept and shown. */
export const shownReply = ({ reply }: MailAnswer): string =>
  reply.toWellFormed().replaceAll("\0", "").slice(0, longestReply).toWellFormed()

/** How long a mail is tried, in hours. */
export const triedHours = 72

/** How long a node has for an attempt, in seconds: twice what one takes at most. Then another node may try. */
export const claimSeconds = 120

/** The pauses after the attempts of a mail, in seconds; the last one repeats. */
const pauses = [30, 120, 600, 1_800, 3_600, 7_200, 14_400] as const

/** The longest of these pauses, in seconds. */
export const longestPause = pauses[6]

/** The longest rests of the mailbox, in seconds: after an answer about one recipient, and about anything else. */
const longestRest = { recipient: 10, other: 300 } as const

/**
 * Whether an answer is about the mail itself, and for good. A server that refuses the sender or the session refuses every
 * mail: that is a matter of settings, which somebody mends, so the mail waits.
 */
const isFinal = (answer: Exclude<MailAnswer, { isAccepted: true }>): boolean =>
  (answer.stage === "recipient" || answer.stage === "message") && answer.code !== undefined && answer.code >= 500

/** The beginning of a reply: its code, and the enhanced status code of RFC 3463, where it has one. */
const replyCodes = /^(\d{3})[ -](?:(\d\.\d{1,3}\.\d{1,3})\b)?/

/**
 * The enhanced codes of a mailbox that there is not, or not any more: no such mailbox, no such domain, a bad address, moved, a
 * domain that takes no mail, and a mailbox that was closed (RFC 3463, and RFC 7505 for 5.1.10).
 */
const mailboxCodes: ReadonlySet<string> = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"])

/** The codes that RFC 5321 has for a mailbox: unknown, not local, and a name that cannot be. Others use 550 for all they refuse. */
const barelyMailbox: ReadonlySet<string> = new Set(["550", "551", "553"])

/** What a reply without an enhanced code says where it is about us, our mail or a moment, and not about the mailbox. */
const aboutUs =
  /spam|polic|block|deny|denied|reputation|relay|auth|spf|dkim|dmarc|sender|client|host|\bip\b|list|size|large|quota|full|rate\b|limit|exceed|tls|again|tempor|virus|content/i

/** What it says where it is about the mailbox. */
const aboutMailbox = /user|mailbox|recipient|address|account|@/i

/**
 * Whether an answer says that there is no such mailbox: a permanent refusal of the recipient that names it. One that is about us, such as
 * a policy, spam, a size or a sign-in, says nothing of the mailbox, and neither does one of this process.
 */
export const isMailboxRefused = (answer: MailAnswer): boolean => {
  if (answer.isAccepted || answer.stage !== "recipient") return false
  const [, code = "", enhanced] = replyCodes.exec(answer.reply) ?? []
  if (code !== String(answer.code)) return false
  if (enhanced !== undefined) return mailboxCodes.has(enhanced)
  return barelyMailbox.has(code) && aboutMailbox.test(answer.reply) &&
    !aboutUs.test(answer.reply.replaceAll(/\S+@\S+/g, ""))
}

/** What follows from the answer to the attempt of this number, of a mail that has waited for so many hours. */
export const outcomeOf = (answer: MailAnswer, attempts: number, hours: number): MailOutcome => {
  if (answer.isAccepted) return { is: "sent" }
  if (isFinal(answer)) return { is: "failed", reason: "refused" }
  if (hours >= triedHours) return { is: "failed", reason: "gave_up" }
  return { is: "postponed", bySeconds: pauses[Math.min(attempts, pauses.length) - 1] ?? pauses[0] }
}

/**
 * How long the mailbox rests after so many answers in a row that took nothing, in seconds: 421 and 450 also ask for a slower
 * pace, and a server that is away is not asked for each mail that waits.
 */
export const restAfter = (answer: MailAnswer, inARow: number): number => {
  if (answer.isAccepted || isFinal(answer)) return 0
  const most = answer.stage === "recipient" && answer.code !== 421 ? longestRest.recipient : longestRest.other
  return Math.min(2 ** (inARow - 1), most)
}
