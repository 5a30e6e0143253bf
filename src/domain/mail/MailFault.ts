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

export type MailRefusal = Exclude<MailAnswer, { isAccepted: true }>

/** The answer of a server that has not answered in time, before it took the message. */
export const unanswered: MailRefusal = {
  isAccepted: false,
  stage: "session",
  code: undefined,
  reply: "The mail server did not respond in time"
}

/**
 * Whose fault a refusal is. `moment`: of a moment, which passes. `doubt`: the whole message was handed over, and nobody said what
 * became of it. `us`: of the vendor's own mail server, sender or domain, which somebody mends: it would refuse every mail. `mailbox`:
 * there is no such mailbox. `message`: this one mail is not wanted.
 */
export type MailFault = "moment" | "doubt" | "us" | "mailbox" | "message"

/** The beginning of a reply: its code, and the enhanced status code of RFC 3463, where it has one. */
const replyCodes = /^(\d{3})[ -](?:(\d\.\d{1,3}\.\d{1,3})\b)?/

/**
 * The faults of enhanced codes that say whose it is. Mailboxes: no such mailbox, no such domain, a bad address, moved, a domain that takes
 * no mail (RFC 7505), and a mailbox that was closed. A full one is emptied. Us: the sender's address and domain, the size of all
 * mails, a limit of the sender, a sign-in, and what authenticates a sender (RFC 7372 and RFC 7489).
 */
const byCode: Readonly<Record<string, MailFault>> = {
  "5.1.1": "mailbox",
  "5.1.2": "mailbox",
  "5.1.3": "mailbox",
  "5.1.6": "mailbox",
  "5.1.10": "mailbox",
  "5.2.1": "mailbox",
  "5.2.2": "moment",
  "5.1.7": "us",
  "5.1.8": "us",
  "5.3.5": "us",
  "5.4.5": "us",
  "5.5.1": "us",
  "5.5.2": "us",
  "5.7.0": "us",
  "5.7.3": "us",
  "5.7.8": "us",
  "5.7.9": "us",
  "5.7.14": "us",
  "5.7.20": "us",
  "5.7.21": "us",
  "5.7.22": "us",
  "5.7.23": "us",
  "5.7.24": "us",
  "5.7.25": "us",
  "5.7.26": "us",
  "5.7.27": "us",
  "5.7.60": "us"
}

/** The codes that RFC 5321 and RFC 4954 have for a client that is not signed in, and RFC 7504 for a domain without mail. */
const byPlainCode: Readonly<Record<string, MailFault>> = {
  "530": "us",
  "534": "us",
  "535": "us",
  "538": "us",
  "521": "us",
  "551": "mailbox",
  "556": "mailbox"
}

/**
 * What large servers write where they refuse whoever sends: relays, blocked clients, names and addresses of servers, senders that are not
 * theirs or not authenticated, lists, policies, and limits of a sender. Postfix delays all of these to RCPT unless told otherwise.
 */
const aboutUs =
  /relay|client|helo|ehlo|reverse|\bptr\b|rdns|\bip\b|\bhost\b|block|black ?list|\blists?\b|listed|banned|reputation|polic|deny|denied|not allowed to send|not authori[sz]ed|unauth|authenticat|\bauth\b|sender|spf|dkim|dmarc|\btls\b|encrypt|daily|limit|exceed|quota|rate\b|too many|suspended|account.*disabled/i

/** What they write about one mail alone. */
const aboutMessage = /spam|virus|malware|phish|content|attach|size|large|url|link|header/i

/** What they write where a moment passes, though the code says otherwise. */
const aboutMoment = /mailbox (is )?full|over ?quota|try again|again later|tempor|out of storage/i

/** What they write where there is no such mailbox. */
const aboutMailbox = /user|mailbox|recipient|address|account|@/i

/** Whose fault a permanent refusal is by its words, where its codes do not say. */
const byWords = (stage: MailStage, plain: string, words: string): MailFault => {
  if (aboutMoment.test(words)) return "moment"
  if (stage === "message" && aboutMessage.test(words)) return "message"
  // Addresses name people, and none of what a server means.
  if (aboutUs.test(words.replaceAll(/\S+@\S+/g, ""))) return "us"
  return stage === "recipient" && (plain === "550" || plain === "553") && aboutMailbox.test(words)
    ? "mailbox"
    : "message"
}

/** Whose fault a refusal is. What a server refuses before it hears of a recipient, it refuses for every mail. */
export const faultOf = ({ code, reply, stage }: MailRefusal): MailFault => {
  if (code === undefined) return stage === "message" ? "doubt" : "moment"
  if (code < 500) return "moment"
  if (stage === "session" || stage === "sender") return "us"
  const [start = "", plain = "", enhanced] = replyCodes.exec(reply) ?? []
  // A reply that is not a server's, such as our own about an address that cannot be written, is about the one mail.
  if (plain !== String(code)) return "message"
  const said = enhanced === undefined ? byPlainCode[plain] : byCode[enhanced]
  const judged = said ?? byWords(stage, enhanced === undefined ? plain : "", reply.slice(start.length))
  // Who takes a mail and then says that there is no mailbox refuses this one: relays answer so for what is behind them.
  return judged === "mailbox" && stage !== "recipient" ? "message" : judged
}

/** What follows from an answer. */
export type MailOutcome =
  | { readonly is: "sent" }
  | { readonly is: "failed"; readonly reason: MailFailure }
  | { readonly is: "postponed"; readonly fault: MailFault; readonly bySeconds: number }

/** The longest reply that is kept: a server may write what it likes. */
const longestReply = 500

/** A reply as it is kept and shown. */
export const shownReply = ({ reply }: MailAnswer): string =>
  reply.toWellFormed().replaceAll("\0", "").slice(0, longestReply).toWellFormed()

/** How long a mail is tried, in hours. */
export const triedHours = 72

/** How long a node has claimed a mail, in seconds, while it says so again each {@link claimedAgainSeconds}. Then another node may try. */
export const claimSeconds = 120
export const claimedAgainSeconds = 40

/** The pauses after the attempts of a mail, in seconds; the last one repeats. */
const pauses = [30, 120, 600, 1_800, 3_600, 7_200, 14_400] as const

/**
 * The pauses of a mail that may have arrived, in seconds: soon at first, because a connection may have broken, and then rarely, because each
 * attempt may be one mail more.
 */
const pausesInDoubt = [120, 600, 7_200, 21_600, 86_400] as const

/** The longest of these pauses, in seconds. */
export const longestPause = pausesInDoubt[4]

/** The longest rests of the mailbox, in seconds: after an answer about one recipient, and about anything else. */
const longestRest = { recipient: 10, other: 300 } as const

/** The faults that end a mail: nothing mends them. */
const isFinal = (fault: MailFault): boolean => fault === "mailbox" || fault === "message"

/** Whether an answer says that there is no such mailbox. */
export const isMailboxRefused = (answer: MailAnswer): boolean => !answer.isAccepted && faultOf(answer) === "mailbox"

const pauseAfter = (fault: MailFault, attempts: number): number => {
  const steps: ReadonlyArray<number> = fault === "doubt" ? pausesInDoubt : pauses
  return steps[Math.min(attempts, steps.length) - 1] ?? steps[0] ?? 0
}

/** What follows from the answer to the attempt of this number, of a mail that has waited for so many hours. */
export const outcomeOf = (answer: MailAnswer, attempts: number, hours: number): MailOutcome => {
  if (answer.isAccepted) return { is: "sent" }
  const fault = faultOf(answer)
  if (isFinal(fault)) return { is: "failed", reason: "refused" }
  if (hours >= triedHours) return { is: "failed", reason: "gave_up" }
  return { is: "postponed", fault, bySeconds: pauseAfter(fault, attempts) }
}

/**
 * How long the mailbox rests after so many answers in a row that took nothing, in seconds: 421 and 450 also ask for a slower
 * pace, and a server that is away is not asked for each mail that waits.
 */
export const restAfter = (answer: MailAnswer, inARow: number): number => {
  if (answer.isAccepted || isFinal(faultOf(answer))) return 0
  const most = answer.stage === "recipient" && answer.code !== 421 ? longestRest.recipient : longestRest.other
  return Math.min(2 ** (inARow - 1), most)
}
