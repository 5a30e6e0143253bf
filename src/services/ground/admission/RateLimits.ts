import { Clock, Context, Effect, Layer, Metric, Schedule } from "effect"
import { rateLimited, spentAt } from "../../../domain/ground/admission/RateLimit.ts"
import type { FailureLimit, LimitName, RateLimit, SubjectOf } from "../../../domain/ground/admission/RateLimit.ts"
import type { RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { QuestionSql } from "../platform/DatabaseHealthSql.ts"
import { fromStartBy } from "../platform/SeriesFromStart.ts"
import { Settings } from "../platform/Settings.ts"
import { Hint, periodically, supervised } from "../platform/Supervised.ts"
import { deleteForgotten, insertSpent } from "./AdmissionSql.ts"
import type { Spent } from "./AdmissionSql.ts"

/** Buckets kept in memory for each limit. */
const maximumBuckets = 50_000

/** How many of the oldest buckets compete for eviction when the memory is full. */
const candidates = 50

/** The interval at which nodes share what was spent, in milliseconds. */
const shareEvery = 250

/** The seconds of the rate that may be spent as one burst. */
const requestWindow = 10

/** How often a webhook endpoint may be tested in a minute: whoever writes its receiver tries a few times in a row. */
const testsPerMinute = 10

/** How many sign-ins may be begun in a minute from one address, such as that of an office. */
const signInsPerMinute = 60

/** How many samples of mails a person may ask for in a minute. */
const samplesPerMinute = 10

/** Spending below this fraction of the rate is not shared with other nodes. */
const worthSharing = 1 / 16

/** How many links into the portal may be asked for with one address in an hour. */
const linksPerHour = 10

/** How many mails may be asked for to a user of a license in an hour, and to all users of one. */
const userMailsPerHour = 10
const licenseMailsPerHour = 600

/** How many invitations customers may have mailed to an address in an hour, and for one license: who gets them has not asked for them. */
const invitationsPerHour = 5
const licenseInvitationsPerHour = 30

interface Bucket {
  spent: number
  at: number
  /** The amount not yet shared with other nodes. */
  unshared: number
}

interface Limited {
  readonly limit: RateLimit
  readonly buckets: Map<string, Bucket>
  /** Subjects charged since the last exchange with other nodes. */
  readonly touched: Set<string>
}

const limited = (name: LimitName, burst: number, perSecond: number): Limited => ({
  limit: { name, burst, perSecond },
  buckets: new Map(),
  touched: new Set()
})

/** A limit of requests: the burst is what the window has. */
const ofRequests = (name: LimitName, perSecond: number): Limited => limited(name, perSecond * requestWindow, perSecond)

/** A limit whose burst is what an hour has. */
const perHour = (name: LimitName, most: number): Limited => limited(name, most, most / 3600)

/** The names of limits in metrics. */
export const limitNames = [
  "authentication",
  "sign_in_failures",
  "address",
  "key",
  "token",
  "trials",
  "webhook_tests",
  "sign_ins",
  "mail_samples",
  "portal_links",
  "user_mails",
  "license_mails",
  "invitations",
  "license_invitations"
] as const satisfies ReadonlyArray<LimitName>

const refused: Readonly<Record<LimitName, Metric.Counter<number>>> = fromStartBy(
  limitNames,
  (limit) =>
    Metric.counter("countersign_rate_limited", {
      description: "Requests refused with status 429, by the limit that was reached.",
      incremental: true,
      attributes: { limit }
    })
)

/** Limits that each request counts for, of which there are many. */
const ofEveryRequest: ReadonlySet<LimitName> = new Set(["address", "key", "token"])

const messages: Record<LimitName, string> = {
  authentication: "Too many failed authentications from this address.",
  sign_in_failures: "Too many failed sign-ins from this address.",
  address: "Too many requests from this address.",
  key: "Too many requests with this license key.",
  token: "Too many requests with this API key.",
  trials: "Too many new trials from this address.",
  webhook_tests: "Too many tests of this webhook endpoint.",
  sign_ins: "Too many sign-ins from this address.",
  mail_samples: "Too many samples of mails.",
  portal_links: "Too many links to this address.",
  user_mails: "Too many mails to this address.",
  license_mails: "Too many mails to the users of this license.",
  invitations: "Too many invitations to this address.",
  license_invitations: "Too many invitations to this license."
}

/** Evicts, among the oldest buckets, the one with the least spent, so that a crowd cannot free a limited caller. */
const forgetOne = ({ buckets, limit }: Limited, now: number) => {
  let least: { readonly subject: string; readonly spent: number } | undefined
  let looked = 0
  for (const [subject, { at, spent }] of buckets) {
    const left = spentAt(limit, { amount: spent, at }, now)
    if (least === undefined || left < least.spent) least = { subject, spent: left }
    if (++looked === candidates) break
  }
  buckets.delete(least!.subject)
}

/** The bucket of a subject, brought up to date. */
const bucketOf = (of: Limited, subject: string, now: number): Bucket => {
  const known = of.buckets.get(subject)
  if (known === undefined) {
    if (of.buckets.size >= maximumBuckets) forgetOne(of, now)
    const made = { spent: 0, at: now, unshared: 0 }
    of.buckets.set(subject, made)
    return made
  }
  known.spent = spentAt(of.limit, { amount: known.spent, at: known.at }, now)
  known.at = now
  return known
}

/**
 * Token buckets of callers. A request is judged in memory by what this node knows, and costs no query. Amounts spent
 * are shared with the other nodes asynchronously: one statement for many callers, at most every quarter of a second,
 * and only while there is something to share. So a limit holds across all nodes, except for what they admit within that
 * time.
 */
export class RateLimits extends Context.Service<RateLimits, {
  /** Charges a failure to an address in advance; false when its bucket is empty. */
  readonly takeFailure: (limit: FailureLimit, address: string, now: number) => boolean
  /** Refunds one failure, because the credential was valid. */
  readonly returnFailure: (limit: FailureLimit, address: string, now: number) => void
  /** The refusal for an address whose bucket of failures is empty. */
  readonly tooManyFailures: (limit: FailureLimit, address: string) => Effect.Effect<never, RateLimited>
  /**
   * Charges a request to the limit of its address, license key or API key, a new trial to its address, a test to its
   * webhook endpoint, a sign-in to its address, a sample of a mail to the person, a link to the address that it is sent to,
   * a mail to a user and to the license, or an invitation to its address and to the license.
   */
  readonly request: <Name extends Exclude<LimitName, FailureLimit>>(
    name: Name,
    subject: SubjectOf<Name>
  ) => Effect.Effect<void, RateLimited>
  /** Refunds what {@link request} charged, because nothing came of it. */
  readonly refund: (name: Exclude<LimitName, FailureLimit>, subject: string) => Effect.Effect<void>
}>()("countersign/services/ground/admission/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function*() {
      const sql = yield* QuestionSql
      const { rates } = yield* Settings
      const all = {
        authentication: limited("authentication", rates.failuresPerMinute, rates.failuresPerMinute / 60),
        sign_in_failures: limited("sign_in_failures", rates.failuresPerMinute, rates.failuresPerMinute / 60),
        address: ofRequests("address", rates.address),
        key: ofRequests("key", rates.key),
        token: ofRequests("token", rates.token),
        trials: perHour("trials", rates.trialsPerHour),
        webhook_tests: limited("webhook_tests", testsPerMinute, testsPerMinute / 60),
        sign_ins: limited("sign_ins", signInsPerMinute, signInsPerMinute / 60),
        mail_samples: limited("mail_samples", samplesPerMinute, samplesPerMinute / 60),
        portal_links: perHour("portal_links", linksPerHour),
        user_mails: perHour("user_mails", userMailsPerHour),
        license_mails: perHour("license_mails", licenseMailsPerHour),
        invitations: perHour("invitations", invitationsPerHour),
        license_invitations: perHour("license_invitations", licenseInvitationsPerHour)
      }
      /** Limits of what is rare: all that is spent is shared, for no amount of it is small. */
      const rare = new Set<Limited>(Object.values(all).filter(({ limit: { name } }) => !ofEveryRequest.has(name)))

      const toShare = yield* Hint.make
      const touch = (of: Limited, subject: string) => {
        of.touched.add(subject)
        toShare.wakeUnsafe()
      }

      const refuse = (of: Limited, subject: string): Effect.Effect<never, RateLimited> =>
        Effect.gen(function*() {
          yield* Metric.update(refused[of.limit.name], 1)
          const { spent } = bucketOf(of, subject, yield* Clock.currentTimeMillis)
          return yield* rateLimited(messages[of.limit.name], { limit: of.limit, spent })
        })

      /** Takes one token, if the bucket has one. */
      const take = (of: Limited, subject: string, now: number): boolean => {
        const bucket = bucketOf(of, subject, now)
        if (bucket.spent > of.limit.burst - 1) return false
        bucket.spent += 1
        bucket.unshared += 1
        touch(of, subject)
        return true
      }

      const isOff = ({ limit }: Limited) => limit.burst === 0

      const giveBack = (of: Limited, subject: string, now: number) => {
        if (isOff(of)) return
        const bucket = bucketOf(of, subject, now)
        bucket.spent = Math.max(0, bucket.spent - 1)
        bucket.unshared -= 1
        touch(of, subject)
      }

      const share = Effect.gen(function*() {
        const reported: Array<Spent> = []
        for (const of of Object.values(all)) {
          // Requests are shared only for a caller that may reach its limit.
          const least = rare.has(of) ? 0 : of.limit.perSecond * worthSharing * shareEvery / 1000
          for (const subject of of.touched) {
            const bucket = of.buckets.get(subject)
            if (bucket === undefined) continue
            if (bucket.unshared !== 0 && Math.abs(bucket.unshared) > least) {
              reported.push({ ...of.limit, subject, amount: bucket.unshared })
            }
            bucket.unshared = 0
          }
          of.touched.clear()
        }
        if (reported.length === 0) return
        const rows = yield* insertSpent(sql, reported)
        const now = yield* Clock.currentTimeMillis
        for (const { name, spent, subject } of rows) {
          const bucket = all[name].buckets.get(subject)
          if (bucket === undefined) continue
          bucket.spent = Math.min(all[name].limit.burst, spent + bucket.unshared)
          bucket.at = now
        }
      })

      // Wakes only after something was spent.
      const exchange = Effect.andThen(toShare.await, Effect.delay(share, shareEvery))
      yield* Effect.forkScoped(
        supervised("Sharing rate limits with other nodes", exchange, Schedule.forever, {
          level: "Debug",
          retry: Schedule.spaced(shareEvery)
        })
      )
      yield* periodically("Deleting old rate limits", deleteForgotten(sql), "10 minutes", "Debug")

      return RateLimits.of({
        takeFailure: (limit, address, now) => isOff(all[limit]) || take(all[limit], address, now),
        returnFailure: (limit, address, now) => giveBack(all[limit], address, now),
        refund: (name, subject) => Effect.map(Clock.currentTimeMillis, (now) => giveBack(all[name], subject, now)),
        tooManyFailures: (limit, address) => refuse(all[limit], address),
        request: (name, subject) =>
          isOff(all[name]) ?
            Effect.void :
            Effect.withFiber((fiber) =>
              take(all[name], subject, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe())
                ? Effect.void
                : refuse(all[name], subject)
            )
      })
    })
  )
}
