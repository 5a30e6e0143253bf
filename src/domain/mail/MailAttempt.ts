import type { MailFailure } from "./Mail.ts"
import { faultOf } from "./MailFault.ts"
import type { MailAnswer, MailFault } from "./MailFault.ts"

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
