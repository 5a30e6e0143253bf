import { assert, describe, it } from "@effect/vitest"
import { snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import type { SnapshotRow, StoredGrant } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { withCarriedOut, withoutCarriedOut } from "../../../../src/domain/licensing/metering/CarriedOut.ts"
import { policyGrant, snapshotRow } from "../../../fixtures/SnapshotRows.ts"
import { storedCounter } from "../../../fixtures/StoredFeatures.ts"

const at = (text: string) => Date.parse(`2026-${text}T00:00:00.000Z`)
const iso = (millis: number) => new Date(millis).toISOString()
const [february, march, april, now] = ["02-01", "03-01", "04-01", "03-29"].map(at) as [number, number, number, number]

const stored = (more: object, members: Partial<StoredGrant> = {}) => storedCounter(20, more, members)
const other = stored({ period_start: iso(march), period_consumed: 1 }, { id: "feat_2", code: "scan", consumed: 1 })

const license = (features: ReadonlyArray<StoredGrant>) =>
  snapshotRow({
    now: new Date(now),
    created_at: new Date(at("01-01")),
    granted: [policyGrant({ quota: 10, period: "month" })],
    features
  })

const featureOf = (row: SnapshotRow) => snapshotOf(row).features.find(({ id }) => id === "feat_1")!

describe("a period that has carried units", () => {
  const span = { start: february, end: march }
  const grant = (id: string, left: number) => ({
    id,
    left,
    priority: 50,
    starts_at: iso(march),
    expires_at: iso(april)
  })
  const granted = { drawn: 9, period_drawn: 2, grants: [grant("out", 3), grant("own", 5)] }
  const out = [{ id: "out", amount: 4 }]

  it("has them used of its quota, and what is left of them to be taken after it", () => {
    const row = withCarriedOut(
      license([other, stored({ period_start: iso(february), period_consumed: 6, granted })]),
      "feat_1",
      span,
      out
    )
    const { more } = row.features![1]!
    assert.strictEqual(row.features![0], other)
    assert.deepInclude(more, { period_start: iso(february), period_consumed: 10 })
    assert.deepStrictEqual(more!.granted, {
      drawn: 9,
      period_drawn: 2,
      grants: [
        { id: "out", left: 3, priority: 100, starts_at: "1970-01-01T00:00:00.000Z", expires_at: iso(march) },
        grant("own", 5)
      ]
    })
    const later = withCarriedOut(
      license([stored({ period_start: iso(march), period_consumed: 6, granted })]),
      "feat_1",
      span,
      out
    )
    assert.deepInclude(later.features![0]!.more, { period_start: iso(february), period_consumed: 4 })
    assert.isNull(later.features![0]!.more!.granted!.period_drawn)
    const without = license([stored({ period_start: iso(february), period_consumed: 6 })])
    assert.deepStrictEqual(withCarriedOut(without, "feat_1", span, out), without)
  })

  it("is shown without them: neither used, nor of its quota", () => {
    const feature = featureOf(license([stored({ period_start: iso(march), period_consumed: 6, granted })]))
    const shown = withoutCarriedOut(feature, 4)
    assert.deepInclude(shown, { consumed: 2, quota: feature.quota! - 4, ceiling: feature.ceiling - 4 })
    assert.strictEqual(shown.granted!.own, 6)
    assert.strictEqual(withoutCarriedOut(feature, 0), feature)
    assert.strictEqual(withoutCarriedOut(feature, 99).granted!.own, 0)
    const unlimited = withoutCarriedOut({ ...feature, quota: null, granted: { ...feature.granted!, own: null } }, 1)
    assert.deepStrictEqual([unlimited.quota, unlimited.granted!.own, unlimited.consumed], [null, null, 5])
  })
})
