// What a license may use of its quota, its grants and the pools of its customer, and what each use takes of them.
import { assert, describe, it } from "@effect/vitest"
import { balanceOf, defaultPriority, drawn, pooledLeft } from "../../../../src/domain/catalog/terms/GrantBalance.ts"
import type { OpenGrant, SharedPool } from "../../../../src/domain/catalog/terms/GrantBalance.ts"
import { grantStanding } from "../../../../src/domain/catalog/terms/GrantStanding.ts"

const now = Date.parse("2027-03-17T00:00:00Z")
const periodEnd = Date.parse("2027-04-01T00:00:00Z")

const grant = (id: string, left: number, more: Partial<OpenGrant> = {}): OpenGrant => ({
  id,
  left,
  priority: defaultPriority,
  starts_at: now - 1,
  expires_at: null,
  ...more
})

const pool = (id: string, left: number, more: Partial<SharedPool> = {}): SharedPool => ({
  ...grant(id, left),
  feature: "feat_1",
  cap: null,
  mine: 0,
  ...more
})

const balance = (
  { grants = [], pools = [], quota = 15 }: {
    readonly grants?: ReadonlyArray<OpenGrant>
    readonly pools?: ReadonlyArray<SharedPool>
    readonly quota?: number | null
  }
) => balanceOf({ drawn: 0, period_drawn: 0, grants }, { now, pools, quota, inPeriod: true })

/** What a use takes: of the quota, of each grant and pool by its id, and what lies over all. */
const uses = (of: Parameters<typeof balance>[0], amount: number): Readonly<Record<string, number>> => {
  const standing = balance(of)
  const { ofQuota, over, taken } = drawn(standing, { amount, left: standing.own ?? 0, periodEnd })
  return { ofQuota, over, ...Object.fromEntries(taken.map((units) => [units.grant_id, units.amount])) }
}

describe("the balance of grants and pools", () => {
  it("is what both have left, of those that have begun and not ended", () => {
    const ended = grant("ended", 5, { expires_at: now })
    const coming = grant("coming", 5, { starts_at: now + 1 })
    const begins = grant("begins", 3, { starts_at: now, expires_at: now + 1 })
    const standing = balance({ grants: [ended, coming, begins], pools: [pool("pool_a", 10, { cap: 4, mine: 1 })] })
    assert.deepStrictEqual([standing.own, standing.left, pooledLeft(standing)], [15, 6, 3])
    assert.deepStrictEqual(standing.grants.map(({ id }) => id), ["begins"])
  })

  it("has nothing of a pool of which the license has taken its share, and no less", () => {
    assert.strictEqual(balance({ pools: [pool("pool_a", 10, { cap: 4, mine: 5 })] }).left, 0)
  })

  it("is lessened by a correction: of the quota first, then of grants from the last one on, and of no pool", () => {
    const grants = [grant("correction", -19), grant("first", 3, { expires_at: now + 1 }), grant("last", 9)]
    const standing = balance({ grants, pools: [pool("pool_a", 30, { cap: 14 })] })
    assert.deepStrictEqual([standing.own, standing.left], [0, 8 + 14])
    assert.deepStrictEqual(grantStanding({ granted: standing, quota: 0 }), {
      granted_remaining: 8,
      pool_remaining: 14,
      next_grant_expires_at: new Date(now + 1).toISOString()
    })
    const whole = { grants, pools: [pool("pool_a", 30, { cap: 14 })] }
    assert.deepStrictEqual(uses(whole, 8), { ofQuota: 0, over: 0, first: 3, last: 5 })
    assert.deepStrictEqual(uses(whole, 22), { ofQuota: 0, over: 0, first: 3, last: 5, pool_a: 14 })
    assert.deepStrictEqual(uses(whole, 23), { ofQuota: 0, over: 1, first: 3, last: 5, pool_a: 14 })
  })

  it("leaves a pool whole where a correction takes more than the license has", () => {
    const of = { grants: [grant("correction", -19)], pools: [pool("pool_a", 30, { cap: 14 })] }
    assert.strictEqual(balance(of).left, 14)
    assert.deepStrictEqual(uses(of, 11), { ofQuota: 0, over: 0, pool_a: 11 })
  })

  it("takes what ends before the period first, then the quota, then what ends later, and pools last", () => {
    const of = {
      quota: 4,
      grants: [
        grant("later", 2, { expires_at: periodEnd + 1 }),
        grant("never", 2),
        grant("before", 2, { expires_at: periodEnd - 1 }),
        grant("preferred", 2, { expires_at: periodEnd, priority: defaultPriority - 1 }),
        grant("equal", 2, { expires_at: periodEnd })
      ],
      pools: [pool("pool_a", 2, { expires_at: now + 1 })]
    }
    const order = ["before", "preferred", "ofQuota", "equal", "later", "never", "pool_a"]
    for (let amount = 1; amount <= 16; amount++) {
      const expected: Record<string, number> = { ofQuota: 0, over: 0 }
      let rest = amount
      for (const name of order) {
        const units = Math.min(rest, name === "ofQuota" ? 4 : 2)
        rest -= units
        if (units > 0) expected[name] = units
      }
      assert.deepStrictEqual(uses(of, amount), expected)
    }
  })
})
