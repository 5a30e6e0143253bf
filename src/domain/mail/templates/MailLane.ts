import { MailKind } from "../Mail.ts"
import { mailDeclarations } from "./MailTemplates.ts"

/**
 * The lanes of mails, each with sessions of its own at the mail server: a link, a code, a key or an invitation that somebody waits for
 * never stands behind notices.
 */
export type MailLane = "awaited" | "notices"

/** How many sessions each lane has. Large relays take three at once from a sender. */
export const sessionsOf: Readonly<Record<MailLane, number>> = { awaited: 2, notices: 1 }

/** The lane of a kind of mail. An invitation is a notice to who opted out of them, and awaited by who invites. */
export const laneOf = (kind: MailKind): MailLane =>
  kind !== "user_invited" && mailDeclarations[kind].isNotice ? "notices" : "awaited"

/** The kinds of mails of a lane. */
export const kindsIn = (lane: MailLane): ReadonlyArray<MailKind> =>
  MailKind.literals.filter((kind) => laneOf(kind) === lane)
