import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { maximumOpen } from "../../../../src/domain/licensing/grants/Grant.ts"
import type { Grant, GrantCreate, Pool, PoolCreate } from "../../../../src/domain/licensing/grants/Grant.ts"
import {
  endRefused,
  grantIssued,
  poolIssued,
  repeats,
  repeatsPool
} from "../../../../src/domain/licensing/grants/GrantIssue.ts"
import { policyGrant, snapshotRow } from "../../../fixtures/SnapshotRows.ts"

const now = Date.UTC(2026, 2, 29)
const iso = (at: number) => new Date(at).toISOString()

const feature = (terms: Parameters<typeof policyGrant>[0]) =>
  snapshotOf(snapshotRow({ now: new Date(now), granted: [policyGrant(terms)] })).features[0]!

const issued = (terms: Parameters<typeof policyGrant>[0], input: Partial<GrantCreate>, open = 0) =>
  grantIssued({ feature: feature(terms), now, open }, { feature_code: "render", amount: 5, ...input })

const asked: PoolCreate = { feature_id: "feat_1", amount: 5 }

const pooled = (input: Partial<PoolCreate> = {}, open = 0) => poolIssued({ now, open }, { ...asked, ...input })

/** What a refusal says: its member, or its detail. */
const refusalOf = (judged: ReturnType<typeof issued | typeof pooled>) => {
  const { error } = Result.getOrThrow(Result.flip(judged))
  const [field] = error.fields ?? []
  return field === undefined ? error.detail : `${field.path} ${field.code}`
}

const refused = (...given: Parameters<typeof issued>) => refusalOf(issued(...given))

describe("units that are given to a license", () => {
  it("begin now, do not end, and are a purchase that stands beside the quota, unless the request says otherwise", () => {
    assert.deepStrictEqual(Result.getOrThrow(issued({ quota: 1 }, {})), {
      amount: 5,
      max_per_license: undefined,
      starts_at: now,
      expires_at: undefined,
      priority: 100,
      source: "purchase",
      reference: undefined
    })
    const said = {
      starts_at: iso(now + 5),
      expires_at: iso(now + 6),
      priority: 0,
      source: "gift",
      reference: "r"
    } as const
    assert.deepStrictEqual(Result.getOrThrow(issued({ quota: 0 }, said)), {
      ...said,
      amount: 5,
      max_per_license: undefined,
      starts_at: now + 5,
      expires_at: now + 6
    })
  })

  it("that are taken away end with the period, and need an end where there is none", () => {
    const taken = { amount: -5, source: "correction" } as const
    assert.deepInclude(Result.getOrThrow(issued({ quota: 1, period: "month" }, taken)), {
      amount: -5,
      source: "correction",
      expires_at: Date.UTC(2026, 3, 1)
    })
    assert.deepInclude(
      Result.getOrThrow(issued({ quota: 1, period: "month" }, { ...taken, expires_at: iso(now + 1) })),
      {
        expires_at: now + 1
      }
    )
    assert.strictEqual(refused({ quota: 1 }, taken), "expires_at required")
    assert.deepInclude(Result.getOrThrow(issued({ quota: 1, period: "month" }, { amount: 5 })), {
      expires_at: undefined
    })
  })

  it("need a quota, and a sum that every JSON library reads exactly", () => {
    assert.strictEqual(refused({ quota: null }, {}), "amount no_quota")
    const most = Number.MAX_SAFE_INTEGER
    assert.isTrue(Result.isSuccess(issued({ quota: most - 5 }, {})))
    assert.strictEqual(refused({ quota: most - 4 }, {}), "amount too_large")
  })

  it("are refused where the feature measures the latest amount, which uses no units up", () => {
    assert.strictEqual(refused({ quota: 1, meter: "last" }, {}), "meter")
    assert.isTrue(Result.isSuccess(issued({ quota: 1, meter: "max" }, {})))
  })

  it("are refused while as many grants are open as a use reads", () => {
    assert.isTrue(Result.isSuccess(issued({ quota: 1 }, {}, maximumOpen - 1)))
    assert.strictEqual(refused({ quota: 1 }, {}, maximumOpen), "open_grants")
  })

  it("end after now and after they start", () => {
    const ends = (expires_at: number | undefined, starts_at: number) =>
      endRefused({ expires_at, starts_at }, now) === undefined
    assert.isTrue(ends(undefined, now))
    assert.isTrue(ends(now + 1, now))
    assert.isFalse(ends(now, now - 1))
    assert.isFalse(ends(now - 1, now - 2))
    assert.isFalse(ends(now + 5, now + 5))
    assert.isFalse(ends(now + 4, now + 5))
    assert.isTrue(ends(now + 6, now + 5))
    assert.strictEqual(refused({ quota: 1 }, { expires_at: iso(now) }), "expires_at too_early")
    assert.strictEqual(
      refused({ quota: 1 }, { starts_at: iso(now + 9), expires_at: iso(now + 9) }),
      "expires_at too_early"
    )
  })
})

describe("a repeated request", () => {
  const grant: Grant = {
    id: "grant_1",
    license_id: "lic_1",
    feature_id: "feat_1",
    feature_code: "render",
    amount: 5,
    used: 0,
    remaining: 5,
    starts_at: iso(now),
    expires_at: iso(now + 9),
    priority: 100,
    source: "gift",
    created_at: iso(now)
  }
  const asked: GrantCreate = { feature_code: "render", amount: 5, source: "gift" }
  const same = (more: Partial<GrantCreate> = {}) => repeats(grant, { ...asked, ...more })

  it("is the same where it says the same, and leaves out what it does not care for", () => {
    assert.isTrue(same())
    assert.isTrue(same({ starts_at: iso(now), expires_at: iso(now + 9), priority: 100 }))
    const { feature_code: _code, ...byId } = asked
    assert.isTrue(repeats(grant, { ...byId, feature_id: "feat_1" }))
  })

  it("is another one where any member says something else", () => {
    const { feature_code: _code, source: _source, ...bare } = asked
    const others: ReadonlyArray<GrantCreate> = [
      { ...asked, amount: 6 },
      { ...asked, feature_code: "store" },
      { ...bare, source: "gift", feature_id: "feat_2" },
      { ...asked, source: "correction" },
      { ...bare, feature_code: "render" },
      { ...asked, starts_at: iso(now + 1) },
      { ...asked, expires_at: iso(now + 8) },
      { ...asked, priority: 99 }
    ]
    assert.deepStrictEqual(others.map((other) => repeats(grant, other)), others.map(() => false))
  })
})

describe("units that are given to a customer", () => {
  it("begin now, do not end, and are used in their turn, unless the request says otherwise", () => {
    assert.deepStrictEqual(Result.getOrThrow(pooled()), {
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
      Result.getOrThrow(pooled({ ...said, starts_at: iso(now + 5), expires_at: iso(now + 6) })),
      { ...said, source: undefined, amount: 5, starts_at: now + 5, expires_at: now + 6 }
    )
  })

  it("end after now and after they start", () => {
    assert.strictEqual(refusalOf(pooled({ expires_at: iso(now) })), "expires_at too_early")
    assert.strictEqual(refusalOf(pooled({ starts_at: iso(now + 9), expires_at: iso(now + 9) })), "expires_at too_early")
  })

  it("are refused to a customer who has a hundred pools open: each use reads them", () => {
    assert.isTrue(Result.isSuccess(pooled({}, 99)))
    assert.strictEqual(refusalOf(pooled({}, 100)), "open_pools")
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
