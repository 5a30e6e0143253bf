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
