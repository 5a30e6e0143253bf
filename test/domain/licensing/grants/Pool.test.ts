import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Pool, PoolCreate } from "../../../../src/domain/licensing/grants/Grant.ts"
import { poolIssued, repeatsPool } from "../../../../src/domain/licensing/grants/GrantIssue.ts"

const now = Date.UTC(2026, 2, 29)
const iso = (at: number) => new Date(at).toISOString()

const asked: PoolCreate = { feature_id: "feat_1", amount: 5 }

const issued = (input: Partial<PoolCreate> = {}, open = 0) => poolIssued({ now, open }, { ...asked, ...input })

/** What a refusal says: its member, or its detail. */
const refused = (...given: Parameters<typeof issued>) => {
  const { error } = Result.getOrThrow(Result.flip(issued(...given)))
  const [field] = error.fields ?? []
  return field === undefined ? error.detail : `${field.path} ${field.code}`
}

describe("units that are given to a customer", () => {
  it("begin now, do not end, and are used in their turn, unless the request says otherwise", () => {
    assert.deepStrictEqual(Result.getOrThrow(issued()), {
      amount: 5,
      max_per_license: undefined,
      starts_at: now,
      expires_at: undefined,
      priority: 100,
      source: undefined,
      reference: undefined
    })
    const said = { max_per_license: 2, priority: 0, reference: "order-1" }
    assert.deepStrictEqual(
      Result.getOrThrow(issued({ ...said, starts_at: iso(now + 5), expires_at: iso(now + 6) })),
      { ...said, source: undefined, amount: 5, starts_at: now + 5, expires_at: now + 6 }
    )
  })

  it("end after now and after they start", () => {
    assert.strictEqual(refused({ expires_at: iso(now) }), "expires_at too_early")
    assert.strictEqual(refused({ starts_at: iso(now + 9), expires_at: iso(now + 9) }), "expires_at too_early")
  })

  it("are refused to a customer who has a hundred pools open: each use reads them", () => {
    assert.isTrue(Result.isSuccess(issued({}, 99)))
    assert.strictEqual(refused({}, 100), "open_pools")
  })
})

describe("a repeated request for a pool", () => {
  const pool: Pool = {
    id: "pool_1",
    customer_id: "cus_1",
    feature_id: "feat_1",
    feature_code: "render",
    amount: 5,
    used: 3,
    remaining: 2,
    max_per_license: 2,
    starts_at: iso(now),
    expires_at: iso(now + 9),
    priority: 100,
    created_at: iso(now)
  }
  const same: PoolCreate = { ...asked, max_per_license: 2 }

  it("is the same where it says the same, and leaves out what it does not care for of the term", () => {
    assert.isTrue(repeatsPool(pool, same))
    assert.isTrue(repeatsPool(pool, { ...same, starts_at: iso(now), expires_at: iso(now + 9), priority: 100 }))
  })

  it.each<[string, PoolCreate]>([
    ["amount", { ...same, amount: 6 }],
    ["feature", { ...same, feature_id: "feat_2" }],
    ["cap", { ...same, max_per_license: 3 }],
    ["cap, of which it says none", asked],
    ["start", { ...same, starts_at: iso(now + 1) }],
    ["end", { ...same, expires_at: iso(now + 8) }],
    ["priority", { ...same, priority: 99 }]
  ])("is another one where its %s is another one", (_, other) => {
    assert.isFalse(repeatsPool(pool, other))
  })
})
