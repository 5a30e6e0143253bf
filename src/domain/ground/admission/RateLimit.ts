import { Brand } from "effect"
import { failing, RateLimited } from "../wire/Errors.ts"

/**
 * What is limited: failed authentications, failed sign-ins and new trials of an address, requests of an address, a license key and a
 * token, tests of a webhook endpoint, sign-ins that an address begins, samples of mails that a person asks for, links
 * into the portal that are asked for with an address, mails to a user, mails to the users of a license,
 * and invitations that customers have mailed to an address and for a license.
 */
export type LimitName =
  | "authentication"
  | "sign_in_failures"
  | "address"
  | "key"
  | "token"
  | "trials"
  | "webhook_tests"
  | "sign_ins"
  | "mail_samples"
  | "portal_links"
  | "user_mails"
  | "license_mails"
  | "invitations"
  | "license_invitations"

/** Limits on failures of an address: those of programs, and apart from them those of people who sign in. */
export type FailureLimit = Extract<LimitName, "authentication" | "sign_in_failures">

/** Limits on mails to an address. */
export type MailLimit = Extract<LimitName, "portal_links" | "user_mails" | "invitations">

/** Whose mails are counted. It is made where mailboxes are told apart (`services/mail/MailPace`), so that no limit counts addresses as written. */
export type MailSubject = string & Brand.Brand<"MailSubject">
export const MailSubject = Brand.nominal<MailSubject>()

/** What is charged to a limit. */
export type SubjectOf<Name extends LimitName> = Name extends MailLimit ? MailSubject : string

/** A limit as a token bucket: `burst` at once, and `perSecond` from then on. */
export interface RateLimit {
  readonly name: LimitName
  readonly burst: number
  readonly perSecond: number
}

/** How much of a bucket is spent, at an instant in milliseconds. It refills with time. */
export interface Spent {
  readonly amount: number
  readonly at: number
}

/** What is still spent of a bucket at an instant in milliseconds. */
export const spentAt = ({ perSecond }: RateLimit, { amount, at }: Spent, now: number): number =>
  Math.max(0, amount - Math.max(0, now - at) / 1000 * perSecond)

/** An exhausted limit, as its caller is told of it. */
export interface Exceeded {
  readonly limit: RateLimit
  /** How much of the bucket is spent. */
  readonly spent: number
}

const exceeded = new WeakMap<RateLimited, Exceeded>()

/** The refusal of a caller who has reached a limit. */
export const rateLimited = (message: string, how: Exceeded): RateLimited => {
  const error = failing(RateLimited, message)
  exceeded.set(error, how)
  return error
}

/**
 * The headers of a 429: Retry-After in whole seconds (RFC 9110 section 10.2.3), and RateLimit-Policy and RateLimit
 * (draft-ietf-httpapi-ratelimit-headers): the policy's quota `q` and window `w` in seconds, what remains `r`, and in
 * how many seconds `t` there is quota again. Empty for a refusal that has no limit behind it.
 */
export const rateLimitHeaders = (error: object): Readonly<Record<string, string>> => {
  const how = exceeded.get(error as RateLimited)
  if (how === undefined) return { "retry-after": "60" }
  const { limit: { burst, name, perSecond }, spent } = how
  const wait = Math.max(1, Math.ceil((spent - (burst - 1)) / perSecond))
  return {
    "retry-after": String(wait),
    "ratelimit-policy": `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    ratelimit: `"${name}";r=${Math.max(0, Math.floor(burst - spent))};t=${wait}`
  }
}
