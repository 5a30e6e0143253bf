// What is carried of a quota when its period ends: from which periods, how much, and until when.
import { assert, describe, it } from "@effect/vitest"
import type { OpenGrant } from "../../../../src/domain/catalog/terms/GrantBalance.ts"
import { carriedOver } from "../../../../src/domain/catalog/terms/Rollover.ts"
import type { StoredRollover } from "../../../../src/domain/catalog/terms/Rollover.ts"

const at = (text: string) => Date.parse(`2027-${text}T00:00:00Z`)
const text = (millis: number) => new Date(millis).toISOString().slice(5, 10)

const now = at("03-17")
const [january, february, march, april] = ["01-01", "02-01", "03-01", "04-01"].map(at) as [
  number,
  number,
  number,
  number
]

type License = NonNullable<Parameters<typeof carriedOver>[1]>
type Policy = NonNullable<Parameters<typeof carriedOver>[0]>
type Clock = Parameters<typeof carriedOver>[2]

const carrying = (more: Partial<StoredRollover> = {}): StoredRollover => ({
  rollover: { cap: 50, periods: 1 },
  since: new Date(at("01-10")).toISOString(),
  past: null,
  ...more
})

const policy = (more: Partial<Policy> = {}): Policy => ({
  carrying: carrying(),
  enabled: true,
  quota: 100,
  period: "month",
  ...more
})

/** A license that has counted 70 in February, and nothing since. */
const license = (more: Partial<License> = {}): License => ({
  assigned: false,
  quota: null,
  period: null,
  period_start: february,
  period_consumed: 70,
  credits: null,
  credits_start: null,
  ...more
})

const clock: Clock = { now, licenseStart: at("01-05"), subscription: undefined }

/** What is carried: how much, from when until when. */
const carried = (of: License | undefined = license(), by: Policy | undefined = policy(), when: Partial<Clock> = {}) =>
  carriedOver(by, of, { ...clock, ...when }).carried.map(({ amount, expires_at, starts_at }) =>
    `${amount} from ${text(starts_at)} to ${text(expires_at)}`
  )

const correction = (left: number, more: Partial<OpenGrant> = {}): OpenGrant => ({
  id: "grant_c",
  left,
  priority: 100,
  starts_at: at("02-10"),
  expires_at: march,
  ...more
})

const withGrants = (grants: ReadonlyArray<OpenGrant>, period_drawn: number | null = null) =>
  license({ granted: { drawn: 0, period_drawn, grants } })

describe("the units that are carried", () => {
  it("are those that the last period has left, up to the cap", () => {
    assert.deepStrictEqual(carried(), ["30 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(license({ period_consumed: 20 })), ["50 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(license({ period_consumed: 99 })), ["1 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(license({ period_consumed: 100 })), [])
    assert.deepStrictEqual(carried(license({ period_consumed: 130 })), [])
  })

  it("are all of a period that counted nothing, be there no counter at all", () => {
    assert.deepStrictEqual(carried(license({ period_start: null, period_consumed: null })), ["50 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(license({ period_start: january, period_consumed: 70 })), ["50 from 03-01 to 04-01"])
    assert.deepStrictEqual(carriedOver(policy(), undefined, clock).carried.map(({ amount }) => amount), [50])
    const whole = policy({ carrying: carrying({ rollover: { cap: 500, periods: 1 } }) })
    assert.deepStrictEqual(carriedOver(whole, undefined, clock).carried.map(({ amount }) => amount), [100])
  })

  it("are none of a period that a counter of a later one has begun", () => {
    assert.deepStrictEqual(carried(license({ period_start: march, period_consumed: 0 })), [])
  })

  it("end after as many periods as the terms say, each with its own", () => {
    const two = policy({ carrying: carrying({ rollover: { cap: 50, periods: 2 } }) })
    const begun = license({ period_start: january, period_consumed: 70 })
    assert.deepStrictEqual(carried(begun, two), ["50 from 03-01 to 05-01", "30 from 02-01 to 04-01"])
    assert.deepStrictEqual(carried(begun, two, { now: april }), ["50 from 04-01 to 06-01", "50 from 03-01 to 05-01"])
  })

  it("are of periods that ended since the terms are in force, the license runs, and units were carried last", () => {
    const two = (since: string) =>
      policy({ carrying: carrying({ rollover: { cap: 50, periods: 2 }, since: new Date(at(since)).toISOString() }) })
    const unused = license({ period_start: null })
    assert.deepStrictEqual(carried(unused, two("02-01")), ["50 from 03-01 to 05-01"])
    assert.deepStrictEqual(carried(unused, two("01-31")), ["50 from 03-01 to 05-01", "50 from 02-01 to 04-01"])
    assert.deepStrictEqual(carried(unused, two("01-10"), { licenseStart: february }), ["50 from 03-01 to 05-01"])
    assert.deepStrictEqual(carried(unused, two("01-10"), { rolledUntil: february }), ["50 from 03-01 to 05-01"])
    assert.deepStrictEqual(carried(unused, two("01-10"), { rolledUntil: march }), [])
  })

  it("are lessened by corrections that were in force when the period ended, and by no other", () => {
    assert.deepStrictEqual(carried(withGrants([correction(-10)])), ["20 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(withGrants([correction(-10, { expires_at: null })])), ["20 from 03-01 to 04-01"])
    const over = [correction(-10, { expires_at: march - 1 }), correction(-10, { starts_at: march })]
    assert.deepStrictEqual(carried(withGrants(over)), ["30 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(withGrants([correction(-10, { starts_at: march - 1 })])), ["20 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(withGrants([correction(10)])), ["30 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(withGrants([correction(-500)])), [])
  })

  it("are no units that a grant has served, which the quota has left", () => {
    assert.deepStrictEqual(carried(withGrants([], 10)), ["40 from 03-01 to 04-01"])
    assert.deepStrictEqual(
      carried(license({ period_start: january, granted: { drawn: 9, period_drawn: 9, grants: [] } })),
      [
        "50 from 03-01 to 04-01"
      ]
    )
  })

  it("are none of credits, which end with their period, and count as used first", () => {
    assert.deepStrictEqual(carried(license({ credits: 20, credits_start: february })), ["50 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(license({ credits: 20, credits_start: january })), ["30 from 03-01 to 04-01"])
    const small = policy({ quota: 40 })
    assert.deepStrictEqual(carried(license({ period_consumed: 10, credits: 20, credits_start: february }), small), [
      "40 from 03-01 to 04-01"
    ])
  })

  it("are of the license's own quota and period, where it was assigned the feature", () => {
    const own = { quota: 80, period_consumed: 70 }
    assert.deepStrictEqual(carried(license({ ...own, assigned: true })), ["10 from 03-01 to 04-01"])
    assert.deepStrictEqual(carried(license({ ...own, assigned: false })), ["30 from 03-01 to 04-01"])
    const weekly = license({ assigned: true, period: "week", period_start: at("03-08"), period_consumed: 70 })
    assert.deepStrictEqual(carried(weekly), ["30 from 03-15 to 03-22"])
    assert.deepStrictEqual(carried(license({ assigned: true, period: "subscription" })), [])
  })

  it("are none without a quota, a period, or terms that carry", () => {
    assert.deepStrictEqual(carried(license(), policy({ quota: null })), [])
    assert.deepStrictEqual(carried(license(), policy({ period: null })), [])
    assert.deepStrictEqual(carried(license(), policy({ enabled: false })), [])
    assert.deepStrictEqual(carried(license(), policy({ carrying: null })), [])
    assert.deepStrictEqual(carried(license(), policy({ carrying: carrying({ rollover: null }) })), [])
    assert.deepStrictEqual(carried(license(), policy({ carrying: carrying({ since: null }) })), [])
    assert.deepStrictEqual(carriedOver(undefined, license(), clock).carried, [])
  })

  it("are those of terms of before, for periods that ended while they were in force", () => {
    const past = [{
      from: new Date(at("01-10")).toISOString(),
      until: new Date(at("02-10")).toISOString(),
      quota: 60,
      period: "month" as const,
      rollover: { cap: 40, periods: 3 }
    }]
    const by = policy({ carrying: carrying({ rollover: null, since: null, past }) })
    assert.deepStrictEqual(carried(license({ period_start: null }), by), ["40 from 02-01 to 05-01"])
    // A feature that was switched off carries what it carried before.
    assert.deepStrictEqual(carried(license({ period_start: null }), { ...by, enabled: false }), [
      "40 from 02-01 to 05-01"
    ])
  })

  it("stand among the grants of the license, to be used before what ends with them", () => {
    const sold = correction(5, { id: "grant_1", expires_at: null })
    const { stored } = carriedOver(policy(), withGrants([sold]), clock)
    assert.deepStrictEqual(stored, {
      drawn: 0,
      period_drawn: null,
      grants: [sold, {
        id: `carried ${march}`,
        starts_at: march,
        expires_at: april,
        priority: 50,
        left: 30
      }]
    })
    const none = license({ period_consumed: 100, granted: { drawn: 3, period_drawn: 0, grants: [sold] } })
    assert.deepStrictEqual(carriedOver(policy(), none, clock).stored, { drawn: 3, period_drawn: 0, grants: [sold] })
    assert.isUndefined(carriedOver(policy(), license({ period_consumed: 100 }), clock).stored)
    assert.deepStrictEqual(carriedOver(policy({ carrying: null }), none, clock).stored, none.granted)
  })
})
