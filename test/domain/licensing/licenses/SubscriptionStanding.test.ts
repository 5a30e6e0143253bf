import { assert, describe, it } from "@effect/vitest"
import { SubscriptionStatus } from "../../../../src/domain/customers/Subscription.ts"
import type {
  FollowedSubscription,
  FollowerStanding
} from "../../../../src/domain/licensing/licenses/SubscriptionStanding.ts"
import {
  followedKinds,
  followFindings,
  initialStanding,
  reinstatedStanding,
  standingOfSubscription,
  standingPut
} from "../../../../src/domain/licensing/licenses/SubscriptionStanding.ts"

const at = (text: string) => Date.parse(`2026-${text}T00:00:00Z`)
const now = at("06-15")

/** `state end`, where the end is `MM-DD`, `-` for none, with `!` when there is no grace; `paused` is its subscription's. */
const standing = (text: string): FollowerStanding => {
  const [state, end] = text.split(" ")
  const ends_without_grace = end!.endsWith("!")
  return {
    state: state === "paused" ? "suspended" : state as FollowerStanding["state"],
    suspended_by: state === "paused" ? "subscription" : undefined,
    expires_at: end === "-" ? undefined : at(end!.replace("!", "")),
    ends_without_grace
  }
}

/**
 * Written by hand: how a license stands before, the status that its subscription had (`-` when it begins to follow) and
 * has (with `@MM-DD` when it ended), the end of the period, how the license stands then, and what is told of it. Now is 15
 * June. The period ended with the license before, or on the day behind a `/`.
 */
const table = `
  active -        | - trialing         | 07-01 | active 07-01     | renewed
  active -        | - active           | 07-01 | active 07-01     | renewed
  active 05-01    | - active           | 07-01 | active 07-01     | renewed
  active -        | - past_due         | 07-01 | active 06-15     | renewed
  active -        | - past_due         | 06-01 | active 06-01     | renewed
  active -        | - paused           | 07-01 | paused 07-01     | renewed suspended
  suspended 05-01 | - paused           | 07-01 | suspended 07-01  | renewed
  active -        | - canceled         | 07-01 | active 07-01!    | renewed
  active 07-01!   | - paused           | 07-01 | paused 07-01     | updated suspended
  active 07-01    | active active      | 07-01 | active 07-01     |
  active 07-01    | active active      | 08-01 | active 08-01     | renewed
  active 07-01    | trialing active    | 08-01 | active 08-01     | renewed
  active 07-01    | active active      | 06-20 | active 06-20     | renewed
  active 07-01    | active past_due    | 07-01 | active 06-15     | renewed
  active 06-01    | active past_due    | 06-01 | active 06-01     |
  active 06-01    | active past_due    | 07-01 | active 06-15     | renewed
  active 06-10    | past_due past_due  | 07-01 | active 06-10     |
  active 06-10    | past_due past_due  | 08-01 | active 06-10     |
  active 06-10    | past_due past_due  | 06-05 | active 06-05     | renewed
  active 06-10    | past_due active    | 07-01 | active 07-01     | renewed
  active 06-10    | past_due canceled  | 07-01 | active 07-01!    | renewed
  active 06-10    | past_due canceled  | 06-10 | active 06-10!    | updated
  active 06-10    | past_due paused    | 07-01 | paused 06-10     | suspended
  active 07-01    | active paused      | 07-01 | paused 07-01     | suspended
  paused 07-01    | paused paused      | 08-01 | paused 07-01     |
  active 07-01    | paused paused      | 07-01 | active 07-01     |
  suspended 07-01 | active paused      | 07-01 | suspended 07-01  |
  suspended 07-01 | paused active      | 08-01 | suspended 08-01  | renewed
  suspended 07-01 | active canceled    | 07-01 | suspended 07-01! | updated
  suspended 07-01 | active past_due    | 07-01 | suspended 06-15  | renewed
  paused 07-01    | paused active      | 07-01 | active 07-01     | reinstated
  paused 07-01    | paused active      | 08-01 | active 08-01     | renewed reinstated
  paused 07-01    | paused trialing    | 07-01 | active 07-01     | reinstated
  paused 07-01    | paused past_due    | 07-01 | active 06-15     | renewed reinstated
  paused 07-01    | paused canceled    | 07-01 | active 07-01!    | updated reinstated
  paused 06-15    | paused canceled    | 06-15 | paused 06-15!    | updated
  paused 06-01    | paused canceled    | 06-01 | paused 06-01!    | updated
  paused 06-01!   | canceled canceled  | 06-01 | paused 06-01!    |
  paused 06-01!   | canceled canceled  | 07-01 | active 07-01!    | renewed reinstated
  paused 06-01!   | canceled active    | 07-01 | active 07-01     | renewed reinstated
  active 07-01    | active canceled    | 07-01 | active 07-01!    | updated
  active 07-01!   | canceled canceled  | 07-01 | active 07-01!    |
  active 07-01!   | canceled active    | 07-01 | active 07-01     | updated
  active 06-01!   | canceled active    | 08-01 | active 08-01     | renewed
  active 06-01!   | canceled past_due  | 06-01 | active 06-01     | updated
  active 07-01!   | canceled past_due  | 07-01 | active 06-15     | renewed
  active 07-01!   | canceled paused    | 07-01 | paused 07-01     | updated suspended
  paused 07-01!   | canceled paused    | 07-01 | paused 07-01!    |
  active 06-12!   | canceled/07-01 paused | 07-01 | paused 06-12! | suspended
  paused 07-01    | unpaid paused      | 07-01 | paused 07-01!    | updated
  active 07-01    | unpaid paused      | 07-01 | paused 07-01!    | updated suspended
  paused 07-01    | disputed paused    | 07-01 | paused 07-01!    | updated
  paused 07-01    | incomplete paused  | 07-01 | paused 07-01!    | updated
  active 06-12!   | incomplete_expired paused | 07-01 | paused 06-12! | suspended
  paused 07-01!   | paused paused      | 07-01 | paused 07-01!    |
  paused 07-01!   | paused canceled    | 07-01 | paused 07-01!    |
  paused 06-12!   | paused/07-01 canceled | 07-01 | paused 06-12! |
  active 07-01!   | paused canceled    | 07-01 | active 07-01!    |
  paused 06-01!   | paused canceled    | 07-01 | active 07-01!    | renewed reinstated
  paused 07-01!   | paused canceled@06-20 | 07-01 | paused 06-20! | renewed
  paused 07-01!   | paused active      | 07-01 | active 07-01     | updated reinstated
  paused 07-01!   | paused unpaid      | 07-01 | paused 07-01!    |
  revoked 07-01   | active canceled    | 08-01 | revoked 07-01    |
  revoked 07-01   | - active           | 08-01 | revoked 07-01    |
  active 07-01    | active unpaid      | 07-01 | paused 07-01     | suspended
  active 06-10    | past_due unpaid    | 07-01 | paused 06-10     | suspended
  paused 07-01    | paused unpaid      | 07-01 | paused 07-01     |
  active 07-01    | unpaid unpaid      | 07-01 | active 07-01     |
  paused 06-10    | unpaid active      | 08-01 | active 08-01     | renewed reinstated
  active 07-01    | active disputed    | 07-01 | paused 07-01     | suspended
  paused 07-01    | disputed active    | 07-01 | active 07-01     | reinstated
  active -        | - incomplete       | 07-01 | paused 07-01     | renewed suspended
  paused 07-01    | incomplete active  | 07-01 | active 07-01     | reinstated
  active -        | - incomplete_expired | 07-01 | active 06-15!  | renewed
  paused 07-01    | incomplete incomplete_expired | 07-01 | paused 06-15! | renewed
  paused 06-10!   | incomplete_expired incomplete_expired | 07-01 | paused 06-10! |
  paused 07-01    | incomplete incomplete_expired@06-12 | 07-01 | paused 06-12! | renewed
  active 07-01    | active canceled@06-10   | 07-01 | active 06-10! | renewed
  active 07-01!   | canceled canceled@06-10 | 07-01 | active 06-10! | renewed
  active 06-01    | past_due canceled@06-12 | 07-01 | active 06-12! | renewed
  active 07-01    | active canceled@07-09   | 07-01 | active 07-01! | updated
  paused 07-01    | paused canceled@06-10   | 07-01 | paused 06-10! | renewed
  paused 07-01    | unpaid canceled         | 07-01 | paused 07-01! | updated
  paused 06-10    | unpaid canceled         | 07-01 | paused 07-01! | renewed
  paused 07-01    | unpaid canceled@06-12   | 07-01 | paused 06-12! | renewed
  paused 07-01    | disputed canceled       | 07-01 | paused 07-01! | updated
  paused 07-01    | incomplete canceled     | 07-01 | paused 07-01! | updated
  paused 06-12!   | incomplete_expired canceled       | 07-01 | paused 06-12! |
  active 06-12!   | incomplete_expired canceled       | 07-01 | active 06-12! |
  active 06-12!   | incomplete_expired canceled       | 06-10 | active 06-10! | renewed
  paused 06-12!   | incomplete_expired canceled@06-13 | 07-01 | paused 06-13! | renewed
  active 07-01    | unpaid canceled         | 07-01 | active 07-01! | updated
  suspended 07-01 | unpaid canceled         | 07-01 | suspended 07-01! | updated
  paused 07-01!   | canceled canceled       | 07-01 | paused 07-01! |
  paused 07-01!   | canceled canceled       | 08-01 | paused 08-01! | renewed
  paused 07-01!   | canceled canceled@06-20 | 07-01 | paused 06-20! | renewed
  paused 06-12!   | canceled/07-01 canceled | 07-01 | paused 06-12! |
  active 06-12!   | canceled/07-01 canceled | 07-01 | active 06-12! |
  paused 06-12!   | canceled/07-01@06-12 canceled | 07-01 | paused 07-01! | renewed
  active 06-12!   | canceled/07-01@06-12 canceled | 07-01 | active 07-01! | renewed
  paused 07-01!   | canceled unpaid         | 07-01 | paused 07-01! |
  paused 07-01!   | canceled active         | 07-01 | active 07-01  | updated reinstated
`

/** A subscription written `status/period end@end`; `periodEnd` is in Unix milliseconds. */
const subscriptionOf = (text: string, periodEnd: number): FollowedSubscription => {
  const [named, ended] = text.split("@")
  const [status, day] = named!.split("/")
  return {
    id: "sub",
    status: status as FollowedSubscription["status"],
    current_period_end: new Date(day === undefined ? periodEnd : at(day)).toISOString(),
    ...(ended === undefined ? {} : { ended_at: new Date(at(ended)).toISOString() })
  }
}

const rows = table.trim().split("\n").map((line) => line.split("|").map((cell) => cell.trim()))

describe("a license that follows its subscription", () => {
  it.each(rows)("%s, %s until %s: %s", (before, change, end, after, told) => {
    const [from, has] = change!.split(" ")
    const left = standingOfSubscription(
      standing(before!),
      subscriptionOf(has!, at(end!)),
      from === "-" ? undefined : subscriptionOf(from!, standing(before!).expires_at ?? at(end!)),
      now
    )
    assert.deepStrictEqual(left, standing(after!))
    assert.deepStrictEqual(
      followedKinds(standing(before!), left).map((kind) => kind.slice("license.".length)).join(" "),
      told
    )
  })

  it("works after any four statuses exactly if the last says so, or leaves what was paid before it", () => {
    const end = at("07-01")
    const statuses = SubscriptionStatus.literals
    /** Whether the period is paid, by the statuses so far. A pause and a cancellation leave that open. */
    const isPaid = (chain: ReadonlyArray<FollowedSubscription["status"]>): boolean => {
      const last = chain.findLast((status) => status !== "paused" && status !== "canceled")
      return last === undefined || ["trialing", "active", "past_due"].includes(last)
    }
    const play = (chain: ReadonlyArray<FollowedSubscription["status"]>) =>
      chain.reduce<{ readonly left: FollowerStanding; readonly previous: FollowedSubscription | undefined }>(
        ({ left, previous }, status) => {
          const subscription = subscriptionOf(status, end)
          return { left: standingOfSubscription(left, subscription, previous, now), previous: subscription }
        },
        { left: initialStanding, previous: undefined }
      ).left
    const chains = statuses.flatMap((a) =>
      statuses.flatMap((b) => statuses.flatMap((c) => statuses.map((d) => [a, b, c, d] as const)))
    )
    for (const chain of chains) {
      const last = chain.at(-1)!
      const { expires_at, state } = play(chain)
      // Past due, the license is in its grace period.
      const works = state === "active" && (last === "past_due" || expires_at! > now)
      const expected = last === "canceled" ? isPaid(chain) : ["trialing", "active", "past_due"].includes(last)
      assert.strictEqual(works, expected, chain.join(" "))
    }
  })

  it("gives back what it had suspended when it is let go, and keeps all else", () => {
    assert.deepStrictEqual(reinstatedStanding(standing("paused 07-01!")), standing("active 07-01!"))
    for (const kept of ["suspended 07-01", "active 07-01!", "revoked -"]) {
      assert.deepStrictEqual(reinstatedStanding(standing(kept)), standing(kept))
    }
    assert.deepStrictEqual(initialStanding, standing("active -"))
  })
})

describe("what excludes that a license follows its subscription", () => {
  const sound = {
    licenseType: "subscription",
    hasSubscription: true,
    isRequested: true,
    overrides: { max_activations: 3 }
  } as const

  it.each(
    [
      [{}, []],
      [{ hasSubscription: false }, ["follows_subscription"]],
      [{ licenseType: "trial" }, ["follows_subscription"]],
      [{ expires_at: "2027-01-01T00:00:00Z" }, ["follows_subscription"]],
      [{ expires_at: null }, ["follows_subscription"]],
      [{ activate_before: "2027-01-01T00:00:00Z" }, ["follows_subscription"]],
      [{ isRequested: false, expires_at: "2027-01-01T00:00:00Z" }, ["expires_at"]],
      [{ isRequested: false, activate_before: "2027-01-01T00:00:00Z" }, ["activate_before"]],
      [{ overrides: { duration: "P1Y" } }, ["overrides.duration"]],
      [{ hasSubscription: false, licenseType: "trial", expires_at: null }, [
        "follows_subscription",
        "follows_subscription",
        "follows_subscription"
      ]]
    ] as const
  )("%j: %j", (given, paths) => {
    const found = followFindings({ ...sound, ...given })
    assert.deepStrictEqual(found.map(({ path }) => path), [...paths])
    assert.isTrue(found.every(({ code }) => code === "contradiction"))
  })
})

describe("a license whose subscription is put by a purchase", () => {
  const put = (status: FollowedSubscription["status"], end: string): FollowedSubscription => ({
    id: "sub_1",
    status,
    current_period_end: `2026-${end}T00:00:00Z`
  })
  const said = [
    put("active", "06-30"),
    put("active", "05-30"),
    put("past_due", "06-01"),
    put("past_due", "06-10"),
    put("unpaid", "06-01"),
    put("paused", "06-30"),
    put("disputed", "06-30"),
    put("canceled", "06-10"),
    put("trialing", "07-01")
  ]

  it("stands as what is said last alone, whatever was said before", () => {
    for (const last of said) {
      const alone = standingPut(initialStanding, last, last.status === "active" ? said[7]! : said[0]!, now)
      for (const first of said) {
        for (const second of said) {
          if (second.status === last.status) continue
          const once = standingPut(initialStanding, first, put("trialing", "06-20"), now)
          const twice = standingPut(once, second, first, now)
          assert.deepStrictEqual(standingPut(twice, last, second, now), alone, JSON.stringify([first, second, last]))
        }
      }
    }
  })

  it("regains its end when a payment becomes known late", () => {
    const due = standingPut(initialStanding, put("past_due", "05-01"), put("active", "05-01"), now)
    assert.strictEqual(
      standingPut(due, put("past_due", "06-01"), put("past_due", "05-01"), now).expires_at,
      at("06-01")
    )
  })

  it("stays as a person decided", () => {
    const byPerson: FollowerStanding = { ...initialStanding, state: "suspended" }
    for (const last of said) {
      const { state, suspended_by } = standingPut(byPerson, last, put("active", "06-20"), now)
      assert.deepStrictEqual([state, suspended_by], ["suspended", undefined])
    }
    // Reinstated while it is paused, it is not suspended again by what is said of the same pause.
    assert.strictEqual(
      standingPut(initialStanding, put("paused", "06-30"), put("paused", "06-20"), now).state,
      "active"
    )
    assert.strictEqual(
      standingPut(initialStanding, put("unpaid", "06-30"), put("paused", "06-20"), now).state,
      "suspended"
    )
    const revoked: FollowerStanding = { ...initialStanding, state: "revoked" }
    assert.strictEqual(standingPut(revoked, put("active", "06-30"), put("paused", "06-20"), now), revoked)
  })
})
